#include "app/probe/check_derivatives.hpp"

#include "models/gaussian/gaussian.hpp"
#include "pearlite/core/error.hpp"
#include "pearlite/path/tempered.hpp"

#include <gmock/gmock.h>

#include <cmath>

namespace pearlite::app {
namespace {

using ::testing::HasSubstr;

enum class Mistake { none, derivative, missing_derivative, asymmetry, sign, nan };

/// A normal prior with a metric that grows with y; coordinates of very different units.
struct Growing {
    Mistake mistake = Mistake::none;

    std::vector<std::string> parameter_names() const { return {"x", "y"}; }
    void draw_prior(random::Stream& stream, std::span<double> x) const {
        x[0] = 1e6 * stream.normal();
        x[1] = 1e-3 * stream.normal();
    }
    double log_prior(std::span<const double>) const { return 0; }
    double log_likelihood(std::span<const double>) const { return 0; }
    void metric(std::span<const double> x, double b, Eigen::Ref<Matrix> g) const {
        const double growth = (1 + b) * std::exp(1e3 * x[1]);
        g << 1e-12 * growth, 0.2e-3 * growth, 0.2e-3 * growth, 1e6 * growth;
        if (mistake == Mistake::asymmetry)
            g(0, 1) *= 1.01;
        if (mistake == Mistake::sign)
            g(1, 1) *= -1;
        if (mistake == Mistake::nan)
            g(1, 0) = std::nan("");
    }
    void metric_derivative(std::span<const double> x, double b, Index k, Eigen::Ref<Matrix> g) const {
        metric(x, b, g);
        g *= k == 0 ? 0 : 1e3;
        if (mistake == Mistake::derivative)
            g(0, 0) *= 1.001;
        if (mistake == Mistake::missing_derivative)
            g.setZero();
    }
};

std::string checked(Mistake mistake) {
    return check_metric(*path::tempered(Growing{mistake}));
}

std::string refusal(Mistake mistake) {
    try {
        return checked(mistake);
    } catch (const InputError& error) {
        return error.what();
    }
}

TEST(CheckMetric, TakesRightOnes) {
    EXPECT_THAT(checked(Mistake::none), HasSubstr("agree"));
    EXPECT_THAT(check_metric(*path::tempered(models::Gaussian({.dimension = 3}))), HasSubstr("agree"));
}

TEST(CheckMetric, RefusesWrongOnes) {
    EXPECT_THAT(refusal(Mistake::derivative), HasSubstr("the model's metric is wrong at x = "));
    EXPECT_THAT(refusal(Mistake::derivative), HasSubstr("derivative by y is off by"));
    EXPECT_THAT(refusal(Mistake::missing_derivative), HasSubstr("derivative by y is off by"));
    EXPECT_THAT(refusal(Mistake::asymmetry), HasSubstr("it is not symmetric"));
    EXPECT_THAT(refusal(Mistake::sign), HasSubstr("it is not positive definite"));
    EXPECT_THAT(refusal(Mistake::nan), HasSubstr("it is not positive definite"));
}

} // namespace
} // namespace pearlite::app
