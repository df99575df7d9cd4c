#pragma once
/// Runs of parallel tempering of densities.

#include "algorithm/densities.hpp"
#include "algorithm/parallel_tempering/parallel_tempering.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace pearlite::algorithm::testing {

/// Tempering whose proposals come from a pilot along the same ladder.
template <class D>
Piloted tempering_of(const D& density, const path::Temperatures& ladder, random::Seed seed, Index moves = 4,
                     Index systems = 32, Index scans = 400) {
    const auto alone = parallel::Communicator::alone();
    const auto path = path_of(density);
    return {alone, std::make_unique<Smc>(smc_of(alone, path, ladder, moves, {512, 16, seed.value + 1000})),
            [=](const Tuning& tuning) {
                return std::make_unique<ParallelTempering>(alone, path, path::Schedule(tuning.inverse_temperatures),
                                                           kernel::RandomWalk(path, moves, tuning.kernel),
                                                           TemperingSettings{systems, scans, scans / 5, seed});
            }};
}

template <class D>
Outcome tempered(const D& density, const path::Temperatures& ladder, random::Seed seed) {
    auto sampler = tempering_of(density, ladder, seed);
    complete(sampler);
    return sampler.outcome();
}

inline const std::vector<double>& array_of(const Outcome& outcome, const std::string& path) {
    return std::ranges::find_if(outcome.arrays, [&](const auto& array) { return array.path == path; })->values;
}

/// The rules switched off: the corrected trapezoids of the same run, with the error of their means.
inline std::pair<double, double> unrefused(const Outcome& outcome) {
    const auto& b = array_of(outcome, "tempering/inverse_temperature");
    const auto& mean = array_of(outcome, "tempering/mean_u");
    const auto& variance = array_of(outcome, "tempering/variance_u");
    const auto& error = array_of(outcome, "tempering/mean_u_standard_error");
    double value = 0, square = 0;
    for (std::size_t t = 1; t < b.size(); ++t) {
        const double step = b[t] - b[t - 1];
        value += step / 2 * (mean[t] + mean[t - 1]) - step * step / 12 * (variance[t] - variance[t - 1]);
        square += std::pow(step / 2 * error[t], 2) + std::pow(step / 2 * error[t - 1], 2);
    }
    return {value, std::sqrt(square)};
}

inline double z_of(const estimator::Estimate& estimate, double exact) {
    return (estimate.value - exact) / estimate.standard_error.value();
}

} // namespace pearlite::algorithm::testing
