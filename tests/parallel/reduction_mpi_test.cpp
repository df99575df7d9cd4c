// The same bits for any number of ranks and any split. Every rank knows all terms, so each compares with the serial
// result. The twin, a plain sum, goes through the same comparison and must fail it.
#include "core/log_space.hpp"
#include "parallel/reduction.hpp"
#include "pearlite/core/error.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <numeric>
#include <random>
#include <vector>

using namespace pearlite;
using namespace pearlite::parallel;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

using Reduction = std::function<double(const Communicator&, std::span<const double>, Index n_terms)>;

// How many of `repeats` random orders and uneven splits give other bits than one rank with all terms in order.
int count_differences(const Reduction& reduction, const std::vector<double>& terms, int repeats) {
    const Communicator ranks = Communicator::world();
    const auto n_terms = static_cast<Index>(terms.size());
    const double serial = reduction(Communicator::alone(), terms, n_terms);
    std::mt19937_64 engine(11); // the same on all ranks
    int differences = 0;
    for (int repeat = 0; repeat < repeats; ++repeat) {
        std::vector<double> shuffled = terms;
        std::ranges::shuffle(shuffled, engine);
        std::vector<double> mine;
        const double unevenness = std::uniform_real_distribution(1.0, 4.0)(engine);
        for (const double term : shuffled) {
            const double position = std::pow(std::uniform_real_distribution(0.0, 1.0)(engine), unevenness);
            if (static_cast<int>(position * ranks.size()) == ranks.rank())
                mine.push_back(term);
        }
        const double result = reduction(ranks, mine, n_terms);
        differences += std::bit_cast<std::uint64_t>(result) != std::bit_cast<std::uint64_t>(serial) ? 1 : 0;
    }
    return differences;
}

double plain_sum(const Communicator& ranks, std::span<const double> terms, Index) {
    const auto sums = ranks.all_gather(std::accumulate(terms.begin(), terms.end(), 0.0));
    return std::accumulate(sums.begin(), sums.end(), 0.0);
}

double exact(const Communicator& ranks, std::span<const double> terms, Index) {
    return parallel::exact_sum(ranks, terms);
}

double log_sum(const Communicator& ranks, std::span<const double> terms, Index) {
    return parallel::log_sum_exp(ranks, terms);
}

double plain_log_sum(const Communicator& ranks, std::span<const double> terms, Index n) {
    std::vector<double> weights(terms.size());
    std::ranges::transform(terms, weights.begin(), [](double term) { return std::exp(term); });
    return std::log(plain_sum(ranks, weights, n));
}

std::vector<double> weights(std::size_t n) {
    std::mt19937_64 engine(12);
    std::vector<double> terms(n);
    std::ranges::generate(terms, [&] { return std::exp(-10 * std::uniform_real_distribution(0.0, 1.0)(engine)); });
    return terms;
}

std::vector<double> wide_signed_terms(std::size_t n) {
    std::mt19937_64 engine(13);
    std::vector<double> terms(n);
    std::ranges::generate(terms, [&] {
        return std::ldexp(std::uniform_real_distribution(-1.0, 1.0)(engine), static_cast<int>(engine() % 601) - 300);
    });
    return terms;
}

TEST(Invariance, ExactSum) {
    EXPECT_EQ(count_differences(exact, weights(5000), 20), 0);
    EXPECT_EQ(count_differences(exact, wide_signed_terms(5000), 20), 0);
    EXPECT_EQ(count_differences(exact, {}, 2), 0);
    EXPECT_EQ(count_differences(exact, {0.1, 0.2}, 20), 0); // fewer terms than ranks
}

TEST(Invariance, FixedPointSum) {
    EXPECT_EQ(count_differences(fixed_point_sum, weights(5000), 20), 0);
    EXPECT_EQ(count_differences(fixed_point_sum, weights(3), 20), 0);
    EXPECT_EQ(count_differences(fixed_point_sum, {}, 2), 0);
}

TEST(Invariance, LogSumExp) {
    std::vector<double> log_terms(3000);
    std::mt19937_64 engine(14);
    std::ranges::generate(log_terms, [&] { return std::normal_distribution(0.0, 3.0)(engine); });
    EXPECT_EQ(count_differences(log_sum, log_terms, 20), 0);
    EXPECT_EQ(count_differences(log_sum, {log_zero, log_zero, 1.5}, 20), 0);
    EXPECT_GT(count_differences(plain_log_sum, log_terms, 20), 0);
}

TEST(Invariance, TheComparisonRejectsPlainSums) {
    EXPECT_GT(count_differences(plain_sum, weights(5000), 20), 10);
    EXPECT_GT(count_differences(plain_sum, wide_signed_terms(5000), 20), 10);
}

