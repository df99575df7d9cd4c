#include "estimator/evidence/mobility.hpp"

#include "estimator/evidence/genealogy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace pearlite::estimator {

namespace {

/// Whether so many families are behind a mean of temperature t that it does not rest on the moves.
bool has_enough_families(std::span<const double> families, std::size_t t) {
    return t < families.size() && families[t] >= good_effective_families;
}

} // namespace

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
        if (mobility >= needed || has_enough_families(record.families, t))
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
    const auto descent = std::isnan(families) ? "" : fmt::format(", and rest on {:.1f} families", families);
    return fmt::format("{:.1f} % of the particles did not move at all in {} moves at inverse temperature {:.4g}{}: the "
                       "target is narrower there than the proposals, and particles may never enter such places; use "
                       "another kernel, or other coordinates",
                       100 * unmoved, moves, inverse_temperature, descent);
}

std::optional<StuckParticles> stuck_particles(const AcceptanceRecord& record) {
    constexpr std::int64_t many_moves = 20;
    struct Limit {
        double by_chance; ///< a temperature counts where chance would leave fewer particles where they are
        double tolerated; ///< mean share of these temperatures
    };
    constexpr std::array limits{Limit{1e-6, 0.004}, Limit{0.005, 0.1}};
    const std::size_t n = std::min({record.acceptance.size(), record.moves.size(), record.unmoved.size()});
    for (const auto& limit : limits) {
        StuckParticles worst;
        double sum = 0, asked = 0;
        for (std::size_t t = 1; t < n; ++t) {
            const auto m = record.moves[t];
            const double by_chance = std::pow(1 - record.acceptance[t], static_cast<double>(m));
            if (m < many_moves || !(by_chance < limit.by_chance) || std::isnan(record.unmoved[t]))
                continue;
            ++asked;
            if (has_enough_families(record.families, t))
                continue;
            sum += record.unmoved[t];
            if (record.unmoved[t] > worst.unmoved)
                worst = {record.inverse_temperature[t], record.unmoved[t], m,
                         t < record.families.size() ? record.families[t] : std::numeric_limits<double>::quiet_NaN()};
        }
        if (sum > limit.tolerated * asked)
            return worst;
    }
    return {};
}

} // namespace pearlite::estimator
