/// Bit planes, their comparison with thresholds, and runs of bits, against the same bit by bit.

#include "simd/bit_runs.hpp"
#include "simd/draws.hpp"
#include "simd/plane_comparison.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

namespace pearlite::simd {
namespace {

using namespace bit_plane;
using testing::Draws;

using Plane = std::array<std::uint32_t, words_per_plane>;

bool bit_of(const Plane& plane, std::size_t chain) {
    return (plane[chain / 32] >> chain % 32 & 1) != 0;
}

Plane random_plane(Draws& draws) {
    Plane plane;
    for (auto& word : plane)
        word = static_cast<std::uint32_t>(draws.bits());
    return plane;
}

TEST(Counter, CountsChainByChain) {
    Draws draws(1);
    constexpr int n_eights = 50;
    std::vector<Plane> planes(8 * n_eights);
    for (auto& plane : planes)
        plane = random_plane(draws);
    for (std::size_t part = 0; part < parts; ++part) {
        Counter counter;
        for (std::size_t k = 0; k < planes.size(); k += 8) {
            std::array<Bits, 8> eight;
            for (std::size_t i = 0; i < 8; ++i)
                eight[i] = bit_plane::load(planes[k + i].data(), part);
            counter.add_eight(eight);
        }
        std::array<std::int32_t, 32 * words_per_part> counts;
        counter.counts(1000, -2, counts);
        for (std::size_t c = 0; c < counts.size(); ++c) {
            const auto set = std::count_if(planes.begin(), planes.end(),
                                           [&](const Plane& plane) { return bit_of(plane, part * counts.size() + c); });
            EXPECT_EQ(counts[c], 1000 - 2 * set);
        }
    }
}

/// One threshold of two, by a bit of each chain.
struct OfTwo {
    Bits second;
    Bits chosen(const std::array<Bits, 2>& t) const { return choose(second, t[1], t[0]); }
};

/// Numbers of 64 bits that agree with a threshold in none to all of their first bits, so that all planes decide some.
class ComparisonWithThresholds : public ::testing::Test {
  protected:
    static constexpr std::array<std::uint64_t, 2> values{0x9e3779b97f4a7c15u, 0x0123456789abcdefu};

    ComparisonWithThresholds() {
        Draws draws(2);
        second_ = random_plane(draws);
        for (std::size_t c = 0; c < chains; ++c) {
            const int equal = draws.index(65);
            const std::uint64_t own = values[bit_of(second_, c)];
            numbers_[c] = equal == 64 ? own : own ^ (draws.bits() >> equal);
            for (std::size_t k = 0; k < all_planes; ++k)
                planes_[k][c / 32] |= static_cast<std::uint32_t>(numbers_[c] >> (63 - k) & 1) << c % 32;
        }
    }

    Plane second_;
    std::array<std::uint64_t, chains> numbers_;
    std::array<Plane, all_planes> planes_{};
};

TEST_F(ComparisonWithThresholds, IsThatOfTheNumbers) {
    const Thresholds<2> thresholds(values);
    constexpr Index visit = 3;
    const auto draw = [&](Index word, std::span<std::uint32_t> words) {
        const Index plane = word / static_cast<Index>(words_per_plane);
        for (std::size_t i = 0; i < words.size() / words_per_plane; ++i)
            std::ranges::copy(planes_[static_cast<std::size_t>(plane - visit * all_planes) + i],
                              words.begin() + static_cast<std::ptrdiff_t>(i * words_per_plane));
    };
    std::size_t decided_late = 0;
    for (std::size_t part = 0; part < parts; ++part) {
        const OfTwo rule{bit_plane::load(second_.data(), part)};
        const Comparison leading = compare_leading(rule, thresholds, ~Bits{}, planes_[0].data(), part, [] {});
        const Bits rest = compare_rest(rule, thresholds, leading.undecided, draw, visit, part);
        EXPECT_FALSE(any(rest & ~leading.undecided));
        decided_late += any(rest);
        Plane below{};
        bit_plane::store(below.data(), part, leading.below | rest);
        for (std::size_t c = part * 32 * words_per_part; c < (part + 1) * 32 * words_per_part; ++c)
            EXPECT_EQ(bit_of(below, c), numbers_[c] < values[bit_of(second_, c)]) << c;
    }
    EXPECT_GT(decided_late, 0u);
}

TEST(Threshold, IsTheProbabilityIn64Bits) {
    EXPECT_EQ(threshold(0.5L), std::uint64_t{1} << 63);
    EXPECT_EQ(threshold(0), 0u);
    EXPECT_EQ(threshold(1), ~std::uint64_t{0});
    EXPECT_EQ(threshold(0x1p-64L), 1u);
}

class BitRuns : public ::testing::Test {
  protected:
    static constexpr Index n = 400;
    using Row = std::vector<std::uint64_t>;

