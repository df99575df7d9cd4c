#include "algorithm/stochastic_approximation/weighted_moments.hpp"

#include "core/log_space.hpp"
#include "pearlite/core/detail/contract.hpp"

#include <algorithm>

namespace pearlite::algorithm {

WeightedMoments::WeightedMoments(Index chains, Index dimension)
    : dimension_(dimension), sums_(static_cast<std::size_t>(chains) * width()) {
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
    for (std::size_t i = 0; i < sums.size(); i += width()) {
        const double factor = std::exp(sums[i] - top);
        for (std::size_t k = 1; k < width(); ++k)
            total[k] += sums[i + k] * (k == 2 ? factor * factor : factor);
    }
    WeightedAverages averages;
    averages.effective_states = total[1] * total[1] / total[2];
    for (std::size_t k = 0; k < static_cast<std::size_t>(dimension_); ++k) {
        const double mean = total[3 + k] / total[1];
        const double square = total[3 + static_cast<std::size_t>(dimension_) + k] / total[1];
        averages.means.push_back(mean);
        averages.deviations.push_back(std::sqrt(std::max(0.0, square - mean * mean)));
    }
    return averages;
}

} // namespace pearlite::algorithm
