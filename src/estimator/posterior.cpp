#include "estimator/posterior.hpp"

#include "core/log_space.hpp"
#include "estimator/evidence/genealogy.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>

namespace pearlite::estimator {

namespace {

std::vector<double> normalised(std::span<const double> log_weights) {
    const double log_sum = log_sum_exp(log_weights);
    std::vector<double> weights;
    weights.reserve(log_weights.size());
    for (const double lw : log_weights)
        weights.push_back(std::exp(lw - log_sum));
    return weights;
}

/// Draws by their ancestors.
struct Families {
    std::vector<std::size_t> of_draw;
    std::vector<double> sizes; ///< S_e: summed weights

    /// From each family's sum of W_i (phi_i - mean). The mean is the sample's own, which takes the share sum_e S_e^2
    /// from the expected square; NaN if too few families survive to show a spread.
    double squared_error(const std::vector<double>& deviations) const {
        double sum = 0, squares = 0;
        std::size_t survivors = 0;
        for (std::size_t e = 0; e < sizes.size(); ++e) {
            sum += deviations[e] * deviations[e];
            squares += sizes[e] * sizes[e];
            survivors += sizes[e] > 0 ? 1 : 0;
        }
        return survivors < min_eves ? std::numeric_limits<double>::quiet_NaN() : sum / (1 - squares);
    }
};

Families families_of(const std::vector<double>& weights, std::span<const std::int64_t> eves) {
    Families families;
    std::map<std::int64_t, std::size_t> places;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        const std::size_t place = places.try_emplace(eves[i], places.size()).first->second;
        families.of_draw.push_back(place);
        families.sizes.resize(places.size());
        families.sizes[place] += weights[i];
    }
    return families;
}

} // namespace

double weighted_quantile(std::span<const double> values, std::span<const double> log_weights, double p) {
    PEARLITE_EXPECTS(!values.empty() && values.size() == log_weights.size());
    const auto weights = normalised(log_weights);
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](auto a, auto b) { return values[a] < values[b]; });
    double cumulated = 0;
    for (const auto i : order) {
        cumulated += weights[i];
        if (cumulated >= p && weights[i] > 0)
            return values[i];
    }
    return values[order.back()];
}

std::vector<PosteriorSummary> summarise_posterior(const std::vector<std::string>& names, const Matrix& draws,
                                                  std::span<const double> log_weights,
                                                  std::span<const std::int64_t> eves) {
    PEARLITE_EXPECTS(draws.rows() == static_cast<Index>(names.size()) &&
                     draws.cols() == static_cast<Index>(log_weights.size()) && eves.size() == log_weights.size());
    const auto weights = normalised(log_weights);
    const Families families = families_of(weights, eves);
    std::vector<PosteriorSummary> summaries;
    for (Index k = 0; k < draws.rows(); ++k) {
        const Vector row = draws.row(k);
        const std::span<const double> values(row.data(), static_cast<std::size_t>(row.size()));
        PosteriorSummary summary;
        summary.name = names[static_cast<std::size_t>(k)];
        for (std::size_t i = 0; i < values.size(); ++i)
            if (weights[i] > 0) // others may be infinite
                summary.mean += weights[i] * values[i];
        std::vector<double> deviations(families.sizes.size());
        double variance = 0;
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (weights[i] == 0)
                continue;
            const double centred = values[i] - summary.mean;
            variance += weights[i] * centred * centred;
            deviations[families.of_draw[i]] += weights[i] * centred;
        }
        const double squared_error = families.squared_error(deviations);
        summary.sd = std::sqrt(variance);
        summary.mcse = std::sqrt(squared_error);
        summary.ess = squared_error > 0 ? std::min(variance / squared_error, static_cast<double>(values.size()))
                                        : squared_error; // 0, or no error at all
        summary.quantile_025 = weighted_quantile(values, log_weights, 0.025);
        summary.quantile_250 = weighted_quantile(values, log_weights, 0.25);
        summary.quantile_500 = weighted_quantile(values, log_weights, 0.5);
        summary.quantile_750 = weighted_quantile(values, log_weights, 0.75);
        summary.quantile_975 = weighted_quantile(values, log_weights, 0.975);
        summaries.push_back(summary);
    }
    return summaries;
}

std::vector<PosteriorSummary> combine_batches(const std::vector<std::vector<PosteriorSummary>>& batches,
                                              std::span<const double> log_ratios) {
    PEARLITE_EXPECTS(batches.size() == log_ratios.size() && batches.size() >= 2);
    const auto weights = normalised(log_ratios);
    const auto r = static_cast<double>(batches.size());
    std::vector<PosteriorSummary> combined(batches.front().size());
    for (std::size_t k = 0; k < combined.size(); ++k) {
        auto& c = combined[k];
        c.name = batches.front()[k].name;
        for (std::size_t b = 0; b < batches.size(); ++b) {
            const auto& s = batches[b][k];
            c.mean += weights[b] * s.mean;
            c.quantile_025 += weights[b] * s.quantile_025;
            c.quantile_250 += weights[b] * s.quantile_250;
            c.quantile_500 += weights[b] * s.quantile_500;
            c.quantile_750 += weights[b] * s.quantile_750;
            c.quantile_975 += weights[b] * s.quantile_975;
        }
        double variance = 0, squared_error = 0;
        for (std::size_t b = 0; b < batches.size(); ++b) {
            const auto& s = batches[b][k];
            const double deviation = s.mean - c.mean;
            variance += weights[b] * (s.sd * s.sd + deviation * deviation);
            squared_error += weights[b] * weights[b] * deviation * deviation;
        }
        c.sd = std::sqrt(variance);
        c.mcse = std::sqrt(squared_error * r / (r - 1));
        c.ess = c.mcse > 0 ? variance / (c.mcse * c.mcse) : 0;
    }
    return combined;
}

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
