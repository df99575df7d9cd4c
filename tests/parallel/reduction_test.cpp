// Results of reductions on one rank. Tests with MPI check that ranks and splits do not change them.
#include "core/log_space.hpp"
#include "parallel/compact_sum.hpp"
#include "parallel/reduction.hpp"
#include "pearlite/core/error.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <numbers>
#include <random>
#include <vector>

using namespace pearlite;
using namespace pearlite::parallel;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

double fixed_point_sum_alone(const std::vector<double>& terms) {
    return fixed_point_sum(Communicator::alone(), terms, static_cast<Index>(terms.size()));
}

double log_sum_exp_alone(const std::vector<double>& log_terms) {
    return log_sum_exp(Communicator::alone(), log_terms);
}

TEST(FixedPointSum, StaysWithinItsErrorBound) {
    std::mt19937_64 engine(1);
    for (const double spread : {0.0, 1.0, 10.0, 100.0})
        for (const std::size_t n : {1U, 2U, 3U, 17U, 1000U, 100'000U}) {
            std::vector<double> terms(n);
            std::ranges::generate(terms,
                                  [&] { return std::exp(-spread * std::uniform_real_distribution(0.0, 1.0)(engine)); });
            const double exact = pearlite::exact_sum(terms);
            const double bound = static_cast<double>(n) * std::ldexp(1.0, -62 + std::bit_width(n - 1));
            const double rounding = exact * 0x1p-53;
            EXPECT_NEAR(fixed_point_sum_alone(terms), exact, bound + rounding) << spread << " " << n;
        }
}

TEST(FixedPointSum, ExactWhereTheTermsAreMultiplesOfItsUnit) {
    EXPECT_EQ(fixed_point_sum_alone({}), 0);
    EXPECT_EQ(fixed_point_sum_alone({0.0}), 0);
    EXPECT_EQ(fixed_point_sum_alone({1.0}), 1);
    EXPECT_EQ(fixed_point_sum_alone({std::nextafter(1.0, 0.0)}), std::nextafter(1.0, 0.0));
    EXPECT_EQ(fixed_point_sum_alone({0x1p-102}), 0x1p-102);
    EXPECT_EQ(fixed_point_sum_alone({1e-300}), 0);
    EXPECT_EQ(fixed_point_sum_alone(std::vector<double>(1 << 20, 1.0)), 1 << 20);
    EXPECT_EQ(fixed_point_sum_alone({1.0, 0x1p-60, 0x1p-60}), 1); // 1 + 2^-59 rounds to 1
    EXPECT_EQ(fixed_point_sum_alone({0x1p-60, 0x1p-70}), 0x1p-60 + 0x1p-70);
}

TEST(FixedPointSum, OrderLeavesNoTraceAndRoundingIsThatOfTheExactSum) {
    std::mt19937_64 engine(2);
    std::vector<double> terms(10'000);
    std::ranges::generate(terms, [&] { return std::uniform_real_distribution(0.0, 1.0)(engine); });
    const double sum = fixed_point_sum_alone(terms);
    EXPECT_EQ(sum, pearlite::exact_sum(terms)); // 48-bit words: 96 bits hold nearly all of every term
    for (int repeat = 0; repeat < 5; ++repeat) {
        std::ranges::shuffle(terms, engine);
        EXPECT_EQ(fixed_point_sum_alone(terms), sum);
    }
}

TEST(FixedPointSum, RefusesTermsOutsideAndWrongCounts) {
    for (const double bad : {-1e-300, std::nextafter(1.0, 2.0), infinity, -infinity, nan}) {
        std::vector<double> terms(100, 0.5);
        terms[63] = bad;
        EXPECT_THROW(fixed_point_sum_alone(terms), NumericalError) << bad;
    }
    EXPECT_NO_THROW(fixed_point_sum_alone({-0.0}));
    EXPECT_THROW(fixed_point_sum(Communicator::alone(), std::vector(3, 0.5), 2), ContractViolation);
}

bool are_equal(const ExactSum& a, const ExactSum& b) {
    return std::ranges::equal(a.words(), b.words());
}

/// Catches a carry, a sign or a shift that is lost where windows of different places are added, and an addition whose
/// outcome depends on its order.
TEST(CompactSum, SumsOfWindowsAreExactOrHaveNoValue) {
    std::mt19937_64 engine(3);
    const auto below = [&](std::uint64_t n) { return static_cast<int>(engine() % n); };
    int with_value = 0, without = 0;
    for (int repeat = 0; repeat < 20'000; ++repeat) {
        const int width = below(100), centre = below(2000) - 1000;
        ExactSum all;
        CompactSum window;
        for (int part = below(6); part >= 0; --part) {
            ExactSum sum;
            for (int term = below(5); term > 0; --term)
                sum.add(std::ldexp(static_cast<double>(static_cast<std::int64_t>(engine())),
                                   centre + below(static_cast<std::uint64_t>(width) + 1) - width / 2 - 63));
            sum.normalise();
            all.add(sum);
            const CompactSum of_part(sum);
            ASSERT_TRUE(!of_part.has_value() || are_equal(of_part.expand(), sum));
            const CompactSum left = window + of_part, right = of_part + window;
            ASSERT_EQ(std::memcmp(&left, &right, sizeof(left)), 0);
            window = left;
        }
        all.normalise();
        (window.has_value() ? with_value : without) += 1;
        ASSERT_TRUE(!window.has_value() || are_equal(window.expand(), all));
    }
    EXPECT_GT(with_value, 5000);
    EXPECT_GT(without, 1000); // both ways are looked at
    ExactSum infinite;
    infinite.add(std::numeric_limits<double>::infinity());
    EXPECT_FALSE(CompactSum(infinite).has_value());
}

TEST(ExactReduction, IsTheSerialSumOnOneRank) {
    const std::vector terms{1e300, 1.0, -1e300, 0x1p-1074};
    EXPECT_EQ(parallel::exact_sum(Communicator::alone(), terms), pearlite::exact_sum(terms));
    std::vector<ExactSum> sums(2);
    sums[0].add(2.5);
    sums[1].add(std::vector{-infinity, 1.0});
    parallel::exact_sum(Communicator::alone(), sums);
    EXPECT_EQ(sums[0].value(), 2.5);
    EXPECT_EQ(sums[1].value(), -infinity);
}

TEST(ParallelLogSumExp, KnownValuesAndExtremes) {
    EXPECT_EQ(log_sum_exp_alone({}), log_zero);
    EXPECT_EQ(log_sum_exp_alone({-1234.5}), -1234.5);
    EXPECT_EQ(log_sum_exp_alone({-1e5, log_zero}), -1e5);
    EXPECT_NEAR(log_sum_exp_alone({1000, 1000, 1000, 1000}), 1000 + 2 * std::numbers::ln2, 1e-13);
    EXPECT_NEAR(log_sum_exp_alone({-40, 0}), 4.248354255291589e-18, 1e-32);
    EXPECT_EQ(log_sum_exp_alone({log_zero, log_zero}), log_zero);
    EXPECT_EQ(log_sum_exp_alone({0, infinity, log_zero}), infinity);
    EXPECT_TRUE(std::isnan(log_sum_exp_alone({0, nan, infinity})));
    EXPECT_TRUE(std::isnan(log_sum_exp_alone({nan, log_zero})));
}

TEST(ParallelLogSumExp, AgreesWithTheSerialOneBeyondOneBuffer) {
    std::mt19937_64 engine(3);
    std::vector<double> log_terms(1000);
    std::ranges::generate(log_terms, [&] { return std::normal_distribution(-1e4, 5.0)(engine); });
    EXPECT_NEAR(log_sum_exp_alone(log_terms), pearlite::log_sum_exp(log_terms), 4e-12);
}

TEST(ExclusiveScan, OneRank) {
    const WideCount count = WideCount{5} << 100;
    const Scan scan = exclusive_scan(Communicator::alone(), count);
    EXPECT_TRUE(scan.before == 0);
    EXPECT_TRUE(scan.total == count);
}

} // namespace
