#include "pearlite/sampler/likelihood_noise.hpp"

#include <algorithm>

namespace pearlite::sampler {

double noise_factor(const path::Schedule& schedule) {
    double tau = 0;
    for (Index t = 1; t <= schedule.steps(); ++t)
        tau += (schedule[t] - schedule[t - 1]) * (schedule[t] - schedule[t - 1]);
    return tau;
}

NoiseShares noise_shares(double standard_error, double sigma2, double tau, Index n_particles) {
    const auto m = static_cast<double>(n_particles);
    const double variance = standard_error * standard_error;
    const double likelihood = std::min(variance, (variance + 1 / m) * -std::expm1(-tau * sigma2));
    return {std::sqrt(variance - likelihood), std::sqrt(likelihood)};
}

std::vector<Diagnostic> noise_diagnostics(double sigma2, double tau, const std::optional<double>& standard_error,
                                          Index n_particles) {
    std::vector<Diagnostic> all{{"likelihood_log_variance", sigma2, {}},
                                {"schedule_tau", tau, {}},
                                {"ess_factor_of_estimating", std::exp(-tau * sigma2), {}}};
    if (standard_error) {
        const auto shares = noise_shares(*standard_error, sigma2, tau, n_particles);
        all.push_back({"annealing_standard_error", shares.annealing, {}});
        all.push_back({"likelihood_standard_error", shares.likelihood, {}});
    }
    return all;
}

} // namespace pearlite::sampler
