#pragma once
/// What samplers share: their settings, what they report while running and what they return.

#include "pearlite/estimator/estimate.hpp"
#include "pearlite/population/resampling.hpp"
#include "pearlite/sampler/trace.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace pearlite::sampler {

/// A population's size, its cut into blocks and its seed.
struct PopulationSettings {
    Index particles = 0;
    Index block = 16;
    std::uint64_t seed = 0;
};

/// Where a run stands, for progress lines. Cheap and local: the same on every rank.
struct Progress {
    Index step = 0;
    Index steps = 0; ///< 0 if not known beforehand (adaptive schedules)
    double inverse_temperature = 0;
    double ess = 0;
    double log_ratio = 0;
};

/// What a finished sampler knows. Valid on rank 0; elsewhere estimates may be empty.
struct Outcome {
    std::vector<estimator::Estimate> log_ratio; ///< the first is the headline
    double ess = 0;                             ///< of the final weights
    std::vector<std::string> warnings;
};

} // namespace pearlite::sampler
