#include "app/probe/check_derivatives.hpp"

#include "core/linear_algebra/linear_algebra.hpp"
#include "pearlite/core/error.hpp"
#include "pearlite/model/detail/density_functions.hpp"
#include "pearlite/path/detail/density_path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pearlite::app {

namespace {

constexpr Index n_points = 4, n_draws = 32; ///< compared, and drawn for the scales of coordinates
constexpr Index n_coordinates = 64;         ///< compared at a point, at most
constexpr double wrong = 1e-4;              ///< a relative difference
constexpr double wrong_force = 1e-2;        ///< of what trajectories follow, which may be rounded
/// The gradient depends on b: it is compared at the end of the path and on the way there.
constexpr std::array powers{1.0, 0.37};

/// A derivative by differences, and how far off it may be.
struct Difference {
    double value = 0, error = infinity;
};

class GradientCheck {
  public:
    GradientCheck(const path::DensityPath& path, const model::DensityGradient& gradient)
        : path_(path), gradient_(gradient), draws_(path.dimension(), n_draws), scales_(path.dimension()) {
        for (Index i = 0; i < n_draws; ++i) {
            random::Stream stream({1, random::Purpose::start, static_cast<std::uint64_t>(i), 0});
            path.draw_prior(stream, {draws_.col(i).data(), static_cast<std::size_t>(draws_.rows())});
        }
        for (Index k = 0; k < draws_.rows(); ++k)
            scales_(k) = scale_of(draws_.row(k));
    }

    std::string result() const {
        double largest = 0;
        Index compared = 0;
        for (Index i = 0; i < n_draws && compared < n_points; ++i)
            try {
                const double b = powers[static_cast<std::size_t>(compared) % powers.size()];
                if (!std::isfinite(log_density(draws_.col(i), b)(0)))
                    continue;
                largest = std::max(largest, compare_at(draws_.col(i), b, compared));
                ++compared;
            } catch (const NumericalError&) {
                continue; // the log densities themselves cannot be computed
            }
        if (compared == 0)
            return "the gradient was not compared with finite differences: the prior's draws have no finite log "
                   "density";
        return fmt::format("the gradient agrees with finite differences at {} points drawn from the prior; largest "
                           "relative difference {:.1e}",
                           compared, largest);
    }

  private:
    /// Half the range of the inner half, about; 1 for a coordinate that does not vary.
    static double scale_of(const Eigen::Ref<const Eigen::RowVectorXd, 0, Eigen::InnerStride<>>& row) {
        std::vector<double> values(row.begin(), row.end());
        std::sort(values.begin(), values.end());
        const double scale = 0.5 * (values[3 * n_draws / 4] - values[n_draws / 4]);
        return scale > 0 && std::isfinite(scale) ? scale : 1;
    }

    /// log prior + b log likelihood of each column.
    Vector log_density(const Matrix& columns, double b) const {
        const Index n = columns.cols();
        const model::DensityBlock block(columns.rows(), n);
        Matrix points = columns.col(0).replicate(1, padded(n));
        points.leftCols(n) = columns;
        Vector log_prior(padded(n)), log_likelihood(padded(n));
        path_.evaluate(block, points, b, log_prior, log_likelihood, {});
        return (log_prior + path_.power(b) * log_likelihood).head(n);
    }

    /// (f(x + h v) - f(x - h v)) / 2h for each h, and how far rounding may put the last one off.
    std::pair<Vector, double> central_differences(const Vector& x, const Vector& v, double b,
                                                  const Vector& steps) const {
        Matrix columns = x.replicate(1, 2 * steps.size());
        columns.leftCols(steps.size()) += v * steps.transpose();
        columns.rightCols(steps.size()) -= v * steps.transpose();
        const Vector f = log_density(columns, b);
        const double last = std::abs(f(steps.size() - 1)), rounding = 4 * std::numeric_limits<double>::epsilon() * last;
        return {(f.head(steps.size()) - f.tail(steps.size())).cwiseQuotient(2 * steps),
                rounding / steps(steps.size() - 1)};
    }

    /// Takes steps of many lengths, since the width of the density is unknown: combines every two neighbouring steps so
    /// that the error of second order cancels, and returns the combination that agrees best with its neighbour (Ridders
    /// 1982).
    Difference best_difference(const Vector& x, const Vector& v, double b) const {
        constexpr Index n_steps = 12;
        const Vector steps = Vector::NullaryExpr(n_steps, [](Index j) { return 0.1 * std::pow(0.25, j); });
        const auto [d, rounding] = central_differences(x, v, b, steps);
        const Vector refined = (16 * d.tail(n_steps - 1) - d.head(n_steps - 1)) / 15;
        Difference best;
        for (Index j = 1; j < refined.size(); ++j) {
            const double change = std::abs(refined(j) - refined(j - 1));
            const double error = change + rounding * steps(n_steps - 1) / steps(j + 1);
            if (error < best.error)
                best = {refined(j), error};
        }
        return best;
    }

