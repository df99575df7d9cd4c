// Crooks' theorem as a check: logistic regression of the direction on the work (Shirts, Bair, Hooker & Pande 2003).
#include "core/log_space.hpp"
#include "estimator/work/sharded_works.hpp"

#include <Eigen/Cholesky>
#include <Eigen/LU>

namespace pearlite::estimator::detail {

/// Newton's method; the log likelihood is concave, and steps that lower it are halved.
CrooksFit fit_logistic(const CrooksLikelihood& likelihood) {
    CrooksFit fit;
    double present = likelihood.log_likelihood(fit.intercept, fit.slope);
    for (int iteration = 0; iteration < 100; ++iteration) {
        const auto sums = likelihood.derivatives(fit.intercept, fit.slope);
        fit.information = sums.information;
        if (!(fit.information.determinant() > 1e-12))
            return fit;
        const Eigen::Vector2d newton = fit.information.ldlt().solve(sums.gradient);
        double scale = 1;
        double next = likelihood.log_likelihood(fit.intercept + newton(0), fit.slope + newton(1));
        while (next < present && scale > 1e-6) {
            scale /= 2;
            next = likelihood.log_likelihood(fit.intercept + scale * newton(0), fit.slope + scale * newton(1));
        }
        fit.intercept += scale * newton(0);
        fit.slope += scale * newton(1);
        present = next;
        if (newton.norm() < 1e-8 * (1 + std::abs(fit.slope))) {
            fit.converged = true;
            return fit;
        }
    }
    return fit;
}

CrooksCheck crooks_check(const CrooksFit& fit, double log_ratio, double log_odds, double width) {
    CrooksCheck check;
    if (!fit.converged || !(fit.slope > 0))
        return check;
    const Eigen::Matrix2d covariance = fit.information.inverse();
    check.is_defined = true;
    check.slope = fit.slope / width;
    check.slope_standard_error = std::sqrt(covariance(1, 1)) / width;
    // The works at which both directions are as likely as their numbers: y = (log odds - intercept)/slope.
    const double y = (log_odds - fit.intercept) / fit.slope;
    check.log_ratio = log_ratio - width * y;
    const Eigen::Vector2d derivative(-1 / fit.slope, -y / fit.slope);
    check.log_ratio_standard_error = width * std::sqrt(derivative.dot(covariance * derivative));
    return check;
}

} // namespace pearlite::estimator::detail

namespace pearlite::estimator {

namespace {

/// Collective. Sums of n terms(y, is_forward) over the finite works, y = (W - centre)/width.
template <std::size_t n, class Terms>
std::array<double, n> sums_by_direction(const detail::ShardedWorks& works, double centre, double width, Terms&& terms) {
    population::BlockSums sums(n);
    for (const auto* shards : {&works.forward, &works.reverse})
        population::add_blocks<n>(sums, shards->layout, [&](std::size_t i) {
            const double w = shards->here[i];
            return std::isfinite(w) ? terms((w - centre) / width, shards == &works.forward) : std::array<double, n>{};
        });
    const auto total = sums.total(works.forward.ranks);
    std::array<double, n> result{};
    std::copy(total.begin(), total.end(), result.begin());
    return result;
}

} // namespace

CrooksCheck crooks_check(const population::Shards& forward, const population::Shards& reverse) {
    const auto works = detail::sharded_works(forward, reverse);
    const double log_ratio = detail::solve_bar(works);
    const auto ends = detail::ends_of(works);
    if (!std::isfinite(log_ratio) || !(ends.smallest_forward < ends.largest_reverse))
        return {}; // separable: any slope fits
    const auto square = works.sums<1>([&](double w) { return std::array{(w + log_ratio) * (w + log_ratio)}; });
    const double width = std::sqrt(square[0] / std::max(works.n_finite(), 1.0));
    if (!(width > 0))
        return {};
    detail::CrooksLikelihood likelihood;
    likelihood.log_likelihood = [&](double intercept, double slope) {
        return sums_by_direction<1>(works, -log_ratio, width, [&](double y, bool is_forward) {
            const double a = intercept + slope * y;
            return std::array{-softplus(is_forward ? -a : a)};
        })[0];
    };
    likelihood.derivatives = [&](double intercept, double slope) {
        const auto sums = sums_by_direction<5>(works, -log_ratio, width, [&](double y, bool is_forward) {
            const double p = logistic(intercept + slope * y), residual = (is_forward ? 1 : 0) - p, v = p * (1 - p);
            return std::array{residual, residual * y, v, v * y, v * y * y};
        });
        detail::CrooksLikelihood::Derivatives derivatives;
        derivatives.gradient << sums[0], sums[1];
        derivatives.information << sums[2], sums[3], sums[3], sums[4];
        return derivatives;
    };
    return detail::crooks_check(detail::fit_logistic(likelihood), log_ratio, works.log_odds(), width);
}

} // namespace pearlite::estimator
