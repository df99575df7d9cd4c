#include "models/state_space/particle_filter.hpp"

#include <gtest/gtest.h>
#include <numeric>

namespace pearlite::models {
namespace {

TEST(SystematicAncestors, OffspringAreExpectedNumbersRoundedUpOrDown) {
    const std::vector<double> weights{0, 0.3, 1.7, 0, 0.001, 2.4, 0};
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    constexpr std::size_t n = 10;
    std::vector<double> mean(weights.size());
    constexpr int repeats = 1000;
    for (int k = 0; k < repeats; ++k) {
        std::vector<Index> ancestors(n);
        systematic_ancestors(weights, (k + 0.5) / repeats, ancestors);
        EXPECT_TRUE(std::is_sorted(ancestors.begin(), ancestors.end()));
        for (std::size_t i = 0; i < weights.size(); ++i) {
            const auto offspring = std::count(ancestors.begin(), ancestors.end(), static_cast<Index>(i));
            const double expected = n * weights[i] / sum;
            ASSERT_LT(std::abs(static_cast<double>(offspring) - expected), 1) << i;
            mean[i] += static_cast<double>(offspring) / repeats;
        }
    }
    for (std::size_t i = 0; i < weights.size(); ++i)
        EXPECT_NEAR(mean[i], n * weights[i] / sum, 1.0 / repeats);
}

TEST(SystematicAncestors, ZeroWeightsAndRoundingNeverGiveAnImpossibleAncestor) {
    std::vector<Index> ancestors(7);
    for (const double offset : {0.0, 0.5, 1 - 0x1p-53}) {
        systematic_ancestors(std::vector<double>{0, 0.1, 0, 0.1, 0.1, 0}, offset, ancestors);
        for (const Index i : ancestors)
            EXPECT_TRUE(i == 1 || i == 3 || i == 4);
    }
    EXPECT_THROW(systematic_ancestors(std::vector<double>{0, 0}, 0.5, ancestors), ContractViolation);
}

TEST(WeightedQuantiles, AreThoseOfTheStepFunction) {
    const std::vector<double> values{3, 1, 2, 9}, weights{1, 2, 1, 0};
    EXPECT_EQ(weighted_quantiles(values, weights, std::vector{0.0, 0.5, 0.51, 0.75, 0.76, 1.0}),
              (std::vector<double>{1, 1, 2, 2, 3, 3}));
}

/// A process whose observation has the likelihood that the test says.
struct Prescribed {
    using State = int;
    std::vector<double> log_observations;
    Index length() const { return static_cast<Index>(log_observations.size()); }
    int draw_next(Index t, int x, random::Stream&) const { return t == 0 ? 1 : x + 1; }
    double log_observation(Index t, int x) const {
        EXPECT_EQ(x, t + 1);
        return log_observations[static_cast<std::size_t>(t)];
    }
};

TEST(RunFilter, WeightsOfZeroGiveALikelihoodOfZero) {
    random::Stream stream({1});
    int seen = 0;
    const auto outcome =
        run_filter(Prescribed{{-1000, log_zero, -1}}, {.particles = 5}, stream, [&](auto&&...) { ++seen; });
    EXPECT_EQ(outcome.log_likelihood, log_zero);
    EXPECT_EQ(seen, 1);
    EXPECT_DOUBLE_EQ(run_filter(Prescribed{{-1000, -2000, 800}}, {.particles = 5}, stream).log_likelihood, -2200);
}

TEST(RunFilter, NotANumberIsAnErrorThatNamesTimeAndParticle) {
    random::Stream stream({1});
    try {
        run_filter(Prescribed{{-1, NAN}}, {.particles = 5}, stream);
        FAIL();
    } catch (const NumericalError& error) {
        EXPECT_NE(std::string(error.what()).find("particle 0 at time 1"), std::string::npos) << error.what();
    }
}

TEST(RunFilter, RefusesAKindThatTheModelDoesNotProvideFor) {
    random::Stream stream({1});
    EXPECT_THROW(run_filter(Prescribed{{-1}}, {.kind = FilterKind::adapted}, stream), ContractViolation);
    EXPECT_THROW(run_filter(Prescribed{{-1}}, {.particles = 0}, stream), ContractViolation);
}

} // namespace
} // namespace pearlite::models
