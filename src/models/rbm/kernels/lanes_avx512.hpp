#pragma once
/// Sixteen lanes in a register of AVX-512, for kernel sources.

#include "models/rbm/kernels/elementwise.hpp"

#include <immintrin.h>

namespace pearlite::models::rbm_kernels {

namespace {

struct Avx512 {
    using F = __m512;
    using I = __m512i;
    using M = __mmask16;

    static F broadcast(float x) { return _mm512_set1_ps(x); }
    static F load(const float* from) { return _mm512_load_ps(from); }
    static F load_integers(const std::int32_t* from) { return to_floats(_mm512_load_si512(from)); }
    static void store(float* to, F x) { _mm512_store_ps(to, x); }
    static void store(std::uint32_t* to, I x) { _mm512_store_si512(to, x); }
    static F add(F a, F b) { return _mm512_add_ps(a, b); }
    static F subtract(F a, F b) { return _mm512_sub_ps(a, b); }
    static F multiply(F a, F b) { return _mm512_mul_ps(a, b); }
    static F divide(F a, F b) { return _mm512_div_ps(a, b); }
    static F fused(F a, F b, F c) { return _mm512_fmadd_ps(a, b, c); }
    static F fused_difference(F a, F b, F c) { return _mm512_fmsub_ps(a, b, c); }
    static F larger(F a, F b) { return _mm512_max_ps(a, b); }
    static F absolute(F x) { return _mm512_abs_ps(x); }
    static F to_floats(I x) { return _mm512_cvtepi32_ps(x); }
    static F add_to_exponent(F x, F shifted) {
        return _mm512_castsi512_ps(
            _mm512_add_epi32(_mm512_castps_si512(x), _mm512_slli_epi32(_mm512_castps_si512(shifted), 23)));
    }
    static M less(F a, F b) { return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ); }
    static M less_or_equal(F a, F b) { return _mm512_cmp_ps_mask(a, b, _CMP_LE_OQ); }
    static M either(M a, M b) { return static_cast<M>(a | b); }
    static std::uint32_t bits(M m) { return m; }
    static M mask(std::uint32_t bits) { return static_cast<M>(bits); }
    static F select(M m, F a, F b) { return _mm512_mask_blend_ps(m, b, a); }
    static I zero_word() { return _mm512_setzero_si512(); }
    static I set_bit(I word, M m, std::uint32_t bit) {
        return _mm512_mask_or_epi32(word, m, word, _mm512_set1_epi32(static_cast<int>(bit)));
    }
    static I load_word(const std::uint32_t* from) { return _mm512_load_si512(from); }
    static M has_bit(I word, std::uint32_t bit) {
        return _mm512_test_epi32_mask(word, _mm512_set1_epi32(static_cast<int>(bit)));
    }
    static I low_half(I x) { return _mm512_and_si512(x, _mm512_set1_epi32(0xffff)); }
    static I high_half(I x) { return _mm512_srli_epi32(x, 16); }

    static void philox(const DrawStreams& streams, std::uint32_t counter, I (&out)[4]) {
        const auto all = [](std::uint32_t word) { return _mm512_set1_epi64(static_cast<long long>(word)); };
        const I m0 = all(philox_multiplier[0]), m1 = all(philox_multiplier[1]);
        const I id = _mm512_load_si512(streams.id), purpose = _mm512_load_si512(streams.purpose_and_id);
        // Even lanes, odd lanes.
        I x0[2] = {all(counter), all(counter)}, x1[2] = {all(streams.step), all(streams.step)};
        I x2[2] = {id, _mm512_srli_epi64(id, 32)}, x3[2] = {purpose, _mm512_srli_epi64(purpose, 32)};
        std::uint32_t key0 = streams.seed[0], key1 = streams.seed[1];
#pragma GCC unroll 10
        for (int round = 0; round < 10; ++round) {
            const I k0 = all(key0), k1 = all(key1);
#pragma GCC unroll 2
            for (int part = 0; part < 2; ++part) {
                constexpr int xor3 = 0x96;
                const I p0 = _mm512_mul_epu32(x0[part], m0), p1 = _mm512_mul_epu32(x2[part], m1);
                x0[part] = _mm512_ternarylogic_epi64(_mm512_srli_epi64(p1, 32), x1[part], k0, xor3);
                x2[part] = _mm512_ternarylogic_epi64(_mm512_srli_epi64(p0, 32), x3[part], k1, xor3);
                x1[part] = p1;
                x3[part] = p0;
            }
            key0 += philox_weyl[0];
            key1 += philox_weyl[1];
        }
        const auto joined = [](const I(&x)[2]) {
            return _mm512_mask_blend_epi32(0xaaaa, x[0], _mm512_slli_epi64(x[1], 32));
        };
        out[0] = joined(x0);
        out[1] = joined(x1);
        out[2] = joined(x2);
        out[3] = joined(x3);
    }
};

} // namespace

} // namespace pearlite::models::rbm_kernels
