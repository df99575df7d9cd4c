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

/// A component at a point, its scale the inverse of the curvature there.
struct Peak {
    random::StudentMixture::Component component; ///< its weight is a logarithm
    bool is_mode = false;                        ///< the curvature is not negative in any direction
};

/// Eigenvalues of the curvature below 1e-8 of the largest are raised; nothing if none is positive.
std::optional<Peak> peak_at(const Mode& mode, const Matrix& curvature) {
    if (!curvature.allFinite())
        return std::nullopt;
    const Vector values = symmetric_eigenvalues(curvature);
    const double largest = values.maxCoeff();
    if (!(largest > 0))
        return std::nullopt;
    const Matrix vectors = symmetric_eigenvectors(curvature);
    const Vector inverses = values.cwiseMax(1e-8 * largest).cwiseInverse();
    const auto factor = cholesky_factor(row_products(vectors * inverses.cwiseSqrt().asDiagonal()));
    if (!factor || !(factor->diagonal().minCoeff() > 0))
        return std::nullopt;
    const double log_weight = mode.log_p + factor->diagonal().array().log().sum();
    return Peak{{log_weight, mode.x, *factor}, values.minCoeff() > -1e-6 * largest};
}

/// Within a standard deviation.
bool is_near(const Vector& x, const Peak& peak) {
    Vector z = x - peak.component.mean;
    peak.component.factor.triangularView<Eigen::Lower>().solveInPlace(z);
    return z.squaredNorm() < 1;
}

/// The peaks at the ends of descents, the highest first, each once. Ends that are no modes would weigh as much as the
/// flat directions there are wide: they count only where there is no mode.
std::vector<Peak> peaks_of(const JointDensity& density, std::vector<Mode> ends) {
    std::stable_sort(ends.begin(), ends.end(), [](const Mode& a, const Mode& b) { return a.log_p > b.log_p; });
    std::vector<Peak> peaks;
    for (const auto& end : ends)
        if (std::none_of(peaks.begin(), peaks.end(), [&](const Peak& peak) { return is_near(end.x, peak); }))
            if (auto peak = peak_at(end, density.curvature(end.x)))
                peaks.push_back(std::move(*peak));
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
        ends.push_back(climb(joint, joint.start(settings.seed, k)));
    const auto peaks = peaks_of(joint, std::move(ends));
    if (peaks.empty())
        throw NumericalError("the reference of the path cannot be fitted: the posterior has no curvature at its modes; "
                             "expected another path.fit");
    double highest = -infinity;
    for (const auto& peak : peaks)
        highest = std::max(highest, peak.component.weight);
    std::vector<random::StudentMixture::Component> components;
    for (const auto& [component, is_mode] : peaks)
        if (const double weight = std::exp(component.weight - highest); weight > 1e-12)
            components.push_back({weight, component.mean, component.factor});
    return {random::StudentMixture(std::move(components), settings.df), joint.evaluations()};
}

} // namespace pearlite::path
