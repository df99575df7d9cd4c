/// ARS by AES instructions on registers of 256 bits, for CPUs that have these without AVX-512.

#include "random/ars/registers.hpp"

namespace pearlite::random::ars_kernels {

namespace {

struct Two {
    using I = __m256i;
    static constexpr int counters = 2, at_once = 8;

    static I repeat(__m128i x) { return _mm256_broadcastsi128_si256(x); }
    /// 0 and x.
    static I offsets(__m128i x) { return _mm256_inserti128_si256(_mm256_setzero_si256(), x, 1); }
    static I load(const std::uint32_t* from) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)); }
    static void store(std::uint32_t* to, I x) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), x); }
    static void store_words(std::uint32_t* to, I x, std::size_t n) {
        if (n >= 8)
            return store(to, x);
        std::uint32_t words[8];
        store(words, x);
        for (std::size_t i = 0; i < n; ++i)
            to[i] = words[i];
    }
    static I add32(I a, I b) { return _mm256_add_epi32(a, b); }
    static I add64(I a, I b) { return _mm256_add_epi64(a, b); }
    static I exclusive_or(I a, I b) { return _mm256_xor_si256(a, b); }
    static I round(I x, I key) { return _mm256_aesenc_epi128(x, key); }
    static I last_round(I x, I key) { return _mm256_aesenclast_epi128(x, key); }
};

} // namespace

const Kernels vaes_kernels = {"vaes", generate<One>, fill<Two>, encrypt<Two, One>};

} // namespace pearlite::random::ars_kernels
