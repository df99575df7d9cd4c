#include "app/run/heartbeat.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace pearlite::app {
namespace {

/// Time for an hour of work, over the hour, when failures are exponential: Daly (2006), equation 20, no time for a
/// restart. After a failure the work since the last checkpoint is done again, and so is its checkpoint.
double stretched(double interval, double cost, double between_failures) {
    return between_failures * std::expm1((interval + cost) / between_failures) / interval;
}

TEST(BestCheckpointInterval, IsYoungsForSmallCosts) {
    EXPECT_NEAR(best_checkpoint_interval(1e-3, 86400) / std::sqrt(2 * 1e-3 * 86400), 1, 1e-3);
}

TEST(BestCheckpointInterval, LosesAsLittleAsTheBestOfMany) {
    for (const double cost : {0.01, 1.0, 60.0, 600.0}) {
        const double mean = 3600, chosen = best_checkpoint_interval(cost, mean);
        double least = stretched(chosen, cost, mean);
        for (double interval = cost / 100; interval < 4 * mean; interval *= 1.01)
            least = std::min(least, stretched(interval, cost, mean));
        EXPECT_LT(stretched(chosen, cost, mean), 1.001 * least) << cost;
    }
    // The wrong twin: Young's interval costs more if checkpoints are expensive.
    const double cost = 600, mean = 3600;
    EXPECT_GT(stretched(std::sqrt(2 * cost * mean), cost, mean),
              1.005 * stretched(best_checkpoint_interval(cost, mean), cost, mean));
}

TEST(BestCheckpointInterval, IsTheMeanTimeWhereCheckpointsCostMoreThanTheySave) {
    EXPECT_EQ(best_checkpoint_interval(300, 100), 100);
    EXPECT_EQ(best_checkpoint_interval(1, 0), 0);
}

} // namespace
} // namespace pearlite::app
