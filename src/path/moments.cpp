// The path of averaged moments, which a run finds (algorithm/moments).
#include "path/registry.hpp"
#include "pearlite/model/detail/moment_family.hpp"

namespace pearlite::path {

PathEntry moments_entry() {
    return {"moments",
            "moments averaged in place of natural parameters, through members that are fitted (Grosse, Maddison & "
            "Salakhutdinov 2013)",
            [](const model::Target& model) { return model.offers<model::MomentFamily>() != nullptr; },
            [](std::shared_ptr<const model::Target> model) { return model; }};
}

} // namespace pearlite::path
