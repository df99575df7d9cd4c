#include "population/weights.hpp"

#include "parallel/compact_sum.hpp"
#include "pearlite/core/error.hpp"
#include "population/weight_cases.hpp"

#include <algorithm>
#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>

namespace pearlite::population {
namespace {

using namespace testing;

const auto alone = parallel::Communicator::alone;

parallel::BlockLayout layout_of(const std::vector<double>& values, Index block = 16) {
    return parallel::BlockLayout(static_cast<Index>(values.size()), block, 1, 0);
}

/// Compares a double with a reference to a relative 1e-13.
void expect_close(double value, long double reference, const std::string& what) {
    EXPECT_LE(std::fabs(static_cast<long double>(value) - reference), 1e-13L * std::fabs(reference) + 1e-300L) << what;
}

/// Catches terms that have too many bits for the two words of a sum between ranks, and terms that lose more than they
/// may.
TEST(Weights, SumsOfTermsFitHoweverFarApartTheyAre) {
    double lost = 0;
    ExactSum sum, exact;
    for (int exponent = 20; exponent > -1000; --exponent) {
        const double weight = std::ldexp(1.7, exponent), term = weight_term(weight);
        sum.add(term);
        exact.add(weight);
        lost = std::max(lost, std::abs(term - weight));
    }
    sum.normalise();
    EXPECT_TRUE(parallel::CompactSum(sum).has_value());
    EXPECT_EQ(sum.value(), exact.value());
    EXPECT_LE(lost, 0x1p-81);
    EXPECT_GT(lost, 0);
}

TEST(Weights, SummaryAgreesWithLongDouble) {
    for (const Index size : {1, 2, 15, 16, 17, 1000})
        for (const auto& weights : weight_cases(size)) {
            const auto summary = summarise(alone(), layout_of(weights.log_weights), weights.log_weights);
            const double log_max = *std::max_element(weights.log_weights.begin(), weights.log_weights.end());
            long double sum = 0, squares = 0;
            for (const double lw : weights.log_weights)
                sum += std::exp(static_cast<long double>(lw) - log_max);
            for (const auto w : reference_weights(weights.log_weights))
                squares += w * w;
            EXPECT_EQ(summary.log_max, log_max);
            expect_close(summary.log_sum, log_max + std::log(sum), weights.name);
            expect_close(summary.log_mean, log_max + std::log(sum / static_cast<long double>(size)), weights.name);
            expect_close(summary.ess, 1 / squares, weights.name);
        }
}

TEST(Weights, NoWeightAtAll) {
    const std::vector<double> none(20, log_zero);
    const auto summary = summarise(alone(), layout_of(none), none);
    EXPECT_EQ(summary.log_max, log_zero);
    EXPECT_EQ(summary.log_mean, log_zero);
    EXPECT_EQ(summary.ess, 0);
    EXPECT_EQ(conditional_ess(alone(), layout_of(none), none, std::vector<double>(20, 1.0)), 0);
    EXPECT_EQ(conditional_ess(alone(), layout_of(none), std::vector<double>(20, 1.0), none), 0);
}

TEST(Weights, OrderOfWholeBlocksDoesNotMatter) {
    auto log_weights = weight_cases(320)[1].log_weights;
    const auto before = summarise(alone(), layout_of(log_weights), log_weights);
    for (std::size_t b = 0; b < 10; ++b) // reverse the 20 blocks
        std::swap_ranges(log_weights.begin() + static_cast<Index>(16 * b),
                         log_weights.begin() + static_cast<Index>(16 * b + 16),
                         log_weights.begin() + static_cast<Index>(16 * (19 - b)));
    const auto after = summarise(alone(), layout_of(log_weights), log_weights);
    EXPECT_EQ(before.log_sum, after.log_sum);
    EXPECT_EQ(before.ess, after.ess);
}

TEST(Weights, ConditionalEssAgreesWithLongDouble) {
    for (const Index size : {1, 2, 17, 500})
        for (const auto& weights : weight_cases(size))
            for (const auto& increments : weight_cases(size)) {
                std::vector<double> scaled = increments.log_weights;
                for (double& x : scaled)
                    x = std::max(x * 0.01, x == log_zero ? log_zero : -50.0);
                long double weight = 0, linear = 0, square = 0;
                const auto w = reference_weights(weights.log_weights);
                for (std::size_t i = 0; i < w.size(); ++i)
                    if (scaled[i] > log_zero) {
                        weight += w[i];
                        linear += w[i] * std::exp(static_cast<long double>(scaled[i]));
                        square += w[i] * std::exp(2 * static_cast<long double>(scaled[i]));
                    }
                const double value = conditional_ess(alone(), layout_of(scaled), weights.log_weights, scaled);
                const double reference = weight > 0 ? static_cast<double>(linear * linear / (weight * square)) : 0;
                EXPECT_NEAR(value, reference, 1e-11 * reference) << weights.name << " " << increments.name;
            }
}

TEST(Weights, ConditionalEssOfNoChangeIsOne) {
    const auto log_weights = weight_cases(100)[0].log_weights;
    EXPECT_NEAR(conditional_ess(alone(), layout_of(log_weights), log_weights, std::vector<double>(100, -3.0)), 1,
                1e-14);
    // Particles that any step loses do not count against a short step.
    std::vector<double> some_lost(100, 0.0);
    std::fill_n(some_lost.begin(), 60, log_zero);
    EXPECT_NEAR(conditional_ess(alone(), layout_of(log_weights), log_weights, some_lost), 1, 1e-14);
    // A particle of weight zero does not matter, even if its increment is large.
    std::vector<double> weights{0, 0, -2000}, increments{0, 0.5, 800};
    const double two = std::pow(1 + std::exp(0.5), 2) / (2 * (1 + std::exp(1.0)));
    EXPECT_NEAR(conditional_ess(alone(), layout_of(weights), weights, increments), two, 1e-14);
}

TEST(Weights, NotANumberAndInfinityNameTheParticle) {
    using ::testing::HasSubstr;
    using ::testing::ThrowsMessage;
    std::vector<double> log_weights(30, 0.0);
    log_weights[21] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_THAT([&] { summarise(alone(), layout_of(log_weights), log_weights); },
                ThrowsMessage<NumericalError>(HasSubstr("particle 21 is NaN")));
    log_weights[21] = std::numeric_limits<double>::infinity();
    EXPECT_THAT([&] { summarise(alone(), layout_of(log_weights), log_weights); },
                ThrowsMessage<NumericalError>(HasSubstr("particle 21 is infinite")));
}

TEST(Weights, MomentsAgreeWithLongDoubleFarFromTheOrigin) {
    for (const auto& weights : weight_cases(200)) {
        random::Stream stream({8, random::Purpose::test, 1, 0});
        Matrix points(3, 200);
        for (Index i = 0; i < 200; ++i) {
            const double z = stream.normal();
            points.col(i) = Vector{{1e6 + z, stream.normal() - z, 1e-3 * stream.normal()}};
        }
        const auto w = reference_weights(weights.log_weights);
        const auto summary = summarise(alone(), layout_of(weights.log_weights), weights.log_weights);
        const auto moments =
            weighted_moments(alone(), layout_of(weights.log_weights), weights.log_weights, summary.log_max, points);
        std::array<long double, 3> mean{};
        for (Index i = 0; i < 200; ++i)
            for (Index k = 0; k < 3; ++k)
                mean[static_cast<std::size_t>(k)] += w[static_cast<std::size_t>(i)] * points(k, i);
        for (Index k = 0; k < 3; ++k) {
            EXPECT_NEAR(moments.mean(k), static_cast<double>(mean[static_cast<std::size_t>(k)]), 1e-9) << weights.name;
            for (Index l = 0; l < 3; ++l) {
                long double covariance = 0;
                for (Index i = 0; i < 200; ++i)
                    covariance += w[static_cast<std::size_t>(i)] * (points(k, i) - mean[static_cast<std::size_t>(k)]) *
                                  (points(l, i) - mean[static_cast<std::size_t>(l)]);
                EXPECT_NEAR(moments.covariance(k, l), static_cast<double>(covariance), 1e-8) << weights.name;
            }
        }
    }
}

} // namespace
} // namespace pearlite::population
