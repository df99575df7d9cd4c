#include "algorithm/search/bias/weighted_moments.hpp"

#include <algorithm>
#include <iterator>

namespace pearlite::algorithm {

WeightedMoments::WeightedMoments(Index chains, Index dimension, Of of)
    : dimension_(dimension), of_(of), sums_(static_cast<std::size_t>(chains) * width()) {
    for (std::size_t i = 0; i < sums_.size(); i += width())
        sums_[i] = log_zero;
}

double* WeightedMoments::raise(Index chain, double log_weight) {
    double* const sums = sums_.data() + static_cast<std::size_t>(chain) * width();
    if (log_weight > sums[0]) {
        const double factor = std::exp(sums[0] - log_weight);
        sums[0] = log_weight;
        for (std::size_t k = 1; k < width(); ++k)
            sums[k] *= k == 2 ? factor * factor : factor;
    }
    return sums;
}

WeightedAverages WeightedMoments::combined(std::span<const double> sums) const {
    PEARLITE_EXPECTS(sums.size() % width() == 0);
    double top = log_zero;
    for (std::size_t i = 0; i < sums.size(); i += width())
        top = std::max(top, sums[i]);
    if (!(top > log_zero))
        return {};
    std::vector<double> total(width());
    double squares_of_chains = 0;
    for (std::size_t i = 0; i < sums.size(); i += width()) {
        const double factor = std::exp(sums[i] - top);
        squares_of_chains += sums[i + 1] * factor * sums[i + 1] * factor;
        for (std::size_t k = 1; k < width(); ++k)
            total[k] += sums[i + k] * (k == 2 ? factor * factor : factor);
    }
    WeightedAverages averages;
    averages.effective_states = total[1] * total[1] / total[2];
    averages.effective_chains = total[1] * total[1] / squares_of_chains;
    if (of_ == Of::features) {
        const auto first = total.begin() + 3;
        std::transform(first, total.end(), std::back_inserter(averages.means),
                       [&](double sum) { return std::min(sum / total[1], 1.0); });
        for (const double p : averages.means)
            averages.deviations.push_back(std::sqrt(p * (1 - p)));
        averages.errors = errors(sums, averages.means, top, total[1]);
        return averages;
    }
    for (std::size_t k = 0; k < static_cast<std::size_t>(dimension_); ++k) {
        const double mean = total[3 + k] / total[1];
        const double square = total[3 + static_cast<std::size_t>(dimension_) + k] / total[1];
        averages.means.push_back(mean);
        averages.deviations.push_back(std::sqrt(std::max(0.0, square - mean * mean)));
    }
    return averages;
}

std::vector<double> WeightedMoments::errors(std::span<const double> sums, std::span<const double> means, double top,
                                            double all) const {
    const auto n_chains = sums.size() / width();
    const auto chains = static_cast<double>(n_chains);
    if (chains < 2)
        return {};
    std::vector<double> errors(means.size());
    for (std::size_t i = 0; i < sums.size(); i += width()) {
        const double factor = std::exp(sums[i] - top);
        for (std::size_t k = 0; k < means.size(); ++k) {
            const double residual = factor * (sums[i + 3 + k] - means[k] * sums[i + 1]) / all;
            errors[k] += residual * residual;
        }
    }
    for (double& error : errors)
        error = std::sqrt(error * chains / (chains - 1));
    return errors;
}

} // namespace pearlite::algorithm
