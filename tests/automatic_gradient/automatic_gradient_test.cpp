#include "pearlite/model/automatic_gradient.hpp"

#include "app/probe/check_derivatives.hpp"
#include "models/gradient_checks.hpp"
#include "models/regression/logistic_regression.hpp"
#include "pearlite/core/error.hpp"
#include "pearlite/path/tempered.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <future>
#include <vector>

namespace pearlite::model {
namespace {

using pearlite::testing::Differentiated;
using pearlite::testing::expect_gradient_of_density;
using pearlite::testing::expect_gradient_without_neighbours;

/// Functions that occur in densities, with branches and a support.
struct Various {
    double offset = 0.3;

    std::vector<std::string> parameter_names() const { return {"a", "b", "c", "d"}; }
    void draw_prior(random::Stream& stream, std::span<double> x) const {
        for (double& value : x)
            value = stream.uniform(0.1, 2);
    }
    template <class T>
    T log_prior(std::span<const T> x) const {
        using std::log;
        if (x[0] < 0)
            return -infinity;
        return -x[0] + log(x[1]) - 0.5 * x[2] * x[2];
    }
    template <class T>
    T log_likelihood(std::span<const T> x) const {
        using std::atan, std::cos, std::erf, std::exp, std::expm1, std::lgamma, std::log, std::log1p, std::pow,
            std::sin, std::sqrt, std::tanh;
        T sum = offset * exp(-x[0]) + log1p(x[1] * x[2]) - expm1(0.1 * x[3]) + lgamma(x[0] + x[3]);
        sum += sqrt(x[0]) * sin(x[1]) + cos(x[2]) / x[3] + tanh(x[1] - x[0]) + atan(x[2]) + erf(x[3]);
        sum += pow(x[0], 1.7) - pow(x[1], x[2]);
        const T t = x[1] - x[3];
        return sum - (t > 0 ? t + log1p(exp(-t)) : log1p(exp(t)));
    }
};

/// The logistic regression of the package, written again from its formula.
struct PlainLogistic {
    models::LogisticRegressionData data;

