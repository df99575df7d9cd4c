#include "estimator/spot/comparison.hpp"

#include "estimator/evidence/estimate.hpp"
#include "population/weights.hpp"

#include <algorithm>
#include <cmath>

namespace pearlite::estimator {

namespace {

double effective(double sum, double squares) {
    return squares > 0 ? sum * sum / squares : 0;
}

} // namespace

SpotShares spot_shares(const parallel::Communicator& ranks, const parallel::BlockLayout& layout,
                       std::span<const double> log_weights, const population::Families& families,
                       const Matrix& inside) {
    const Index K = inside.rows();
    const auto summary = population::summarise(ranks, layout, log_weights);
    Matrix terms(K + 1, inside.cols()); // the weight in each ellipsoid, and in all
    for (Index i = 0; i < terms.cols(); ++i) {
        const double weight = std::exp(log_weights[at(i)] - summary.log_sum);
        terms.col(i).head(K) = weight * inside.col(i);
        terms(K, i) = weight;
    }
    const Matrix sums = families.sums(terms);
    population::BlockSums shares(at(K));
    for (Index e = 0; e < sums.cols(); ++e)
        for (Index k = 0; k < K; ++k)
            shares.add(at(k), sums(k, e));
    SpotShares found{shares.total(ranks), {}, {}, 0};
    population::BlockSums squares(at(2 * K + 1));
    for (Index e = 0; e < sums.cols(); ++e) {
        for (Index k = 0; k < K; ++k) {
            squares.add(at(k), std::pow(sums(k, e) - found.shares[at(k)] * sums(K, e), 2));
            squares.add(at(K + k), sums(k, e) * sums(k, e));
        }
        squares.add(at(2 * K), sums(K, e) * sums(K, e));
    }
    const auto totals = squares.total(ranks);
    for (Index k = 0; k < K; ++k) {
        found.variances.push_back(totals[at(k)]);
        found.families_inside.push_back(effective(found.shares[at(k)], totals[at(K + k)]));
    }
    found.families = 1 / totals.back();
    return found;
}

SpotShares combined(std::span<const SpotShares> runs, std::span<const double> shares_of_weight) {
    const std::size_t K = runs.front().shares.size();
    SpotShares all{std::vector<double>(K), std::vector<double>(K), {}, 0};
    std::vector<double> squares_inside(K);
    double squares = 0;
    for (std::size_t r = 0; r < runs.size(); ++r) {
        const double weight = shares_of_weight[r];
        for (std::size_t k = 0; k < K; ++k)
            all.shares[k] += weight * runs[r].shares[k];
        squares += weight * weight / runs[r].families;
    }
    for (std::size_t r = 0; r < runs.size(); ++r) {
        const double square = shares_of_weight[r] * shares_of_weight[r];
        for (std::size_t k = 0; k < K; ++k) // a run's families are of one size, n, where its share differs from all
            all.variances[k] +=
                square * (runs[r].variances[k] + std::pow(runs[r].shares[k] - all.shares[k], 2) / runs[r].families);
    }
    for (std::size_t r = 0; r < runs.size(); ++r)
        for (std::size_t k = 0; k < K; ++k)
            if (runs[r].families_inside[k] > 0)
                squares_inside[k] += std::pow(shares_of_weight[r] * runs[r].shares[k], 2) / runs[r].families_inside[k];
    for (std::size_t k = 0; k < K; ++k)
        all.families_inside.push_back(effective(all.shares[k], squares_inside[k]));
    all.families = 1 / squares;
    return all;
}

SpotComparison compare_spot(const SpotIntegral& integral, double share, double variance, double families, double log_z,
                            double log_z_error) {
    SpotComparison found;
    found.share = share;
    found.wanted = std::exp(integral.log_value - log_z);
    const double relative = std::hypot(integral.relative_error, log_z_error);
    found.wanted_error = found.wanted * -std::expm1(-significant_difference * relative) / significant_difference;
    const double p = std::min(found.wanted, 1.0);
    found.share_error = std::sqrt(std::max(variance, p * (1 - p) / families));
    const double error = std::hypot(found.wanted_error, found.share_error);
    found.deviations = error > 0 ? (found.wanted - share) / error : 0;
    if (integral.relative_error > largest_spot_error || std::max(share, found.wanted) < least_spot_share)
        return found;
    found.is_compared = true;
    const double scale = std::max(share, found.wanted);
    if (found.deviations > significant_difference)
        found.says = SpotComparison::Says::contradiction;
    else if (std::abs(found.deviations) <= usual_difference && error <= largest_spot_error * scale)
        found.says = SpotComparison::Says::agreement;
    return found;
}

} // namespace pearlite::estimator
