#include "estimator/predictive.hpp"

#include "pearlite/core/detail/contract.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace pearlite::estimator {

PredictiveSummary summarise_predictive(const Matrix& draws) {
    PEARLITE_EXPECTS(draws.rows() >= 1);
    constexpr auto n_levels = static_cast<Index>(std::size(predictive_levels));
    PredictiveSummary summary{{}, Matrix(n_levels, draws.cols())};
    const auto n = static_cast<double>(draws.rows());
    for (Index j = 0; j < draws.cols(); ++j) {
        Vector sorted = draws.col(j);
        std::sort(sorted.begin(), sorted.end());
        double sum = 0;
        for (const double value : sorted)
            sum += value;
        summary.mean.push_back(sum / n);
        for (Index k = 0; k < n_levels; ++k) {
            const auto rank = static_cast<Index>(std::ceil(predictive_levels[k] * n));
            summary.quantiles(k, j) = sorted(std::clamp<Index>(rank - 1, 0, draws.rows() - 1));
        }
    }
    return summary;
}

std::vector<double> predictive_ranks(const Matrix& draws, std::span<const double> observed) {
    PEARLITE_EXPECTS(draws.rows() >= 1 && static_cast<Index>(observed.size()) == draws.cols());
    std::vector<double> ranks;
    for (Index j = 0; j < draws.cols(); ++j) {
        const double y = observed[static_cast<std::size_t>(j)];
        const auto below = (draws.col(j).array() < y).count(), equal = (draws.col(j).array() == y).count();
        ranks.push_back((static_cast<double>(below) + 0.5 * static_cast<double>(equal)) /
                        static_cast<double>(draws.rows()));
    }
    return ranks;
}

double central_coverage(std::span<const double> ranks, double probability) {
    PEARLITE_EXPECTS(!ranks.empty());
    const double edge = (1 - probability) / 2;
    const auto inside = std::ranges::count_if(ranks, [&](double rank) { return rank >= edge && rank <= 1 - edge; });
    return static_cast<double>(inside) / static_cast<double>(ranks.size());
}

} // namespace pearlite::estimator
