#pragma once
/// Anything that is searched for low energies as a BuiltModel.

#include "pearlite/app/catalogue.hpp"
#include "pearlite/app/search_plan.hpp"
#include "pearlite/model/space.hpp"

#include <functional>
#include <memory>

namespace pearlite::app {

/// Builds a space with the operations that a configuration asks for; InputError if they do not fit.
using MakeSpace = std::function<std::shared_ptr<const model::Space>(const OperationPlan&)>;

/// `standard` are operations with which the space can be asked for what does not depend on them.
std::unique_ptr<BuiltModel> searched_in(MakeSpace make_space, OperationPlan standard);

} // namespace pearlite::app
