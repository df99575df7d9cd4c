#pragma once
/// Arithmetic on 512 chains at once, a bit each (multi-spin coding). A plane of 512 bits is cut into parts as wide as
/// the machine's registers: GCC's vectors turn into good code at that width only. Nothing is carried from bit to bit,
/// so the cut does not show in any result.

#include "simd/arithmetic.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>

namespace pearlite::simd::bit_plane {

inline constexpr int chains = 512;
inline constexpr std::size_t words_per_plane = chains / 32;

inline constexpr std::size_t part_bytes = register_bytes;
inline constexpr std::size_t parts = chains / 8 / part_bytes;
inline constexpr std::size_t words_per_part = words_per_plane / parts;

using simd::any;

/// A part of a plane; a value-initialised one is all zeros.
using Bits = Words;

/// Part `part` of the plane that starts at `plane`.
inline Bits load(const void* plane, std::size_t part) {
    Bits bits;
    std::memcpy(&bits, static_cast<const std::byte*>(plane) + part * part_bytes, part_bytes);
    return bits;
}
inline void store(void* plane, std::size_t part, Bits bits) {
    std::memcpy(static_cast<std::byte*>(plane) + part * part_bytes, &bits, part_bytes);
}

inline Bits repeat(bool bit) {
    return Bits{} - static_cast<std::uint64_t>(bit);
}
inline Bits choose(Bits mask, Bits yes, Bits no) {
    return (mask & yes) | (~mask & no);
}
inline Bits majority(Bits a, Bits b, Bits c) {
#if defined(__AVX512F__) // one instruction, of which the compiler makes two
    const auto as_register = [](Bits x) { return reinterpret_cast<__m512i>(x); };
    return reinterpret_cast<Bits>(_mm512_ternarylogic_epi64(as_register(a), as_register(b), as_register(c), 0xe8));
#else
    return (a & b) | (c & (a | b));
#endif
}

/// Sum and carry of three bits, chain by chain.
struct Sum {
    Bits low, high;
};
inline Sum add(Bits a, Bits b, Bits c) {
    return {a ^ b ^ c, majority(a, b, c)};
}

/// p as a 64-bit fixed-point number: a uniform 64-bit number is below it with probability p, up to 2^-64 (p = 1
/// included).
inline std::uint64_t threshold(long double probability) {
    return probability >= 1 ? ~std::uint64_t{0} : static_cast<std::uint64_t>(std::rint(std::ldexp(probability, 64)));
}
/// Bit `k` of a threshold for every chain; bit 0 is the most significant.
inline Bits threshold_plane(std::uint64_t value, int k) {
    return repeat((value >> (63 - k) & 1) != 0);
}

/// Counts set bits of many planes, chain by chain: plane k of the counter holds bit k of the counts, which stay below
/// 2^26.
class Counter {
  public:
    /// Carry-save adders: carries wait for others of their weight, so that one ripple through the higher planes serves
    /// 32 planes.
    void add_eight(const std::array<Bits, 8>& p) {
        const Sum a = add(planes_[0], p[0], p[1]);
        const Sum b = add(a.low, p[2], p[3]);
        const Sum c = add(b.low, p[4], p[5]);
        const Sum d = add(c.low, p[6], p[7]);
        planes_[0] = d.low;
        const Sum e = add(planes_[1], a.high, b.high);
        const Sum f = add(e.low, c.high, d.high);
        planes_[1] = f.low;
        const Sum g = add(planes_[2], e.high, f.high);
        planes_[2] = g.low;
        const unsigned nth = eights_++ % 4;
        if (nth % 2 == 0) {
            eight_ = g.high;
            return;
        }
        const Sum h = add(planes_[3], eight_, g.high);
        planes_[3] = h.low;
        eight_ = Bits{};
        if (nth == 1) {
            sixteen_ = h.high;
            return;
        }
        const Sum i = add(planes_[4], sixteen_, h.high);
        planes_[4] = i.low;
        sixteen_ = Bits{};
        ripple(i.high, 5);
    }

    /// out[c] = offset + scale * count of the part's chain c.
    void counts(std::int32_t offset, std::int32_t scale, std::span<std::int32_t, 32 * words_per_part> out) {
        ripple(std::exchange(eight_, Bits{}), 3);
        ripple(std::exchange(sixteen_, Bits{}), 4);
        eights_ = 0;
        std::fill(out.begin(), out.end(), offset);
        for (std::size_t k = 0; k < planes_.size(); ++k) {
            if (!any(planes_[k])) {
                continue;
            }
            std::array<std::uint32_t, words_per_part> words;
            std::memcpy(words.data(), &planes_[k], sizeof words);
            const std::int32_t weight = scale * (std::int32_t{1} << k);
            for (std::size_t w = 0; w < words_per_part; ++w) {
                for (std::size_t c = 0; c < 32; ++c) {
                    out[32 * w + c] += weight * static_cast<std::int32_t>(words[w] >> c & 1u);
                }
            }
        }
    }

  private:
    void ripple(Bits carry, std::size_t k) {
        for (; any(carry); ++k) {
            const Bits sum = planes_[k] ^ carry;
            carry &= planes_[k];
            planes_[k] = sum;
        }
    }

    std::array<Bits, 26> planes_{};
    Bits eight_{}, sixteen_{}; ///< carries that wait
    unsigned eights_ = 0;
};

} // namespace pearlite::simd::bit_plane
