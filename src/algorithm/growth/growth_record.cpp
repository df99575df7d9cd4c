#include "algorithm/growth/growth_record.hpp"

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

} // namespace pearlite::algorithm
