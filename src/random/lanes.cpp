#include "pearlite/random/lanes.hpp"

#include "elementary.hpp"
#include "pearlite/core/contract.hpp"

#include <Random123/philox.h>
#include <algorithm>
#include <cmath>
#if defined(__AVX512F__)
#include <immintrin.h>
#endif

namespace pearlite::random {

namespace {

constexpr std::size_t lanes = static_cast<std::size_t>(block_padding);
using Words = std::uint64_t[lanes]; ///< a 32-bit word of each lane

/// Philox4x32-10 of one counter word 0 for consecutive ids: the plain algorithm on arrays, which the compiler turns
/// into vector code. pair[0] are words 0 and 1 of each lane as one number, pair[1] words 2 and 3.
void philox_lanes(std::uint32_t counter0, const Philox::Counter& counter, const Philox::Key& key, std::size_t first,
                  Words (&pair)[2]) {
    constexpr std::uint64_t low_half = 0xffffffffu;
    Words x0, x1, x2, x3;
    for (std::size_t i = 0; i < lanes; ++i) {
        x0[i] = counter0;
        x1[i] = counter[1];
        x2[i] = counter[2] + first + i;
        x3[i] = counter[3];
    }
    std::uint64_t key0 = key[0], key1 = key[1];
    for (int round = 0; round < 10; ++round) {
        for (std::size_t i = 0; i < lanes; ++i) {
            const std::uint64_t p0 = (x0[i] & low_half) * PHILOX_M4x32_0, p1 = (x2[i] & low_half) * PHILOX_M4x32_1;
            x0[i] = (p1 >> 32) ^ (x1[i] & low_half) ^ key0;
            x2[i] = (p0 >> 32) ^ (x3[i] & low_half) ^ key1;
            x1[i] = p1;
            x3[i] = p0;
        }
        key0 = (key0 + PHILOX_W32_0) & low_half;
        key1 = (key1 + PHILOX_W32_1) & low_half;
    }
    for (std::size_t i = 0; i < lanes; ++i) {
        pair[0][i] = (x0[i] & low_half) | (x1[i] << 32);
        pair[1][i] = (x2[i] & low_half) | (x3[i] << 32);
    }
}

/// Calls transform(pairs, k, first lane) for every counter k = 0, 1, ... that elements 2 k + skip and 2 k + 1 + skip
/// are made of.
template <class Transform>
void by_counters(const Address& address, Index n, std::span<double> out, Index first_counter, Transform transform) {
    const auto width = static_cast<std::size_t>(n);
    PEARLITE_EXPECTS(n >= 0 && n % block_padding == 0 && (n == 0 ? out.empty() : out.size() % width == 0));
    if (n == 0)
        return;
    PEARLITE_EXPECTS((address.id & 0xffffffffu) + width <= std::uint64_t{1} << 32);
    const Philox::Counter counter = address.counter();
    const Philox::Key key = address.key();
    const std::size_t count = out.size() / width;
    for (std::size_t first = 0; first < width; first += lanes)
        for (std::size_t k = 0; 2 * k < count; ++k) {
            Words pairs[2];
            philox_lanes(static_cast<std::uint32_t>(first_counter) + static_cast<std::uint32_t>(k), counter, key, first,
                         pairs);
            transform(pairs, out.data() + 2 * k * width + first, 2 * k + 1 < count);
        }
}

} // namespace

void fill_uniform_lanes(const Address& address, Index n, std::span<double> out) {
    by_counters(address, n, out, 0, [n](const Words(&pairs)[2], double* to, bool both) {
        for (std::size_t i = 0; i < lanes; ++i)
            to[i] = elementary::uniform53(pairs[0][i]);
        if (both)
            for (std::size_t i = 0; i < lanes; ++i)
                to[i + static_cast<std::size_t>(n)] = elementary::uniform53(pairs[1][i]);
    });
}

void fill_exponential_lanes(const Address& address, Index n, std::span<double> out, Index skip) {
    PEARLITE_EXPECTS(skip >= 0 && skip % 2 == 0);
    by_counters(address, n, out, skip / 2, [n](const Words(&pairs)[2], double* to, bool both) {
        for (std::size_t i = 0; i < lanes; ++i)
            to[i] = -elementary::natural_log(elementary::uniform53(pairs[0][i]));
        if (both)
            for (std::size_t i = 0; i < lanes; ++i)
                to[i + static_cast<std::size_t>(n)] = -elementary::natural_log(elementary::uniform53(pairs[1][i]));
    });
}

void fill_normal_lanes(const Address& address, Index n, std::span<double> out) {
    by_counters(address, n, out, 0, [n](const Words(&pairs)[2], double* to, bool both) {
        double radius[lanes], cosine[lanes], sine[lanes];
        for (std::size_t i = 0; i < lanes; ++i)
            radius[i] = -2 * elementary::natural_log(elementary::uniform53(pairs[0][i]));
#if defined(__AVX512F__)
        for (std::size_t i = 0; i < lanes; i += 8)
            _mm512_storeu_pd(radius + i, _mm512_maskz_sqrt_pd(0xff, _mm512_loadu_pd(radius + i)));
#else
        for (std::size_t i = 0; i < lanes; ++i)
            radius[i] = std::sqrt(radius[i]);
#endif
        for (std::size_t i = 0; i < lanes; ++i) {
            const auto angle = elementary::cosine_sine_2pi(elementary::uniform53(pairs[1][i]));
            cosine[i] = angle.cosine;
            sine[i] = angle.sine;
        }
        for (std::size_t i = 0; i < lanes; ++i)
            to[i] = radius[i] * cosine[i];
        if (both)
            for (std::size_t i = 0; i < lanes; ++i)
                to[i + static_cast<std::size_t>(n)] = radius[i] * sine[i];
    });
}

} // namespace pearlite::random
