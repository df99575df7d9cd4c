#include "path/bridge/reference_fits.hpp"

#include "core/linear_algebra/linear_algebra.hpp"
#include "core/moments.hpp"
#include "path/bridge/modes.hpp"
#include "pearlite/core/error.hpp"

#include <algorithm>
#include <cmath>
#include <deque>

namespace pearlite::path {

namespace {

constexpr LbfgsLimits to_the_mode{1000, 1e-9};

} // namespace

Mode climb(const JointDensity& density, const Vector& start, const LbfgsLimits& limits, Index most) {
    Mode best{start, -infinity};
    const Index before = density.evaluations();
    minimise_by_lbfgs(
        [&](std::span<const double> x, std::span<double> gradient) {
            if (density.evaluations() - before >= most)
                return infinity; // no step is accepted any more
            const double log_p = density(x);
            if (!std::isfinite(log_p))
                return infinity;
            if (log_p > best.log_p)
                best = {Eigen::Map<const Vector>(x.data(), density.dimension()), log_p};
            density.gradient(x, gradient);
            for (double& slope : gradient)
                slope = -slope;
            return -log_p;
        },
        {start.data(), at(start.size())}, limits);
    return best;
}

namespace {

/// The roots of a curvature's diagonal, by which coordinates get units of their own: those of a user may differ by many
/// orders of magnitude. None is below 1e-8 of the largest.
Vector units_of(const Matrix& curvature) {
    const Vector roots = curvature.diagonal().cwiseAbs().cwiseSqrt();
    return roots.cwiseMax(1e-8 * roots.maxCoeff());
}

/// Eigenvalues of the curvature in units_of() below 1e-8 of the largest are raised; nothing if none is positive.
std::optional<Peak> peak_at(const Mode& mode, const Matrix& curvature) {
    if (!curvature.allFinite() || curvature.diagonal().isZero(0))
        return std::nullopt;
    const Vector to_units = units_of(curvature).cwiseInverse();
    const Matrix scaled = to_units.asDiagonal() * curvature * to_units.asDiagonal();
    const Vector values = symmetric_eigenvalues(scaled);
    const double largest = values.maxCoeff();
    if (!(largest > 0))
        return std::nullopt;
    const Matrix vectors = to_units.asDiagonal() * symmetric_eigenvectors(scaled);
    const Vector inverses = values.cwiseMax(1e-8 * largest).cwiseInverse();
    const auto factor = cholesky_factor(row_products(vectors * inverses.cwiseSqrt().asDiagonal()));
    if (!factor || !(factor->diagonal().minCoeff() > 0))
        return std::nullopt;
    const double log_weight = mode.log_p + factor->diagonal().array().log().sum();
    return Peak{{log_weight, mode.x, *factor}, mode.log_p, values.minCoeff() > -1e-6 * largest};
}

} // namespace

std::optional<Peak> climb_to_peak(const JointDensity& density, Mode end, int most_steps) {
    constexpr double least_gain = 1e-4, shortest = 1.0 / 64; // nats; of a step
    auto peak = peak_at(end, density.curvature(end.x));
    for (int step = 0; peak && step < most_steps; ++step) {
        Vector slope(end.x.size());
        density.gradient({end.x.data(), at(end.x.size())}, {slope.data(), at(slope.size())});
        const Matrix& factor = peak->component.factor;
        const Vector direction = factor * (factor.transpose() * slope);
        if (!(0.5 * slope.dot(direction) > least_gain))
            break;
        Mode next = end;
        for (double length = 1; length >= shortest && !(next.log_p > end.log_p); length /= 2) {
            next.x = end.x + length * direction;
            next.log_p = density(std::span<const double>(next.x.data(), at(next.x.size())));
        }
        auto next_peak = next.log_p > end.log_p ? peak_at(next, density.curvature(next.x)) : std::nullopt;
        if (!next_peak)
            break;
        end = std::move(next);
        peak = std::move(next_peak);
    }
    return peak;
}

bool is_near(const Vector& x, const Peak& peak) {
    Vector z = x - peak.component.mean;
    peak.component.factor.triangularView<Eigen::Lower>().solveInPlace(z);
    return z.squaredNorm() < 1;
}

namespace {

/// The peaks at the ends of descents, the highest first, each once. Ends that are no modes would weigh as much as the
/// flat directions there are wide: they count only where there is no mode.
std::vector<Peak> peaks_of(const JointDensity& density, std::vector<Mode> ends) {
    std::stable_sort(ends.begin(), ends.end(), [](const Mode& a, const Mode& b) { return a.log_p > b.log_p; });
    std::vector<Peak> peaks;
    const auto is_new = [&](const Vector& x) {
        return std::none_of(peaks.begin(), peaks.end(), [&](const Peak& peak) { return is_near(x, peak); });
    };
    for (auto& end : ends)
        if (is_new(end.x))
            if (auto peak = climb_to_peak(density, std::move(end)); peak && is_new(peak->component.mean))
                peaks.push_back(std::move(*peak));
    std::ranges::stable_sort(peaks, std::greater{}, &Peak::log_p);
    if (std::any_of(peaks.begin(), peaks.end(), [](const Peak& peak) { return peak.is_mode; }))
        std::erase_if(peaks, [](const Peak& peak) { return !peak.is_mode; });
    else if (!peaks.empty())
        peaks.resize(1);
    return peaks;
}

} // namespace

FittedReference fit_by_laplace(const model::DensityFunctions& density, const FitSettings& settings) {
    const JointDensity joint(density);
    std::vector<Mode> ends;
    for (Index k = 0; k < settings.starts; ++k)
        ends.push_back(climb(joint, joint.start(settings.seed, k), to_the_mode));
    const auto peaks = peaks_of(joint, std::move(ends));
    if (peaks.empty())
        throw NumericalError("the reference of the path cannot be fitted: the posterior has no curvature at its modes; "
                             "expected another path.fit");
    double highest = -infinity;
    for (const auto& peak : peaks)
        highest = std::max(highest, peak.component.weight);
    std::vector<random::StudentMixture::Component> components;
    for (const auto& [component, log_p, is_mode] : peaks)
        if (const double weight = std::exp(component.weight - highest); weight > 1e-12)
            components.push_back({weight, component.mean, component.factor});
    return {random::StudentMixture(std::move(components), settings.df), joint.evaluations()};
}

namespace {

using random::StudentMixture;

constexpr LbfgsLimits of_descent{300, 1e-6};
constexpr std::size_t history = 6; ///< pairs of the quasi-Newton matrix
constexpr Index elbo_draws = 20, weighing_draws = 200;

/// A point of a descent, and the gradient of -log p there.
struct Iterate {
    Vector x, gradient;
};

std::vector<Iterate> descend(const JointDensity& density, const Vector& start) {
    const Index d = density.dimension();
    std::vector<Iterate> iterates;
    const auto keep = [&](std::span<const double> x, std::span<const double> gradient) {
        iterates.push_back({Eigen::Map<const Vector>(x.data(), d), Eigen::Map<const Vector>(gradient.data(), d)});
    };
    minimise_by_lbfgs(
        [&](std::span<const double> x, std::span<double> gradient) {
            const double log_p = density(x);
            if (!std::isfinite(log_p))
                return infinity;
            density.gradient(x, gradient);
            for (double& slope : gradient)
                slope = -slope;
            if (iterates.empty())
                keep(x, gradient);
            return -log_p;
        },
        {start.data(), at(d)}, of_descent, keep);
    return iterates;
}

/// The inverse of the curvature of -log p along a descent: a diagonal (Gilbert & Lemarechal 1989) and the BFGS updates
/// by the last pairs of steps and changes of the gradient.
class QuasiNewton {
  public:
    explicit QuasiNewton(Index d) : diagonal_(Vector::Ones(d)) {}

