#pragma once
/// Densities with a metric whose tempered distributions are standard normal in other coordinates, for tests of kernels
/// that follow a metric.

#include "pearlite/path/tempered.hpp"

#include <array>
#include <cmath>

namespace pearlite::kernel::testing {

/// A density of the plane. D has to_standard(x, b) and from_standard(z, b), under which x ~ p_b is z ~ N(0, I).
struct Plane {
    using Point = std::array<double, 2>;
    std::vector<std::string> parameter_names() const { return {"x", "y"}; }
};

/// A prior N(mean, precision^-1) and a likelihood of that form: the tempered normal distribution.
struct TemperedNormal {
    double prior_precision, likelihood_precision, likelihood_mean;
    double precision(double b) const { return prior_precision + b * likelihood_precision; }
    double mean(double b) const { return b * likelihood_precision * likelihood_mean / precision(b); }
    double log_prior(double u) const { return -0.5 * prior_precision * u * u; }
    double log_likelihood(double u) const {
        return -0.5 * likelihood_precision * (u - likelihood_mean) * (u - likelihood_mean);
    }
    double slope(double u, double b) const { return -precision(b) * (u - mean(b)); }
    double to_standard(double u, double b) const { return (u - mean(b)) * std::sqrt(precision(b)); }
    double from_standard(double z, double b) const { return mean(b) + z / std::sqrt(precision(b)); }
};

/// (x, y/sqrt(e^x)) are normal: y has another scale at each x (Neal 2003).
struct Funnel : Plane {
    static constexpr TemperedNormal neck{0.5, 1, 1}, side{1, 1, 1};

    void draw_prior(random::Stream& stream, std::span<double> x) const {
        const auto point = from_standard({stream.normal(), stream.normal()}, 0);
        x[0] = point[0];
        x[1] = point[1];
    }
    double log_prior(std::span<const double> x) const {
        return neck.log_prior(x[0]) + side.log_prior(x[1] * std::exp(-x[0] / 2)) - 0.5 * x[0];
    }
    double log_likelihood(std::span<const double> x) const {
        return neck.log_likelihood(x[0]) + side.log_likelihood(x[1] * std::exp(-x[0] / 2));
    }
    void gradient(std::span<const double> x, double b, std::span<double> gradient) const {
        const double shrink = std::exp(-x[0] / 2), slope = side.slope(x[1] * shrink, b);
        gradient[0] = neck.slope(x[0], b) - 0.5 - 0.5 * slope * x[1] * shrink;
        gradient[1] = slope * shrink;
    }
    /// The expected information.
    void metric(std::span<const double> x, double b, Eigen::Ref<Matrix> g) const {
        g << neck.precision(b) + 0.5, 0, 0, side.precision(b) * std::exp(-x[0]);
    }
    void metric_derivative(std::span<const double> x, double b, Index k, Eigen::Ref<Matrix> g) const {
        g << 0, 0, 0, k == 0 ? -side.precision(b) * std::exp(-x[0]) : 0;
    }
    static Point from_standard(const Point& z, double b) {
        const double x = neck.from_standard(z[0], b);
        return {x, side.from_standard(z[1], b) * std::exp(x / 2)};
    }
    static Point to_standard(const Point& x, double b) {
        return {neck.to_standard(x[0], b), side.to_standard(x[1] * std::exp(-x[0] / 2), b)};
    }
};

/// (x, y - x^2) are normal.
struct Banana : Plane {
    static constexpr TemperedNormal along{1, 0.5, -1}, across{1, 0.5, 0.5};

    void draw_prior(random::Stream& stream, std::span<double> x) const {
        const auto point = from_standard({stream.normal(), stream.normal()}, 0);
        x[0] = point[0];
        x[1] = point[1];
    }
    double log_prior(std::span<const double> x) const {
        return along.log_prior(x[0]) + across.log_prior(x[1] - x[0] * x[0]);
    }
    double log_likelihood(std::span<const double> x) const {
        return along.log_likelihood(x[0]) + across.log_likelihood(x[1] - x[0] * x[0]);
    }
    void gradient(std::span<const double> x, double b, std::span<double> gradient) const {
        const double slope = across.slope(x[1] - x[0] * x[0], b);
        gradient[0] = along.slope(x[0], b) - 2 * x[0] * slope;
        gradient[1] = slope;
    }
    /// The precision of the normal coordinates, carried over.
    void metric(std::span<const double> x, double b, Eigen::Ref<Matrix> g) const {
        const double a = along.precision(b), c = across.precision(b), bend = -2 * x[0];
        g << a + c * bend * bend, c * bend, c * bend, c;
    }
    void metric_derivative(std::span<const double> x, double b, Index k, Eigen::Ref<Matrix> g) const {
        g.setZero();
        const double c = across.precision(b);
        if (k == 0)
            g << 8 * c * x[0], -2 * c, -2 * c, 0;
    }
    static Point from_standard(const Point& z, double b) {
        const double x = along.from_standard(z[0], b);
        return {x, across.from_standard(z[1], b) + x * x};
    }
    static Point to_standard(const Point& x, double b) {
        return {along.to_standard(x[0], b), across.to_standard(x[1] - x[0] * x[0], b)};
    }
};

/// Independent normal coordinates of very different scales, with a constant metric.
struct Flat : Plane {
    static constexpr TemperedNormal long_side{1e-4, 1e-4, 300}, short_side{1, 99, -0.2};

    void draw_prior(random::Stream& stream, std::span<double> x) const {
        const auto point = from_standard({stream.normal(), stream.normal()}, 0);
        x[0] = point[0];
        x[1] = point[1];
    }
    double log_prior(std::span<const double> x) const { return long_side.log_prior(x[0]) + short_side.log_prior(x[1]); }
    double log_likelihood(std::span<const double> x) const {
        return long_side.log_likelihood(x[0]) + short_side.log_likelihood(x[1]);
    }
    void gradient(std::span<const double> x, double b, std::span<double> gradient) const {
        gradient[0] = long_side.slope(x[0], b);
        gradient[1] = short_side.slope(x[1], b);
    }
    void metric(std::span<const double>, double b, Eigen::Ref<Matrix> g) const {
        g << long_side.precision(b), 0, 0, short_side.precision(b);
    }
    void metric_derivative(std::span<const double>, double, Index, Eigen::Ref<Matrix> g) const { g.setZero(); }
    static Point from_standard(const Point& z, double b) {
        return {long_side.from_standard(z[0], b), short_side.from_standard(z[1], b)};
    }
    static Point to_standard(const Point& x, double b) {
        return {long_side.to_standard(x[0], b), short_side.to_standard(x[1], b)};
    }
};

/// The wrong twin: a kernel that moves by it leaves the derivatives of the metric out of dH/dx.
template <class D>
struct WithoutMetricDerivative : D {
    void metric_derivative(std::span<const double>, double, Index, Eigen::Ref<Matrix> g) const { g.setZero(); }
};

/// The wrong twin: a kernel that moves by it leaves (1/2) log det G out of H. (It is right for f_b sqrt(det G).)
struct FunnelWithoutVolume : Funnel {
    /// log det G is a constant - x.
    double log_prior(std::span<const double> x) const { return Funnel::log_prior(x) - 0.5 * x[0]; }
    void gradient(std::span<const double> x, double b, std::span<double> gradient) const {
        Funnel::gradient(x, b, gradient);
        gradient[0] -= 0.5;
    }
};

} // namespace pearlite::kernel::testing