    Row random_row() {
        Row row(n / 64 + 3);
        for (auto& word : row)
            word = draws_.bits();
        return row;
    }
    static bool bit(const Row& row, Index k) { return (row[static_cast<std::size_t>(k / 64)] >> k % 64 & 1) != 0; }
    /// An interval of 0 .. n, short ones as often as long ones.
    std::pair<Index, Index> random_run() {
        const Index from = draws_.index(n), length = draws_.index(draws_.index(2) == 0 ? 70 : n);
        return {from, std::min(n, from + length)};
    }

    Draws draws_{6};
};

TEST_F(BitRuns, UnlikeBitsAreCounted) {
    for (int repeat = 0; repeat < 300; ++repeat) {
        const Row x = random_row(), z = random_row(), mask = random_row();
        const auto [from, to] = random_run();
        const Index shift = draws_.index(70);
        Index count = 0;
        for (Index k = from; k < to; ++k)
            if (k + shift < n)
                count += bit(mask, k) && bit(x, k) != bit(z, k + shift);
        const Index end = std::min(to, n - shift);
        EXPECT_EQ(count_unlike(x.data(), z.data(), shift, mask.data(), from, end), from < end ? count : 0);
    }
}

TEST_F(BitRuns, ManyUnlikeBitsAreCounted) {
    // Longer than bytes can count: every bit, or all but few.
    constexpr Index length = 50000;
    const Row zeros(length / 64 + 3), ones(zeros.size(), ~std::uint64_t{0});
    Row most = ones;
    most[100] = most[300] = 0;
    for (const Index from : {0, 1, 63, 64, 129})
        for (const Index to : {7000, 8128, 16001, 32768, 49999}) {
            EXPECT_EQ(count_unlike(zeros.data(), ones.data(), 1, ones.data(), from, to), to - from);
            EXPECT_EQ(count_unlike(zeros.data(), ones.data(), 0, most.data(), from, to), to - from -
                                                                                             (to > 301 * 64   ? 128
                                                                                              : to > 101 * 64 ? 64
                                                                                                              : 0));
        }
}

TEST_F(BitRuns, AreCopiedAndExchangedAlone) {
    for (int repeat = 0; repeat < 300; ++repeat) {
        const Row a = random_row(), b = random_row();
        const auto [from, to] = random_run();
        Row first = a, second = b;
        exchange_bits(first.data(), second.data(), from, to);
        const Index target = draws_.index(static_cast<int>(n - (to - from)));
        Row copy = b;
        copy_bits(a.data(), from, copy.data(), target, to - from);
        for (Index k = 0; k < n; ++k) {
            const bool inside = k >= from && k < to;
            EXPECT_EQ(bit(first, k), inside ? bit(b, k) : bit(a, k));
            EXPECT_EQ(bit(second, k), inside ? bit(a, k) : bit(b, k));
            const bool copied = k >= target && k < target + to - from;
            EXPECT_EQ(bit(copy, k), copied ? bit(a, k - target + from) : bit(b, k));
        }
    }
}

} // namespace
} // namespace pearlite::simd
