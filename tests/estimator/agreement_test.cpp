#include "estimator/evidence/estimate.hpp"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pearlite::estimator {
namespace {

Estimate estimate(const std::string& name, double value, double error) {
    return {name, value, error, normal_interval(value, error), "delta"};
}

TEST(Agreement, FourJointErrorsApart) {
    EXPECT_FALSE(are_apart(estimate("a", 0, 0.3), estimate("b", 2.0, 0.4)));
    EXPECT_TRUE(are_apart(estimate("a", 0, 0.3), estimate("b", 2.1, 0.4)));
    EXPECT_FALSE(are_apart(estimate("a", 0, 0.3), {"b", 2.1}));
}

TEST(Agreement, AnIntegralApartFromItsReferenceIsRefused) {
    auto integral = estimate("power-posterior", 786.4, 0.02);
    refuse_if_apart(integral, estimate("product", -31.3, 0.02));
    EXPECT_FALSE(integral.standard_error);
    EXPECT_TRUE(std::isnan(integral.value));
    EXPECT_THAT(integral.note, ::testing::HasSubstr("from the product estimate"));
    auto fine = estimate("power-posterior", -31.28, 0.02);
    refuse_if_apart(fine, estimate("product", -31.3, 0.02));
    EXPECT_EQ(fine.value, -31.28);
    EXPECT_TRUE(fine.standard_error);
}

TEST(Agreement, WarningsNameContradictionsOnceAndEndConservatism) {
    std::vector<Estimate> estimates{
        estimate("product", 0, 0.1), estimate("integral", 1, 0.1), estimate("integral", 1, 0.2), {"other", 50}};
    estimates.front().is_conservative = true;
    std::vector<std::string> warnings;
    judge(estimates, warnings);
    EXPECT_THAT(warnings, ::testing::ElementsAre(::testing::HasSubstr("product and integral differ by 7.1 joint")));
    EXPECT_FALSE(estimates.front().is_conservative);

    std::vector<Estimate> alone{estimate("product", 0, 0.1)};
    alone.front().is_conservative = true;
    warnings.clear();
    judge(alone, warnings);
    EXPECT_TRUE(warnings.empty());
    EXPECT_TRUE(alone.front().is_conservative);
    alone.front().doubts = {"few families"};
    judge(alone, warnings);
    EXPECT_THAT(warnings, ::testing::ElementsAre("few families"));
}

} // namespace
} // namespace pearlite::estimator
