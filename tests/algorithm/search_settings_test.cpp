#include "algorithm/search/search_settings.hpp"
#include "core/stored_fields.hpp"
#include "pearlite/core/error.hpp"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

namespace pearlite::algorithm {
namespace {

using Kind = TemperatureLadder::Kind;

TEST(TemperatureLadder, SquareRoot) {
    const TemperatureLadder ladder{Kind::square_root, 5, 0.01, 100};
    for (const Index t : {1, 50, 100})
        EXPECT_DOUBLE_EQ(ladder(t), 5.01);
    EXPECT_DOUBLE_EQ(ladder(400), 2.51);
    EXPECT_DOUBLE_EQ(ladder(1000000), 0.06);
    EXPECT_DOUBLE_EQ((TemperatureLadder{Kind::square_root, 1, 0, 1})(16), 0.25);
}

TEST(TemperatureLadder, Geometric) {
    const TemperatureLadder ladder{Kind::geometric, 8, 0.5, 5};
    const std::vector<double> expected{8, 4, 2, 1, 0.5, 0.5, 0.5};
    for (std::size_t t = 0; t < expected.size(); ++t)
        EXPECT_NEAR(ladder(static_cast<Index>(t) + 1), expected[t], 1e-14);
    EXPECT_EQ((TemperatureLadder{Kind::geometric, 8, 0.5, 1})(1), 0.5);
}

TEST(TemperatureLadder, Constant) {
    const TemperatureLadder ladder{Kind::constant, 8, 0.5, 5};
    for (const Index t : {1, 5, 1000})
        EXPECT_EQ(ladder(t), 0.5);
}

TEST(SearchStages, AStepThatIsNotTheIterationsContradictsThem) {
    SearchSettings settings;
    settings.iterations = 300;
    settings.range_iterations = 20;
    settings.temperature = {TemperatureLadder::Kind::geometric, 8, 0.5, 300};
    SearchStages stages(settings);
    stages.advance();
    auto stored = store(stages); // iteration, step, stage
    ASSERT_EQ(stored.values.size(), 3 * sizeof(std::int64_t));
    restore(stages, stored);
    const std::int64_t step = 0;
    std::memcpy(stored.values.data() + sizeof step, &step, sizeof step);
    EXPECT_THROW(restore(stages, stored), ContractViolation);
}

TEST(GainFactor, IsOneAndThenFalls) {
    const GainFactor gain{100, 0.55};
    EXPECT_EQ(gain(1), 1);
    EXPECT_EQ(gain(100), 1);
    EXPECT_LT(gain(101), 1);
    EXPECT_NEAR(gain(10000), std::pow(0.01, 0.55), 1e-15);
    EXPECT_NEAR((GainFactor{1, 1})(8), 0.125, 1e-15);
}

} // namespace
} // namespace pearlite::algorithm
