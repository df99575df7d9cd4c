#include "algorithm/alone.hpp"
#include "algorithm/densities.hpp"
#include "algorithm/growing_runs.hpp"
#include "parallel/agreement.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace pearlite::algorithm {
namespace {

using namespace testing;
using ::testing::Each;
using ::testing::Gt;
using ::testing::HasSubstr;
using ::testing::Not;

/// A linear Gaussian process whose sweeps leave every particle where it is.
class Idle final : public models::GrowingLinearGaussian {
  public:
    using GrowingLinearGaussian::GrowingLinearGaussian;
    void sweep(models::StateBlock&, Index, Index, const model::BlockStreams&) const override {}
};

GrowingPointer idle_series(Index n, bool adapted) {
    return models::growth_by_time(std::make_shared<const Idle>(series_parameters, series_observations(n), adapted))
        ->growing("time", 1);
}

/// Neighbouring spins prefer to be opposite; an odd torus cannot satisfy all its bonds.
GrowingPointer odd_antiferromagnet(double coupling) {
    return models::lattice_growth({.size = 9, .colours = 2, .equal = -coupling, .unequal = coupling})
        ->growing("raster", 1);
}

struct Seen {
    GrowthRecord record;
    std::string warnings;
};
Seen seen(const GrowingPointer& target, Index particles, const ResampleMoveSettings& settings) {
    auto sampler = growing_run(alone, target, nullptr, {particles, 48, 3}, settings);
    complete(sampler);
    Seen seen{sampler.record(), {}};
    for (const auto& warning : sampler.outcome().warnings)
        seen.warnings += warning + "\n";
    return seen;
}

TEST(FrozenGrowth, SweepsThatMoveNothingAreNamed) {
    for (const bool adapted : {false, true}) {
        const auto still = seen(idle_series(12, adapted), 200, {});
        EXPECT_THAT(still.record.mobility, Each(0.0)) << "a particle that stays has one weight";
        EXPECT_THAT(still.warnings, HasSubstr("particles stand still"));
        const auto moving = seen(growing_series(12, adapted), 200, {});
        EXPECT_THAT(moving.record.mobility, Each(Gt(0.05)));
        EXPECT_THAT(moving.warnings, Not(HasSubstr("stand still")));
    }
}

TEST(FrozenGrowth, AParticleFilterIsNotAsked) {
    EXPECT_THAT(seen(growing_series(12, false), 200, {.sweeps = 0}).warnings, Not(HasSubstr("stand still")));
}

TEST(FrozenGrowth, AFrozenAntiferromagnetIsNamed) {
    EXPECT_THAT(seen(odd_antiferromagnet(4), 1024, {}).warnings, HasSubstr("particles stand still: at "));
    EXPECT_THAT(seen(odd_antiferromagnet(0.4), 1024, {}).warnings, Not(HasSubstr("stand still")));
}

/// Steps of v_n and mobility.
GrowthRecord record_of(const std::vector<std::pair<double, double>>& steps) {
    GrowthRecord record;
    for (const auto& [variance, mobility] : steps) {
        record.first_gamma.push_back(1 / (1 + variance));
        record.mobility.push_back(mobility);
    }
    return record;
}

TEST(FrozenGrowth, OnlyStepsThatMatterCount) {
    const double unknown = std::numeric_limits<double>::quiet_NaN();
    EXPECT_FALSE(frozen_step(record_of({})));
    EXPECT_FALSE(frozen_step(record_of({{0.2, 0}, {0.2, 0.01}}))) << "small variances";
    EXPECT_FALSE(frozen_step(record_of({{3, 0.06}, {5, unknown}}))) << "mobile, or not known";
    EXPECT_FALSE(frozen_step(record_of({{0.4, 0}, {5, 0.7}}))) << "hardly a part of the whole";
    const auto found = frozen_step(record_of({{0.1, 0.9}, {2, 0.04}, {3, 0.01}, {3, 0.5}}));
    ASSERT_TRUE(found);
    EXPECT_EQ(found->variables, 3);
    EXPECT_EQ(found->mobility, 0.01);
    EXPECT_NEAR(found->share, 5 / 8.1, 1e-12);
}

} // namespace
} // namespace pearlite::algorithm
