#pragma once
/// The algorithms of the package, algorithm::entries(). (Models are listed by
/// models/list_of_models.inl, kernels by kernel/list_of_kernels.inl.)

#include "algorithm/plans/algorithm.hpp"
#include "pearlite/app/catalogue.hpp"

#include <memory>
#include <string>
#include <vector>

namespace pearlite::app {

using algorithm::Algorithm;
using algorithm::Plan;

using Algorithms = std::vector<std::shared_ptr<const Algorithm>>;

const Algorithms& algorithms();
/// The algorithm of that name; ContractViolation if there is none.
const Algorithm& algorithm_of_name(const std::string& name);

/// The algorithm that runs a model if the configuration names none.
const Algorithm& standard_algorithm(const ModelTraits& traits);

} // namespace pearlite::app
