// The mass within a half-mass ellipsoid and beyond it, and what it says of a run.
#include "estimator/spot/comparison.hpp"
#include "parallel/communicator.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <numbers>

namespace pearlite::estimator {
namespace {

/// N(m, L L') for a spot check.
struct NormalSpot {
    Vector mean = Vector::LinSpaced(3, 1, 3);
    Matrix factor{{1, 0, 0}, {0.5, 0.2, 0}, {-3, 1, 10}};
    HalfMass ellipsoid{mean, factor};

    double log_density(const Vector& x) const {
        const Vector z = factor.triangularView<Eigen::Lower>().solve(x - mean);
        return -0.5 * z.squaredNorm() - factor.diagonal().array().log().sum() - 1.5 * std::log(2 * std::numbers::pi);
    }
    /// Draws of the normal distribution itself in families of equal draws: the share in E, and its variance by families
    /// if they are counted, else that of a binomial share.
    SpotShares shares(std::uint64_t repeat, bool counts_families) const {
        constexpr Index families = 50, copies = 40;
        Matrix inside(1, families * copies);
        std::vector<std::int64_t> eves;
        for (Index e = 0; e < families; ++e) {
            random::Stream stream({repeat, random::Purpose::test, static_cast<std::uint64_t>(e), 1});
            const Vector x = mean + factor * Vector::NullaryExpr(3, [&](Index) { return stream.normal(); });
            inside.middleCols(e * copies, copies).setConstant(ellipsoid.holds({x.data(), 3}) ? 1 : 0);
            for (Index k = 0; k < copies; ++k)
                eves.push_back(counts_families ? e : e * copies + k);
        }
        const std::vector<double> log_weights(eves.size(), -7.0);
        const auto alone = parallel::Communicator::alone();
        const parallel::BlockLayout layout(inside.cols(), 16, 1, 0);
        return spot_shares(alone, layout, log_weights, population::Families(alone, inside.cols(), eves), inside);
    }
    /// log f/q at draws in E of f = e^2 times the normal density. `log_error`: of the normaliser of q.
    SpotIntegral integral(double log_error) const {
        std::vector<double> log_ratios;
        for (std::uint64_t i = 0; i < 400; ++i) {
            random::Stream stream({1, random::Purpose::test, i, 0});
            Vector x(3);
            const double log_q = ellipsoid.draw(stream, {x.data(), 3});
            EXPECT_TRUE(ellipsoid.holds({x.data(), 3}));
            log_ratios.push_back(2 + log_density(x) - log_q + log_error);
        }
        return integral_of(log_ratios);
    }
    /// Contradictions in 200 right runs with an exact log Z.
    int contradictions(const SpotIntegral& integral, bool counts_families) const {
        int found = 0;
        for (std::uint64_t repeat = 0; repeat < 200; ++repeat) {
            const auto shares = this->shares(repeat, counts_families);
            const auto compared =
                compare_spot(integral, shares.shares[0], shares.variances[0], shares.families, 2, 0.01);
            found += compared.says == SpotComparison::Says::contradiction ? 1 : 0;
        }
        return found;
    }
};

// Catches a wrong median or normaliser.
TEST(Spot, TheEllipsoidHoldsHalfOfItsNormalDistribution) {
    const auto integral = NormalSpot().integral(0);
    EXPECT_NEAR(std::exp(integral.log_value - 2), 0.5, 0.01); // c is an approximate median, exact as an integral
    EXPECT_LT(integral.relative_error, 1e-12);
}

TEST(Spot, RightRunsAreNotContradicted) {
    EXPECT_EQ(NormalSpot().contradictions(NormalSpot().integral(0), true), 0);
}

// The draws' distribution is normalised to all of the normal distribution, not to E.
TEST(Spot, AWrongNormaliserIsNoticed) {
    EXPECT_GT(NormalSpot().contradictions(NormalSpot().integral(std::log(2.0)), true), 180);
}

// Each particle counts as a family of its own.
TEST(Spot, AnErrorWithoutFamiliesIsNoticed) {
    EXPECT_GT(NormalSpot().contradictions(NormalSpot().integral(0), false), 20);
}

// Catches an alarm on the side that proves nothing, and one by errors of log Z or of the integral.
TEST(Spot, OnlyAMissingShareBeyondAllErrorsContradicts) {
    using Says = SpotComparison::Says;
    EXPECT_EQ(compare_spot({std::log(0.5), 0.01}, 0.1, 1e-4, 1000, 0, 0.01).says, Says::contradiction);
    EXPECT_EQ(compare_spot({std::log(0.1), 0.01}, 0.5, 1e-4, 1000, 0, 0.01).says, Says::nothing);
    EXPECT_EQ(compare_spot({std::log(0.5), 0.01}, 0.1, 1e-4, 1000, 0, 0.5).says, Says::nothing); // z 3.2
    EXPECT_EQ(compare_spot({std::log(0.5), 0.01}, 0.48, 1e-4, 1000, 0, 0.01).says, Says::agreement);
    EXPECT_EQ(compare_spot({std::log(0.5), 0.4}, 0.1, 1e-4, 1000, 0, 0.01).says, Says::nothing);
    EXPECT_EQ(compare_spot({std::log(0.5), 0.01}, 0.0, 0, 10, 0, 0.01).says, Says::nothing);    // few families
    EXPECT_EQ(compare_spot({std::log(0.5), 0.01}, 0.4, 0.02, 10, 0, 0.01).says, Says::nothing); // a large error
    EXPECT_EQ(compare_spot({std::log(0.005), 0.01}, 0.0, 0, 1e6, 0, 0.01).says, Says::nothing);
}

/// Z_B of f by 50 lines.
template <class F>
SpotIntegral beyond(const HalfMass& ellipsoid, const F& log_f) {
    std::vector<double> log_integrals;
    for (std::uint64_t i = 0; i < 50; ++i) {
        random::Stream stream({3, random::Purpose::test, i, 0});
        const auto [points, log_weights] = ellipsoid.line(stream, 16);
        double sum = 0;
        for (Index k = 0; k < points.cols(); ++k)
            sum += std::exp(log_f(points.col(k)) + log_weights(k));
        log_integrals.push_back(std::log(sum));
    }
    return integral_of(log_integrals);
}

// Catches a wrong Jacobian, surface or determinant, and an end of the lines that is too near.
TEST(Spot, LinesFindTheMassBeyondTheEllipsoid) {
    const NormalSpot spot;
    const auto of_one = beyond(spot.ellipsoid, [&](const Vector& x) { return spot.log_density(x); });
    EXPECT_NEAR(std::exp(of_one.log_value), 0.5, 4 * 0.5 * of_one.relative_error);
    EXPECT_LT(of_one.relative_error, 0.1);
    // Around it as much mass again, of a distribution a hundred times as wide.
    const NormalSpot wide{spot.mean, 100 * spot.factor};
    const auto of_both = beyond(spot.ellipsoid, [&](const Vector& x) {
        return std::log(std::exp(spot.log_density(x)) + std::exp(wide.log_density(x)));
    });
    EXPECT_NEAR(std::exp(of_both.log_value), 1.5, 4 * 1.5 * of_both.relative_error);
    EXPECT_GT(std::exp(of_both.log_value), 1.2);
}

} // namespace
} // namespace pearlite::estimator