    /// The largest relative difference along coordinates and, where there are more than are compared at one point,
    /// along all of them at once. `round` counts the points.
    double compare_at(const Vector& x, double b, Index round) const {
        const Vector gradient = gradient_at(x, b);
        const Index d = x.size(), n = std::min(d, n_coordinates);
        double largest = 0;
        for (Index j = 0; j < n; ++j) {
            const Index k = (j * d + round * d / n_points) / n % d;
            largest = std::max(
                largest, compare_along(x, b, gradient, Vector::Unit(d, k) * scales_(k), "by " + name(k), scales_(k)));
        }
        if (n < d) {
            const Vector signs = draws_.col(n_draws - 1 - round).unaryExpr([](double u) { return u < 0 ? -1.0 : 1.0; });
            const Vector direction = signs.cwiseProduct(scales_);
            largest =
                std::max(largest, compare_along(x, b, gradient, direction, "along a direction of all coordinates", 1));
        }
        return largest;
    }

    /// Relative to the derivative along v, or to 1 if that is larger; `unit`: the length of v in messages.
    double compare_along(const Vector& x, double b, const Vector& gradient, const Vector& v, const std::string& what,
                         double unit) const {
        const Vector terms = (v.array() != 0).select(gradient.cwiseProduct(v), 0.0);
        const double own = terms.sum(), size = std::max(1.0, terms.cwiseAbs().sum());
        const auto relative = [&](double difference) {
            return std::abs(own - difference) / std::max(size, std::abs(difference));
        };
        // One length of steps is enough if it agrees.
        const auto [d, rounding] = central_differences(x, v, b, Vector{{2e-4, 1e-4}});
        if (const double quick = relative((4 * d(1) - d(0)) / 3); quick < 1e-2 * wrong)
            return quick;
        const auto best = best_difference(x, v, b);
        if (!std::isfinite(own) || (relative(best.value) > wrong && std::abs(own - best.value) > 10 * best.error))
            refuse(x, b,
                   fmt::format("the derivative {} is {:.8g}, and finite differences give {:.8g}", what, own / unit,
                               best.value / unit));
        return best.error < infinity ? relative(best.value) : 0; // or nothing can be said
    }

    Vector gradient_at(const Vector& x, double b) const {
        Matrix points = x.replicate(1, padded(1)), gradient(points.rows(), points.cols());
        Vector log_prior(points.cols()), log_likelihood(points.cols());
        gradient_.evaluate(points, 1, b, log_prior, log_likelihood, gradient);
        const double own = log_prior(0) + path_.power(b) * log_likelihood(0), expected = log_density(x, b)(0);
        if (!(std::abs(own - expected) <= 1e-8 * std::max(1.0, std::abs(expected))))
            refuse(x, b,
                   fmt::format("the log density that comes with it is {:.10g}, and without it {:.10g}", own, expected));
        compare_force(points, b, gradient.col(0));
        return gradient.col(0);
    }

    void compare_force(const Matrix& points, double b, const Vector& gradient) const {
        Matrix force(points.rows(), points.cols());
        Vector log_prior(points.cols()), log_likelihood(points.cols());
        gradient_.evaluate_force(points, 1, b, false, log_prior, log_likelihood, force);
        const double size = std::max(1.0, gradient.cwiseProduct(scales_).cwiseAbs().sum());
        for (Index k = 0; k < gradient.size(); ++k)
            if (!(std::abs(force(k, 0) - gradient(k)) * scales_(k) <= wrong_force * size))
                refuse(points.col(0), b,
                       fmt::format("the force by {} is {:.8g}, and the derivative {:.8g}", name(k), force(k, 0),
                                   gradient(k)));
    }

    std::string name(Index k) const { return path_.coordinate_names()[static_cast<std::size_t>(k)]; }

    [[noreturn]] void refuse(const Vector& x, double b, const std::string& what) const {
        std::string place;
        constexpr Index most = 8;
        for (Index k = 0; k < std::min(x.size(), most); ++k)
            place += fmt::format("{}{} = {:.6g}", k == 0 ? "" : ", ", name(k), x(k));
        throw InputError(fmt::format("the model's gradient is wrong at {}{}, b = {}: {}", place,
                                     x.size() > most ? ", ..." : "", b, what));
    }

