#pragma once
/// Densities whose every tempered distribution is known, for tests of invariance.

#include "core/log_space.hpp"
#include "pearlite/path/tempered.hpp"
#include "random/statistics.hpp"

#include <cmath>

namespace pearlite::kernel::testing {

/// Prior Gamma(2, 1), likelihood x^3 e^{-2x}: p_b is Gamma(2 + 3b, rate 1 + 2b). Skewed, and zero for x < 0.
struct Skewed {
    std::vector<std::string> parameter_names() const { return {"x"}; }
    void draw_prior(random::Stream& stream, std::span<double> x) const { x[0] = stream.gamma(2); }
    double log_prior(std::span<const double> x) const { return x[0] > 0 ? std::log(x[0]) - x[0] : log_zero; }
    double log_likelihood(std::span<const double> x) const { return 3 * std::log(x[0]) - 2 * x[0]; }

    static double draw(random::Stream& stream, double b) { return stream.gamma(2 + 3 * b) / (1 + 2 * b); }
    static double distribution(double x, double b) {
        return random::testing::gamma_distribution(x, 2 + 3 * b, 1 / (1 + 2 * b));
    }
};

/// Prior N(1, 4), likelihood of N(-2, 1): p_b has precision 1/4 + b and mean (1/4 - 2 b)/precision.
struct Normal {
    std::vector<std::string> parameter_names() const { return {"x"}; }
    void draw_prior(random::Stream& stream, std::span<double> x) const { x[0] = 1 + 2 * stream.normal(); }
    double log_prior(std::span<const double> x) const { return -(x[0] - 1) * (x[0] - 1) / 8; }
    double log_likelihood(std::span<const double> x) const { return -(x[0] + 2) * (x[0] + 2) / 2; }

    static double mean(double b) { return (0.25 - 2 * b) / (0.25 + b); }
    static double sd(double b) { return 1 / std::sqrt(0.25 + b); }
    static double draw(random::Stream& stream, double b) { return mean(b) + sd(b) * stream.normal(); }
    static double distribution(double x, double b) { return random::testing::normal_distribution(x, mean(b), sd(b)); }
};

/// Correlated normal prior and likelihood in three dimensions, as many points at once.
struct Correlated {
    std::vector<std::string> parameter_names() const { return {"a", "b", "c"}; }
    void draw_prior(random::Stream& stream, std::span<double> x) const {
        const double common = stream.normal();
        for (double& value : x)
            value = 3 * common + stream.normal();
    }
    void evaluate(const Matrix& points, std::span<double> log_prior, std::span<double> log_likelihood) const {
        for (Index i = 0; i < points.cols(); ++i) {
            const double sum = points.col(i).sum();
            log_prior[static_cast<std::size_t>(i)] = -0.5 * (points.col(i).squaredNorm() - 9.0 / 28 * sum * sum);
            log_likelihood[static_cast<std::size_t>(i)] = -0.5 * (points.col(i).array() - 1).square().sum();
        }
    }
};

/// The wrong twin: a kernel that moves by it leaves the prior ratio out.
template <class D>
struct WithoutPriorRatio : D {
    double log_prior(std::span<const double> x) const { return D::log_prior(x) == log_zero ? log_zero : 0; }
};

/// The wrong twin: a kernel that moves by it tempers the prior too.
template <class D>
struct WithTemperedPrior : D {
    double log_prior(std::span<const double> x) const {
        const double log_prior = D::log_prior(x);
        return log_prior == log_zero ? log_zero : 0.5 * log_prior;
    }
};

} // namespace pearlite::kernel::testing
