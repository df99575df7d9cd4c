#include "estimator/evidence/mobility.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pearlite::estimator {

double usable_mobility(double mobility) {
    constexpr double least = 0.02;
    return std::isfinite(mobility) ? std::clamp(mobility, least, 1.0) : 1.0;
}

std::optional<LeastMobility> insufficient_mobility(const MobilityRecord& record) {
    constexpr double whole_step = 0.25, tolerated = 0.05;
    LeastMobility least;
    double smallest_share = 1; // of the mobility that is needed
    std::size_t known = 0, low = 0;
    const std::size_t n = std::min(record.points.size(), record.energies.size());
    for (std::size_t t = 1; t < n; ++t) {
        const double mobility = std::fmin(record.points[t], record.energies[t]); // the number, if the other is NaN
        if (std::isnan(mobility))
            continue;
        const double step = record.inverse_temperature[t] - record.inverse_temperature[t - 1];
        const double sd = step * std::sqrt(record.variance_u[t - 1]);
        const double needed = record.needed * (std::isfinite(sd) ? std::min(1.0, sd / whole_step) : 1.0);
        ++known;
        if (mobility >= needed)
            continue;
        ++low;
        if (mobility / needed < smallest_share) {
            smallest_share = mobility / needed;
            least.inverse_temperature = record.inverse_temperature[t];
            least.mobility = mobility;
        }
    }
    least.share = known > 0 ? static_cast<double>(low) / static_cast<double>(known) : 0;
    if (least.share <= tolerated)
        return {};
    return least;
}

std::string StuckParticles::text() const {
    return fmt::format("{:.1f} % of the particles did not move at all in {} moves at inverse temperature {:.4g}: the "
                       "target is narrower there than the proposals, and particles may never enter such places; use "
                       "another kernel, or other coordinates",
                       100 * unmoved, moves, inverse_temperature);
}

std::optional<StuckParticles> stuck_particles(const AcceptanceRecord& record) {
    constexpr std::int64_t many_moves = 20;
    constexpr double tolerated = 0.02;
    /// The share of particles from which on they tell of narrow places, where chance would leave `expected` of them.
    const auto tells = [](double expected) { return expected < 1e-6 ? 0.005 : expected < 0.005 ? 0.1 : 1.0; };
    StuckParticles worst;
    std::size_t asked = 0, found = 0;
    const std::size_t n = std::min({record.acceptance.size(), record.moves.size(), record.unmoved.size()});
    for (std::size_t t = 1; t < n; ++t) {
        const auto m = record.moves[t];
        if (m < many_moves)
            continue;
        ++asked;
        const double expected = std::pow(1 - record.acceptance[t], static_cast<double>(m));
        if (!(record.unmoved[t] > tells(expected))) // or NaN
            continue;
        ++found;
        if (record.unmoved[t] > worst.unmoved)
            worst = {record.inverse_temperature[t], record.unmoved[t], m};
    }
    if (found < 2 || static_cast<double>(found) <= tolerated * static_cast<double>(asked))
        return {};
    return worst;
}

} // namespace pearlite::estimator
