// Draws of lanes, compiled for several instruction sets.
#include "random/fill_kernels.hpp"

#include "pearlite/core/detail/contract.hpp"
#include "pearlite/random/detail/ars.hpp"
#include "simd/elementary.hpp"
#include "simd/scalar.hpp"
#include "simd/scalar_float.hpp"

#include <Random123/philox.h>
#include <algorithm>
#include <cstring>

namespace pearlite::random {

namespace {

/// Lanes of a register, and registers at a time: this number of products in flight hides their latency.
constexpr std::size_t lanes = static_cast<std::size_t>(lane_padding), batch = 4;

/// A 32-bit word of each lane in the low half of 64 bits; the high halves may hold anything.
using Words = simd::Words8;
using Numbers = simd::Doubles8;
static_assert(simd::lanes<Words> == lane_padding);

/// A counter of lanes first .. first + lanes - 1, and its four words of each.
struct Item {
    std::uint32_t counter0 = 0, step = 0;
    std::size_t first = 0;
    Words x[4];
};

/// Philox4x32-10 of n items.
template <std::size_t n>
void philox_lanes(const Counter& counter, const Philox::Key& key, Item* items) {
    Words x0[n], x1[n], x2[n], x3[n];
    for (std::size_t b = 0; b < n; ++b) {
        x0[b] = Words{} + items[b].counter0;
        x1[b] = Words{} + items[b].step;
        for (std::size_t i = 0; i < lanes; ++i)
            x2[b][i] = i;
        x2[b] += counter[2] + items[b].first;
        x3[b] = Words{} + counter[3];
    }
    std::uint32_t key0 = key[0], key1 = key[1];
#pragma GCC unroll 10
    for (int round = 0; round < 10; ++round) {
#pragma GCC unroll 4
        for (std::size_t b = 0; b < n; ++b) {
            const Words p0 = simd::low_product(x0[b], PHILOX_M4x32_0), p1 = simd::low_product(x2[b], PHILOX_M4x32_1);
            x0[b] = (p1 >> 32) ^ x1[b] ^ key0;
            x2[b] = (p0 >> 32) ^ x3[b] ^ key1;
            x1[b] = p1;
            x3[b] = p0;
        }
        key0 += PHILOX_W32_0;
        key1 += PHILOX_W32_1;
    }
    for (std::size_t b = 0; b < n; ++b) {
        items[b].x[0] = x0[b];
        items[b].x[1] = x1[b];
        items[b].x[2] = x2[b];
        items[b].x[3] = x3[b];
    }
}

/// Sixty-four bits of each lane, at even or at odd places of whole counters.
inline Words every_other(const std::uint32_t* counters, std::size_t h) {
    Words first, second;
    std::memcpy(&first, counters, sizeof first);
    std::memcpy(&second, counters + 2 * lanes, sizeof second);
    return h == 0 ? __builtin_shufflevector(first, second, 0, 2, 4, 6, 8, 10, 12, 14)
                  : __builtin_shufflevector(first, second, 1, 3, 5, 7, 9, 11, 13, 15);
}

/// The counters that make the elements of a lane: those of its stream, or the first ones of its streams at consecutive
/// steps.
enum class Along { stream, steps };

/// by_counters() by ARS: the counters of many lanes at a time, which lie one after another.
template <std::size_t per_counter, Along along, class Transform>
void by_ars(Counter counter, std::uint64_t seed, std::size_t width, std::size_t n_counters, Transform transform) {
    constexpr std::size_t chunk = 8 * lanes;
    const Ars::Key key = Ars::key(seed);
    alignas(64) std::uint32_t words[4 * chunk];
    const Counter first = counter;
    for (std::size_t lane = 0; lane < width; lane += chunk) {
        const std::size_t count = std::min(chunk, width - lane);
        for (std::size_t k = 0; k < n_counters; ++k) {
            constexpr std::size_t word = along == Along::stream ? 0 : 1;
            counter[word] = first[word] + static_cast<std::uint32_t>(k);
            counter[2] = first[2] + static_cast<std::uint32_t>(lane);
            Ars::fill_ids(counter, key, {words, 4 * count});
            for (std::size_t i = 0; i < count; i += lanes) {
                const Words low = every_other(words + 4 * i, 0), high = every_other(words + 4 * i, 1);
                const Words x[4]{low, low >> 32, high, high >> 32};
                transform(x, lane + i, per_counter * k);
            }
        }
    }
}

/// Words 2 h and 2 h + 1 of a counter as one number.
inline Words pair(const Words (&x)[4], std::size_t h) {
    return (x[2 * h] & 0xffffffffu) | (x[2 * h + 1] << 32);
}

/// Calls transform(words, lane, element) for the counters first_counter, ... of which `out` is made, per_counter
/// elements each: `lane` is the first of the lanes, `element` the first of the elements.
template <std::size_t per_counter, Along along = Along::stream, class T, class Transform>
void by_counters(const Address& address, Index n, std::span<T> out, Index first_counter, Transform transform) {
    const auto width = static_cast<std::size_t>(n);
    PEARLITE_EXPECTS(n >= 0 && n % lane_padding == 0 && (n == 0 ? out.empty() : out.size() % width == 0));
    if (n == 0)
        return;
    PEARLITE_EXPECTS((address.id & 0xffffffffu) + width <= std::uint64_t{1} << 32);
    Counter counter = address.counter();
    const std::size_t count = out.size() / width, counters = (count + per_counter - 1) / per_counter;
    if (address.seed.generator == Generator::ars) {
        counter[0] = static_cast<std::uint32_t>(first_counter);
        return by_ars<per_counter, along>(counter, address.seed.value, width, counters, transform);
    }
    const Philox::Key key = Philox::key(address.seed.value);
    Item items[batch];
    std::size_t k = 0, lane = 0; // of the next item
    while (lane < width) {
        std::size_t used = 0, elements[batch];
        for (; used < batch && lane < width; ++used) {
            const auto further = static_cast<std::uint32_t>(k);
            items[used].counter0 = static_cast<std::uint32_t>(first_counter) + (along == Along::stream ? further : 0);
            items[used].step = counter[1] + (along == Along::steps ? further : 0);
            items[used].first = lane;
            elements[used] = per_counter * k;
            if (++k == counters) {
                k = 0;
                lane += lanes;
            }
        }
        if (used == 1)
            philox_lanes<1>(counter, key, items);
        else if (used == 2)
            philox_lanes<2>(counter, key, items);
        else
            philox_lanes<batch>(counter, key, items);
        for (std::size_t b = 0; b < used; ++b)
            transform(items[b].x, items[b].first, elements[b]);
    }
}

/// Writes element 0 of `per_lane` to row `element` of `out`, 1 to the next, as far as there are rows.
template <class T>
void put(std::span<T> out, Index n, std::size_t element, std::size_t lane, const T* values, std::size_t rows) {
    const auto width = static_cast<std::size_t>(n);
    for (std::size_t r = 0; r < rows && (element + r) * width < out.size(); ++r)
        std::copy_n(values + r * lanes, lanes, out.data() + (element + r) * width + lane);
}

/// The first number of each step's stream, by make(64 bits) for all lanes.
template <class Make>
void fill_steps_by(const Address& address, Index n, std::span<double> out, Make make) {
    by_counters<1, Along::steps>(address, n, out, 0, [&](const Words(&x)[4], std::size_t lane, std::size_t step) {
        const Numbers values = make(pair(x, 0));
        std::memcpy(out.data() + step * static_cast<std::size_t>(n) + lane, &values, sizeof values);
    });
}

/// Two numbers of each counter, each by make(64 bits) for all lanes.
template <class Make>
void fill_by(const Address& address, Index n, std::span<double> out, Index first_counter, Make make) {
    by_counters<2>(address, n, out, first_counter, [&](const Words(&x)[4], std::size_t lane, std::size_t element) {
        // The second number is often not asked for.
        for (std::size_t h = 0; h < 2 && (element + h) * static_cast<std::size_t>(n) < out.size(); ++h) {
            const Numbers values = make(pair(x, h));
            std::memcpy(out.data() + (element + h) * static_cast<std::size_t>(n) + lane, &values, sizeof values);
        }
    });
}

/// 32 bits of each lane.
using Halves [[gnu::vector_size(4 * lanes), gnu::may_alias]] = std::uint32_t;

/// Two numbers of 32 bits of each lane.
struct Interleaved {
    alignas(64) std::uint32_t values[2 * lanes];

