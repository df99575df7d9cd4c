#include "estimator/plain/chains.hpp"

#include "estimator/evidence/bootstrap.hpp"
#include "pearlite/core/detail/contract.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace pearlite::estimator {

namespace {

/// n/2 x 2 C: each chain's halves; of an odd number the middle draw is left out.
Matrix split(const Matrix& draws) {
    PEARLITE_EXPECTS(draws.rows() >= 4 && draws.cols() >= 1);
    const Index half = draws.rows() / 2;
    Matrix halves(half, 2 * draws.cols());
    for (Index c = 0; c < draws.cols(); ++c) {
        halves.col(2 * c) = draws.col(c).head(half);
        halves.col(2 * c + 1) = draws.col(c).tail(half);
    }
    return halves;
}

bool is_usable(const Matrix& draws) {
    return draws.allFinite() && draws.maxCoeff() > draws.minCoeff();
}

/// Normal scores of the ranks among all draws, ties at their mean rank (Blom's offset).
Matrix normal_scores(const Matrix& draws) {
    const auto n = static_cast<std::size_t>(draws.size());
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t{0});
    const double* values = draws.data();
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
    Matrix scores(draws.rows(), draws.cols());
    for (std::size_t first = 0, last = 0; first < n; first = last) {
        while (last < n && values[order[last]] == values[order[first]])
            ++last;
        const double rank = 0.5 * static_cast<double>(first + 1 + last);
        const double score = normal_quantile((rank - 0.375) / (static_cast<double>(n) + 0.25));
        for (std::size_t i = first; i < last; ++i)
            scores.data()[order[i]] = score;
    }
    return scores;
}

double quantile(const Matrix& draws, double p) {
    std::vector<double> sorted(draws.data(), draws.data() + draws.size());
    std::sort(sorted.begin(), sorted.end());
    const double place = p * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

/// Between- and within-chain variances of chains of length n: W, and the pooled estimate (n-1)/n W + B/n.
struct Variances {
    double within = 0, pooled = 0;
};
Variances variances(const Matrix& chains) {
    const auto n = static_cast<double>(chains.rows()), m = static_cast<double>(chains.cols());
    const Vector means = chains.colwise().mean().transpose();
    double within = 0, between = 0;
    for (Index c = 0; c < chains.cols(); ++c)
        within += (chains.col(c).array() - means(c)).square().sum() / ((n - 1) * m);
    if (chains.cols() > 1)
        between = (means.array() - means.mean()).square().sum() / (m - 1);
    return {within, (n - 1) / n * within + between};
}

double r_hat(const Matrix& chains) {
    const auto v = variances(chains);
    return v.within > 0 ? std::sqrt(v.pooled / v.within) : infinity;
}

/// Mean over chains of the autocovariance at a lag, with divisor n.
double autocovariance(const Matrix& centred, Index lag) {
    const Index n = centred.rows();
    double sum = 0;
    for (Index c = 0; c < centred.cols(); ++c)
        sum += centred.col(c).head(n - lag).dot(centred.col(c).tail(n - lag));
    return sum / static_cast<double>(n * centred.cols());
}

double ess_of(const Matrix& chains) {
    const auto v = variances(chains);
    const Index n = chains.rows();
    const double total = static_cast<double>(chains.size());
    if (!(v.pooled > 0))
        return undefined;
    const Matrix centred = chains.rowwise() - chains.colwise().mean();
    const double n_over = static_cast<double>(n) / static_cast<double>(n - 1);
    const auto correlation = [&](Index lag) {
        return 1 - (v.within - n_over * autocovariance(centred, lag)) / v.pooled;
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
    return total / std::max(tau, 1 / std::log10(total));
}

} // namespace

double split_r_hat(const Matrix& draws) {
    if (!is_usable(draws))
        return undefined;
    const Matrix folded = (draws.array() - quantile(draws, 0.5)).abs();
    return std::max(r_hat(normal_scores(split(draws))), r_hat(normal_scores(split(folded))));
}

double chain_ess(const Matrix& draws) {
    return is_usable(draws) ? ess_of(split(draws)) : undefined;
}

double bulk_ess(const Matrix& draws) {
    return is_usable(draws) ? ess_of(normal_scores(split(draws))) : undefined;
}

double tail_ess(const Matrix& draws) {
    if (!is_usable(draws))
        return undefined;
    double smallest = infinity;
    for (const double p : {0.05, 0.95}) {
        const Matrix below = (draws.array() <= quantile(draws, p)).cast<double>();
        smallest = std::min(smallest, chain_ess(below));
    }
    return smallest;
}

std::vector<ChainSummary> summarise_chains(const std::vector<std::string>& names, const std::vector<Matrix>& draws) {
    PEARLITE_EXPECTS(names.size() == draws.size());
    std::vector<ChainSummary> summaries;
    for (std::size_t k = 0; k < names.size(); ++k) {
        const Matrix& x = draws[k];
        ChainSummary summary;
        auto& posterior = summary.posterior;
        posterior.name = names[k];
        posterior.mean = x.mean();
        posterior.sd = std::sqrt((x.array() - posterior.mean).square().sum() / static_cast<double>(x.size() - 1));
        posterior.ess = std::min(chain_ess(x), static_cast<double>(x.size()));
        posterior.mcse = posterior.sd / std::sqrt(chain_ess(x));
        posterior.quantile_025 = quantile(x, 0.025);
        posterior.quantile_250 = quantile(x, 0.25);
        posterior.quantile_500 = quantile(x, 0.5);
        posterior.quantile_750 = quantile(x, 0.75);
        posterior.quantile_975 = quantile(x, 0.975);
        summary.r_hat = split_r_hat(x);
        summary.bulk_ess = bulk_ess(x);
        summary.tail_ess = tail_ess(x);
        summaries.push_back(summary);
    }
    return summaries;
}

} // namespace pearlite::estimator
