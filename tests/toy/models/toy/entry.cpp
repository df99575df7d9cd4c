#include "models/common/reading.hpp"
#include "models/registry.hpp"
#include "models/toy/toy.hpp"

namespace pearlite::models {

ModelEntry toy_entry() {
    const auto build = [](io::Configuration& configuration, io::Section&) {
        auto toy = read_model<Toy>(configuration);
        return configuration.has_errors() ? nullptr : built_density(std::move(toy));
    };
    return {{"toy", 16, 4096, true, 1, true}, "a normal observation; exact evidence", build, list_keys<Toy>};
}

} // namespace pearlite::models
