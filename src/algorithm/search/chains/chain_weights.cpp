#include "algorithm/search/chains/chain_weights.hpp"

#include "pearlite/core/detail/contract.hpp"

#include <algorithm>
#include <cmath>

namespace pearlite::algorithm {

ChainWeights::ChainWeights(Index chains, double resample_below)
    : resample_below_(resample_below), log_weights_(static_cast<std::size_t>(chains), 0.0) {
    PEARLITE_EXPECTS(chains >= 1 && resample_below > 0 && resample_below <= 1);
}

bool ChainWeights::is_due() const {
    const double highest = *std::max_element(log_weights_.begin(), log_weights_.end());
    double sum = 0, squares = 0;
    for (const double log_weight : log_weights_) {
        const double weight = std::exp(log_weight - highest);
        sum += weight;
        squares += weight * weight;
    }
    return sum * sum < resample_below_ * static_cast<double>(log_weights_.size()) * squares;
}

std::span<const std::int64_t> ChainWeights::resample(double uniform) {
    const std::size_t n = log_weights_.size();
    const double highest = *std::max_element(log_weights_.begin(), log_weights_.end());
    double total = 0;
    for (double& weight : log_weights_)
        total += weight = std::exp(weight - highest);
    // Offspring: the points (k + uniform)/n that fall into a chain's part of the weight.
    offspring_.assign(n, 0);
    std::size_t chain = 0;
    double end = log_weights_[0];
    for (std::size_t k = 0; k < n; ++k) {
        const double point = (static_cast<double>(k) + uniform) / static_cast<double>(n) * total;
        while (chain + 1 < n && end <= point)
            end += log_weights_[++chain];
        ++offspring_[chain];
    }
    parents_.assign(n, -1);
    std::size_t parent = 0;
    for (std::size_t i = 0; i < n; ++i) {
        if (offspring_[i] > 0)
            continue;
        while (offspring_[parent] < 2)
            ++parent;
        --offspring_[parent];
        parents_[i] = static_cast<std::int64_t>(parent);
    }
    std::fill(log_weights_.begin(), log_weights_.end(), 0.0);
    ++resamplings_;
    return parents_;
}

} // namespace pearlite::algorithm
