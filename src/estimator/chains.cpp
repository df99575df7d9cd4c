#include "estimator/chains.hpp"

#include "estimator/evidence/bootstrap.hpp"
#include "population/selection.hpp"
#include "population/weights.hpp"

#include <algorithm>
#include <cmath>

namespace pearlite::estimator {

namespace {

constexpr Index first_lags = 16; ///< autocovariances in the first reduction; each further one doubles their number

std::span<const double> numbers_of(const Matrix& matrix) {
    return {matrix.data(), static_cast<std::size_t>(matrix.size())};
}

template <class Draws>
double mean_of(const Draws& x) {
    return ordered_sum(x.size(), [&](Index i) { return x(i); }) / static_cast<double>(x.size());
}
template <class Draws>
double square_of(const Draws& x, double centre) {
    return ordered_sum(x.size(), [&](Index i) { return (x(i) - centre) * (x(i) - centre); });
}

/// This rank's share of chains of n draws each.
class OwnedChains {
  public:
    OwnedChains(const parallel::Communicator& ranks, Matrix draws)
        : ranks_(ranks), draws_(std::move(draws)), chains_(ranks_.sum(draws_.cols())) {}

    Index length() const { return draws_.rows(); }
    double size() const { return static_cast<double>(length()) * static_cast<double>(chains_); }

    /// Collective. Whether all draws are finite and not all are the same.
    bool is_usable() const {
        const bool is_finite = ranks_.sum(draws_.allFinite() ? Index{0} : Index{1}) == 0;
        constexpr double none = -infinity;
        std::array<double, 2> ends{none, none};
        if (draws_.size() > 0 && is_finite)
            ends = {draws_.maxCoeff(), -draws_.minCoeff()};
        ranks_.max(std::span(ends));
        return is_finite && ends[0] > -ends[1];
    }

    /// Collective. n/2 x 2 C: each chain's halves, without the middle draw if n is odd.
    OwnedChains split() const {
        const Index half = length() / 2;
        Matrix halves(half, 2 * draws_.cols());
        for (Index c = 0; c < draws_.cols(); ++c) {
            halves.col(2 * c) = draws_.col(c).head(half);
            halves.col(2 * c + 1) = draws_.col(c).tail(half);
        }
        return {ranks_, std::move(halves)};
    }
    /// Collective. Every draw x becomes f(x).
    template <class Function>
    OwnedChains mapped(Function&& f) const {
        return {ranks_, draws_.unaryExpr(f)};
    }
    /// Collective. Normal scores of the ranks among all draws, ties at their mean rank (Blom's offset).
    OwnedChains normal_scores() const {
        const auto mean_ranks = population::mean_ranks(ranks_, numbers_of(draws_));
        Matrix scores(draws_.rows(), draws_.cols());
        for (Index i = 0; i < scores.size(); ++i)
            scores.data()[i] = normal_quantile((mean_ranks[static_cast<std::size_t>(i)] - 0.375) / (size() + 0.25));
        return {ranks_, std::move(scores)};
    }
    /// Collective. Each quantile is interpolated between the two order statistics about it.
    std::vector<double> quantiles(std::span<const double> p) const;

    /// Between- and within-chain variances: W, and the pooled estimate (n-1)/n W + B/n.
    struct Variances {
        double within = 0, pooled = 0;
    };
    /// Collective.
    Variances variances() const;
    /// Collective. Means over chains of the autocovariances at the lags from `first` up to `end`, with divisor n.
    std::vector<double> autocovariances(Index first, Index end) const;
    /// Collective. The mean of all draws.
    double mean() const {
        return sums(1, [](const auto& x) { return std::vector<double>{mean_of(x)}; })[0] / static_cast<double>(chains_);
    }
    double square_about(double centre) const {
        return sums(1, [&](const auto& x) { return std::vector<double>{square_of(x, centre)}; })[0];
    }

  private:
    /// Collective. Sums over all chains of K numbers per chain: numbers(chain) returns a vector of K.
    template <class Numbers>
    std::vector<double> sums(std::size_t K, Numbers&& numbers) const {
        population::BlockSums sums(K);
        for (Index c = 0; c < draws_.cols(); ++c) {
            const std::vector<double> of_chain = numbers(draws_.col(c));
            for (std::size_t k = 0; k < K; ++k)
                sums.add(k, of_chain[k]);
        }
        return sums.total(ranks_);
    }

