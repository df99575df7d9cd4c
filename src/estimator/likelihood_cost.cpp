#include "estimator/likelihood_cost.hpp"

#include "pearlite/core/detail/contract.hpp"

#include <algorithm>
#include <cmath>

namespace pearlite::estimator {

double noise_factor(std::span<const double> inverse_temperatures) {
    const auto& a = inverse_temperatures;
    double tau = 0;
    for (std::size_t t = 1; t < a.size(); ++t)
        tau += (a[t] - a[t - 1]) * (a[t] - a[t - 1]);
    return tau;
}

NoiseShares noise_shares(double standard_error, double sigma2, double tau, Index n_particles) {
    const auto m = static_cast<double>(n_particles);
    const double variance = standard_error * standard_error;
    const double likelihood = std::min(variance, (variance + 1 / m) * -std::expm1(-tau * sigma2));
    return {std::sqrt(variance - likelihood), std::sqrt(likelihood)};
}

double LikelihoodCost::at(double variance) const {
    return std::exp(schedule_tau * variance) * (gamma2 * seconds_per_particle / variance + seconds_base);
}

double LikelihoodCost::optimal_variance() const {
    PEARLITE_EXPECTS(gamma2 > 0 && seconds_per_particle > 0 && seconds_base >= 0 && schedule_tau > 0);
    const double g = gamma2 * seconds_per_particle, tau = schedule_tau;
    return 2 * g / (tau * g + std::sqrt(tau * g * (tau * g + 4 * seconds_base)));
}

TimeLine fit_time(std::span<const double> particles, std::span<const double> seconds) {
    PEARLITE_EXPECTS(particles.size() == seconds.size() && particles.size() >= 2);
    const auto [fewest, most] = std::minmax_element(particles.begin(), particles.end());
    PEARLITE_EXPECTS(*fewest < *most);
    // Rows (1/t, n/t), right-hand side 1.
    double s_bb = 0, s_bn = 0, s_nn = 0, s_b = 0, s_n = 0;
    for (std::size_t k = 0; k < particles.size(); ++k) {
        PEARLITE_EXPECTS(particles[k] > 0 && seconds[k] > 0);
        const double b = 1 / seconds[k], n = particles[k] / seconds[k];
        s_bb += b * b;
        s_bn += b * n;
        s_nn += n * n;
        s_b += b;
        s_n += n;
    }
    const double determinant = s_bb * s_nn - s_bn * s_bn;
    TimeLine line{(s_b * s_nn - s_n * s_bn) / determinant, (s_n * s_bb - s_b * s_bn) / determinant, 0};
    if (line.base < 0)
        line = {0, s_n / s_nn, 0};
    else if (line.per_particle < 0)
        line = {s_b / s_bb, 0, 0};
    for (std::size_t k = 0; k < particles.size(); ++k)
        line.largest_relative_residual =
            std::max(line.largest_relative_residual, std::abs(line.at(particles[k]) / seconds[k] - 1));
    return line;
}

} // namespace pearlite::estimator