TEST(ExactReduction, SeveralSumsAtOnceWithSpecialsOnOneRank) {
    const Communicator ranks = Communicator::world();
    const int n = ranks.size();
    const bool last = ranks.rank() == n - 1;
    std::vector<ExactSum> sums(4);
    sums[0].add(0.1);
    sums[1].add(last ? infinity : -1e308);
    sums[2].add(last ? nan : 1.0);
    sums[3].add(ranks.is_root() ? infinity : -infinity);
    parallel::exact_sum(ranks, sums);
    EXPECT_EQ(sums[0].value(), pearlite::exact_sum(std::vector<double>(static_cast<std::size_t>(n), 0.1)));
    EXPECT_EQ(sums[1].value(), infinity);
    EXPECT_TRUE(std::isnan(sums[2].value()));
    EXPECT_EQ(std::isnan(sums[3].value()), n > 1);
    sums[0].add(1.0); // accumulators go on working after a reduction
    EXPECT_GT(sums[0].value(), 1);
    EXPECT_NO_THROW(parallel::exact_sum(ranks, std::span<ExactSum>()));
}

/// Catches a count that is lost beside wide sums, and a wide sum that takes the place of a narrow one.
TEST(ExactReduction, CountsAndSumsTooWideForAWindow) {
    const Communicator ranks = Communicator::world();
    const double mine = 1.0 + ranks.rank();
    const Index n = ranks.size();
    std::vector<ExactSum> sums(3);
    sums[0].add(0.5 * mine);
    sums[1].add(mine * 1e-200); // with the next term 1300 bits wide
    sums[1].add(ranks.rank() == 0 ? 1e200 : 0);
    sums[2].add(-mine * 0x1p-60);
    std::array<std::int64_t, 2> counts{std::int64_t{1} << 40, -ranks.rank()};
    exact_sum(ranks, std::span(sums), std::span(counts));
    sums[1].add(-1e200);
    const auto all = static_cast<double>(n * (n + 1) / 2);
    EXPECT_EQ(sums[0].value(), 0.5 * all);
    EXPECT_NEAR(sums[1].value(), all * 1e-200, 1e-214);
    EXPECT_EQ(sums[2].value(), -all * 0x1p-60);
    EXPECT_EQ(counts[0], n << 40);
    EXPECT_EQ(counts[1], -n * (n - 1) / 2);
}

TEST(ExactReduction, ManyLargeOfBothSigns) {
    const Communicator ranks = Communicator::world();
    constexpr double largest = std::numeric_limits<double>::max();
    const double sign = ranks.rank() % 2 == 0 ? 1 : -1;
    std::vector<double> terms(10'000, sign * largest);
    terms.push_back(0x1p-1074);
    const double sum = parallel::exact_sum(ranks, terms);
    EXPECT_EQ(sum, ranks.size() % 2 == 0 ? ranks.size() * 0x1p-1074 : infinity);
}

TEST(FixedPointReduction, FailsOnAllRanksTogether) {
    const Communicator ranks = Communicator::world();
    const int n = ranks.size();
    for (int bad = 0; bad < n; ++bad) {
        const std::vector<double> terms(10, ranks.rank() == bad ? 1.5 : 0.5);
        EXPECT_THROW(fixed_point_sum(ranks, terms, 10 * n), NumericalError);
        const std::vector<double> more(ranks.rank() == bad ? 11 : 10, 0.5);
        EXPECT_THROW(fixed_point_sum(ranks, more, 10 * n), ContractViolation);
    }
    EXPECT_EQ(fixed_point_sum(ranks, std::vector(10, 0.5), 10 * n), 5 * n);
}

TEST(LogSumExpReduction, SpecialsOnOneRank) {
    const Communicator ranks = Communicator::world();
    for (int special = 0; special < ranks.size(); ++special) {
        const bool here = ranks.rank() == special;
        const auto of = [&](double mine, double others) {
            return parallel::log_sum_exp(ranks, std::vector{here ? mine : others, log_zero});
        };
        EXPECT_EQ(of(log_zero, log_zero), log_zero);
        EXPECT_EQ(of(-3.25, log_zero), -3.25);
        EXPECT_EQ(of(infinity, 0.0), infinity);
        EXPECT_TRUE(std::isnan(of(nan, 0.0)));
        EXPECT_TRUE(std::isnan(of(nan, infinity)));
        const std::vector<double> only_here(here ? 1 : 0, 2.0);
        EXPECT_EQ(parallel::log_sum_exp(ranks, only_here), 2);
    }
    EXPECT_EQ(parallel::log_sum_exp(ranks, {}), log_zero);
}

TEST(ExclusiveScan, CountsOf128Bits) {
    const Communicator ranks = Communicator::world();
    const auto count = [](int rank) {
        return (WideCount{1} << (100 + rank)) + ~std::uint64_t{0} - 3U * static_cast<unsigned>(rank);
    };
    WideCount before = 0;
    WideCount total = 0;
    for (int rank = 0; rank < ranks.size(); ++rank) {
        before += rank < ranks.rank() ? count(rank) : 0;
        total += count(rank);
    }
    const Scan scan = exclusive_scan(ranks, count(ranks.rank()));
    EXPECT_TRUE(scan.before == before);
    EXPECT_TRUE(scan.total == total);
}

} // namespace
