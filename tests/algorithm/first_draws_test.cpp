#include "algorithm/densities.hpp"
#include "algorithm/importance_squared/importance_squared.hpp"
#include "algorithm/pilot/first_draws.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace pearlite::algorithm {
namespace {

using namespace testing;

/// Two points, of which the second has three quarters of the weight.
FirstDraws two_points() {
    return {(Matrix(1, 2) << -1, 1).finished(), {std::log(0.25), std::log(0.75)}};
}

TEST(FirstDraws, AreWeighed) {
    EXPECT_NEAR(two_points().mixture(1, 5).components()[0].mean(0), 0.5, 1e-12);
    // variance 3/4
    EXPECT_NEAR(two_points().walk_factor()(0, 0), 2.38 * std::sqrt(0.75), 1e-12);
}

// 4000 starts; their share of the second point has standard error 0.007, and z is below 5.
TEST(FirstDraws, StartsAreDrawnInProportion) {
    const Matrix starts = two_points().starts(4000, 3);
    const double share = (starts.array() > 0).cast<double>().mean();
    EXPECT_NEAR(share, 0.75, 5 * std::sqrt(0.75 * 0.25 / 4000));
    EXPECT_EQ(starts.leftCols(10), two_points().starts(10, 3)); // more chains change nothing for the first ones
}

TEST(FirstDraws, AWeightOfZeroIsNeverAStart) {
    const FirstDraws draws{(Matrix(1, 3) << 0, 1, 2).finished(), {-INFINITY, 0, -INFINITY}};
    EXPECT_TRUE((draws.starts(200, 1).array() == 1).all());
}

/// x ~ N(0, 1) with the constant of its density left out, y | x ~ N(x, 0.01), y = 1.
struct Unnormalised {
    std::vector<std::string> parameter_names() const { return {"x"}; }
    void draw_prior(random::Stream& stream, std::span<double> x) const { x[0] = stream.normal(); }
    double log_prior(std::span<const double> x) const { return -0.5 * x[0] * x[0]; }
    double log_prior_normaliser() const { return 0.5 * std::log(2 * std::numbers::pi); }
    double log_likelihood(std::span<const double> x) const {
        return -50 * (1 - x[0]) * (1 - x[0]) - 0.5 * std::log(2 * std::numbers::pi * 0.01);
    }
    double exact_log_ratio() const { return -0.5 / 1.01 - 0.5 * std::log(2 * std::numbers::pi * 1.01); }
};

ImportanceSquared importance_of(double share, random::Seed seed, Index draws, double mean) {
    const random::StudentMixture first({{1, Vector::Constant(1, mean), Matrix::Constant(1, 1, 0.05)}}, 50);
    ImportanceSquared sampler(parallel::Communicator::alone(), path_of(Unnormalised{}), first, {draws, 16, seed},
                              {1000, 0, share});
    complete(sampler);
    return sampler;
}

TEST(Defence, TheEvidenceIsThatOfANormalisedPrior) {
    for (const double share : {0.0, 0.2}) {
        const auto sampler = importance_of(share, 1, 20000, 1);
        const auto estimate = sampler.outcome().log_ratio.front();
        EXPECT_EQ(estimate.estimator, "importance-squared");
        EXPECT_LT(std::abs(estimate.value - Unnormalised{}.exact_log_ratio()), 5 * *estimate.standard_error) << share;
    }
}

// A proposal beside the posterior: its tail alone gives a wrong evidence, the defensive share a right one.
TEST(Defence, AProposalThatMissesIsMadeGood) {
    const double exact = Unnormalised{}.exact_log_ratio();
    const auto defended = importance_of(0.2, 1, 20000, -1).outcome().log_ratio.front();
    EXPECT_LT(std::abs(defended.value - exact), 5 * *defended.standard_error);
    EXPECT_LT(*defended.standard_error, 0.1);
    const auto bare = importance_of(0, 1, 20000, -1).outcome();
    EXPECT_GT(std::abs(bare.log_ratio.front().value - exact), 1);
    EXPECT_THAT(bare.warnings, ::testing::Contains(::testing::HasSubstr("effective number of draws")));
}

// The draws of a round of adaptation are spread over all blocks, and so over all ranks.
TEST(Importance, RoundsHaveTheDrawsTheyClaim) {
    const auto arrays = [](Index draws, Index per_round) {
        const random::StudentMixture first({{1, Vector::Ones(1), Matrix::Constant(1, 1, 0.1)}}, 5);
        ImportanceSquared sampler(parallel::Communicator::alone(), path_of(Unnormalised{}), first, {draws, 16, 1},
                                  {per_round, 1, 0.1});
        complete(sampler);
        EXPECT_EQ(sampler.progress().step, sampler.progress().steps);
        const auto outcome = sampler.outcome();
        EXPECT_EQ(sampler.progress().likelihoods, outcome.arrays[0].values[0] + outcome.arrays[0].values[1]);
        return outcome.arrays[0].values;
    };
    EXPECT_THAT(arrays(1000, 320), ::testing::ElementsAre(312, 1000)); // the last block has 8
    EXPECT_THAT(arrays(1024, 320), ::testing::ElementsAre(320, 1024));
    EXPECT_THAT(arrays(20, 320), ::testing::ElementsAre(20, 20));
}

} // namespace
} // namespace pearlite::algorithm
