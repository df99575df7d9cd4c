#include "pearlite/random/detail/ars.hpp"

#include "../../src/random/ars/choice.hpp"

#include <Random123/ars.h>
#include <algorithm>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <vector>

namespace pearlite::random {
namespace {

using ars_kernels::available_kernels;
using ars_kernels::Counting;
using ars_kernels::kernels_for;
using Counter = Ars::Counter;
using Key = Ars::Key;

/// ARS from the definition of AES (FIPS 197), byte by byte and without tables. Tests can make any part of it wrong.
struct Definition {
    int rounds = 7;
    std::uint64_t weyl_low = 0x9E3779B97F4A7C15, weyl_high = 0xBB67AE8584CAA73B;
    bool mixes_at_the_end = false, shifts_rows = true;

    static unsigned product(unsigned a, unsigned b) {
        unsigned result = 0;
        for (; b != 0; b >>= 1, a = a << 1 ^ ((a & 0x80) != 0 ? 0x11b : 0))
            result ^= (b & 1) != 0 ? a : 0;
        return result;
    }
    static unsigned box(unsigned x) {
        unsigned inverse = 1; // x^254
        for (int i = 0; i < 254; ++i)
            inverse = product(inverse, x);
        unsigned result = 0x63;
        for (unsigned i = 0; i < 8; ++i)
            for (const unsigned from : {0u, 4u, 5u, 6u, 7u})
                result ^= (inverse >> (i + from) % 8 & 1) << i;
        return result;
    }

