#pragma once
/// Anything that is annealed as a BuiltModel.

#include "pearlite/app/catalogue.hpp"

#include <memory>

namespace pearlite::app {

std::unique_ptr<BuiltModel> annealed(std::shared_ptr<const model::Target> target);

} // namespace pearlite::app
