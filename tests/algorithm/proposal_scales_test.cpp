/// Scales: tuned towards the wanted acceptance, unless tuning is off.

#include "algorithm/search/bias/search_memory.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace pearlite::algorithm {
namespace {

TEST(ProposalScales, FollowTheAcceptanceUnlessTheyAreNotToBeTuned) {
    const std::array<model::Operation, 3> operations{
        model::Operation{.name = "tuned", .has_scale = true, .first_scale = 2},
        model::Operation{.name = "kept", .has_scale = true, .first_scale = 2, .is_tuned = false},
        model::Operation{.name = "without"}};
    ProposalScales scales(operations, 0.1);
    for (const Index op : {0, 1, 2})
        scales.adapt(op, 1);
    EXPECT_DOUBLE_EQ(scales[0], 2 * std::exp(1.5 * (1 - 0.1)));
    EXPECT_EQ(scales[1], 2);
    EXPECT_TRUE(std::isnan(scales[2]));
    scales.adapt(0, 0);
    EXPECT_DOUBLE_EQ(scales[0], 2 * std::exp(1.5 * (1 - 0.1) - 1.5 * std::pow(2, -0.6) * 0.1));
}

} // namespace
} // namespace pearlite::algorithm
