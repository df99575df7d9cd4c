// Summaries of weighted draws that the ranks hold in shards.
#include "estimator/chains.hpp"
#include "estimator/evidence/genealogy.hpp"
#include "population/selection.hpp"
#include "population/weights.hpp"

#include <algorithm>
#include <cmath>

namespace pearlite::estimator {

namespace {

constexpr std::array probabilities{0.025, 0.25, 0.5, 0.75, 0.975};
/// Parameters whose sums and quantiles are found together, of so many draws on each rank: some 32 MiB.
Index rows_at_a_time(Index draws) {
    constexpr Index bytes = Index{32} << 20, bytes_of_a_sum = 32;
    return std::clamp<Index>(bytes / (bytes_of_a_sum * std::max<Index>(draws, 1)), 1, 256);
}

/// The draws of one population, with their normalised weights.
struct WeightedDraws {
    const parallel::Communicator& ranks;
    const parallel::BlockLayout& layout;
    const Eigen::Ref<const Matrix>& draws;
    std::vector<double> weights;

    /// Collective. sum_i W_i f(k, draw) of each parameter k: within a block in order, the blocks exactly. A draw of no
    /// weight may be infinite and is left out.
    template <class Function>
    Vector weighted_sums(Function&& f) const {
        population::BlockSums sums(static_cast<std::size_t>(draws.rows()));
        Vector partial(draws.rows());
        for (Index first = 0; first < draws.cols(); first += layout.block()) {
            partial.setZero();
            for (Index i = first; i < std::min(first + layout.block(), draws.cols()); ++i)
                if (const double weight = weights[static_cast<std::size_t>(i)]; weight > 0)
                    for (Index k = 0; k < draws.rows(); ++k)
                        partial(k) += weight * f(k, draws(k, i));
            for (Index k = 0; k < draws.rows(); ++k)
                sums.add(static_cast<std::size_t>(k), partial(k));
        }
        const auto total = sums.total(ranks);
        return Eigen::Map<const Vector>(total.data(), draws.rows());
    }

    /// Collective. 1 - sum_e S_e^2, S_e a family's weight; NaN if too few families have any to show a spread.
    double spread_of_families(const population::Families& families) const {
        // One after the other: sums over families take much of the memory of a large population.
        Matrix terms = Eigen::Map<const Vector>(weights.data(), draws.cols()).transpose();
        population::BlockSums squares(1);
        for (const Vector sums = families.sums(terms).transpose(); const double sum : sums)
            squares.add(0, sum * sum);
        const double total = squares.total(ranks).front();
        terms = (terms.array() > 0).cast<double>();
        const Index n_with_weight = (families.sums(terms).array() > 0).count();
        return ranks.sum(n_with_weight) < min_eves ? std::numeric_limits<double>::quiet_NaN() : 1 - total;
    }

