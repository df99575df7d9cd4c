#include "population/resampling.hpp"

#include "pearlite/core/error.hpp"
#include "population/weight_cases.hpp"
#include "random/statistics.hpp"
#include "support/decompositions.hpp"

#include <cmath>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <numeric>

namespace pearlite::population {
namespace {

using namespace testing;

std::vector<Index> offspring_alone(const std::vector<double>& log_weights, Resampling scheme, std::uint32_t step,
                                   std::uint64_t seed = 9) {
    const parallel::BlockLayout layout(static_cast<Index>(log_weights.size()), 4, 1, 0);
    return offspring(parallel::Communicator::alone(), layout, 0, log_weights, scheme, seed, step);
}

TEST(Resampling, OffspringStayWithinTheirBounds) {
    for (const Index size : {1, 2, 3, 7, 33, 500})
        for (const auto& weights : weight_cases(size))
            for (const auto scheme : all_schemes)
                for (std::uint32_t step = 0; step < 5; ++step) {
                    const auto numbers = offspring_alone(weights.log_weights, scheme, step);
                    const auto w = reference_weights(weights.log_weights);
                    ASSERT_EQ(std::accumulate(numbers.begin(), numbers.end(), Index{0}), size) << weights.name;
                    for (std::size_t i = 0; i < numbers.size(); ++i) {
                        const auto expected = static_cast<double>(static_cast<long double>(size) * w[i]);
                        const auto number = static_cast<double>(numbers[i]);
                        ASSERT_GE(numbers[i], 0);
                        ASSERT_FALSE(numbers[i] > 0 && weights.log_weights[i] == log_zero);
                        if (scheme == Resampling::systematic) {
                            ASSERT_LT(std::fabs(number - expected), 1 + 1e-9) << weights.name;
                        } else if (scheme == Resampling::stratified) {
                            ASSERT_LT(std::fabs(number - expected), 2) << weights.name;
                        } else if (scheme == Resampling::residual) {
                            ASSERT_GE(number, std::floor(expected - 1e-9)) << weights.name;
                        }
                        if (weights.name == "equal" && scheme != Resampling::multinomial) {
                            ASSERT_EQ(numbers[i], 1);
                        }
                    }
                }
}

/// p-value of the hypothesis that `draw(step)` has mean `mean`: Hotelling's statistic of n_draws independent draws is
/// chi-squared; in directions in which the draws do not vary the mean must be exact.
double mean_p_value(const std::function<std::vector<Index>(std::uint32_t)>& draw, const Vector& mean, int n_draws) {
    const Index d = mean.size();
    Vector sum = Vector::Zero(d);
    Matrix squares = Matrix::Zero(d, d);
    for (int step = 0; step < n_draws; ++step) {
        Vector deviation(d);
        const auto numbers = draw(static_cast<std::uint32_t>(step));
        for (Index i = 0; i < d; ++i)
            deviation(i) = static_cast<double>(numbers[static_cast<std::size_t>(i)]) - mean(i);
        sum += deviation;
        squares += deviation * deviation.transpose();
    }
    const Vector off = sum / n_draws;
    const auto modes = decompositions::modes_of(squares / n_draws - off * off.transpose());
    double statistic = 0;
    int freedom = 0;
    for (Index k = 0; k < d; ++k) {
        const double shift = modes.vectors.col(k).dot(off);
        if (modes.values(k) < 1e-9) {
            if (std::fabs(shift) > 1e-6)
                return 0;
            continue;
        }
        statistic += n_draws * shift * shift / modes.values(k);
        ++freedom;
    }
    return random::testing::chi_squared_p_value(statistic, freedom);
}

const std::vector<double> uneven{std::log(0.31), std::log(0.07), log_zero,        std::log(0.83),
                                 std::log(0.02), std::log(2.17), std::log(0.111), std::log(0.5)};
Vector expected_offspring(const std::vector<double>& log_weights) {
    const auto w = reference_weights(log_weights);
    Vector expected(static_cast<Index>(w.size()));
    for (std::size_t i = 0; i < w.size(); ++i)
        expected(static_cast<Index>(i)) = static_cast<double>(w[i] * static_cast<long double>(w.size()));
    return expected;
}

// Four tests at a level of 1e-6 each.
TEST(Resampling, EveryParticleExpectsItsShare) {
    for (const auto scheme : all_schemes) {
        const double p = mean_p_value([&](std::uint32_t step) { return offspring_alone(uneven, scheme, step); },
                                      expected_offspring(uneven), 40000);
        EXPECT_GT(p, random::testing::rejection_level) << static_cast<int>(scheme);
    }
}

TEST(Resampling, SystematicPointsThatDoNotMoveAreRejected) {
    const auto fixed = [](std::uint32_t) { // the wrong twin: U = 0
        const auto expected = expected_offspring(uneven);
        std::vector<Index> numbers;
        double prefix = 0;
        for (Index i = 0; i < expected.size(); ++i) {
            const double next = prefix + expected(i);
            numbers.push_back(static_cast<Index>(std::ceil(next - 1e-12) - std::ceil(prefix - 1e-12)));
            prefix = next;
        }
        return numbers;
    };
    EXPECT_LT(mean_p_value(fixed, expected_offspring(uneven), 40000), random::testing::rejection_level);
    // And one that the test must not mistake: multinomial with weights off by a few per cent.
    auto tilted = uneven;
    tilted[3] += 0.05;
    EXPECT_LT(mean_p_value([&](std::uint32_t step) { return offspring_alone(tilted, Resampling::multinomial, step); },
                           expected_offspring(uneven), 40000),
              random::testing::rejection_level);
}

// Multinomial numbers have variance M W (1 - W); the others vary less.
TEST(Resampling, MultinomialHasTheVarianceOfIndependentDraws) {
    const auto expected = expected_offspring(uneven);
    constexpr int n = 40000;
    double square = 0;
    for (int step = 0; step < n; ++step)
        square += std::pow(
            static_cast<double>(offspring_alone(uneven, Resampling::multinomial, static_cast<std::uint32_t>(step))[5]) -
                expected(5),
            2);
    const double variance = expected(5) * (1 - expected(5) / 8);
    // The fourth moment of a binomial (8, 0.54) makes the relative error of its variance 0.0066: 5 of them.
    EXPECT_NEAR(square / n / variance, 1, 0.033);
}

TEST(Resampling, IsAFunctionOfSeedGenerationAndStep) {
    const auto log_weights = weight_cases(100)[0].log_weights;
    const parallel::BlockLayout layout(100, 16, 1, 0), other_blocks(100, 7, 1, 0);
    const auto ranks = parallel::Communicator::alone();
    for (const auto scheme : all_schemes) {
        const auto numbers = offspring(ranks, layout, 0, log_weights, scheme, 1, 2);
        EXPECT_EQ(numbers, offspring(ranks, other_blocks, 0, log_weights, scheme, 1, 2));
        EXPECT_NE(numbers, offspring(ranks, layout, 0, log_weights, scheme, 1, 3));
        EXPECT_NE(numbers, offspring(ranks, layout, 1, log_weights, scheme, 1, 2));
        EXPECT_NE(numbers, offspring(ranks, layout, 0, log_weights, scheme, 2, 2));
    }
}

TEST(Resampling, RefusesWeightsThatAreNone) {
    using ::testing::HasSubstr;
    using ::testing::ThrowsMessage;
    std::vector<double> log_weights(10, 0.0);
    log_weights[6] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_THAT([&] { offspring_alone(log_weights, Resampling::systematic, 0); },
                ThrowsMessage<NumericalError>(HasSubstr("particle 6 is NaN")));
    log_weights[6] = std::numeric_limits<double>::infinity();
    EXPECT_THAT([&] { offspring_alone(log_weights, Resampling::systematic, 0); },
                ThrowsMessage<NumericalError>(HasSubstr("particle 6 is infinite")));
    EXPECT_THAT([&] { offspring_alone(std::vector<double>(3, log_zero), Resampling::residual, 0); },
                ThrowsMessage<NumericalError>(HasSubstr("no particle")));
}

} // namespace
} // namespace pearlite::population