    const path::DensityPath& path_;
    const model::DensityGradient& gradient_;
    Matrix draws_;
    Vector scales_;
};

} // namespace

std::string check_gradient(const model::Target& target) {
    const auto* path = target.offers<path::DensityPath>();
    const auto* gradient = target.offers<model::DensityGradient>();
    if (path == nullptr || gradient == nullptr)
        return {};
    return GradientCheck(*path, *gradient).result();
}

namespace {

class MetricCheck {
  public:
    MetricCheck(const path::DensityPath& path, const model::DensityMetric& metric) : path_(path), metric_(metric) {}

    std::string result() const {
        constexpr std::array temperatures{1.0, 0.37, 1.0, 0.37};
        double largest = 0;
        for (std::size_t i = 0; i < temperatures.size(); ++i) {
            random::Stream stream({1, random::Purpose::start, i, 0});
            Vector x(path_.dimension());
            path_.draw_prior(stream, {x.data(), static_cast<std::size_t>(x.size())});
            largest = std::max(largest, compare_at(x, temperatures[i]));
        }
        return fmt::format("the metric's derivatives agree with finite differences at {} points drawn from the prior; "
                           "largest relative difference {:.1e}",
                           temperatures.size(), largest);
    }

  private:
    Matrix metric_at(const Vector& x, double b) const {
        Matrix g(x.size(), x.size());
        metric_.metric({x.data(), static_cast<std::size_t>(x.size())}, b, g);
        return g;
    }

    double compare_at(const Vector& x, double b) const {
        const Matrix g = metric_at(x, b);
        if (!g.allFinite() || (g.diagonal().array() <= 0).any() || !cholesky_factor(g))
            refuse(x, b, "it is not positive definite");
        const Vector sd = g.diagonal().cwiseSqrt().cwiseInverse();
        const auto in_units = [&](const Matrix& a) { return Matrix(sd.asDiagonal() * a * sd.asDiagonal()); };
        if (in_units(g - g.transpose()).cwiseAbs().maxCoeff() > 1e-8)
            refuse(x, b, "it is not symmetric");
        double largest = 0;
        // Nine metrics of some d^3 operations for each coordinate.
        const Index d = x.size(), n = std::min(d, std::clamp<Index>(6400 / d, 4, 64));
        for (Index j = 0; j < n; ++j) {
            const Index k = j * d / n;
            Matrix own(d, d);
            metric_.derivative({x.data(), static_cast<std::size_t>(d)}, b, k, own);
            own = in_units(own) * sd(k);
            const Matrix coarse = in_units(difference(x, b, k, 1e-2 * sd(k))) * sd(k);
            const Matrix fine = in_units(difference(x, b, k, 2e-3 * sd(k))) * sd(k);
            const double scale = std::max(1.0, fine.cwiseAbs().maxCoeff());
            const double off = (own - fine).cwiseAbs().maxCoeff(), error = (fine - coarse).cwiseAbs().maxCoeff();
            if (!own.allFinite() || (off > 1e-4 * scale && off > 10 * error))
                refuse(x, b,
                       fmt::format("its derivative by {} is off by {:.2g} of what finite differences give",
                                   path_.coordinate_names()[static_cast<std::size_t>(k)], off / scale));
            if (std::isfinite(error)) // or nothing can be said
                largest = std::max(largest, off / scale);
        }
        return largest;
    }

    /// dG/dx_k by central differences of fourth order.
    Matrix difference(const Vector& x, double b, Index k, double step) const {
        const auto at = [&](double shift) { return metric_at(x + shift * step * Vector::Unit(x.size(), k), b); };
        return (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * step);
    }

    [[noreturn]] void refuse(const Vector& x, double b, const std::string& what) const {
        std::string place;
        constexpr Index most = 8;
        for (Index k = 0; k < std::min(x.size(), most); ++k)
            place += fmt::format("{}{} = {:.6g}", k == 0 ? "" : ", ",
                                 path_.coordinate_names()[static_cast<std::size_t>(k)], x(k));
        throw InputError(fmt::format("the model's metric is wrong at {}{}, b = {}: {}", place,
                                     x.size() > most ? ", ..." : "", b, what));
    }

    const path::DensityPath& path_;
    const model::DensityMetric& metric_;
};

} // namespace

std::string check_metric(const model::Target& target) {
    const auto* path = target.offers<path::DensityPath>();
    const auto* metric = target.offers<model::DensityMetric>();
    if (path == nullptr || metric == nullptr)
        return {};
    return MetricCheck(*path, *metric).result();
}

} // namespace pearlite::app
