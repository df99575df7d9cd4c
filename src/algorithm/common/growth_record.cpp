#include "algorithm/common/growth_record.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numeric>

namespace pearlite::algorithm {

GrowthVariance variance_of(const GrowthRecord& record) {
    GrowthVariance found;
    if (record.particles.empty())
        return found;
    double roots = 0;
    for (std::size_t k = 0; k < record.particles.size(); ++k) {
        found.total += record.particles[k];
        found.variance += record.relative_variance[k] / record.particles[k];
        roots += std::sqrt(record.relative_variance[k]);
    }
    found.least = roots * roots / found.total;
    for (const double v : record.relative_variance)
        found.optimal_particles.push_back(roots > 0 ? found.total * std::sqrt(v) / roots
                                                    : found.total / static_cast<double>(record.particles.size()));
    found.moved_per_step = std::accumulate(record.moved.begin(), record.moved.end(), 0.0) /
                           (static_cast<double>(record.particles.size()) * record.base_particles);
    return found;
}

std::string FrozenStep::text() const {
    return fmt::format("particles stand still: at {} variables the mobility of the smoothing weights is {:.2g}, and "
                       "{:.0f} % of their summed variance comes from such steps, so that states which no particle has "
                       "are not found; make more sweeps, or others, or another order",
                       variables, mobility, 100 * share);
}

std::optional<FrozenStep> frozen_step(const GrowthRecord& record) {
    constexpr double still = 0.05, least_variance = 0.25, least_share = 0.25;
    FrozenStep hardest;
    double all = 0, frozen = 0, largest = 0;
    for (std::size_t k = 0; k < record.mobility.size(); ++k) {
        const double variance = 1 / record.first_gamma[k] - 1;
        all += variance;
        if (!(record.mobility[k] < still) || variance < least_variance)
            continue;
        frozen += variance;
        if (variance > largest) {
            largest = variance;
            hardest.variables = static_cast<Index>(k) + 1;
            hardest.mobility = record.mobility[k];
        }
    }
    if (largest == 0 || frozen < least_share * all)
        return {};
    hardest.share = frozen / all;
    return hardest;
}

} // namespace pearlite::algorithm
