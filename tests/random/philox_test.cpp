#include "pearlite/random/detail/philox.hpp"

#include "../../src/random/fill_kernels.hpp"
#include "../../src/random/philox_kernels.hpp"

#include <gtest/gtest.h>
#include <vector>

namespace pearlite::random {
namespace {

using Counter = Philox::Counter;
using Key = Philox::Key;

struct KnownAnswer {
    Counter counter;
    Key key;
    Counter words;
};

/// The published answers of Random123 for philox4x32 of 10 rounds: zeros, ones, digits of pi.
constexpr std::uint32_t ones = 0xffffffffu;
constexpr KnownAnswer known_answers[] = {
    {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u}},
    {{ones, ones, ones, ones}, {ones, ones}, {0x408f276du, 0x41c83b0eu, 0xa20bc7c6u, 0x6d5451fdu}},
    {{0x243f6a88u, 0x85a308d3u, 0x13198a2eu, 0x03707344u},
     {0xa4093822u, 0x299f31d0u},
     {0xd16cfe09u, 0x94fdccebu, 0x5001e420u, 0x24126ea1u}},
};

TEST(Philox, GivesThePublishedAnswers) {
    for (const KnownAnswer& known : known_answers) {
        EXPECT_EQ(Philox::generate(known.counter, known.key), known.words);
        Counter filled;
        Philox::fill(known.counter, known.key, filled);
        EXPECT_EQ(filled, known.words);
    }
}

/// Words 0 .. n-1 after `counter`, straight from Random123.
std::vector<std::uint32_t> reference(const Counter& counter, const Key& key, std::size_t n) {
    std::vector<std::uint32_t> words;
    for (std::uint32_t i = 0; words.size() < n; ++i) {
        const auto group =
            r123::Philox4x32{}({{counter[0] + i, counter[1], counter[2], counter[3]}}, {{key[0], key[1]}});
        words.insert(words.end(), group.begin(), group.end());
    }
    words.resize(n);
    return words;
}

constexpr Key key{0x12345678u, 0x9abcdef0u};
constexpr Counter plain_start{5, 6, 7, 8};
constexpr Counter wrapping_start{0xffffffffu - 9, 0xffffffffu, 3, 0xdeadbeefu};

/// All lengths, from counters that stay clear of the wrap-around of word 0 and from one that meets it after 10
/// counters; a guard word after the end must survive.
template <class Fill>
void expect_equal_to_random123(Fill fill) {
    for (const Counter& start : {plain_start, wrapping_start}) {
        for (std::size_t n = 0; n <= 600; n += n < 200 ? 1 : 37) {
            std::vector<std::uint32_t> words(n + 1, 42);
            fill(start, key, std::span(words).first(n));
            EXPECT_EQ(words.back(), 42u);
            words.pop_back();
            ASSERT_EQ(words, reference(start, key, n)) << "length " << n;
        }
    }
}

TEST(Philox, FillEqualsRandom123) {
    expect_equal_to_random123(&Philox::fill);
}

TEST(Philox, PlainKernelEqualsRandom123) {
    expect_equal_to_random123(&kernels::fill<kernels::Plain>);
}

TEST(Philox, BaselineKernelEqualsRandom123) {
    expect_equal_to_random123(&Fills<simd::Baseline>::words);
}

TEST(Philox, Avx512KernelEqualsRandom123) {
    if (!simd::runs_avx512())
        GTEST_SKIP() << "kernels do not run on AVX-512";
    expect_equal_to_random123(&Fills<simd::Avx512>::words);
}

TEST(Philox, CounterWordZeroWrapsWithoutCarry) {
    Counter words[2];
    Philox::fill({0xffffffffu, 1, 2, 3}, key, {words[0].data(), 8});
    EXPECT_EQ(words[1], Philox::generate({0, 1, 2, 3}, key));
    EXPECT_NE(words[1], Philox::generate({0, 2, 2, 3}, key));
}

TEST(Philox, FillsUnalignedSpans) {
    std::vector<std::uint32_t> words(400);
    for (std::size_t offset = 0; offset < 17; ++offset) {
        const auto part = std::span(words).subspan(offset, 300);
        Philox::fill(plain_start, key, part);
        EXPECT_EQ(std::vector(part.begin(), part.end()), reference(plain_start, key, 300));
    }
}

} // namespace
} // namespace pearlite::random
