#include "algorithm/pilot/survey_record.hpp"

#include "pearlite/core/detail/contract.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace pearlite::algorithm {

void Knots::fields(Fields& f) {
    f("inverse_temperature", inverse_temperature);
    f("mean_u", mean_u);
    f("tau", tau);
    f("sweeps", sweeps);
    f("is_lower_bound", is_lower_bound);
}

void SurveyRecord::fields(Fields& f) {
    group(f, "profile", profile);
    f("has_tau", has_tau);
    f("friction", friction);
    group(f, "knots", knots);
    f("learnt_at", learnt_at);
    f("repaired", repaired);
}

Fluctuations fluctuations_of(std::span<const double> u, std::span<const double> log_weights) {
    const std::size_t n = u.size();
    PEARLITE_EXPECTS(n >= 2 && log_weights.size() == n);
    const double log_max = *std::max_element(log_weights.begin(), log_weights.end());
    std::vector<double> weights(n, 1.0);
    double sum = 0, squares = 0;
    for (std::size_t i = 0; i < n; ++i) {
        weights[i] = log_weights[i] > -infinity ? std::exp(log_weights[i] - log_max) : 0;
        sum += weights[i];
        squares += weights[i] * weights[i];
    }
    Fluctuations found;
    found.ess = sum * sum / squares;
    if (!(found.ess >= 0.5 * static_cast<double>(n))) {
        std::fill(weights.begin(), weights.end(), 1.0);
        sum = static_cast<double>(n);
        squares = sum;
    }
    for (double& weight : weights)
        weight /= sum;
    const double unbiased = 1 / (1 - squares / (sum * sum)); // 1/(1 - sum W^2)

    for (std::size_t i = 0; i < n; ++i)
        if (weights[i] > 0)
            found.mean += weights[i] * u[i];
    for (std::size_t i = 0; i < n; ++i)
        if (weights[i] > 0)
            found.variance += weights[i] * (u[i] - found.mean) * (u[i] - found.mean);
    found.variance *= unbiased;

    // sum_ij W_i W_j |u_i - u_j|/2 = sum_i W_i (W below i - W above i) u_i, in the order of u.
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return u[a] < u[b]; });
    double below = 0;
    for (const auto i : order) {
        if (weights[i] > 0)
            found.half_difference += weights[i] * (2 * below + weights[i] - 1) * (u[i] - found.mean);
        below += weights[i];
    }
    found.half_difference *= unbiased;
    return found;
}

HoldEstimate estimate_of_hold(const Matrix& u) {
    const Index sweeps = u.rows(), n = u.cols();
    PEARLITE_EXPECTS(sweeps >= 2 && n >= 2);
    const Vector mean = u.rowwise().mean();
    const Matrix deviation = u.colwise() - mean;
    const auto covariance = [&](Index lag) {
        const Index pairs = sweeps - lag;
        return deviation.topRows(pairs).cwiseProduct(deviation.bottomRows(pairs)).sum() /
               (static_cast<double>(pairs) * static_cast<double>(n - 1));
    };
    HoldEstimate found{mean.mean(), covariance(0), 1};
    if (!(found.variance > 0))
        return found;
    for (Index lag = 1; lag < sweeps && static_cast<double>(lag) < 5 * found.tau; ++lag)
        found.tau += 2 * covariance(lag) / found.variance;
    found.tau = std::max(1.0, found.tau);
    return found;
}

} // namespace pearlite::algorithm
