#include "algorithm/pilot/spread_temperatures.hpp"

#include "estimator/evidence/mobility.hpp"

#include <cmath>

namespace pearlite::algorithm {

namespace {

/// Per unit of inverse temperature; 0 where nothing is known.
double length_density(double variance_u, double mobility) {
    const double m = estimator::usable_mobility(mobility);
    return std::isfinite(variance_u) && variance_u > 0 ? std::sqrt(variance_u * (2 - m) / m) : 0.0;
}

/// The path's length up to each of the pilot's temperatures.
std::vector<double> lengths_of(const Tuning& pilot) {
    const auto& b = pilot.inverse_temperatures;
    std::vector<double> density, length{0};
    for (std::size_t t = 0; t < b.size(); ++t) // the first particles are independent draws
        density.push_back(length_density(pilot.variance_u[t], pilot.mobility[t == 0 ? 1 : t]));
    for (std::size_t t = 1; t < b.size(); ++t) {
        // Where a likelihood is zero somewhere u has no variance: the other end stands in.
        const double before = density[t - 1] > 0 ? density[t - 1] : density[t];
        const double after = density[t] > 0 ? density[t] : before;
        length.push_back(length.back() + (b[t] - b[t - 1]) * 0.5 * (before + after));
    }
    return length;
}

} // namespace

SpreadTemperatures spread_temperatures(const Tuning& pilot, const Spread& spread) {
    const auto& b = pilot.inverse_temperatures;
    PEARLITE_EXPECTS(b.size() >= 2 && pilot.variance_u.size() == b.size() && pilot.mobility.size() == b.size());
    const auto length = lengths_of(pilot);
    const double wanted = std::ceil(length.back() * length.back() / spread.log_weight_variance);
    const auto pilot_steps = static_cast<double>(b.size() - 1);
    const double most = std::max(pilot_steps, static_cast<double>(spread.most_steps));
    const auto steps = static_cast<std::size_t>(std::clamp(wanted, pilot_steps, most));
    SpreadTemperatures result{{b.front()}, {0}, wanted};
    std::size_t t = 0; // the pilot's interval
    for (std::size_t k = 1; k <= steps; ++k) {
        const double place = length.back() * static_cast<double>(k) / static_cast<double>(steps);
        while (t + 2 < b.size() && length[t + 1] < place)
            ++t;
        const double share = std::clamp((place - length[t]) / (length[t + 1] - length[t]), 0.0, 1.0);
        const double to = k == steps ? b.back() : b[t] + share * (b[t + 1] - b[t]);
        if (!(to > result.inverse_temperatures.back()))
            continue; // closer than numbers are
        result.inverse_temperatures.push_back(to);
        result.rows.push_back(static_cast<Index>(t) + 1);
    }
    return result;
}

} // namespace pearlite::algorithm
