#include "kernel/density/random_walk.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace pearlite::kernel {
namespace {

const Matrix fallback{{7, 0, 0}, {1, 8, 0}, {2, 3, 9}};
constexpr double scale = 2.38 * 2.38 / 3;

TEST(RandomWalkFactor, IsARootOfTheScaledCovariance) {
    const Matrix covariance{{4, 1, -0.5}, {1, 2, 0.3}, {-0.5, 0.3, 1}};
    const Matrix factor = random_walk_factor(covariance, fallback);
    EXPECT_TRUE((factor * factor.transpose()).isApprox(scale * covariance, 1e-14));
    EXPECT_TRUE(factor.isLowerTriangular());
}

TEST(RandomWalkFactor, DoesNotDependOnUnits) {
    const Matrix covariance{{4, 1, -0.5}, {1, 2, 0.3}, {-0.5, 0.3, 1}};
    const Vector units{{1e-9, 1, 1e9}};
    const Matrix scaled = units.asDiagonal() * covariance * units.asDiagonal();
    const Matrix expected = units.asDiagonal() * random_walk_factor(covariance, fallback);
    EXPECT_TRUE(random_walk_factor(scaled, fallback).isApprox(expected, 1e-12));
}

TEST(RandomWalkFactor, PerfectCorrelationGivesTheDiagonal) {
    const Vector direction{{1, 2, -3}};
    const Matrix factor = random_walk_factor(direction * direction.transpose(), fallback);
    const Matrix expected = (std::sqrt(scale) * direction.cwiseAbs()).asDiagonal();
    EXPECT_TRUE(factor.isApprox(expected, 1e-14));
}

// Numerically singular: one direction is 1e-7 of the others.
TEST(RandomWalkFactor, AlmostPerfectCorrelationGivesTheDiagonalToo) {
    Matrix covariance = Matrix::Identity(3, 3);
    covariance(0, 1) = covariance(1, 0) = 1 - 1e-14;
    EXPECT_TRUE(random_walk_factor(covariance, fallback).isApprox(std::sqrt(scale) * Matrix::Identity(3, 3), 1e-14));
    covariance(0, 1) = covariance(1, 0) = 1 - 1e-8;
    EXPECT_FALSE(random_walk_factor(covariance, fallback).isDiagonal());
}

TEST(RandomWalkFactor, VariancesOfZeroFallBack) {
    Matrix covariance = Matrix::Zero(3, 3);
    covariance(1, 1) = 4;
    const Matrix factor = random_walk_factor(covariance, fallback);
    EXPECT_EQ(factor.row(0), fallback.row(0));
    EXPECT_EQ(factor.row(2), fallback.row(2));
    EXPECT_TRUE(factor.row(1).isApprox(Eigen::RowVector3d(0, 2 * std::sqrt(scale), 0)));
    EXPECT_EQ(random_walk_factor(Matrix::Zero(3, 3), fallback), fallback);
}

TEST(RandomWalkFactor, WhatIsNotFiniteFallsBack) {
    for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
        Matrix covariance = 9 * Matrix::Identity(3, 3);
        covariance(0, 0) = bad;
        const Matrix factor = random_walk_factor(covariance, fallback);
        EXPECT_TRUE(factor.allFinite());
        EXPECT_EQ(factor.row(0), fallback.row(0));
        EXPECT_DOUBLE_EQ(factor(1, 1), 3 * std::sqrt(scale));
        EXPECT_EQ(random_walk_factor(Matrix::Constant(3, 3, bad), fallback), fallback);
    }
}

} // namespace
} // namespace pearlite::kernel
