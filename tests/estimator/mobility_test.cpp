#include "estimator/evidence/mobility.hpp"

#include <algorithm>
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

TEST(Mobility, EnoughGivesNoWarning) {
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

TEST(Mobility, ParticlesThatStandStillWhileOthersMove) {
    std::vector<double> b, acceptance, unmoved;
    std::vector<std::int64_t> moves;
    for (int t = 0; t <= 40; ++t) {
        b.push_back(t / 40.0);
        acceptance.push_back(t == 0 ? nan : 0.25);
        moves.push_back(t == 0 ? 0 : 30); // 0.75^30 = 2e-4
        unmoved.push_back(t == 0 ? nan : 0.05);
    }
    const auto judged = [&] { return stuck_particles({b, acceptance, moves, unmoved}); };
    EXPECT_FALSE(judged());
    unmoved[10] = 0.2; // one temperature
    EXPECT_FALSE(judged());
    std::fill(unmoved.begin() + 11, unmoved.end(), 0.15);
    const auto stuck = judged();
    ASSERT_TRUE(stuck);
    EXPECT_DOUBLE_EQ(stuck->inverse_temperature, 0.25);
    EXPECT_DOUBLE_EQ(stuck->unmoved, 0.2);
    EXPECT_EQ(stuck->moves, 30);
    std::fill(moves.begin(), moves.end(), 10); // 0.75^10 = 0.056: they may stand still by chance
    EXPECT_FALSE(judged());
    EXPECT_FALSE(stuck_particles({b, {}, moves, unmoved})); // a kernel that never rejects
}

TEST(Mobility, AfterManyMovesFewStuckParticlesSuffice) {
    const std::vector<double> b(41, 1.0), acceptance(41, 0.25);
    std::vector<double> unmoved(41, 0.005);
    const auto judged = [&](std::int64_t moves) {
        return stuck_particles({b, acceptance, std::vector<std::int64_t>(41, moves), unmoved}).has_value();
    };
    EXPECT_TRUE(judged(50)); // 0.75^50 = 6e-7
    EXPECT_FALSE(judged(40));
    unmoved.assign(41, 0.003);
    EXPECT_FALSE(judged(50));
    unmoved[20] = 0.05; // the mean of all is what counts
    EXPECT_TRUE(judged(50));
}

TEST(Mobility, TemperaturesWithFewMovesAreNotAsked) {
    const std::vector<double> b(1001, 1.0), acceptance(1001, 0.25);
    std::vector<double> unmoved(1001, 0.3);
    std::vector<std::int64_t> moves(1001, 1);
    const auto judged = [&] { return stuck_particles({b, acceptance, moves, unmoved}).has_value(); };
    EXPECT_FALSE(judged());
    moves[500] = moves[700] = 50;
    unmoved[500] = unmoved[700] = 0.01;
    EXPECT_TRUE(judged());
    for (std::size_t t = 0; t < 200; ++t) { // there particles move well
        moves[t] = 50;
        unmoved[t] = 0.001;
    }
    EXPECT_FALSE(judged());
}

// Catches warnings of separated peaks, whose shares rest on many families, and silence where a few hold the neck.
TEST(Mobility, ManyFamiliesNeedNoMoves) {
    Record record(0.02);
    const std::vector<double> many(21, 40.0), few(21, 3.0), unknown(21, nan);
    const auto judged = [&](std::span<const double> families) {
        return insufficient_mobility({record.b, record.variance_u, record.points, record.energies, 0.3, families});
    };
    EXPECT_FALSE(judged(many));
    EXPECT_TRUE(judged(few));
    EXPECT_TRUE(judged(unknown));
    const std::vector<double> acceptance(21, 0.25), unmoved(21, 0.2);
    const std::vector<std::int64_t> moves(21, 50);
    const auto stuck = [&](std::span<const double> families) {
        return stuck_particles({record.b, acceptance, moves, unmoved, families});
    };
    EXPECT_FALSE(stuck(many));
    ASSERT_TRUE(stuck(few));
    EXPECT_NE(stuck(few)->text().find("rest on 3.0 families"), std::string::npos);
    EXPECT_TRUE(stuck(unknown));
    EXPECT_EQ(stuck({})->text().find("families"), std::string::npos);
}

} // namespace
} // namespace pearlite::estimator
