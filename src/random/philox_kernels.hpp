#pragma once
/// Philox4x32-10 many counters at a time (Salmon, Moraes, Dror & Shaw 2011, section 3.3): one kernel per instruction
/// set, the same bits in each. Written in intrinsics here, not with simd/packet.hpp, because they are of use to this
/// generator alone: products of halves, three-way exclusive or, interleaving of words. Internal to the layer and its
/// tests.

#include "pearlite/random/detail/philox.hpp"

#include <Random123/philox.h>
#include <algorithm>
#include <cstddef>
#include <immintrin.h>

namespace pearlite::random::kernels {

inline constexpr std::uint32_t multiplier0 = PHILOX_M4x32_0;
inline constexpr std::uint32_t multiplier1 = PHILOX_M4x32_1;
inline constexpr std::uint32_t weyl0 = PHILOX_W32_0;
inline constexpr std::uint32_t weyl1 = PHILOX_W32_1;
inline constexpr int rounds = 10;

/// One counter, by Random123.
struct Plain {
    static constexpr std::size_t counters_per_register = 1;
    static constexpr int wide = 1, narrow = 1;

    template <int n_registers>
    static void packet(const Philox::Counter& counter, const Philox::Key& key, std::uint32_t* out) {
        const r123::Philox4x32_R<rounds>::ctr_type words =
            r123::Philox4x32_R<rounds>{}({{counter[0], counter[1], counter[2], counter[3]}}, {{key[0], key[1]}});
        std::copy(words.begin(), words.end(), out);
    }
};

// A packet is some registers full of counters: many (`wide`), so that their chains of products hide each other's
// latency as far as the registers go (the number is measured), or few (`narrow`) for the end of a span.
//
// Both vector kernels hold each 32-bit word in the low half of a 64-bit lane, because the 32 x 32 -> 64 bit product
// reads just that half: the high halves may hold anything, so the low word of a product needs no masking, the high word
// one shift, and a round is six instructions. Counters are dealt to lanes so that the interleaving of the four words at
// the end, which works within 128-bit lanes, leaves them in order.

/// 4 counters in a register.
struct Avx2 {
    static constexpr std::size_t counters_per_register = 4;
    static constexpr int wide = 4, narrow = 2;

    template <int n_registers>
    static void packet(const Philox::Counter& counter, const Philox::Key& key, std::uint32_t* out) {
        const auto all = [](std::uint32_t word) { return _mm256_set1_epi64x(static_cast<long long>(word)); };
        const __m256i m0 = all(multiplier0), m1 = all(multiplier1);
        const __m256i first = _mm256_add_epi32(all(counter[0]), _mm256_setr_epi64x(0, 2, 1, 3));
        __m256i x0[n_registers], x1[n_registers], x2[n_registers], x3[n_registers];
#pragma GCC unroll 8
        for (int r = 0; r < n_registers; ++r) {
            x0[r] = _mm256_add_epi32(first, all(4 * static_cast<std::uint32_t>(r)));
            x1[r] = all(counter[1]);
            x2[r] = all(counter[2]);
            x3[r] = all(counter[3]);
        }
        std::uint32_t key0 = key[0], key1 = key[1];
#pragma GCC unroll 10
        for (int round = 0; round < rounds; ++round) {
            const __m256i k0 = all(key0), k1 = all(key1);
#pragma GCC unroll 8
            for (int r = 0; r < n_registers; ++r) {
                const __m256i p0 = _mm256_mul_epu32(x0[r], m0), p1 = _mm256_mul_epu32(x2[r], m1);
                x0[r] = _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(p1, 32), x1[r]), k0);
                x2[r] = _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(p0, 32), x3[r]), k1);
                x1[r] = p1;
                x3[r] = p0;
            }
            key0 += weyl0;
            key1 += weyl1;
        }
#pragma GCC unroll 8
        for (int r = 0; r < n_registers; ++r) {
            const __m256i a = _mm256_blend_epi32(x0[r], _mm256_slli_epi64(x1[r], 32), 0xaa);
            const __m256i b = _mm256_blend_epi32(x2[r], _mm256_slli_epi64(x3[r], 32), 0xaa);
            auto* const to = reinterpret_cast<__m256i*>(out + std::size_t{16} * r);
            _mm256_storeu_si256(to, _mm256_unpacklo_epi64(a, b));
            _mm256_storeu_si256(to + 1, _mm256_unpackhi_epi64(a, b));
        }
    }
};

