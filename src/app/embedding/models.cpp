#include "app/embedding/models.hpp"

#include "models/joint/joint_density.hpp"
#include "pearlite/io/configuration.hpp"
#include "pearlite/kernel/detail/searched_energy.hpp"
#include "pearlite/path/tempered.hpp"

#include <utility>

namespace pearlite::app {

namespace {

/// Points of a block are evaluated by one call, whose cost they share.
constexpr Index points_of_a_call = 512;
constexpr Index most_points_of_a_call = 65536;

model::ModelTraits density_traits(const std::string& name) {
    return {name, points_of_a_call, most_points_of_a_call, true, 1, true};
}

std::unique_ptr<BuiltModel> tempered(std::shared_ptr<const model::DensityFunctions> density) {
    return model::annealed(std::make_shared<const path::Tempered>(std::move(density)));
}

} // namespace

ModelEntry density_entry(const std::string& name, std::shared_ptr<const model::DensityFunctions> density) {
    return {density_traits(name), "a prior and a likelihood of the program at hand",
            [density = std::move(density)](io::Configuration&, io::Section&) { return tempered(density); }};
}

ModelEntry joint_density_entry(const std::string& name, std::shared_ptr<const model::JointFunctions> functions) {
    auto traits = density_traits(name);
    traits.lacks_prior = true;
    return {std::move(traits), "a joint density of the program at hand",
            [functions = std::move(functions)](io::Configuration&, io::Section& section) {
                const double scale = section.number("start_scale", 2.0, {.low = 0, .open_low = true});
                return tempered(std::make_shared<const models::JointDensity>(functions, scale));
            }};
}

ModelEntry energy_entry(const std::string& name, std::shared_ptr<const kernel::BoxFunctions> energy) {
    kernel::check_box(energy->dimension(), energy->lower(), energy->upper(), energy->is_periodic());
    return model::searched_entry(
        name, "an energy of the program at hand", kernel::box_search_traits(),
        [energy = std::move(energy)](io::Configuration&, io::Section&) { return kernel::searched(energy); });
}

} // namespace pearlite::app
