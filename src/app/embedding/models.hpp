#pragma once
/// Models that exist before a configuration is read: functions of another language.

#include "model/joint_functions.hpp"
#include "pearlite/app/catalogue.hpp"
#include "pearlite/kernel/detail/box_functions.hpp"
#include "pearlite/model/detail/density_functions.hpp"

#include <memory>
#include <string>

namespace pearlite::app {

/// A prior and a likelihood, annealed along the tempered path.
ModelEntry density_entry(const std::string& name, std::shared_ptr<const model::DensityFunctions> density);
/// A joint density, bridged; its key start_scale is that of Stan programs.
ModelEntry joint_density_entry(const std::string& name, std::shared_ptr<const model::JointFunctions> functions);
/// An energy in a box, which is searched for its minimum. InputError unless the box has lower bounds below upper ones.
ModelEntry energy_entry(const std::string& name, std::shared_ptr<const kernel::BoxFunctions> energy);

} // namespace pearlite::app
