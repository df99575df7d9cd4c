// The reference holds the sum as one big integer in units of 2^-1074; a result is right if no double is nearer.
#include "core/exact_sum.hpp"

#include <algorithm>
#include <bit>
#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

using namespace pearlite;

namespace {

using Integer = boost::multiprecision::cpp_int;
using Limits = std::numeric_limits<double>;
constexpr double infinity = Limits::infinity();
constexpr double nan = Limits::quiet_NaN();
constexpr double smallest = Limits::denorm_min();

Integer in_smallest_units(double value) {
    int exponent = 0;
    const double fraction = std::frexp(value, &exponent); // value = (fraction 2^53) 2^(exponent - 53)
    Integer units = static_cast<std::int64_t>(std::ldexp(fraction, 53));
    const int shift = exponent - 53 + 1074;
    return shift >= 0 ? units * (Integer(1) << shift) : units / (Integer(1) << -shift); // the quotient is exact
}

bool is_even(double value) {
    return std::bit_cast<std::uint64_t>(value) % 2 == 0;
}

// The neighbour beyond the largest double counts as 2^1024, as in the rounding of IEEE 754.
Integer neighbour_in_units(double value, double towards) {
    const double neighbour = std::nextafter(value, towards);
    if (std::isinf(neighbour))
        return (neighbour > 0 ? 1 : -1) * (Integer(1) << (1024 + 1074));
    return in_smallest_units(neighbour);
}

bool is_correctly_rounded(double result, const std::vector<double>& terms) {
    Integer sum = 0;
    for (const double term : terms)
        sum += in_smallest_units(term);
    if (std::isnan(result))
        return false;
    if (std::isinf(result))
        return (result > 0 ? sum : Integer(-sum)) >= in_smallest_units(Limits::max()) + (Integer(1) << (970 + 1074));
    const Integer error = abs(sum - in_smallest_units(result));
    for (const double side : {-infinity, infinity}) {
        const Integer other = abs(sum - neighbour_in_units(result, side));
        if (error > other || (error == other && !is_even(result)))
            return false;
    }
    return true;
}

using Engine = std::mt19937_64;

double random_double(Engine& engine, int lowest_exponent, int highest_exponent) {
    const double fraction = std::uniform_real_distribution(1.0, 2.0)(engine);
    const int exponent = std::uniform_int_distribution(lowest_exponent, highest_exponent)(engine);
    return std::ldexp(engine() % 2 == 0 ? fraction : -fraction, exponent);
}

std::vector<double> random_terms(Engine& engine, std::size_t count, int lowest_exponent, int highest_exponent) {
    std::vector<double> terms(count);
    std::ranges::generate(terms, [&] { return random_double(engine, lowest_exponent, highest_exponent); });
    return terms;
}

double plain_sum(const std::vector<double>& terms) {
    return std::accumulate(terms.begin(), terms.end(), 0.0);
}

TEST(ExactSum, SmallSums) {
    EXPECT_EQ(exact_sum({}), 0);
    EXPECT_EQ(exact_sum(std::vector{0.1}), 0.1);
    EXPECT_EQ(exact_sum(std::vector{-0.1}), -0.1);
    EXPECT_EQ(exact_sum(std::vector{1e300, 1.0, -1e300}), 1);
    EXPECT_EQ(exact_sum(std::vector{Limits::max(), smallest, -Limits::max()}), smallest);
    EXPECT_EQ(exact_sum(std::vector{0.1, -0.1}), 0);
    EXPECT_FALSE(std::signbit(exact_sum(std::vector{-0.0, -0.0})));
    EXPECT_EQ(exact_sum(std::vector<double>(10, 0.1)), 1); // ten times 0.1000000000000000055 rounds to 1
}

TEST(ExactSum, EveryExponentComesBackUnchanged) {
    Engine engine(1);
    for (int exponent = -1074; exponent <= 1023; ++exponent)
        for (const double fraction : {1.0, 1.5, 2 - 0x1p-52, std::uniform_real_distribution(1.0, 2.0)(engine)})
            for (const double sign : {1.0, -1.0}) {
                const double value = sign * std::ldexp(fraction, exponent);
                ASSERT_EQ(exact_sum(std::vector{value}), value);
            }
}

TEST(ExactSum, RandomSumsAreCorrectlyRounded) {
    Engine engine(2);
    const std::pair<int, int> ranges[] = {{-300, 300}, {-5, 5}, {-60, 60}, {-1090, -1000}, {900, 1023}, {-1074, 1023}};
    for (const auto& [lowest, highest] : ranges)
        for (int repeat = 0; repeat < 150; ++repeat) {
            const auto terms = random_terms(engine, 1 + engine() % 60, lowest, highest);
            ASSERT_TRUE(is_correctly_rounded(exact_sum(terms), terms)) << lowest << " " << highest << " " << repeat;
        }
}

TEST(ExactSum, CancellationIsCorrectlyRounded) {
    Engine engine(3);
    for (int repeat = 0; repeat < 300; ++repeat) {
        auto terms = random_terms(engine, 30, -300, 300);
        for (std::size_t i = 0; i < 30; ++i)
            terms.push_back(-terms[i]);
        const auto rest = random_terms(engine, 2, -340, -280);
        terms.insert(terms.end(), rest.begin(), rest.end());
        std::ranges::shuffle(terms, engine);
        ASSERT_TRUE(is_correctly_rounded(exact_sum(terms), terms));
        ASSERT_EQ(exact_sum(terms), rest[0] + rest[1]);
    }
}

TEST(ExactSum, TheCheckRejectsPlainSums) {
    Engine engine(4);
    int rejected = 0;
    for (int repeat = 0; repeat < 100; ++repeat) {
        const auto terms = random_terms(engine, 1000, -5, 5);
        rejected += is_correctly_rounded(plain_sum(terms), terms) ? 0 : 1;
    }
    EXPECT_GT(rejected, 80);
}

TEST(ExactSum, TiesGoToEven) {
    const double half_unit = 0x1p-53;
    EXPECT_EQ(exact_sum(std::vector{1.0, half_unit}), 1);
    EXPECT_EQ(exact_sum(std::vector{1.0, half_unit, smallest}), 1 + 0x1p-52);
    EXPECT_EQ(exact_sum(std::vector{1.0, half_unit, -smallest}), 1);
    EXPECT_EQ(exact_sum(std::vector{1 + 0x1p-52, half_unit}), 1 + 0x1p-51);
    EXPECT_EQ(exact_sum(std::vector{-1 - 0x1p-52, -half_unit}), -1 - 0x1p-51);
    EXPECT_EQ(exact_sum(std::vector{-1.0, -half_unit, smallest}), -1);
    EXPECT_EQ(exact_sum(std::vector{2 - 0x1p-52, half_unit, half_unit}), 2); // exact
    EXPECT_EQ(exact_sum(std::vector{2 - 0x1p-52, half_unit}), 2);            // tie that carries into the exponent
    Engine engine(5);
    for (int repeat = 0; repeat < 500; ++repeat) {
        const double high = random_double(engine, -200, 200);
        int exponent = 0;
        std::frexp(high, &exponent);
        const double half = std::ldexp(engine() % 2 == 0 ? 1.0 : -1.0, exponent - 54);
        for (const double nudge : {0.0, smallest, -smallest}) {
            const std::vector terms{high, half, nudge};
            ASSERT_TRUE(is_correctly_rounded(exact_sum(terms), terms));
        }
    }
}

TEST(ExactSum, SubnormalsAndTheStepToNormals) {
    EXPECT_EQ(exact_sum(std::vector{smallest, smallest}), 2 * smallest);
    EXPECT_EQ(exact_sum(std::vector{Limits::min(), -smallest}), Limits::min() - smallest);
    EXPECT_EQ(exact_sum(std::vector{Limits::min() - smallest, smallest}), Limits::min());
    EXPECT_EQ(exact_sum(std::vector<double>(1000, smallest)), 1000 * smallest);
    EXPECT_EQ(exact_sum(std::vector{-3 * smallest, smallest}), -2 * smallest);
}

TEST(ExactSum, OverflowIsOnlyWhatTheExactSumOverflows) {
    const double largest = Limits::max();
    EXPECT_EQ(exact_sum(std::vector{largest, largest}), infinity);
    EXPECT_EQ(exact_sum(std::vector{-largest, -largest}), -infinity);
    EXPECT_EQ(exact_sum(std::vector{largest, largest, -largest}), largest);
    EXPECT_EQ(exact_sum(std::vector{largest, 0x1p969}), largest);  // below half a unit
    EXPECT_EQ(exact_sum(std::vector{largest, 0x1p970}), infinity); // half a unit: to even, which is 2^1024
    std::vector<double> many(100000, largest);
    EXPECT_EQ(exact_sum(many), infinity);
    many.resize(200000, -largest);
    many.push_back(-1.5);
    EXPECT_EQ(exact_sum(many), -1.5);
}

TEST(ExactSum, InfinitiesAndNan) {
    EXPECT_EQ(exact_sum(std::vector{1.0, infinity, -1e308}), infinity);
    EXPECT_EQ(exact_sum(std::vector{-infinity, 1.0, -infinity}), -infinity);
    EXPECT_TRUE(std::isnan(exact_sum(std::vector{infinity, -infinity})));
    EXPECT_TRUE(std::isnan(exact_sum(std::vector{1.0, nan})));
    EXPECT_TRUE(std::isnan(exact_sum(std::vector{-nan})));
    EXPECT_TRUE(std::isnan(exact_sum(std::vector{infinity, nan})));
}

TEST(ExactSum, OrderAndSplitLeaveNoTraceInAnyWord) {
    Engine engine(6);
    auto terms = random_terms(engine, 5000, -300, 300);
    terms.push_back(infinity);
    ExactSum reference(terms);
    reference.normalise();
    for (int repeat = 0; repeat < 20; ++repeat) {
        std::ranges::shuffle(terms, engine);
        ExactSum total;
        for (std::size_t first = 0; first < terms.size();) {
            const std::size_t count = std::min<std::size_t>(engine() % 700, terms.size() - first);
            const auto part = std::span<const double>(terms).subspan(first, count);
            first += count;
            if (engine() % 2 == 0) {
                total.add(ExactSum(part));
            } else {
                for (const double term : part)
                    total.add(term);
            }
            if (engine() % 3 == 0)
                total.normalise();
        }
        total.normalise();
        ASSERT_TRUE(std::ranges::equal(std::as_const(total).words(), std::as_const(reference).words()));
    }
}

TEST(ExactSum, NormalisedLimbsHave32Bits) {
    Engine engine(7);
    for (const double sign : {1.0, -1.0}) {
        ExactSum sum;
        for (int i = 0; i < 3000; ++i)
            sum.add(sign * std::abs(random_double(engine, -1000, 1000)));
        const double before = sum.value();
        sum.normalise();
        EXPECT_EQ(sum.value(), before);
        const auto words = std::as_const(sum).words();
        for (std::size_t i = 0; i + 1 < ExactSum::n_limbs; ++i)
            ASSERT_TRUE(words[i] >= 0 && words[i] < std::int64_t{1} << 32);
    }
}

// As many accumulators as the header allows, without adding them one by one: every word times 2^31.
TEST(ExactSum, WordsHaveRoomForTheLargestReduction) {
    constexpr double value = 1 - 0x1p-53; // all bits set
    constexpr double n = 0x1p31;
    for (const double sign : {1.0, -1.0}) {
        ExactSum sum(std::vector{sign * value});
        sum.normalise();
        for (std::int64_t& word : sum.words())
            word *= std::int64_t{1} << 31;
        EXPECT_EQ(sum.value(), sign * n * value);
        for (int i = 0; i < 100; ++i) // the limbs are full: this must carry first
            sum.add(sign * value);
        EXPECT_EQ(sum.value(), sign * (n + 100) * value);
    }
}

// Significands of ones at every position within a limb, so that the limbs grow as fast as they can.
TEST(ExactSum, ManyAdditionsDoNotOverflow) {
    constexpr int n = 20'000;
    for (int exponent = 0; exponent < 32; ++exponent) {
        const double value = std::ldexp(2 - 0x1p-52, exponent);
        ExactSum one_by_one;
        for (int i = 0; i < n; ++i)
            one_by_one.add(-value);
        EXPECT_EQ(one_by_one.value(), -n * value);
        EXPECT_EQ(exact_sum(std::vector<double>(n, value)), n * value);
    }
}

} // namespace