    parallel::Communicator ranks_;
    Matrix draws_;
    Index chains_; ///< on all ranks
};

std::vector<double> OwnedChains::quantiles(std::span<const double> p) const {
    const population::SortedShard sorted(ranks_, numbers_of(draws_));
    const auto place = [&](double probability) { return probability * static_cast<double>(sorted.total() - 1); };
    std::vector<std::int64_t> targets;
    for (const double probability : p) {
        const auto below = static_cast<std::int64_t>(place(probability));
        targets.insert(targets.end(), {below + 1, std::min(below + 2, sorted.total())});
    }
    const auto found = sorted.at(targets);
    std::vector<double> quantiles;
    for (std::size_t k = 0; k < p.size(); ++k) {
        const double share = place(p[k]) - static_cast<double>(targets[2 * k] - 1);
        quantiles.push_back(found[2 * k] + share * (found[2 * k + 1] - found[2 * k]));
    }
    return quantiles;
}

OwnedChains::Variances OwnedChains::variances() const {
    const auto n = static_cast<double>(length()), m = static_cast<double>(chains_);
    const auto first = sums(2, [&](const auto& x) {
        const double mean = mean_of(x);
        return std::vector<double>{mean, square_of(x, mean) / ((n - 1) * m)};
    });
    const auto between = sums(1, [&](const auto& x) {
        const double distance = mean_of(x) - first[0] / m;
        return std::vector<double>{distance * distance};
    });
    return {first[1], (n - 1) / n * first[1] + (chains_ > 1 ? between[0] / (m - 1) : 0)};
}

std::vector<double> OwnedChains::autocovariances(Index first, Index end) const {
    auto values = sums(static_cast<std::size_t>(end - first), [&](const auto& x) {
        const Vector centred = x.array() - mean_of(x);
        std::vector<double> products;
        for (Index lag = first; lag < end; ++lag)
            products.push_back(ordered_sum(length() - lag, [&](Index i) { return centred(i) * centred(i + lag); }));
        return products;
    });
    for (double& value : values)
        value /= size();
    return values;
}

double r_hat(const OwnedChains& chains) {
    const auto v = chains.variances();
    return v.within > 0 ? std::sqrt(v.pooled / v.within) : infinity;
}

double ess_of(const OwnedChains& chains) {
    const auto v = chains.variances();
    if (!(v.pooled > 0))
        return undefined;
    const Index n = chains.length();
    const double n_over = static_cast<double>(n) / static_cast<double>(n - 1);
    std::vector<double> autocovariances;
    const auto correlation = [&](Index lag) {
        if (const auto known = static_cast<Index>(autocovariances.size()); lag >= known) {
            const auto more = chains.autocovariances(known, std::min(n, std::max(first_lags, 2 * known)));
            autocovariances.insert(autocovariances.end(), more.begin(), more.end());
        }
        return 1 - (v.within - n_over * autocovariances[static_cast<std::size_t>(lag)]) / v.pooled;
    };
    // Sums of neighbouring pairs are positive and fall (Geyer 1992).
    double tau = -1, last_pair = infinity;
    for (Index lag = 0; lag + 1 < n; lag += 2) {
        const double pair = (lag == 0 ? 1 : correlation(lag)) + correlation(lag + 1);
        if (!(pair > 0))
            break;
        last_pair = std::min(last_pair, pair);
        tau += 2 * last_pair;
    }
    // Antithetic chains may claim too much.
    return chains.size() / std::max(tau, 1 / std::log10(chains.size()));
}

double ess_of_usable(const OwnedChains& chains) {
    return chains.is_usable() ? ess_of(chains.split()) : undefined;
}

void summarise_convergence(const OwnedChains& chains, double median, ChainSummary& summary) {
    summary.r_hat = summary.bulk_ess = summary.tail_ess = undefined;
    if (!chains.is_usable())
        return;
    const auto scores = chains.split().normal_scores();
    const auto folded = chains.mapped([&](double x) { return std::abs(x - median); });
    summary.r_hat = std::max(r_hat(scores), r_hat(folded.split().normal_scores()));
    summary.bulk_ess = ess_of(scores);
    summary.tail_ess = infinity;
    for (const double edge : chains.quantiles(std::array{0.05, 0.95}))
        summary.tail_ess =
            std::min(summary.tail_ess, ess_of_usable(chains.mapped([&](double x) { return x <= edge ? 1.0 : 0.0; })));
}

} // namespace

std::vector<ChainSummary> summarise_chains(const parallel::Communicator& ranks, const std::vector<std::string>& names,
                                           const std::vector<Matrix>& draws) {
    PEARLITE_EXPECTS(names.size() == draws.size());
    std::vector<ChainSummary> summaries;
    for (std::size_t k = 0; k < names.size(); ++k) {
        PEARLITE_EXPECTS(draws[k].rows() >= 4);
        const OwnedChains chains(ranks, draws[k]);
        ChainSummary summary;
        auto& posterior = summary.posterior;
        posterior.name = names[k];
        posterior.mean = chains.mean();
        posterior.sd = std::sqrt(chains.square_about(posterior.mean) / (chains.size() - 1));
        const double ess = ess_of_usable(chains);
        posterior.ess = std::min(ess, chains.size());
        posterior.mcse = posterior.sd / std::sqrt(ess);
        const auto quantiles = chains.quantiles(std::array{0.025, 0.25, 0.5, 0.75, 0.975});
        posterior.quantile_025 = quantiles[0];
        posterior.quantile_250 = quantiles[1];
        posterior.quantile_500 = quantiles[2];
        posterior.quantile_750 = quantiles[3];
        posterior.quantile_975 = quantiles[4];
        summarise_convergence(chains, posterior.quantile_500, summary);
        summaries.push_back(summary);
    }
    return summaries;
}

namespace {

/// Geyer's sum for n_states states in chains of P: autocovariance(k) is asked for k = 0, 1, ... in this order.
template <class Autocovariance>
ChainVariance initial_monotone_sequence(Index P, double n_states, Autocovariance&& autocovariance) {
    ChainVariance variance{autocovariance(0), 0};
    if (!(variance.of_a_state > 0))
        return variance;
    double last_pair = infinity;
    variance.long_run = -variance.of_a_state;
    for (Index lag = 0; lag + 1 < P; lag += 2) {
        const double pair = (lag == 0 ? variance.of_a_state : autocovariance(lag)) + autocovariance(lag + 1);
        if (!(pair > 0))
            break;
        last_pair = std::min(last_pair, pair);
        variance.long_run += 2 * last_pair;
    }
    variance.long_run = std::max(variance.long_run, variance.of_a_state / std::max(1.0, std::log10(n_states)));
    return variance;
}

/// Collective. The autocovariances of the centred chains at the lags from `first` up to `end`.
std::vector<double> autocovariances(const parallel::Communicator& ranks, const Matrix& centred, Index n_chains,
                                    Index first, Index end) {
    population::BlockSums sums(static_cast<std::size_t>(end - first));
    for (Index c = 0; c < centred.cols(); ++c) {
        const auto x = centred.col(c);
        for (Index lag = first; lag < end; ++lag)
            sums.add(static_cast<std::size_t>(lag - first),
                     ordered_sum(x.size() - lag, [&](Index i) { return x(i) * x(i + lag); }));
    }
    auto values = sums.total(ranks);
    for (Index lag = first; lag < end; ++lag)
        values[static_cast<std::size_t>(lag - first)] /= static_cast<double>(n_chains * (centred.rows() - lag));
    return values;
}

} // namespace

ChainVariance chain_variance(const Eigen::Ref<const Matrix>& chains) {
    const Index P = chains.rows();
    PEARLITE_EXPECTS(P >= 2 && chains.cols() >= 1);
    const Matrix centred = chains.array() - chains.mean();
    return initial_monotone_sequence(P, static_cast<double>(chains.size()), [&](Index lag) {
        return centred.topRows(P - lag).cwiseProduct(centred.bottomRows(P - lag)).mean();
    });
}

ChainVariance chain_variance(const parallel::Communicator& ranks, const Eigen::Ref<const Matrix>& chains) {
    const Index P = chains.rows(), n_chains = ranks.sum(chains.cols());
    PEARLITE_EXPECTS(P >= 2 && n_chains >= 1);
    const auto n_states = static_cast<double>(n_chains) * static_cast<double>(P);
    population::BlockSums sums(1);
    for (Index c = 0; c < chains.cols(); ++c)
        sums.add(0, ordered_sum(P, [&](Index i) { return chains(i, c); }));
    const double mean = sums.total(ranks)[0] / n_states;
    const Matrix centred = chains.array() - mean;

    std::vector<double> known;
    return initial_monotone_sequence(P, n_states, [&](Index lag) {
        if (const auto n = static_cast<Index>(known.size()); lag >= n) {
            const auto more = autocovariances(ranks, centred, n_chains, n, std::min(P, std::max(first_lags, 2 * n)));
            known.insert(known.end(), more.begin(), more.end());
        }
        return known[static_cast<std::size_t>(lag)];
    });
}

} // namespace pearlite::estimator