    Counter operator()(const Counter& counter, const Key& key) const {
        std::uint64_t keys[2] = {key[0] | std::uint64_t{key[1]} << 32, key[2] | std::uint64_t{key[3]} << 32};
        unsigned state[16]; // byte r + 4 c is row r of column c
        const auto add_key = [&] {
            for (unsigned i = 0; i < 16; ++i)
                state[i] ^= keys[i / 8] >> 8 * (i % 8) & 0xff;
            keys[0] += weyl_low;
            keys[1] += weyl_high;
        };
        for (unsigned i = 0; i < 16; ++i)
            state[i] = counter[i / 4] >> 8 * (i % 4) & 0xff;
        add_key();
        for (int round = 1; round <= rounds; ++round) {
            unsigned shifted[16];
            for (unsigned r = 0; r < 4; ++r)
                for (unsigned c = 0; c < 4; ++c)
                    shifted[r + 4 * c] = box(state[r + 4 * ((c + (shifts_rows ? r : 0)) % 4)]);
            for (unsigned r = 0; r < 4; ++r)
                for (unsigned c = 0; c < 4; ++c) {
                    const auto row = [&](unsigned by) { return shifted[(r + by) % 4 + 4 * c]; };
                    state[r + 4 * c] = round < rounds || mixes_at_the_end
                                           ? product(row(0), 2) ^ product(row(1), 3) ^ row(2) ^ row(3)
                                           : row(0);
                }
            add_key();
        }
        Counter words{};
        for (unsigned i = 0; i < 16; ++i)
            words[i / 4] |= state[i] << 8 * (i % 4);
        return words;
    }
};

struct KnownAnswer {
    Counter counter;
    Key key;
    Counter words;
};

/// The first two are the published answers of Random123 1.09 for 7 rounds (its test of ars.h); the others were made by
/// its ars4x32_R(7, ...): zeros, ones, digits of pi.
constexpr std::uint32_t ones = 0xffffffffu;
constexpr KnownAnswer known_answers[] = {
    {{1, 0, 0, 0}, {1, 0, 0, 0}, {0x3523162bu, 0xdc14d20cu, 0x79184077u, 0x72184193u}},
    {{0x100, 0, 0, 0}, {1, 0, 0, 0}, {0x6fb6e62du, 0x68b661a4u, 0x6f1280f3u, 0x22cdb932u}},
    {{0, 0, 0, 0}, {0, 0, 0, 0}, {0xdacf61ffu, 0xc45798f3u, 0x113c7eebu, 0x101e27f3u}},
    {{ones, ones, ones, ones}, {ones, ones, ones, ones}, {0xfbaaff1fu, 0xbb547ef9u, 0x13d8cd78u, 0x7aaa969bu}},
    {{0x243f6a88u, 0x85a308d3u, 0x13198a2eu, 0x03707344u},
     {0xa4093822u, 0x299f31d0u, 0x082efa98u, 0xec4e6c89u},
     {0xd1df87afu, 0xf67d43bau, 0x4f66afdbu, 0x393dcb2du}},
};

/// Whether generate(counter, key) gives all the published answers.
template <class Generate>
bool is_known(Generate generate) {
    return std::all_of(std::begin(known_answers), std::end(known_answers),
                       [&](const KnownAnswer& known) { return generate(known.counter, known.key) == known.words; });
}

TEST(Ars, GivesThePublishedAnswers) {
    EXPECT_TRUE(is_known([](const Counter& counter, const Key& key) { return Ars::generate(counter, key); }));
    EXPECT_TRUE(is_known(Definition{}));
    for (const auto* kernels : available_kernels()) {
        EXPECT_TRUE(is_known([&](const Counter& counter, const Key& key) {
            Counter words;
            kernels->fill(counter.data(), key.data(), Counting::draws, words.data(), 4);
            return words;
        })) << kernels->name;
        EXPECT_TRUE(is_known([&](const Counter& counter, const Key& key) {
            Counter words;
            kernels->generate(counter.data(), key.data(), words.data());
            return words;
        })) << kernels->name;
        EXPECT_TRUE(is_known([&](Counter counter, const Key& key) {
            kernels->encrypt(key.data(), counter.data(), 1);
            return counter;
        })) << kernels->name;
    }
}

TEST(Ars, WrongTwinsAreRejected) {
    EXPECT_FALSE(is_known(Definition{.rounds = 6}));
    EXPECT_FALSE(is_known(Definition{.weyl_low = 0x9E3779B97F4A7C16}));
    EXPECT_FALSE(is_known(Definition{.weyl_low = 0xBB67AE8584CAA73B, .weyl_high = 0x9E3779B97F4A7C15}));
    EXPECT_FALSE(is_known(Definition{.mixes_at_the_end = true}));
    EXPECT_FALSE(is_known(Definition{.shifts_rows = false}));
}

TEST(Ars, EqualsRandom123) {
#if R123_USE_AES_NI
    if (__builtin_cpu_supports("aes") == 0)
        GTEST_SKIP() << "no AES instructions";
    EXPECT_TRUE(is_known([](const Counter& counter, const Key& key) {
        r123::ARS4x32::ctr_type c, k;
        std::copy(counter.begin(), counter.end(), c.begin());
        std::copy(key.begin(), key.end(), k.begin());
        const auto words = r123::ARS4x32{}(c, k);
        return Counter{words[0], words[1], words[2], words[3]};
    }));
#else
    GTEST_SKIP() << "built without AES instructions";
#endif
}

constexpr Key key{0x12345678u, 0x9abcdef0u, 0xfedcba98u, 0xffffffffu};
constexpr Counter plain_start{5, 6, 7, 8};
constexpr Counter wrapping_start{0xffffffffu - 9, 0xffffffffu, 0xffffffffu - 20, 0xdeadbeefu};

/// Words 0 .. n-1 after `counter`, by the definition.
std::vector<std::uint32_t> reference(Counter counter, Counting counting, std::size_t n) {
    std::vector<std::uint32_t> words;
    for (; words.size() < n; ++counter[counting == Counting::draws ? 0 : 2]) {
        const auto group = Definition{}(counter, key);
        words.insert(words.end(), group.begin(), group.end());
    }
    words.resize(n);
    return words;
}

/// All lengths, from counters that stay clear of the wrap-around of the words that count and from one that meets it; a
/// guard word after the end must survive.
TEST(Ars, AllImplementationsFillTheSameWords) {
    for (const Counter& start : {plain_start, wrapping_start})
        for (const Counting counting : {Counting::draws, Counting::ids}) {
            const auto expected = reference(start, counting, 600);
            for (const auto* kernels : available_kernels())
                for (std::size_t n = 0; n <= 600; n += n < 280 ? 1 : 37)
                    for (const std::size_t offset : {0u, 1u}) {
                        std::vector<std::uint32_t> words(offset + n + 1, 42);
                        kernels->fill(start.data(), key.data(), counting, words.data() + offset, n);
                        ASSERT_EQ(words.back(), 42u);
                        ASSERT_TRUE(std::equal(words.begin() + static_cast<std::ptrdiff_t>(offset), words.end() - 1,
                                               expected.begin()))
                            << kernels->name << ", length " << n << ", offset " << offset;
                    }
        }
}

TEST(Ars, AllImplementationsEncryptTheSameCounters) {
    std::vector<Counter> counters(150);
    for (std::uint32_t i = 0; i < counters.size(); ++i)
        counters[i] = {i * 0x9e3779b9u, i, ~i, i << 20};
    std::vector<Counter> expected(counters.size());
    std::transform(counters.begin(), counters.end(), expected.begin(),
                   [](const Counter& counter) { return Definition{}(counter, key); });
    for (const auto* kernels : available_kernels())
        for (std::size_t n = 0; n < counters.size(); ++n) {
            auto words = counters;
            kernels->encrypt(key.data(), words.front().data(), n);
            ASSERT_TRUE(std::equal(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(n), expected.begin()))
                << kernels->name << ", " << n;
            ASSERT_EQ(words[n], counters[n]) << kernels->name << ", " << n;
        }
}

TEST(Ars, ThePathChoosesTheImplementation) {
    EXPECT_STREQ(kernels_for(simd::Path::portable).name, "software");
    EXPECT_STRNE(kernels_for(simd::Path::avx2).name, "vaes512");
    EXPECT_EQ(&kernels_for(simd::Path::avx512), available_kernels().back());
    EXPECT_EQ(Ars::implementation(), std::string(kernels_for(simd::chosen_path().path).name));
}

TEST(Ars, KeyIsTheSeedAndDigitsOfPi) {
    EXPECT_EQ(Ars::key(0x0123456789abcdefu), (Key{0x89abcdefu, 0x01234567u, 0x243f6a88u, 0x85a308d3u}));
}

} // namespace
} // namespace pearlite::random
