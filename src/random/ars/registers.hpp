#pragma once
/// ARS in registers of one, two or four counters, for kernel sources. A Vector has: I, counters (of a register),
/// repeat() of 128 bits, load(), store(), store_words(), add32(), add64(), exclusive_or(), round(), last_round(), and
/// the number of registers that are in work at once, so that their chains of rounds hide each other's latency.

#include "random/ars/kernels.hpp"

#include <immintrin.h>

namespace pearlite::random::ars_kernels {

namespace {

template <class V>
struct RoundKeys {
    using I = typename V::I;
    I keys[rounds + 1];

    explicit RoundKeys(const std::uint32_t* key) {
        const I step = V::repeat(_mm_set_epi64x(static_cast<long long>(weyl_high), static_cast<long long>(weyl_low)));
        keys[0] = V::repeat(_mm_loadu_si128(reinterpret_cast<const __m128i*>(key)));
#pragma GCC unroll 16
        for (int r = 1; r <= rounds; ++r)
            keys[r] = V::add64(keys[r - 1], step);
    }

    template <int n>
    void encrypt(I (&x)[n]) const {
#pragma GCC unroll 16
        for (int i = 0; i < n; ++i)
            x[i] = V::exclusive_or(x[i], keys[0]);
#pragma GCC unroll 16
        for (int r = 1; r < rounds; ++r)
#pragma GCC unroll 16
            for (int i = 0; i < n; ++i)
                x[i] = V::round(x[i], keys[r]);
#pragma GCC unroll 16
        for (int i = 0; i < n; ++i)
            x[i] = V::last_round(x[i], keys[rounds]);
    }
};

/// One register of counters after another.
template <class V>
struct Counters {
    using I = typename V::I;
    I next, step;

    Counters(const std::uint32_t* first, Counting counting)
        : next(V::add32(V::repeat(_mm_loadu_si128(reinterpret_cast<const __m128i*>(first))),
                        counting == Counting::draws ? V::offsets(_mm_setr_epi32(1, 0, 0, 0))
                                                    : V::offsets(_mm_setr_epi32(0, 0, 1, 0)))),
          step(V::repeat(counting == Counting::draws ? _mm_setr_epi32(V::counters, 0, 0, 0)
                                                     : _mm_setr_epi32(0, 0, V::counters, 0))) {}
    I take() {
        const I taken = next;
        next = V::add32(next, step);
        return taken;
    }
    void skip(std::size_t registers) { next = V::add32(next, V::times32(step, static_cast<std::uint32_t>(registers))); }
};

template <class V, int n>
inline void fill_registers(const RoundKeys<V>& keys, Counters<V>& counters, std::uint32_t* out) {
    typename V::I x[n];
#pragma GCC unroll 16
    for (int i = 0; i < n; ++i)
        x[i] = counters.take();
    keys.encrypt(x);
#pragma GCC unroll 16
    for (int i = 0; i < n; ++i)
        V::store(out + std::size_t{4} * V::counters * static_cast<std::size_t>(i), x[i]);
}

/// Writes the next n_words words; counters that are begun are used up.
template <class V>
inline void fill_words(const RoundKeys<V>& keys, Counters<V>& counters, std::uint32_t* out, std::size_t n_words) {
    constexpr std::size_t register_words = std::size_t{4} * V::counters;
    for (; n_words >= V::at_once * register_words; n_words -= V::at_once * register_words) {
        fill_registers<V, V::at_once>(keys, counters, out);
        out += V::at_once * register_words;
    }
    for (; n_words >= 4 * register_words; n_words -= 4 * register_words) {
        fill_registers<V, 4>(keys, counters, out);
        out += 4 * register_words;
    }
    for (; n_words > 0; n_words -= n_words < register_words ? n_words : register_words) {
        typename V::I x[1] = {counters.take()};
        keys.encrypt(x);
        V::store_words(out, x[0], n_words);
        out += register_words;
    }
}

template <class V>
void fill(const std::uint32_t* first, const std::uint32_t* key, Counting counting, std::uint32_t* out,
          std::size_t n_words) {
    const RoundKeys<V> keys(key);
    Counters<V> counters(first, counting);
    fill_words(keys, counters, out, n_words);
}

template <class V, int n>
inline void encrypt_registers(const RoundKeys<V>& keys, std::uint32_t* words) {
    typename V::I x[n];
#pragma GCC unroll 16
    for (int i = 0; i < n; ++i)
        x[i] = V::load(words + std::size_t{4} * V::counters * static_cast<std::size_t>(i));
    keys.encrypt(x);
#pragma GCC unroll 16
    for (int i = 0; i < n; ++i)
        V::store(words + std::size_t{4} * V::counters * static_cast<std::size_t>(i), x[i]);
}

/// The rest that fills no register, V1 takes one by one.
template <class V, class V1>
void encrypt(const std::uint32_t* key, std::uint32_t* counters, std::size_t n) {
    if (n >= V::counters) {
        const RoundKeys<V> keys(key);
        constexpr std::size_t many = std::size_t{V::at_once} * V::counters;
        for (; n >= many; n -= many, counters += 4 * many)
            encrypt_registers<V, V::at_once>(keys, counters);
        for (; n >= V::counters; n -= V::counters, counters += std::size_t{4} * V::counters)
            encrypt_registers<V, 1>(keys, counters);
    }
    if (n > 0) {
        const RoundKeys<V1> keys(key);
        for (; n > 0; --n, counters += 4)
            encrypt_registers<V1, 1>(keys, counters);
    }
}

/// A counter in a register.
struct One {
    using I = __m128i;
    static constexpr int counters = 1, at_once = 8;

    static I repeat(__m128i x) { return x; }
    static I offsets(__m128i) { return _mm_setzero_si128(); }
    static I load(const std::uint32_t* from) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from)); }
    static void store(std::uint32_t* to, I x) { _mm_storeu_si128(reinterpret_cast<__m128i*>(to), x); }
    static void store_words(std::uint32_t* to, I x, std::size_t n) {
        if (n >= 4)
            return store(to, x);
        std::uint32_t words[4];
        store(words, x);
        for (std::size_t i = 0; i < n; ++i)
            to[i] = words[i];
    }
    static I add32(I a, I b) { return _mm_add_epi32(a, b); }
    static I add64(I a, I b) { return _mm_add_epi64(a, b); }
    static I exclusive_or(I a, I b) { return _mm_xor_si128(a, b); }
    static I round(I x, I key) { return _mm_aesenc_si128(x, key); }
    static I last_round(I x, I key) { return _mm_aesenclast_si128(x, key); }
};

template <class V1>
void generate(const std::uint32_t* counter, const std::uint32_t* key, std::uint32_t* out) {
    typename V1::I x[1] = {V1::load(counter)};
    RoundKeys<V1>(key).encrypt(x);
    V1::store(out, x[0]);
}

} // namespace

} // namespace pearlite::random::ars_kernels
