#include "models/common/constant_variance.hpp"

#include "pearlite/core/error.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace pearlite::models::detail {

namespace {

/// Particles between two multiples of it cost the same in vector code.
constexpr Index particles_abreast = 32;

/// Sample variance; infinite if a value is.
double variance_of(std::span<const double> values) {
    double mean = 0, squares = 0;
    for (const double value : values)
        mean += value / static_cast<double>(values.size());
    for (const double value : values)
        squares += (value - mean) * (value - mean);
    return std::isfinite(mean) ? squares / static_cast<double>(values.size() - 1) : infinity;
}

} // namespace

void check_constant_variance(const std::string& model, const ConstantVariance& goal) {
    if (!(goal.variance > 0) || !std::isfinite(goal.variance))
        throw InputError(model + ": the variance of the log likelihood must be above 0");
    if (goal.pilot_particles < 1 || goal.pilot_runs < 2)
        throw InputError(model + ": pilots need 2 runs or more, of 1 particle or more");
    if (goal.smallest < 1 || goal.largest < goal.smallest)
        throw InputError(model + ": particles by point need 1 <= smallest <= largest");
}

Index particles_for(const ConstantVariance& goal, const random::Address& address,
                    const std::function<double(Index, const random::Address&)>& run) {
    std::vector<double> logs;
    for (Index r = 0; r < goal.pilot_runs; ++r) {
        random::Address pilot = address;
        pilot.seed = random::derive_seed(address.seed, pilots_from + static_cast<std::uint64_t>(r));
        logs.push_back(run(goal.pilot_particles, pilot));
    }
    const double wanted = static_cast<double>(goal.pilot_particles) * variance_of(logs) / goal.variance;
    const double n = std::clamp(wanted, static_cast<double>(goal.smallest), static_cast<double>(goal.largest));
    return (static_cast<Index>(std::ceil(n)) + particles_abreast - 1) / particles_abreast * particles_abreast;
}

} // namespace pearlite::models::detail
