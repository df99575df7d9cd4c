#pragma once
/// The annealed population that serves pilots, a bridge's leg from the prior, and the choice of a likelihood's size.

#include "algorithm/common/sampler.hpp"
#include "path/schedule.hpp"

#include <memory>

namespace pearlite::algorithm {

/// A sampler that anneals a weighted population with its standard settings: SMC, whose folder defines both functions.
/// Without resampling it is annealed importance sampling that may choose its temperatures.
std::unique_ptr<Sampler> annealed_population(const parallel::Communicator& ranks,
                                             std::shared_ptr<const model::Target> target, path::Temperatures schedule,
                                             const kernel::Kernel& kernel, const PopulationSettings& settings,
                                             bool resamples = true);

/// The sampler's name in configurations.
const char* annealed_population_name();

} // namespace pearlite::algorithm