#if defined(__AVX512F__)
// GCC 12 takes the deliberately undefined operands inside its own intrinsics for a mistake.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
/// 8 counters in a register.
struct Avx512 {
    static constexpr std::size_t counters_per_register = 8;
    static constexpr int wide = 6, narrow = 2;

    template <int n_registers>
    static void packet(const Philox::Counter& counter, const Philox::Key& key, std::uint32_t* out) {
        const auto all = [](std::uint32_t word) { return _mm512_set1_epi64(static_cast<long long>(word)); };
        const __m512i m0 = all(multiplier0), m1 = all(multiplier1);
        const __m512i first = _mm512_add_epi32(all(counter[0]), _mm512_setr_epi64(0, 4, 1, 5, 2, 6, 3, 7));
        __m512i x0[n_registers], x1[n_registers], x2[n_registers], x3[n_registers];
#pragma GCC unroll 8
        for (int r = 0; r < n_registers; ++r) {
            x0[r] = _mm512_add_epi32(first, all(8 * static_cast<std::uint32_t>(r)));
            x1[r] = all(counter[1]);
            x2[r] = all(counter[2]);
            x3[r] = all(counter[3]);
        }
        std::uint32_t key0 = key[0], key1 = key[1];
#pragma GCC unroll 10
        for (int round = 0; round < rounds; ++round) {
            const __m512i k0 = all(key0), k1 = all(key1);
#pragma GCC unroll 8
            for (int r = 0; r < n_registers; ++r) {
                constexpr int xor3 = 0x96;
                const __m512i p0 = _mm512_mul_epu32(x0[r], m0), p1 = _mm512_mul_epu32(x2[r], m1);
                x0[r] = _mm512_ternarylogic_epi64(_mm512_srli_epi64(p1, 32), x1[r], k0, xor3);
                x2[r] = _mm512_ternarylogic_epi64(_mm512_srli_epi64(p0, 32), x3[r], k1, xor3);
                x1[r] = p1;
                x3[r] = p0;
            }
            key0 += weyl0;
            key1 += weyl1;
        }
#pragma GCC unroll 8
        for (int r = 0; r < n_registers; ++r) {
            constexpr __mmask16 odd = 0xaaaa;
            const __m512i a = _mm512_mask_blend_epi32(odd, x0[r], _mm512_slli_epi64(x1[r], 32));
            const __m512i b = _mm512_mask_blend_epi32(odd, x2[r], _mm512_slli_epi64(x3[r], 32));
            _mm512_storeu_si512(out + std::size_t{32} * r, _mm512_unpacklo_epi64(a, b));
            _mm512_storeu_si512(out + std::size_t{32} * r + 16, _mm512_unpackhi_epi64(a, b));
        }
    }
};
#pragma GCC diagnostic pop
#endif

/// The fastest that this object is compiled for.
#if defined(__AVX512F__)
using Best = Avx512;
#else
using Best = Avx2;
#endif

/// Fills whole packets of `n_registers` from the start of `out`; returns the rest, and moves the counter on.
template <class Kernel, int n_registers>
std::span<std::uint32_t> fill_packets(Philox::Counter& counter, const Philox::Key& key, std::span<std::uint32_t> out) {
    constexpr std::size_t n_counters = Kernel::counters_per_register * n_registers;
    std::size_t done = 0;
    for (; out.size() - done >= 4 * n_counters; done += 4 * n_counters) {
        Kernel::template packet<n_registers>(counter, key, out.data() + done);
        counter[0] += static_cast<std::uint32_t>(n_counters);
    }
    return out.subspan(done);
}

/// Philox::fill by the given kernel: wide packets, narrow packets, then a rest that is cut from one more.
template <class Kernel>
void fill(Philox::Counter counter, const Philox::Key& key, std::span<std::uint32_t> out) {
    constexpr std::size_t worth_a_packet = 8; // words; below, counters one by one are faster
    std::span<std::uint32_t> rest = fill_packets<Kernel, Kernel::wide>(counter, key, out);
    rest = fill_packets<Kernel, Kernel::narrow>(counter, key, rest);
    if (rest.size() <= worth_a_packet)
        rest = fill_packets<Plain, 1>(counter, key, rest);
    if (rest.empty())
        return;
    std::uint32_t words[4 * Kernel::counters_per_register * Kernel::narrow];
    if (rest.size() < 4)
        Plain::packet<1>(counter, key, words);
    else
        Kernel::template packet<Kernel::narrow>(counter, key, words);
    std::copy_n(words, rest.size(), rest.data());
}

} // namespace pearlite::random::kernels