    /// Collective. sum_e (sum_{i in e} W_i (phi_i - mean))^2 of each parameter.
    Vector squares_of_families(const population::Families& families, const Vector& means) const {
        Vector squares(draws.rows());
        const Index at_a_time = rows_at_a_time(layout.size() / ranks.size()); // the same on all ranks
        for (Index first = 0; first < draws.rows(); first += at_a_time) {
            const Index n = std::min(at_a_time, draws.rows() - first);
            Matrix terms = Matrix::Zero(n, draws.cols());
            for (Index i = 0; i < draws.cols(); ++i)
                if (const double weight = weights[static_cast<std::size_t>(i)]; weight > 0)
                    for (Index k = 0; k < n; ++k)
                        terms(k, i) = weight * (draws(first + k, i) - means(first + k));
            const Matrix sums = families.sums(terms);
            population::BlockSums totals(static_cast<std::size_t>(n));
            for (Index e = 0; e < sums.cols(); ++e)
                for (Index k = 0; k < n; ++k)
                    totals.add(static_cast<std::size_t>(k), sums(k, e) * sums(k, e));
            const auto total = totals.total(ranks);
            for (Index k = 0; k < n; ++k)
                squares(first + k) = total[static_cast<std::size_t>(k)];
        }
        return squares;
    }
};

/// A parameter's draws on this rank.
std::vector<double> values_of(const Eigen::Ref<const Matrix>& draws, Index k) {
    std::vector<double> values(static_cast<std::size_t>(draws.cols()));
    for (Index i = 0; i < draws.cols(); ++i)
        values[static_cast<std::size_t>(i)] = draws(k, i);
    return values;
}

/// Collective. squared_errors(means) gives the squared Monte Carlo error of every mean, find_counts() the weights as
/// counts.
template <class FindCounts, class SquaredErrors>
std::vector<PosteriorSummary> summarise(const WeightedDraws& weighted, const std::vector<std::string>& names,
                                        FindCounts&& find_counts, SquaredErrors&& squared_errors) {
    const Vector means = weighted.weighted_sums([](Index, double x) { return x; });
    const Vector variances = weighted.weighted_sums([&](Index k, double x) { return (x - means(k)) * (x - means(k)); });
    const Vector squares = squared_errors(means);
    const std::vector<std::int64_t> counts = find_counts();
    const auto size = static_cast<double>(weighted.layout.size());
    const Index at_a_time =
        weighted.ranks.size() > 1 ? rows_at_a_time(weighted.layout.size() / weighted.ranks.size()) : 1;
    std::vector<double> quantiles;
    for (Index first = 0; first < weighted.draws.rows(); first += at_a_time) {
        std::vector<std::vector<double>> sets;
        for (Index k = first; k < std::min(first + at_a_time, weighted.draws.rows()); ++k)
            sets.push_back(values_of(weighted.draws, k));
        const auto some = population::weighted_quantiles(weighted.ranks, sets, counts, probabilities);
        quantiles.insert(quantiles.end(), some.begin(), some.end());
    }
    std::vector<PosteriorSummary> summaries;
    for (Index k = 0; k < weighted.draws.rows(); ++k) {
        PosteriorSummary summary;
        summary.name = names[static_cast<std::size_t>(k)];
        summary.mean = means(k);
        summary.sd = std::sqrt(variances(k));
        summary.mcse = std::sqrt(squares(k));
        summary.ess = squares(k) > 0 ? std::min(variances(k) / squares(k), size) : squares(k); // 0, or no error at all
        const auto* const of_row = quantiles.data() + probabilities.size() * static_cast<std::size_t>(k);
        summary.quantile_025 = of_row[0];
        summary.quantile_250 = of_row[1];
        summary.quantile_500 = of_row[2];
        summary.quantile_750 = of_row[3];
        summary.quantile_975 = of_row[4];
        summaries.push_back(summary);
    }
    return summaries;
}

} // namespace

std::vector<PosteriorSummary>
summarise_posterior(const parallel::Communicator& ranks, const parallel::BlockLayout& layout,
                    const std::vector<std::string>& names, const Eigen::Ref<const Matrix>& draws,
                    std::span<const double> log_weights, const population::Families& families) {
    PEARLITE_EXPECTS(draws.rows() == static_cast<Index>(names.size()) &&
                     draws.cols() == static_cast<Index>(log_weights.size()));
    const double log_sum = population::summarise(ranks, layout, log_weights).log_sum;
    WeightedDraws weighted{ranks, layout, draws, {}};
    weighted.weights.reserve(log_weights.size());
    for (const double log_weight : log_weights)
        weighted.weights.push_back(std::exp(log_weight - log_sum));
    const auto counts = [&] { return population::weights_as_counts(ranks, layout, log_weights); };
    return summarise(weighted, names, counts, [&](const Vector& means) -> Vector {
        // The mean is the sample's own, which takes the share sum_e S_e^2 from the expected square.
        const Vector squares = weighted.squares_of_families(families, means);
        return squares / weighted.spread_of_families(families);
    });
}

std::vector<PosteriorSummary> summarise_posterior(const parallel::Communicator& ranks,
                                                  const parallel::BlockLayout& layout,
                                                  const std::vector<std::string>& names,
                                                  const Eigen::Ref<const Matrix>& draws, Index chain_length) {
    PEARLITE_EXPECTS(draws.rows() == static_cast<Index>(names.size()) && draws.cols() % chain_length == 0);
    const auto n = static_cast<std::size_t>(draws.cols()), size = static_cast<std::size_t>(layout.size());
    const WeightedDraws weighted{ranks, layout, draws, std::vector<double>(n, 1 / static_cast<double>(size))};
    const auto counts = [&] { return std::vector<std::int64_t>(n, 1); };
    return summarise(weighted, names, counts, [&](const Vector& means) {
        Vector squares = Vector::Constant(draws.rows(), std::numeric_limits<double>::quiet_NaN());
        for (Index k = 0; k < draws.rows(); ++k) {
            if (!std::isfinite(means(k)))
                continue;
            const auto values = values_of(draws, k);
            const auto variance = chain_variance(
                ranks, Eigen::Map<const Matrix>(values.data(), chain_length, draws.cols() / chain_length));
            if (static_cast<double>(chain_length) >= min_autocorrelation_times * variance.tau())
                squares(k) = variance.long_run / static_cast<double>(size);
        }
        return squares;
    });
}

} // namespace pearlite::estimator