    std::vector<std::string> parameter_names() const { return data.names; }
    void draw_prior(random::Stream& stream, std::span<double> x) const {
        models::LogisticRegression(data).draw_prior(stream, x);
    }
    template <class T>
    T log_prior(std::span<const T> x) const {
        T squares = 0;
        for (const T& value : x)
            squares += value * value;
        const double constant = std::log(2 * std::numbers::pi * data.prior_variance);
        return -0.5 * (squares / data.prior_variance + static_cast<double>(x.size()) * constant);
    }
    template <class T>
    T log_likelihood(std::span<const T> x) const {
        using std::exp, std::log1p;
        T sum = 0;
        for (Index i = 0; i < data.design.rows(); ++i) {
            T eta = 0;
            for (std::size_t k = 0; k < x.size(); ++k)
                eta += data.design(i, static_cast<Index>(k)) * x[k];
            if (data.response(i) == 1)
                eta = -eta;
            sum -= eta > 0 ? eta + log1p(exp(-eta)) : log1p(exp(eta));
        }
        return sum;
    }
};

models::LogisticRegressionData logistic_data() {
    random::Stream stream({9, random::Purpose::test, 0, 0});
    models::LogisticRegressionData data;
    data.design = Matrix::NullaryExpr(60, 5, [&](Index, Index) { return stream.normal(); });
    data.response = Vector::NullaryExpr(60, [&](Index) { return stream.bernoulli(0.4) ? 1.0 : 0.0; });
    data.names = {"a", "b", "c", "d", "e"};
    data.prior_variance = 4;
    return data;
}

static_assert(Density<AutomaticGradient<Various>> && HasBlockGradient<AutomaticGradient<Various>>);
static_assert(!HasBlockGradient<Various> && HasTemplatedDensity<Various>);

TEST(AutomaticGradient, IsThatOfDifferences) {
    const Differentiated density(with_automatic_gradient(Various{}), 20);
    expect_gradient_of_density(density, 5e-4, 1e-8);
    expect_gradient_without_neighbours(density);
}

TEST(AutomaticGradient, IsTheGradientByHand) {
    const Differentiated automatic(with_automatic_gradient(PlainLogistic{logistic_data()}), 20);
    const Differentiated by_hand(models::LogisticRegression(logistic_data()), 20);
    ASSERT_EQ(automatic.points, by_hand.points);
    for (const double b : {0.0, 0.4, 1.0}) {
        const auto [logs, gradient] = automatic.gradients(automatic.points, b);
        const auto [own_logs, own_gradient] = by_hand.gradients(by_hand.points, b);
        EXPECT_LT((gradient - own_gradient).cwiseAbs().maxCoeff(), 1e-12 * own_gradient.cwiseAbs().maxCoeff());
        EXPECT_LT((logs.likelihood - own_logs.likelihood).head(20).cwiseAbs().maxCoeff(), 1e-11);
    }
}

TEST(AutomaticGradient, OutsideTheSupportOnlyThePriorIsAskedFor) {
    const Differentiated density(with_automatic_gradient(Various{}), 3);
    Matrix points = density.points;
    points(0, 1) = -1;
    const auto [logs, gradient] = density.gradients(points, 1);
    EXPECT_EQ(logs.prior(1), -infinity);
    EXPECT_EQ(logs.likelihood(1), -infinity);
    EXPECT_EQ(gradient.col(2), density.gradients(density.points, 1).second.col(2));
}

/// A likelihood of 0 on one side, and one that throws far out.
struct Cut : Various {
    template <class T>
    T log_likelihood(std::span<const T> x) const {
        using std::log;
        if (x[3] > 100)
            throw NumericalError("far out");
        return x[3] > 1 ? T(-infinity) : log(x[3]);
    }
};

TEST(AutomaticGradient, OfALikelihoodOfZeroIsThatOfThePrior) {
    const AutomaticGradient<Cut> density(Cut{});
    Matrix points = Matrix::Constant(4, 1, 1.5), gradient(4, 1);
    std::array<double, 1> prior, likelihood;
    density.evaluate_with_gradient(points, 0.5, prior, likelihood, gradient);
    EXPECT_EQ(likelihood[0], -infinity);
    EXPECT_EQ(gradient, (Matrix{{-1}, {1 / 1.5}, {-1.5}, {0}}));
}

TEST(AutomaticGradient, ForgetsWhatItRecorded) {
    const AutomaticGradient<Cut> density(Cut{});
    Matrix points = Matrix::Constant(4, 1, 0.5), gradient(4, 1);
    std::array<double, 1> prior, likelihood;
    const auto recorded = [] { return stan::math::ChainableStack::instance_->var_stack_.size(); };
    const auto before = recorded();
    density.evaluate_with_gradient(points, 1, prior, likelihood, gradient);
    EXPECT_EQ(recorded(), before);
    points(3, 0) = 1000;
    EXPECT_THROW(density.evaluate_with_gradient(points, 1, prior, likelihood, gradient), NumericalError);
    EXPECT_EQ(recorded(), before);
}

// A tape for each thread.
TEST(AutomaticGradient, ThreadsDoNotMeet) {
    const auto gradients = [] {
        const Differentiated density(with_automatic_gradient(PlainLogistic{logistic_data()}), 20);
        Matrix sum = Matrix::Zero(5, 20);
        for (int round = 0; round < 50; ++round)
            sum += density.gradients(density.points, 1).second;
        return sum;
    };
    std::vector<std::future<Matrix>> others;
    for (int thread = 0; thread < 4; ++thread)
        others.push_back(std::async(std::launch::async, gradients));
    const Matrix own = gradients();
    for (auto& other : others)
        EXPECT_EQ(other.get(), own);
}

/// A derivative is lost where a number becomes a double: the comparison with differences notices.
struct Lossy : Various {
    template <class T>
    T log_likelihood(std::span<const T> x) const {
        using stan::math::value_of;
        return -0.5 * value_of(x[0]) * x[0];
    }
};

TEST(AutomaticGradient, LostDerivativesAreNoticed) {
    EXPECT_THAT(app::check_gradient(*path::tempered(with_automatic_gradient(Various{}))),
                ::testing::HasSubstr("agrees"));
    EXPECT_THROW(app::check_gradient(*path::tempered(with_automatic_gradient(Lossy{}))), InputError);
}

} // namespace
} // namespace pearlite::model
