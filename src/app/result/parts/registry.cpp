#include "app/result/parts/kinds.hpp"

namespace pearlite::app {

std::span<const PartKind> kinds_of_parts() {
    static const std::vector<PartKind> kinds{
#define PEARLITE_PART(name) name##_kind(),
#include "app/result/parts/list_of_parts.inl"
#undef PEARLITE_PART
    };
    return kinds;
}

} // namespace pearlite::app
