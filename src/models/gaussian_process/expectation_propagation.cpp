// In the notation of the header: tm and m/v of cavities are q without a site; y
// v r / sqrt(1 + v) and the like are moments of the tilted distribution, cavity
// times Phi(y x).
#include "models/gaussian_process/expectation_propagation.hpp"

#include "core/linear_algebra/linear_algebra.hpp"
#include "models/gaussian_process/orthant/truncated_normal.hpp"
#include "pearlite/core/detail/contract.hpp"
#include "pearlite/core/error.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>
#include <vector>

namespace pearlite::models {

namespace {

constexpr double evidence_tolerance = 1e-8; ///< of log_evidence

/// q without the site of a variable, N(m, v), and z = y m/sqrt(1 + v).
struct Cavity {
    double mean, variance, z;
};

Cavity cavity_of(const ExpectationPropagation& q, const Vector& signs, Index i) {
    const double precision = 1 / q.covariance(i, i) - q.site_precisions(i);
    if (!(precision > 0) || !std::isfinite(precision))
        throw NumericalError(fmt::format("expectation propagation breaks down: "
                                         "variable {} has a cavity of precision {}",
                                         i, precision));
    const double variance = 1 / precision, mean = variance * (q.mean(i) / q.covariance(i, i) - q.site_shifts(i));
    return {mean, variance, signs(i) * mean / std::sqrt(1 + variance)};
}

/// Gives q the moments of the tilted distribution of variable i, by a change of
/// its site; rank one, O(N^2).
void match_moments(ExpectationPropagation& q, const Vector& signs, Index i) {
    const auto [mean, variance, z] = cavity_of(q, signs, i);
    const double r = inverse_mills_ratio(z), curvature = r * (z + r) / (1 + variance);
    // 1/vh - 1/v and mh/vh - m/v without a difference of large numbers, vh = v (1
    // - v curvature).
    const double left = 1 - variance * curvature, precision = curvature / left;
    const double shift = mean * precision + signs(i) * r / (std::sqrt(1 + variance) * left);
    if (!(left > 0) || !std::isfinite(shift))
        throw NumericalError(fmt::format("expectation propagation breaks down at variable {}", i));
    const double change = precision - q.site_precisions(i), further = shift - q.site_shifts(i);
    const Vector column = q.covariance.col(i);
    const double grown = 1 + change * column(i);
    q.mean += ((further - change * q.mean(i)) / grown) * column;
    for (Index j = 0; j < column.size(); ++j)
        q.covariance.col(j) -= (change / grown * column(j)) * column;
    q.site_precisions(i) = precision;
    q.site_shifts(i) = shift;
}

/// The lower C with C C' = B = I + T^1/2 K T^1/2.
Matrix site_factor(const Vector& roots, const Matrix& covariance) {
    Matrix b = roots.asDiagonal() * covariance * roots.asDiagonal();
    b.diagonal().array() += 1;
    auto factor = cholesky_factor(b);
    if (!factor)
        throw NumericalError("expectation propagation breaks down: the covariance "
                             "is not positive semidefinite");
    return std::move(*factor);
}

/// q from its sites, without the rounding errors of rank-one changes; and log
/// Z.
void recompute(ExpectationPropagation& q, const Matrix& covariance, const Vector& signs) {
    const Vector roots = q.site_precisions.cwiseSqrt();
    const Matrix factor = site_factor(roots, covariance);
    Matrix half = roots.asDiagonal() * covariance;
    factor.triangularView<Eigen::Lower>().solveInPlace(half);
    q.covariance = covariance;
    q.covariance.noalias() -= half.transpose() * half;
    q.covariance = (0.5 * (q.covariance + q.covariance.transpose())).eval();
    q.mean.noalias() = q.covariance * q.site_shifts;
    double log_z = 0.5 * q.site_shifts.dot(q.mean);
    for (Index i = 0; i < signs.size(); ++i) {
        const auto [mean, variance, z] = cavity_of(q, signs, i);
        const double precision = 1 / variance, site = q.site_precisions(i), shift = q.site_shifts(i);
        log_z += log_normal_cdf(z) - std::log(factor(i, i)) + 0.5 * std::log1p(site * variance) -
                 0.5 * shift * shift / (site + precision) +
                 0.5 * mean * precision * (site * mean - 2 * shift) / (site + precision);
    }
    q.log_evidence = log_z;
}

constexpr std::size_t first_cumulant = 3, last_cumulant = 6;
using Cumulants = std::array<double, last_cumulant - first_cumulant + 1>;

/// Cumulants 3 to 6 of the tilted distribution: (y v/sqrt(1 + v))^l times
/// derivative l of log Phi at z.
Cumulants cumulants_of(const Cavity& cavity, double sign) {
    constexpr std::array<std::array<double, 5>, 5> binomial{{{1}, {1, 1}, {1, 2, 1}, {1, 3, 3, 1}, {1, 4, 6, 4, 1}}};
    std::array<double, last_cumulant> r{inverse_mills_ratio(cavity.z)}; // derivatives of log Phi from the first on
    for (std::size_t k = 0; k + 1 < r.size(); ++k) {
        r[k + 1] = -cavity.z * r[k] - (k > 0 ? static_cast<double>(k) * r[k - 1] : 0.0);
        for (std::size_t j = 0; j <= k; ++j)
            r[k + 1] -= binomial[k][j] * r[j] * r[k - j];
    }
    const double scale = sign * cavity.variance / std::sqrt(1 + cavity.variance);
    Cumulants cumulants{};
    for (std::size_t l = first_cumulant; l <= last_cumulant; ++l)
        cumulants[l - first_cumulant] = std::pow(scale, static_cast<double>(l)) * r[l - 1];
    return cumulants;
}

/// 1/2 sum_{m != n} sum_l c_l,m c_l,n/l! (Sig_mn/(Sig_mm Sig_nn))^l, c_l,n the
/// cumulants of the tilted distributions.
double second_order(const ExpectationPropagation& q, const Vector& signs) {
    constexpr std::array<double, 4> factorial{6, 24, 120, 720};
    const Index n = signs.size();
    std::vector<Cumulants> cumulants;
    for (Index i = 0; i < n; ++i)
        cumulants.push_back(cumulants_of(cavity_of(q, signs, i), signs(i)));
    double sum = 0;
    for (Index j = 0; j < n; ++j)
        for (Index i = 0; i < j; ++i) {
            const double ratio = q.covariance(i, j) / (q.covariance(i, i) * q.covariance(j, j));
            double power = ratio * ratio;
            for (std::size_t k = 0; k < factorial.size(); ++k) {
                power *= ratio;
                sum += cumulants[at(i)][k] * cumulants[at(j)][k] / factorial[k] * power;
            }
        }
    return sum;
}

} // namespace

ExpectationPropagation expectation_propagation(const Matrix& covariance, const Vector& signs, Index most_sweeps) {
    const Index n = signs.size();
    PEARLITE_EXPECTS(covariance.rows() == n && covariance.cols() == n && most_sweeps >= 1);
    ExpectationPropagation q{Vector::Zero(n), Vector::Zero(n), Vector::Zero(n), covariance};
    double before = infinity;
    while (q.sweeps < most_sweeps && !q.has_converged) {
        for (Index i = 0; i < n; ++i)
            match_moments(q, signs, i);
        recompute(q, covariance, signs);
        if (!std::isfinite(q.log_evidence))
            throw NumericalError("expectation propagation breaks down: its evidence is not finite");
        ++q.sweeps;
        q.has_converged = std::abs(q.log_evidence - before) < evidence_tolerance;
        before = q.log_evidence;
    }
    q.correction = second_order(q, signs);
    return q;
}

LatentPredictions predict(const ExpectationPropagation& approximation, const Matrix& covariance, const Matrix& cross,
                          const Vector& variances) {
    PEARLITE_EXPECTS(cross.rows() == covariance.rows() && cross.cols() == variances.size());
    const Vector roots = approximation.site_precisions.cwiseSqrt();
    const Matrix factor = site_factor(roots, covariance);
    const Vector weights =
        approximation.site_shifts -
        roots.cwiseProduct(cholesky_solution(factor, roots.cwiseProduct(covariance * approximation.site_shifts)));
    Matrix half = roots.asDiagonal() * cross;
    factor.triangularView<Eigen::Lower>().solveInPlace(half);
    return {cross.transpose() * weights, variances - half.colwise().squaredNorm().transpose()};
}

} // namespace pearlite::models
