#pragma once
/// The largest rate of AES rounds of a core: the ceiling of draws by ARS.

#include "pearlite/random/detail/ars.hpp"

#include <algorithm>
#include <ctime>
#include <string_view>

namespace pearlite::benchmarks {

namespace detail {

inline constexpr int aes_repeats = 1 << 20;

/// Rounds on fifteen registers that do not wait for one another, written for the assembler: they need no flags of the
/// compiler, which cannot leave any out.
inline void rounds_of_512_bits() {
    for (int i = 0; i < aes_repeats; ++i)
        asm volatile(".irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14\n vaesenc %%zmm15, %%zmm\\n, %%zmm\\n\n .endr" ::
                         : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10",
                           "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
}
inline void rounds_of_128_bits() {
    for (int i = 0; i < aes_repeats; ++i)
        asm volatile(".irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14\n aesenc %%xmm15, %%xmm\\n\n .endr" ::
                         : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10",
                           "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
}

} // namespace detail

/// Rounds of AES, of 128 bits each, per second of processor time by the widest instructions that ARS takes here; 0 if
/// these are neither of 512 nor of 128 bits. Measured once.
inline double most_aes_rounds_per_second() {
    static const double most = [] {
        const std::string_view implementation = random::Ars::implementation();
        const bool is_wide = implementation == "vaes512";
        if (!is_wide && implementation != "aes")
            return 0.0;
        double best = 0;
        for (int repeat = 0; repeat < 15; ++repeat) {
            const std::clock_t begin = std::clock(); // CPU time, as counters are
            is_wide ? detail::rounds_of_512_bits() : detail::rounds_of_128_bits();
            const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
            best = std::max(best, 15.0 * detail::aes_repeats * (is_wide ? 4 : 1) / seconds);
        }
        return best;
    }();
    return most;
}

} // namespace pearlite::benchmarks
