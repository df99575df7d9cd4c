#include "estimator/evidence/chain_variance.hpp"

#include "core/exact_sum.hpp"
#include "pearlite/core/detail/contract.hpp"
#include "population/weights.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace pearlite::estimator {

namespace {

constexpr Index first_lags = 16; ///< autocovariances in the first reduction; each further one doubles their number

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
