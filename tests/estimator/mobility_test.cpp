#include "estimator/evidence/mobility.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

namespace pearlite::estimator {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Twenty steps of 0.05 whose log weights have a standard deviation each.
struct Record {
    std::vector<double> b, variance_u, points, energies;
    explicit Record(double mobility, double log_weight_sd = 0.5) {
        for (int t = 0; t <= 20; ++t) {
            b.push_back(0.05 * t);
            variance_u.push_back(std::pow(log_weight_sd / 0.05, 2));
            points.push_back(t == 0 ? nan : mobility);
            energies.push_back(t == 0 ? nan : 1);
        }
    }
    auto judged() const { return insufficient_mobility({b, variance_u, points, energies}); }
};

TEST(Mobility, EnoughIsNotTold) {
    EXPECT_FALSE(Record(0.31).judged());
    EXPECT_FALSE(insufficient_mobility({{}, {}, {}, {}}));
}

TEST(Mobility, TooLittleNamesTheTemperature) {
    Record record(0.2);
    record.energies[7] = 0.05;
    const auto least = record.judged();
    ASSERT_TRUE(least);
    EXPECT_DOUBLE_EQ(least->inverse_temperature, 0.35);
    EXPECT_DOUBLE_EQ(least->mobility, 0.05);
    EXPECT_DOUBLE_EQ(least->share, 1);
}

TEST(Mobility, ShortStepsNeedLess) {
    EXPECT_FALSE(Record(0.05, 0.025).judged());
    EXPECT_TRUE(Record(0.02, 0.025).judged());
}

TEST(Mobility, OneTemperatureInTwentyIsTolerated) {
    Record record(0.8);
    record.points[3] = 0.01;
    EXPECT_FALSE(record.judged());
    record.points[4] = 0.01;
    EXPECT_TRUE(record.judged());
}

TEST(Mobility, UnknownNumbersAreLeftOut) {
    Record record(nan);
    EXPECT_FALSE(record.judged());
    record.energies.assign(21, nan);
    EXPECT_FALSE(record.judged());
    record.points.assign(21, 0.1);
    EXPECT_TRUE(record.judged());
}

} // namespace
} // namespace pearlite::estimator
