#include "models/state_space/particle_filter.hpp"

#include <algorithm>
#include <numeric>

namespace pearlite::models {

std::vector<Index> missing_times(std::span<const double> observations) {
    std::vector<Index> times;
    for (std::size_t t = 0; t < observations.size(); ++t)
        if (is_missing(observations[t]))
            times.push_back(static_cast<Index>(t));
    return times;
}

void systematic_ancestors(std::span<const double> weights, double offset, std::span<Index> ancestors) {
    double sum = 0;
    Index last_possible = -1;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        sum += weights[i];
        if (weights[i] > 0)
            last_possible = static_cast<Index>(i);
    }
    PEARLITE_EXPECTS(last_possible >= 0 && std::isfinite(sum) && offset >= 0 && offset < 1);
    const double step = sum / static_cast<double>(ancestors.size());
    Index i = 0;
    double cumulative = weights[0];
    for (std::size_t slot = 0; slot < ancestors.size(); ++slot) {
        const double point = (static_cast<double>(slot) + offset) * step;
        while (cumulative <= point && i < last_possible) // beyond it only by rounding
            cumulative += weights[static_cast<std::size_t>(++i)];
        ancestors[slot] = i;
    }
}

std::vector<double> weighted_quantiles(std::span<const double> values, std::span<const double> weights,
                                       std::span<const double> probabilities) {
    PEARLITE_EXPECTS(values.size() == weights.size());
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
    std::erase_if(order, [&](std::size_t i) { return !(weights[i] > 0); });
    PEARLITE_EXPECTS(!order.empty());
    std::vector<double> cumulative;
    double sum = 0;
    cumulative.reserve(order.size());
    for (const std::size_t i : order)
        cumulative.push_back(sum += weights[i]);
    std::vector<double> quantiles;
    for (const double p : probabilities) {
        const auto at = std::lower_bound(cumulative.begin(), cumulative.end(), p * sum) - cumulative.begin();
        quantiles.push_back(values[order[std::min(static_cast<std::size_t>(at), order.size() - 1)]]);
    }
    return quantiles;
}

namespace detail {

void CloudWeights::make_equal() {
    std::fill(log_weights_.begin(), log_weights_.end(), -std::log(static_cast<double>(log_weights_.size())));
}

double CloudWeights::normalise() {
    const double log_sum = log_sum_exp(log_weights_);
    if (log_sum == log_zero)
        return log_sum;
    if (!std::isfinite(log_sum))
        throw NumericalError("particle filter: an infinite weight");
    for (double& log_weight : log_weights_)
        log_weight -= log_sum;
    return log_sum;
}

double CloudWeights::effective_size() const {
    double squares = 0;
    for (const double log_weight : log_weights_)
        squares += std::exp(2 * log_weight);
    return 1 / squares;
}

std::vector<double> CloudWeights::values() const {
    std::vector<double> weights(log_weights_.size());
    std::transform(log_weights_.begin(), log_weights_.end(), weights.begin(), [](double w) { return std::exp(w); });
    return weights;
}

} // namespace detail

} // namespace pearlite::models
