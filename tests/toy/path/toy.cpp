// A toy path: the model's own, under another name.
#include "path/registry.hpp"

namespace pearlite::path {

PathEntry toy_entry() {
    return {"toy", "the model's own path", [](const model::Target&) { return true; },
            [](std::shared_ptr<const model::Target> model) { return model; }, true};
}

} // namespace pearlite::path