    Interleaved() = default;
    explicit Interleaved(Words words) { std::memcpy(values, &words, sizeof words); }
    Words words() const {
        Words result;
        std::memcpy(&result, values, sizeof result);
        return result;
    }
    Halves even() const { return __builtin_convertvector(words(), Halves); }
    Halves odd() const { return __builtin_convertvector(words() >> 32, Halves); }
};

/// One normal number of each lane: the first of the four that a counter gives.
void first_normals(const Address& address, Index n, std::span<float> out) {
    by_counters<4>(address, n, out, 0, [&](const Words(&x)[4], std::size_t lane, std::size_t) {
        alignas(64) std::uint32_t radius_bits[lanes], angle_bits[lanes];
        const auto radius_words = __builtin_convertvector(x[0], Halves),
                   angle_words = __builtin_convertvector(x[1], Halves);
        std::memcpy(radius_bits, &radius_words, sizeof radius_words);
        std::memcpy(angle_bits, &angle_words, sizeof angle_words);
        float radius[lanes];
        for (std::size_t i = 0; i < lanes; ++i)
            radius[i] = simd::square_radius(radius_bits[i]);
        simd::square_roots(radius, std::size(radius));
        for (std::size_t i = 0; i < lanes; ++i)
            out[lane + i] = simd::turned(radius[i], angle_bits[i]).first;
    });
}

} // namespace

template <class Instructions>
void LaneFills<Instructions>::uniform(const Address& address, Index n, std::span<double> out) {
    fill_by(address, n, out, 0, [](Words bits) { return simd::uniforms<Numbers>(bits); });
}

template <class Instructions>
void LaneFills<Instructions>::exponential(const Address& address, Index n, std::span<double> out, Index skip) {
    PEARLITE_EXPECTS(skip >= 0 && skip % 2 == 0);
    fill_by(address, n, out, skip / 2, [](Words bits) { return -simd::natural_logs(simd::uniforms<Numbers>(bits)); });
}

template <class Instructions>
void LaneFills<Instructions>::uniform_of_steps(const Address& address, Index n, std::span<double> out) {
    fill_steps_by(address, n, out, [](Words bits) { return simd::uniforms<Numbers>(bits); });
}

template <class Instructions>
void LaneFills<Instructions>::exponential_of_steps(const Address& address, Index n, std::span<double> out) {
    fill_steps_by(address, n, out, [](Words bits) { return -simd::natural_logs(simd::uniforms<Numbers>(bits)); });
}

template <class Instructions>
void LaneFills<Instructions>::normal(const Address& address, Index n, std::span<double> out) {
    by_counters<2>(address, n, out, 0, [&](const Words(&x)[4], std::size_t lane, std::size_t element) {
        const Words radius_bits = pair(x, 0), angle_bits = pair(x, 1);
        double radius[lanes], values[2 * lanes];
        for (std::size_t i = 0; i < lanes; ++i)
            radius[i] = -2 * simd::natural_log(simd::uniform53(radius_bits[i]));
        simd::square_roots(radius, std::size(radius));
        for (std::size_t i = 0; i < lanes; ++i) {
            const auto angle = simd::cosine_sine_2pi(simd::uniform53(angle_bits[i]));
            values[i] = radius[i] * angle.cosine;
            values[lanes + i] = radius[i] * angle.sine;
        }
        put(out, n, element, lane, values, 2);
    });
}

template <class Instructions>
void LaneFills<Instructions>::normal(const Address& address, Index n, std::span<float> out) {
    const auto width = static_cast<std::size_t>(n);
    if (out.size() == width)
        return first_normals(address, n, out);
    by_counters<4>(address, n, out, 0, [&](const Words(&x)[4], std::size_t lane, std::size_t element) {
        // Words 0 and 2 of each lane are next to each other, as are words 1 and 3 and the numbers made of them.
        const Interleaved radius_bits((x[0] & 0xffffffffu) | (x[2] << 32)),
            angle_bits((x[1] & 0xffffffffu) | (x[3] << 32));
        float radius[2 * lanes];
        Interleaved first, second;
        for (std::size_t i = 0; i < 2 * lanes; ++i)
            radius[i] = simd::square_radius(radius_bits.values[i]);
        simd::square_roots(radius, std::size(radius));
        for (std::size_t i = 0; i < 2 * lanes; ++i) {
            const auto both = simd::turned(radius[i], angle_bits.values[i]);
            first.values[i] = std::bit_cast<std::uint32_t>(both.first);
            second.values[i] = std::bit_cast<std::uint32_t>(both.second);
        }
        const Halves rows[4]{first.even(), second.even(), first.odd(), second.odd()};
        for (std::size_t r = 0; r < 4 && (element + r) * width < out.size(); ++r)
            std::memcpy(out.data() + (element + r) * width + lane, &rows[r], sizeof rows[r]);
    });
}

template struct LaneFills<simd::Compiled>;

} // namespace pearlite::random
