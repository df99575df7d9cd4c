#include "app/probe/check_derivatives.hpp"

#include "models/gaussian/gaussian.hpp"
#include "pearlite/core/error.hpp"
#include "pearlite/path/tempered.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace pearlite::app {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Makes a gradient wrong: gets the right derivatives by x and y at b, and changes them.
using Spoil = std::function<void(double b, std::span<double> gradient)>;

/// x ~ N(0, 10^2), y ~ Exp(1); one datum of x of sd 0.001, and one of y. Narrow beside the prior, with an edge.
struct Narrow {
    Spoil spoil = [](double, std::span<double>) {};

    std::vector<std::string> parameter_names() const { return {"x", "y"}; }
    void draw_prior(random::Stream& stream, std::span<double> x) const {
        x[0] = 10 * stream.normal();
        x[1] = stream.exponential();
    }
    double log_prior(std::span<const double> x) const {
        return x[1] < 0 ? -infinity : -0.005 * x[0] * x[0] - x[1] - 0.5 * std::log(200 * M_PI);
    }
    double log_likelihood(std::span<const double> x) const {
        return -0.5e6 * (x[0] - 1) * (x[0] - 1) + std::log(x[1]) - 2 * x[1];
    }
    void gradient(std::span<const double> x, double b, std::span<double> out) const {
        out[0] = -0.01 * x[0] - b * 1e6 * (x[0] - 1);
        out[1] = -1 + b * (1 / x[1] - 2);
        spoil(b, out);
    }
};

std::string checked(Spoil spoil) {
    return check_gradient(*path::tempered(Narrow{std::move(spoil)}));
}

TEST(CheckGradient, ReportsTheLargestDifference) {
    EXPECT_THAT(checked([](double, std::span<double>) {}),
                HasSubstr("agrees with finite differences at 4 points drawn from the prior"));
    EXPECT_THAT(check_gradient(*path::tempered(models::Gaussian({.dimension = 3}))), HasSubstr("agrees"));
}

TEST(CheckGradient, RefusesWhatIsWrong) {
    const std::vector<Spoil> wrongs{
        [](double, std::span<double> g) { g[1] = -g[1]; },
        [](double, std::span<double> g) { g[1] += 1; },                    // the prior is forgotten
        [](double b, std::span<double> g) { g[1] = -1 + (g[1] + 1) / b; }, // b is: right at the end of the path only
        [](double, std::span<double> g) { g[1] *= 1.001; },
        [](double, std::span<double> g) { g[0] *= 1.001; },
        [](double, std::span<double> g) { std::swap(g[0], g[1]); },
        [](double, std::span<double> g) { g[0] = std::nan(""); },
        [](double, std::span<double> g) { g[1] = infinity; },
    };
    for (std::size_t k = 0; k < wrongs.size(); ++k)
        EXPECT_THROW(checked(wrongs[k]), InputError) << "wrong gradient " << k;
}

TEST(CheckGradient, SaysWhereAndWhat) {
    try {
        checked([](double, std::span<double> g) { g[1] = 17; });
        FAIL();
    } catch (const InputError& error) {
        EXPECT_THAT(error.what(), HasSubstr("the model's gradient is wrong at x = "));
        EXPECT_THAT(error.what(), HasSubstr(", b = 1: the derivative by y is 17, and finite differences give "));
    }
}

/// A Gaussian of many coordinates, with one wrong derivative.
struct Wide : models::Gaussian {
    Index wrong = -1;
    explicit Wide(Index d) : models::Gaussian({.dimension = d, .start_mean = 1, .start_sd = 2}) {}
    void evaluate_with_gradient(const Matrix& points, double b, std::span<double> log_prior,
                                std::span<double> log_likelihood, Eigen::Ref<Matrix> gradient) const {
        models::Gaussian::evaluate_with_gradient(points, b, log_prior, log_likelihood, gradient);
        if (wrong >= 0)
            gradient.row(wrong).array() += 0.5;
    }
};

TEST(CheckGradient, SeesOneWrongCoordinateAmongMany) {
    Wide density(300);
    EXPECT_THAT(check_gradient(*path::tempered(density)), HasSubstr("agrees"));
    for (const Index k : {0, 1, 150, 298, 299}) {
        density.wrong = k;
        EXPECT_THROW(check_gradient(*path::tempered(density)), InputError) << k;
    }
}

/// A density whose log densities in a block differ from those of single points.
struct OtherLogs : Narrow {
    void evaluate_with_gradient(const Matrix& points, double b, std::span<double> log_prior,
                                std::span<double> log_likelihood, Eigen::Ref<Matrix> out) const {
        for (Index i = 0; i < points.cols(); ++i) {
            const std::span<const double> x(points.col(i).data(), 2);
            log_prior[static_cast<std::size_t>(i)] = Narrow::log_prior(x) + 0.5 * std::log(200 * M_PI);
            log_likelihood[static_cast<std::size_t>(i)] = Narrow::log_likelihood(x);
            Narrow::gradient(x, b, {out.col(i).data(), 2});
        }
    }
};

TEST(CheckGradient, RefusesOtherLogDensities) {
    try {
        check_gradient(*path::tempered(OtherLogs{}));
        FAIL();
    } catch (const InputError& error) {
        EXPECT_THAT(error.what(), HasSubstr("the log density that comes with it is"));
    }
}

/// The force, which trajectories follow, is wrong by this factor.
struct WithForce : models::Gaussian {
    double factor = 1;
    WithForce() : models::Gaussian({.dimension = 3, .start_mean = 1, .start_sd = 2}) {}
    void force(const Matrix& points, double b, Eigen::Ref<Matrix> force) const {
        std::vector<double> logs(static_cast<std::size_t>(points.cols()));
        models::Gaussian::evaluate_with_gradient(points, b, logs, logs, force);
        force *= factor;
    }
};

TEST(CheckGradient, RefusesAForceThatIsNotTheGradientRounded) {
    WithForce density;
    density.factor = 1 + 1e-6;
    EXPECT_THAT(check_gradient(*path::tempered(density)), HasSubstr("agrees"));
    density.factor = -1;
    try {
        check_gradient(*path::tempered(density));
        FAIL();
    } catch (const InputError& error) {
        EXPECT_THAT(error.what(), HasSubstr("b = 1: the force by "));
    }
}

/// No gradient.
struct Plain {
    std::vector<std::string> parameter_names() const { return {"x"}; }
    void draw_prior(random::Stream& stream, std::span<double> x) const { x[0] = stream.uniform(); }
    double log_prior(std::span<const double>) const { return 0; }
    double log_likelihood(std::span<const double>) const { return -infinity; }
};
struct Impossible : Plain {
    void gradient(std::span<const double>, double, std::span<double> out) const { out[0] = 0; }
};

TEST(CheckGradient, SaysNothingWhereThereIsNothing) {
    EXPECT_THAT(check_gradient(*path::tempered(Plain{})), IsEmpty());
    EXPECT_THAT(check_gradient(*path::tempered(Impossible{})), HasSubstr("was not compared"));
}

} // namespace
} // namespace pearlite::app
