/// The test functions: known values and minima, lanes against the plain form, gradients against differences.

#include "models/functions/test_functions.hpp"

#include "models/energy_checks.hpp"
#include "pearlite/core/error.hpp"
#include "support/decompositions.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <tuple>
#include <vector>

namespace pearlite::models {
namespace {

using Kind = TestFunctionSettings::Kind;
using pearlite::testing::points_in_box;
using std::numbers::pi;

class TestFunctions : public ::testing::TestWithParam<std::tuple<Kind, Index, bool>> {
  protected:
    const TestFunction function{{std::get<0>(GetParam()), std::get<1>(GetParam()), std::get<2>(GetParam()), 7}};
};

INSTANTIATE_TEST_SUITE_P(All, TestFunctions,
                         ::testing::Combine(::testing::Values(Kind::rastrigin, Kind::ackley, Kind::griewank,
                                                              Kind::schwefel, Kind::rosenbrock, Kind::levy),
                                            ::testing::Values(2, 6, 31), ::testing::Bool()));

TEST_P(TestFunctions, MinimumIsZeroAtTheMinimiserAndNowhereBelow) {
    const std::vector<double> at_minimum(function.minimiser().begin(), function.minimiser().end());
    for (Index i = 0; i < function.dimension(); ++i) {
        const auto k = static_cast<std::size_t>(i);
        EXPECT_GT(at_minimum[k], function.lower()[k]);
        EXPECT_LT(at_minimum[k], function.upper()[k]);
    }
    const double rounding = 1e-12 * static_cast<double>(function.dimension());
    EXPECT_EQ(function.known_minimum(), 0.0);
    EXPECT_NEAR(function.energy(at_minimum), 0, rounding);
    for (std::size_t k = 0; k < at_minimum.size(); ++k) { // it is a minimum, along every axis
        for (const double step : {-1e-3, 1e-3}) {
            std::vector<double> beside = at_minimum;
            beside[k] += step;
            EXPECT_GT(function.energy(beside), 1e-10);
        }
    }
    const model::LaneMatrix points = points_in_box(function, 512, 1);
    for (Index c = 0; c < points.cols(); ++c)
        EXPECT_GT(function.energy(pearlite::testing::chain(points, c)), 0);
}

TEST_P(TestFunctions, LanesAreThePlainEnergies) {
    pearlite::testing::expect_lanes_as_plain(function, points_in_box(function, 208, 2), 1e-12);
}

TEST_P(TestFunctions, LanesAreThePlainEnergiesBeyondTheBox) {
    pearlite::testing::expect_lanes_as_plain(function, 3 * points_in_box(function, 48, 3), 1e-12);
}

TEST_P(TestFunctions, BitsOfAChainDoNotDependOnTheOthers) {
    pearlite::testing::expect_lanes_independent(function, points_in_box(function, 96, 4));
}

TEST_P(TestFunctions, GradientIsThatOfDifferences) {
    pearlite::testing::expect_gradient_as_differences(function, points_in_box(function, 16, 5), 1e-5, 1e-6);
}

TEST_P(TestFunctions, FingerprintsDiffer) {
    TestFunctionSettings other = function.settings();
    EXPECT_EQ(pearlite::testing::fingerprint_of(function), pearlite::testing::fingerprint_of(TestFunction(other)));
    other.seed += 1;
    EXPECT_EQ(pearlite::testing::fingerprint_of(function) == pearlite::testing::fingerprint_of(TestFunction(other)),
              !other.rotated);
    other.rotated = !other.rotated;
    EXPECT_NE(pearlite::testing::fingerprint_of(function), pearlite::testing::fingerprint_of(TestFunction(other)));
}

double value(Kind kind, std::vector<double> x) {
    return TestFunction({.kind = kind, .dimension = static_cast<Index>(x.size())}).energy(x);
}

TEST(TestFunctionValues, AreTheFormulas) {
    // 10 d + sum x^2 - 10 cos(2 pi x): at 1/2 the cosine is -1, at 1/4 it is 0
    EXPECT_NEAR(value(Kind::rastrigin, {0.5, 1, 0.25}), 20 + 0.25 + 1 + 10 + 0.0625, 1e-12);
    EXPECT_NEAR(value(Kind::ackley, {3, 4, 5, -5, 3, 4}), 20 - 20 * std::exp(-0.2 * std::sqrt(100.0 / 6)), 1e-12);
    EXPECT_NEAR(value(Kind::ackley, {0.5, 0.5}), 20 + std::numbers::e - 20 * std::exp(-0.1) - std::exp(-1.0), 1e-12);
    EXPECT_NEAR(value(Kind::griewank, {pi, std::sqrt(2.0) * pi}), 3 * pi * pi / 4000, 1e-12);
    EXPECT_NEAR(value(Kind::griewank, {pi, 0}), pi * pi / 4000 + 2, 1e-12);
    EXPECT_NEAR(value(Kind::schwefel, {0, 0, 0}), 3 * 418.9828872724339, 1e-9); // the constant of the literature
    EXPECT_NEAR(value(Kind::schwefel, {pi * pi / 4, -pi * pi / 4}), 2 * 418.9828872724339, 1e-9);
    EXPECT_NEAR(value(Kind::rosenbrock, {-1.2, 1, 2}), 100 * 0.44 * 0.44 + 2.2 * 2.2 + 100, 1e-12);
    // w = (1/2, 1.5, 2): sin(pi/2)^2 + ..., and the last wave is at a whole turn
    const double second = std::sin(1.5 * pi + 1);
    const double first = std::sin(0.5 * pi + 1);
    EXPECT_NEAR(value(Kind::levy, {-1, 3, 5}),
                1 + 0.25 * (1 + 10 * first * first) + 0.25 * (1 + 10 * second * second) + 1, 1e-12);
}

TEST(TestFunctionValues, SchwefelMinimiserIsThatOfTheLiterature) {
    const TestFunction function({.kind = Kind::schwefel, .dimension = 3});
    EXPECT_NEAR(function.minimiser()[0], 420.968746, 1e-6);
}

TEST(TestFunctionValues, RotatedSchwefelIsContinuousAtTheEdges) {
    const TestFunction function({.kind = Kind::schwefel, .dimension = 2});
    for (const double edge : {-500.0, 500.0}) {
        const double inside = function.energy(std::vector<double>{edge * (1 - 1e-9), 100});
        EXPECT_NEAR(function.energy(std::vector<double>{edge * (1 + 1e-9), 100}), inside, 1e-4);
        EXPECT_GT(function.energy(std::vector<double>{edge * 2, 100}), inside);
    }
}

TEST(TestFunctionRotation, IsOrthogonalAndProper) {
    for (const Index d : {1, 2, 3, 30, 100}) {
        const Matrix r = salomon_rotation(d, 11);
        EXPECT_LT((r.transpose() * r - Matrix::Identity(d, d)).cwiseAbs().maxCoeff(), 1e-14 * static_cast<double>(d));
        EXPECT_NEAR(decompositions::determinant(r), 1, 1e-12);
        EXPECT_EQ(r, salomon_rotation(d, 11));
        EXPECT_EQ(r == salomon_rotation(d, 12), d == 1);
    }
    const Matrix r = salomon_rotation(30, 11); // all coordinates are mixed, but for a zero of the construction
    EXPECT_GT((r.array() != 0).count(), 800);
}

TEST(TestFunctionRotation, ChangesTheFunctionByTheRotationAlone) {
    const Index d = 9;
    for (const Kind kind : {Kind::rastrigin, Kind::ackley, Kind::griewank, Kind::rosenbrock, Kind::levy}) {
        const TestFunction plain({kind, d, false, 3});
        const TestFunction rotated({kind, d, true, 3});
        EXPECT_EQ(plain.rotation(), Matrix::Identity(d, d));
        EXPECT_EQ(rotated.rotation(), salomon_rotation(d, 3));
        const Eigen::Map<const Vector> centre(rotated.minimiser().data(), d);
        const model::LaneMatrix points = points_in_box(plain, 16, 8);
        for (Index c = 0; c < points.cols(); ++c) {
            const Vector x = points.col(c);
            const Vector z = rotated.rotation() * (x - centre) + centre;
            const double expected = plain.energy(pearlite::testing::chain(z, 0));
            EXPECT_NEAR(rotated.energy(pearlite::testing::chain(x, 0)), expected, 1e-12 * expected);
        }
    }
}

TEST(TestFunctionSettingsCheck, RejectsBadDimensions) {
    EXPECT_THROW(TestFunction({.dimension = 0}), InputError);
    EXPECT_THROW(TestFunction({.dimension = TestFunction::largest_dimension + 1}), InputError);
    EXPECT_THROW(TestFunction({.kind = Kind::rosenbrock, .dimension = 1}), InputError);
    const TestFunction function({.dimension = 4});
    model::LaneMatrix points = model::LaneMatrix::Zero(4, 12);
    std::vector<double> out(12);
    EXPECT_THROW(function.energies(points, out), ContractViolation);
}

} // namespace
} // namespace pearlite::models
