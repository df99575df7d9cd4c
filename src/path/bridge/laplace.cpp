#include "core/lbfgs.hpp"
#include "core/linear_algebra/linear_algebra.hpp"
#include "core/moments.hpp"
#include "path/bridge/joint_density.hpp"
#include "path/bridge/reference_fits.hpp"
#include "pearlite/core/error.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

namespace pearlite::path {

namespace {

constexpr LbfgsLimits to_the_mode{1000, 1e-9};

struct Mode {
    Vector x;
    double log_p = 0;
};

/// The highest point that a descent from `start` meets.
Mode climb(const JointDensity& density, const Vector& start) {
    Mode best{start, -infinity};
    minimise_by_lbfgs(
        [&](std::span<const double> x, std::span<double> gradient) {
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
        {start.data(), at(start.size())}, to_the_mode);
    return best;
}

/// The inverse of a curvature, eigenvalues below 1e-8 of the largest raised; nothing if it has no positive one.
std::optional<Matrix> inverse_curvature(const Matrix& curvature) {
    if (!curvature.allFinite())
        return std::nullopt;
    const Vector values = symmetric_eigenvalues(curvature);
    const double largest = values.maxCoeff();
    if (!(largest > 0))
        return std::nullopt;
    const Matrix vectors = symmetric_eigenvectors(curvature);
    const Vector inverses = values.cwiseMax(1e-8 * largest).cwiseInverse();
    return row_products(vectors * inverses.cwiseSqrt().asDiagonal());
}

} // namespace

FittedReference fit_by_laplace(const model::DensityFunctions& density, const FitSettings& settings) {
    const JointDensity joint(density);
    std::vector<Mode> modes;
    for (Index k = 0; k < settings.starts; ++k)
        modes.push_back(climb(joint, joint.start(settings.seed, k)));
    std::stable_sort(modes.begin(), modes.end(), [](const Mode& a, const Mode& b) { return a.log_p > b.log_p; });
    std::vector<random::StudentMixture::Component> components;
    for (const auto& mode : modes) {
        const bool is_known = std::any_of(components.begin(), components.end(), [&](const auto& other) {
            Vector z = mode.x - other.mean;
            other.factor.template triangularView<Eigen::Lower>().solveInPlace(z);
            return z.squaredNorm() < 1;
        });
        if (is_known)
            continue;
        const auto scale = inverse_curvature(joint.curvature(mode.x));
        const auto factor = scale ? cholesky_factor(*scale) : std::nullopt;
        if (!factor || !(factor->diagonal().minCoeff() > 0))
            continue;
        const double log_weight = mode.log_p - modes.front().log_p + factor->diagonal().array().log().sum();
        components.push_back({log_weight, mode.x, *factor});
    }
    if (components.empty())
        throw NumericalError("the reference of the path cannot be fitted: the posterior has no curvature at its modes; "
                             "expected another path.fit");
    const double highest = std::max_element(components.begin(), components.end(), [](const auto& a, const auto& b) {
                               return a.weight < b.weight;
                           })->weight;
    for (auto& component : components)
        component.weight = std::exp(component.weight - highest);
    std::erase_if(components, [](const auto& component) { return component.weight < 1e-12; });
    return {random::StudentMixture(std::move(components), settings.df), joint.evaluations()};
}

} // namespace pearlite::path
