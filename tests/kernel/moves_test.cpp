#include "kernel/moves.hpp"

#include "pearlite/core/error.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace pearlite::kernel {
namespace {

/// The total number of moves at a temperature where n moves have the mobility 1 - (1 - of_one)^n.
Index moves_made(MoveCount& count, double of_one, double log_weight_sd = 1) {
    count.begin();
    double stays = std::pow(1 - of_one, count.total());
    while (count.wants_more(1 - stays, log_weight_sd))
        stays = std::pow(1 - of_one, count.total());
    return count.total();
}

TEST(MoveCount, AGivenNumberIsThatOfEveryTemperature) {
    MoveCount count({.number = 4});
    EXPECT_FALSE(count.is_automatic());
    EXPECT_EQ(moves_made(count, 0.001), 4);
    EXPECT_EQ(count.stride(), 4);
}

TEST(MoveCount, MakesAsManyMovesAsTheMobilityTakes) {
    MoveCount count({.number = {}, .mobility = 0.7, .most = 500});
    EXPECT_EQ(moves_made(count, 0.9), 1);
    for (const double of_one : {0.5, 0.1, 0.02}) {
        const auto needed = std::log(1 - 0.7) / std::log(1 - of_one);
        const auto made = static_cast<double>(moves_made(count, of_one));
        EXPECT_GE(made, needed);
        EXPECT_LT(made, 2.5 * needed + 2);
    }
    // The number falls again.
    for (int t = 0; t < 20; ++t)
        moves_made(count, 0.9);
    EXPECT_EQ(count.total(), 1);
}

TEST(MoveCount, KeepsTheBudget) {
    MoveCount count({.number = {}, .mobility = 0.7, .most = 40});
    EXPECT_EQ(moves_made(count, 1e-4), 40);
    EXPECT_EQ(count.stride(), 40);
}

TEST(MoveCount, GivesUpWhereMoreMovesDoNotHelp) {
    MoveCount count({.number = {}, .mobility = 0.7, .most = 100000});
    count.begin();
    while (count.wants_more(0.2, 1)) // some particles are stuck
        continue;
    EXPECT_LT(count.total(), 200);
}

TEST(MoveCount, ShortStepsNeedLess) {
    EXPECT_DOUBLE_EQ(mobility_needed(0.7, 0.25), 0.7);
    EXPECT_DOUBLE_EQ(mobility_needed(0.7, 3), 0.7);
    EXPECT_DOUBLE_EQ(mobility_needed(0.7, 0.025), 0.07);
    EXPECT_DOUBLE_EQ(mobility_needed(0.7, Motion::nan), 0.7);
    MoveCount count({.number = {}, .mobility = 0.7});
    EXPECT_EQ(moves_made(count, 0.08, 0.025), 1);
}

TEST(MoveCount, UnknownMobilityIsEnough) {
    MoveCount count({.number = {}, .mobility = 0.7});
    count.begin();
    EXPECT_FALSE(count.wants_more(Motion::nan, 1));
}

TEST(MoveCount, RefusesSettingsWithoutAMeaning) {
    EXPECT_THROW(MoveCount({.number = 0}), ContractViolation);
    EXPECT_THROW(MoveCount({.number = {}, .most = 0}), ContractViolation);
    EXPECT_THROW(MoveCount({.number = {}, .mobility = 0}), ContractViolation);
}

TEST(Motion, TheSmallestIsOfWhatIsKnown) {
    Motion motion;
    EXPECT_TRUE(std::isnan(motion.smallest()));
    motion.energy = 0.4;
    EXPECT_EQ(motion.smallest(), 0.4);
    motion.mobility = 0.3;
    EXPECT_EQ(motion.smallest(), 0.3);
    motion.energy = Motion::nan;
    EXPECT_EQ(motion.smallest(), 0.3);
}

} // namespace
} // namespace pearlite::kernel
