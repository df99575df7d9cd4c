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

/// A huge work has no more leverage than one whose direction is certain. In units of the root mean square of fewer than
/// four million works none is so far.
double bounded(double y) {
    constexpr double largest = 2000;
    return std::clamp(y, -largest, largest);
}

/// Collective. Sums of n terms(y, is_forward) over the finite works, y = (W - centre)/width.
template <std::size_t n, class Terms>
std::array<double, n> sums_by_direction(const detail::ShardedWorks& works, double centre, double width, Terms&& terms) {
    population::BlockSums sums(n);
    for (const auto* shards : {&works.forward, &works.reverse})
        population::add_blocks<n>(sums, shards->layout, [&](std::size_t i) {
            const double w = shards->here[i];
            return std::isfinite(w) ? terms(bounded((w - centre) / width), shards == &works.forward)
                                    : std::array<double, n>{};
        });
    const auto total = sums.total(works.forward.ranks);
    std::array<double, n> result{};
    std::copy(total.begin(), total.end(), result.begin());
    return result;
}

/// Collective. Errors of the fit to y = (W - centre)/width, from the order of the works: the parts of work j are the
/// inverse information times its score (residual, residual y).
void use_order(CrooksCheck& check, const detail::ShardedWorks& works, const detail::CrooksFit& fit, double centre,
               double width) {
    if (!check.is_defined)
        return;
    const Eigen::Matrix2d covariance = fit.information.inverse();
    const double crossing = (works.log_odds() - fit.intercept) / fit.slope;
    const Eigen::Vector2d derivative(-1 / fit.slope, -crossing / fit.slope);
    WorkInfluence of_slope, of_ratio;
    const auto add = [&](const population::Shards& shards, double direction, std::vector<double>& slope,
                         std::vector<double>& ratio) {
        for (const double w : shards.here) {
            const double y = std::isfinite(w) ? bounded((w - centre) / width) : 0;
            const double residual = std::isfinite(w) ? direction - logistic(fit.intercept + fit.slope * y) : 0.0;
            const Eigen::Vector2d part = covariance * Eigen::Vector2d(residual, residual * y);
            slope.push_back(part(1));
            ratio.push_back(derivative.dot(part));
        }
    };
    add(works.forward, 1, of_slope.forward, of_ratio.forward);
    add(works.reverse, 0, of_slope.reverse, of_ratio.reverse);
    const auto& ranks = works.forward.ranks;
    check.slope_standard_error *= std::sqrt(work_series(ranks, of_slope).ratio());
    check.log_ratio_standard_error *= std::sqrt(work_series(ranks, of_ratio).ratio());
}

} // namespace

CrooksCheck crooks_check(const population::Shards& forward, const population::Shards& reverse, bool is_series) {
    const auto works = detail::sharded_works(forward, reverse);
    const double log_ratio = detail::solve_bar(works);
    const auto ends = detail::ends_of(works);
    if (!std::isfinite(log_ratio) || !(ends.smallest_forward < ends.largest_reverse))
        return {}; // separable: any slope fits
    const auto square = works.sums<1>([&](double w) { return std::array{(w + log_ratio) * (w + log_ratio)}; });
    double width = std::sqrt(square[0] / std::max(works.n_finite(), 1.0));
    constexpr double wide = 1000; // a few huge works decide on it; those near the crossing then give the scale
    if (width > wide) {
        const auto near = works.sums<2>([&](double w) {
            const double a = works.log_odds() + log_ratio + w, weight = logistic(a) * logistic(-a);
            return std::array{weight, weight > 0 ? weight * (w + log_ratio) * (w + log_ratio) : 0.0};
        });
        width = std::sqrt(near[1] / near[0]);
    }
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
    const auto fit = detail::fit_logistic(likelihood);
    auto check = detail::crooks_check(fit, log_ratio, works.log_odds(), width);
    if (is_series)
        use_order(check, works, fit, -log_ratio, width);
    return check;
}

} // namespace pearlite::estimator
