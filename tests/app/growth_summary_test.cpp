// The summary of a growing population: the run is doubtful if a rule reads the weights that it averages.
#include "algorithm/densities.hpp"
#include "algorithm/growing_runs.hpp"
#include "app/result/parts/kinds.hpp"
#include "app/result/parts/part.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pearlite::app {
namespace {

using namespace algorithm::testing;
using algorithm::ResampleMoveSettings;
using Allocation = ResampleMoveSettings::Allocation;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const auto one_rank = parallel::Communicator::alone();

SummaryParts summary_of(const std::shared_ptr<const algorithm::Generator>& generator,
                        const ResampleMoveSettings& settings) {
    auto sampler = growing_run(one_rank, growing_orthant(8, 0.8, 4), generator, {100, 48, 6}, settings);
    complete(sampler);
    auto found = sampler.found();
    RunView run{one_rank, found.target, sampler, std::move(found)};
    SummaryParts summary;
    growth_kind().part_of(run)->write_summary(summary);
    return summary;
}

TEST(GrowthSummary, SetsEnlargedByThePapersRuleAreDoubtful) {
    constexpr double high = 0.9, low = 1e-3;
    const auto of_paper =
        summary_of(algorithm::moving_on(), {.gamma_threshold = high, .allocation = Allocation::threshold});
    EXPECT_GT(of_paper.entries["growth"]["enlarged_steps"], 0);
    EXPECT_THAT(of_paper.warnings, ElementsAre(HasSubstr("allocation = \"crossed\"")));
    for (const auto allocation : {Allocation::crossed, Allocation::theorem})
        EXPECT_THAT(summary_of(algorithm::moving_on(), {.gamma_threshold = high, .allocation = allocation}).warnings,
                    IsEmpty());
    // No set is enlarged, so that no rule has read anything.
    const auto fixed =
        summary_of(algorithm::moving_on(), {.gamma_threshold = low, .allocation = Allocation::threshold});
    EXPECT_EQ(fixed.entries["growth"]["enlarged_steps"], 0);
    EXPECT_THAT(fixed.warnings, IsEmpty());
    EXPECT_THAT(summary_of(nullptr, {}).warnings, IsEmpty());
}

} // namespace
} // namespace pearlite::app
