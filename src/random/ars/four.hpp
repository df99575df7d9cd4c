#pragma once
/// Four counters of ARS in a register of 512 bits, for kernel sources compiled for AVX-512 with AES.

#include "random/ars/registers.hpp"

namespace pearlite::random::ars_kernels {

namespace {

struct Four {
    using I = __m512i;
    static constexpr int counters = 4, at_once = 12;

    static I repeat(__m128i x) { return _mm512_broadcast_i32x4(x); }
    /// 0, x, 2 x, 3 x.
    static I offsets(__m128i x) {
        const __m128i twice = _mm_add_epi32(x, x);
        const __m256i low = _mm256_inserti128_si256(_mm256_setzero_si256(), x, 1);
        const __m256i high = _mm256_inserti128_si256(_mm256_castsi128_si256(twice), _mm_add_epi32(twice, x), 1);
        return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
    }
    static I load(const std::uint32_t* from) { return _mm512_loadu_si512(from); }
    static void store(std::uint32_t* to, I x) { _mm512_storeu_si512(to, x); }
    static void store_words(std::uint32_t* to, I x, std::size_t n) {
        _mm512_mask_storeu_epi32(to, static_cast<__mmask16>(n >= 16 ? 0xffffu : (1u << n) - 1), x);
    }
    static I add32(I a, I b) { return _mm512_add_epi32(a, b); }
    static I times32(I a, std::uint32_t b) { return _mm512_mullo_epi32(a, _mm512_set1_epi32(static_cast<int>(b))); }
    static I add64(I a, I b) { return _mm512_add_epi64(a, b); }
    static I exclusive_or(I a, I b) { return _mm512_xor_si512(a, b); }
    static I round(I x, I key) { return _mm512_aesenc_epi128(x, key); }
    static I last_round(I x, I key) { return _mm512_aesenclast_epi128(x, key); }
};

} // namespace

} // namespace pearlite::random::ars_kernels
