// Scores of predicted probabilities against numbers by hand, and the combination of replicates against the mean of what
// they estimate without bias.
#include "estimator/class_probabilities.hpp"

#include "pearlite/random/stream.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <vector>

namespace pearlite::estimator {
namespace {

TEST(ClassProbabilities, ScoresAreThoseByHand) {
    // P(y_*) of the observed classes; of class 1: 0.9, 0.6, 0.2, 0.5, 1.
    const std::vector<double> classes{1, -1, -1, 1, 1}, p{0.9, 0.4, 0.8, 0.5, 1};
    const auto score = class_score(p, classes);
    EXPECT_EQ(score.n, 5);
    EXPECT_DOUBLE_EQ(score.error_rate, 1.5 / 5);
    const double mean = -(std::log(0.9) + std::log(0.4) + std::log(0.8) + std::log(0.5)) / 5;
    EXPECT_NEAR(score.log_loss, mean, 1e-15);
    double squares = 0;
    for (const double one : p)
        squares += std::pow(-std::log(one) - mean, 2);
    EXPECT_NEAR(score.log_loss_standard_error, std::sqrt(squares / 20), 1e-15);
    ASSERT_EQ(score.calibration.size(), 4U); // of ten bins
    EXPECT_EQ(score.calibration[0].n, 1);
    EXPECT_NEAR(score.calibration[0].mean_probability, 0.2, 1e-15);
    EXPECT_EQ(score.calibration[0].frequency, 0);
    EXPECT_EQ(score.calibration[2].frequency, 0); // 0.6, of class -1
    EXPECT_EQ(score.calibration[3].n, 2);         // 0.9 and 1
    EXPECT_NEAR(score.calibration[3].mean_probability, 0.95, 1e-15);
    EXPECT_EQ(score.calibration[3].high, 1);
}

TEST(ClassProbabilities, WhatIsUnlikelyKeepsItsLogarithm) {
    const std::vector<double> classes{1}, p{1e-200};
    EXPECT_NEAR(class_score(p, classes).log_loss, 200 * std::log(10), 1e-10);
}

TEST(ClassProbabilities, ReplicatesCountByTheirEvidence) {
    Matrix p(2, 2);
    p << 0.2, 0.6, 0.5, 0.9;
    const std::vector<double> log_z{-300, -300 + std::log(3.0)}, classes{1, 1};
    const auto combined = combine_probabilities(p, log_z, classes);
    EXPECT_NEAR(combined.probabilities[0], 0.25 * 0.2 + 0.75 * 0.6, 1e-15);
    EXPECT_NEAR(combined.probabilities[1], 0.25 * 0.5 + 0.75 * 0.9, 1e-15);
    EXPECT_NEAR(combined.effective_replicates, 16.0 / 10, 1e-13);
    // The jackknife of two is half of their difference.
    EXPECT_NEAR(*combined.log_loss_error, 0.5 * 0.5 * (std::log(0.6 / 0.2) + std::log(0.9 / 0.5)), 1e-13);
    EXPECT_NEAR(*combined.error_rate_error, 0.5 * 0.75, 1e-13);
    EXPECT_FALSE(combine_probabilities(p.leftCols(1), std::vector<double>{0}, classes).log_loss_error);
}

/// Replicates whose Z is right in the mean and whose probability goes with it: the mean by Z is right, that of equal
/// weights is not.
TEST(ClassProbabilities, TheMeanByEvidenceHasNoBias) {
    constexpr Index replicates = 2000;
    random::Stream stream({1, random::Purpose::test, 23, 0});
    Matrix p(1, replicates);
    std::vector<double> log_z, equal(at(replicates), 0.0);
    for (Index r = 0; r < replicates; ++r) {
        const bool is_high = stream.bernoulli(0.5); // Z 1.5 with p 0.8, or 0.5 with 0.2: E[Z p]/E[Z] = 0.65
        log_z.push_back(std::log(is_high ? 1.5 : 0.5));
        p(0, r) = is_high ? 0.8 : 0.2;
    }
    const std::vector<double> classes{1};
    const double sd = 0.3 / std::sqrt(static_cast<double>(replicates));
    const auto right = combine_probabilities(p, log_z, classes), wrong = combine_probabilities(p, equal, classes);
    EXPECT_NEAR(right.probabilities[0], 0.65, 4 * sd);
    EXPECT_GT(std::abs(wrong.probabilities[0] - 0.65), 15 * sd) << "the test cannot fail";
    // The jackknife, of log p: sd of Z (p - 0.65) is 0.225, over p.
    EXPECT_NEAR(*right.log_loss_error, 0.225 / 0.65 / std::sqrt(static_cast<double>(replicates)), 3e-4);
}

} // namespace
} // namespace pearlite::estimator