    void add(const Vector& step, const Vector& change) {
        const double product = step.dot(change);
        if (!(product > 1e-12 * change.squaredNorm()))
            return; // not convex there
        const double a = (change.array().square() * diagonal_.array()).sum();
        const double c = (step.array().square() / diagonal_.array()).sum();
        const auto scaled = step.array() / diagonal_.array();
        const Vector inverse =
            a / (product * diagonal_.array()) + change.array().square() / product - a * scaled.square() / (product * c);
        if (inverse.allFinite() && inverse.minCoeff() > 0)
            diagonal_ = inverse.cwiseInverse();
        pairs_.emplace_back(step, change);
        if (pairs_.size() > history)
            pairs_.pop_front();
    }
    Matrix inverse_curvature() const {
        Matrix inverse = diagonal_.asDiagonal();
        for (const auto& [step, change] : pairs_) {
            const double rho = 1 / step.dot(change);
            const Vector image = inverse * change;
            inverse += rho * (1 + rho * change.dot(image)) * step * step.transpose() -
                       rho * (image * step.transpose() + step * image.transpose());
        }
        return inverse;
    }

  private:
    Vector diagonal_;
    std::deque<std::pair<Vector, Vector>> pairs_;
};

Matrix draws_of(const StudentMixture& mixture, Index n, const random::Address& address) {
    random::Stream stream(address);
    Matrix draws(mixture.dimension(), n);
    for (Index i = 0; i < n; ++i)
        mixture.draw(stream, {draws.col(i).data(), at(draws.rows())});
    return draws;
}

Vector log_densities(const StudentMixture& mixture, const Matrix& points) {
    Vector values(points.cols());
    mixture.log_densities(points, {values.data(), at(values.size())});
    return values;
}

/// The normal distribution of one descent.
std::optional<StudentMixture::Component> best_of(const JointDensity& density, const std::vector<Iterate>& iterates,
                                                 const random::Seed& seed, Index number) {
    QuasiNewton newton(density.dimension());
    std::optional<StudentMixture::Component> best;
    double highest = -infinity;
    for (std::size_t t = 1; t < iterates.size(); ++t) {
        newton.add(iterates[t].x - iterates[t - 1].x, iterates[t].gradient - iterates[t - 1].gradient);
        const Matrix inverse = newton.inverse_curvature();
        const auto factor = inverse.allFinite() ? cholesky_factor(inverse) : std::nullopt;
        if (!factor || !(factor->diagonal().minCoeff() > 0))
            continue;
        const StudentMixture::Component normal{1, iterates[t].x - inverse * iterates[t].gradient, *factor};
        const StudentMixture q({normal}, infinity);
        const Matrix draws = draws_of(
            q, elbo_draws,
            {seed, random::Purpose::reference, static_cast<std::uint64_t>(number), static_cast<std::uint32_t>(t)});
        const double elbo = (density(draws) - log_densities(q, draws)).mean();
        if (elbo > highest) {
            highest = elbo;
            best = normal;
        }
    }
    return best;
}

/// The components weighted by the mass of p that is nearest to each.
StudentMixture weighed(const JointDensity& density, const StudentMixture& mixture, const random::Seed& seed) {
    const auto n_components = static_cast<Index>(mixture.components().size());
    Matrix points(density.dimension(), n_components * weighing_draws);
    for (Index k = 0; k < n_components; ++k) {
        const StudentMixture one({mixture.components()[at(k)]}, mixture.df());
        points.middleCols(k * weighing_draws, weighing_draws) =
            draws_of(one, weighing_draws, {seed, random::Purpose::reference, static_cast<std::uint64_t>(k), 0});
    }
    Vector weights = density(points) - log_densities(mixture, points);
    const double highest = weights.maxCoeff();
    if (!std::isfinite(highest))
        return mixture;
    weights = (weights.array() - highest).exp();
    weights = weights.cwiseMin(std::sqrt(static_cast<double>(weights.size())) * weights.mean());
    auto components = mixture.components();
    for (Index k = 0; k < n_components; ++k) {
        const StudentMixture one({mixture.components()[at(k)]}, mixture.df());
        const Vector shares = (log_densities(one, points) - log_densities(mixture, points)).array().exp();
        components[at(k)].weight *= weights.dot(shares);
    }
    std::erase_if(components, [](const auto& component) { return !(component.weight > 1e-300); });
    return components.empty() ? mixture : StudentMixture(std::move(components), mixture.df());
}

} // namespace

double largest_spread(Index dimension) {
    return std::max(1.0, 0.5 * std::sqrt(static_cast<double>(dimension)));
}

bool has_run_off(double spread) {
    return spread > 1e4 && std::isfinite(spread);
}

double spread_of(const model::DensityFunctions& density, const random::StudentMixture& fit, const random::Seed& seed) {
    constexpr Index n = 1000;
    constexpr double most_lost = 0.01;
    constexpr std::uint64_t address = 1u << 20; // beyond the descents'
    const JointDensity joint(density);
    const StudentMixture normal(fit.components(), infinity);
    const Matrix draws = draws_of(normal, n, {seed, random::Purpose::reference, address, 0});
    const Vector ratios = joint(draws) - log_densities(normal, draws);
    const auto is_finite = ratios.array().isFinite();
    const auto kept = static_cast<double>(is_finite.count());
    if (kept < (1 - most_lost) * n)
        return infinity;
    const double mean = is_finite.select(ratios.array(), 0.0).sum() / kept;
    return std::sqrt(is_finite.select((ratios.array() - mean).square(), 0.0).sum() / kept);
}

FittedReference fit_by_pathfinder(const model::DensityFunctions& density, const FitSettings& settings) {
    const JointDensity joint(density);
    std::vector<StudentMixture::Component> components;
    for (Index k = 0; k < settings.starts; ++k)
        if (auto best = best_of(joint, descend(joint, joint.start(settings.seed, k)), settings.seed, k))
            components.push_back(std::move(*best));
    if (components.empty())
        throw NumericalError("the reference of the path cannot be fitted: no descent gives a normal distribution with "
                             "a finite mean of log p - log q; expected another path.fit");
    auto mixture = weighed(joint, StudentMixture(std::move(components), settings.df), settings.seed);
    return {std::move(mixture), joint.evaluations()};
}

} // namespace pearlite::path
