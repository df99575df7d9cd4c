#include "models/registry.hpp"

namespace pearlite::models {

model::Catalogue built_in() {
    return {
#define PEARLITE_MODEL(name) name##_entry(),
#include "models/list_of_models.inl"
#undef PEARLITE_MODEL
    };
}

} // namespace pearlite::models
