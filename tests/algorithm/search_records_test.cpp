#include "algorithm/search/stochastic_approximation.hpp"
#include "models/functions/test_functions.hpp"
#include "pearlite/kernel/box_space.hpp"
#include "pearlite/model/energy/detail/space_of.hpp"

#include <cstring>
#include <gtest/gtest.h>
#include <memory>

namespace pearlite::algorithm {
namespace {

using Space = kernel::BoxSpace<models::TestFunction>;

SearchOutcome outcome_of(SearchSettings settings) {
    const auto space = model::space_of(Space(models::TestFunction({.dimension = 4, .rotated = true})));
    settings.chains = 6;
    settings.seed = 5;
    settings.temperature = {TemperatureLadder::Kind::square_root, 5, 1, 100};
    settings.gain = {200, 1.0};
    StochasticApproximation search(parallel::Communicator::alone(), space, settings);
    search.begin();
    while (!search.finished())
        search.iterate();
    return search.outcome();
}

TEST(SearchRecords, StatesOfRegionsHaveTheLowestEnergies) {
    SearchSettings settings;
    settings.iterations = 2000;
    settings.partition = model::EnergyPartition::uniform(0, 80, 20);
    const auto outcome = outcome_of(settings);
    const models::TestFunction function({.dimension = 4, .rotated = true});
    ASSERT_EQ(outcome.region_states.size(), 21 * 4 * sizeof(double));
    double lowest = outcome.region_best[0];
    for (std::size_t j = 0; j < outcome.region_best.size(); ++j) {
        lowest = std::min(lowest, outcome.region_best[j]);
        EXPECT_EQ(outcome.region_best[j]<std::numeric_limits<double>::infinity(), outcome.visits[j]> 0);
        EXPECT_EQ(outcome.first_visits[j] > 0, outcome.visits[j] > 0);
        if (outcome.visits[j] == 0)
            continue;
        std::vector<double> x(4);
        std::memcpy(x.data(), outcome.region_states.data() + j * 4 * sizeof(double), 4 * sizeof(double));
        EXPECT_NEAR(function.energy(x), outcome.region_best[j], 1e-9);
        EXPECT_EQ(settings.partition->region(outcome.region_best[j]), static_cast<Index>(j));
    }
    EXPECT_EQ(lowest, outcome.best.energy);
}

TEST(SearchRecords, FoundRangesKeepTheRecordToo) {
    SearchSettings settings;
    settings.iterations = 500;
    settings.range_iterations = 200;
    settings.range_points = 30;
    const auto outcome = outcome_of(settings);
    EXPECT_EQ(outcome.region_states.size(), 31 * 4 * sizeof(double));
}

TEST(SearchRecords, OfEqualEnergiesTheFirstStays) {
    ChainFinds finds(1);
    finds.begin_regions(2);
    const auto note = [&](double energy, std::int64_t chain) {
        if (finds.is_new(energy, 1))
            finds.note(energy, 1, 7, chain, [&](std::span<std::byte> out) { out[0] = static_cast<std::byte>(chain); });
    };
    note(3, 5);
    note(2, 4);
    note(2, 3);
    note(4, 2);
    EXPECT_EQ(finds.states()[1], std::byte{4});
    EXPECT_EQ(finds.states()[0], std::byte{0});
    EXPECT_EQ(finds.best().chain, 4);
    EXPECT_EQ(finds.best().energy, 2);
}

TEST(SearchRecords, StatesWithoutRoomAreLeftOut) {
    ChainFinds finds(ChainFinds::room);
    finds.begin_regions(2);
    EXPECT_FALSE(finds.keeps_regions());
    EXPECT_TRUE(finds.is_new(1, 0));
}

TEST(SearchRecords, RegionsVisitedLateAreNamed) {
    AdaptiveBias bias({0.5, 0.3, 0.2});
    const std::vector<std::int32_t> first{0}, second{1};
    for (Index j = 0; j < 3; ++j)
        bias.touch(j);
    for (int t = 1; t <= 100; ++t)
        bias.update(t <= 10 ? 1 : 0.1, t <= 60 ? first : second); // the gain is 19 in the end, 15 after 60 updates
    EXPECT_EQ(bias.first_visits()[0], 1);
    EXPECT_EQ(bias.first_visits()[1], 61);
    EXPECT_EQ(bias.first_visits()[2], 0);
    EXPECT_FALSE(bias.was_visited_late(0) || bias.was_visited_late(1) || bias.was_visited_late(2));
    AdaptiveBias late({0.5, 0.5});
    late.touch(0);
    late.touch(1);
    for (int t = 1; t <= 100; ++t)
        late.update(t <= 10 ? 1 : 0.1, t <= 85 ? first : second); // 17.5 of 19 were spent
    EXPECT_TRUE(late.was_visited_late(1));
}

} // namespace
} // namespace pearlite::algorithm
