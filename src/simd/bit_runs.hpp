#pragma once
/// Runs of bits in 64-bit words, least significant bit first. Words are followed by at least one more.

#include "simd/packet.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace pearlite::simd {

/// `count` ones, 1 .. 64, in the lowest bits.
constexpr std::uint64_t low_ones(Index count) {
    return ~std::uint64_t{0} >> (64 - count);
}

/// Bits position .. position + 63.
inline std::uint64_t bits_at(const std::uint64_t* words, Index position) {
    const std::uint64_t* const word = words + position / 64;
    const auto offset = static_cast<unsigned>(position % 64);
    return (word[0] >> offset) | (word[1] << 1 << (63 - offset)); // no shift by 64
}

inline void copy_bits(const std::uint64_t* from, Index from_bit, std::uint64_t* to, Index to_bit, Index count) {
    while (count > 0) {
        const Index offset = to_bit % 64;
        const Index chunk = std::min(64 - offset, count);
        const std::uint64_t mask = low_ones(chunk) << offset;
        std::uint64_t& word = to[to_bit / 64];
        word = (word & ~mask) | (bits_at(from, from_bit) << offset & mask);
        from_bit += chunk;
        to_bit += chunk;
        count -= chunk;
    }
}

/// The words that bits from .. to - 1 (at least one) lie in, and which of the bits of the first and of the last.
struct BitRun {
    BitRun(Index from, Index to) : first(from / 64), last((to - 1) / 64) {
        first_mask = ~std::uint64_t{0} << (from % 64);
        last_mask = low_ones((to - 1) % 64 + 1);
        if (first == last)
            first_mask = last_mask = first_mask & last_mask;
    }
    Index first, last;
    std::uint64_t first_mask, last_mask;
};

/// Counts the ones of many words, a register of words at a time: few CPUs have an instruction for a whole register.
class OnesCount {
  public:
    /// At most this number of packets: each byte counts its own ones, eight a packet.
    static constexpr Index most_packets = 31;

    [[gnu::always_inline]] void add(Words bits) {
        bits -= (bits >> 1) & 0x5555555555555555u;
        bits = (bits & 0x3333333333333333u) + ((bits >> 2) & 0x3333333333333333u);
        bytes_ += (bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    }
    [[gnu::always_inline]] Index total() const {
        const Words pairs = (bytes_ & 0x00ff00ff00ff00ffu) + ((bytes_ >> 8) & 0x00ff00ff00ff00ffu);
        std::uint64_t sum = 0; // four counts, each below 2^16
        for (Index lane = 0; lane < lanes<Words>; ++lane)
            sum += pairs[lane];
        return static_cast<Index>(sum * 0x0001000100010001u >> 48);
    }

  private:
    Words bytes_{};
};

/// Counts the k in from .. to - 1 with bit k of `mask` at which bit k of x differs from bit k + shift of z.
inline Index count_unlike(const std::uint64_t* x, const std::uint64_t* z, Index shift, const std::uint64_t* mask,
                          Index from, Index to) {
    if (from >= to)
        return 0;
    const BitRun run(from, to);
    const std::uint64_t* const shifted = z + shift / 64;
    const auto offset = static_cast<unsigned>(shift % 64);
    const auto unlike = [&](Index w) {
        const std::uint64_t other = (shifted[w] >> offset) | (shifted[w + 1] << 1 << (63 - offset));
        return (x[w] ^ other) & mask[w];
    };
    Index count = std::popcount(unlike(run.first) & run.first_mask);
    Index w = run.first + 1;
    while (w + lanes<Words> <= run.last) {
        OnesCount ones;
        const Index end = std::min(run.last, w + OnesCount::most_packets * lanes<Words>);
        for (; w + lanes<Words> <= end; w += lanes<Words>) {
            const Words other = (load_anywhere<Words>(shifted + w) >> offset) |
                                (load_anywhere<Words>(shifted + w + 1) << 1 << (63 - offset));
            ones.add((load_anywhere<Words>(x + w) ^ other) & load_anywhere<Words>(mask + w));
        }
        count += ones.total();
    }
    for (; w < run.last; ++w)
        count += std::popcount(unlike(w));
    if (run.last > run.first)
        count += std::popcount(unlike(run.last) & run.last_mask);
    return count;
}

inline void exchange_bits(std::uint64_t* a, std::uint64_t* b, Index from, Index to) {
    if (from >= to)
        return;
    const BitRun run(from, to);
    const auto exchange = [&](Index w, std::uint64_t mask) {
        const std::uint64_t unlike = (a[w] ^ b[w]) & mask;
        a[w] ^= unlike;
        b[w] ^= unlike;
    };
    exchange(run.first, run.first_mask);
    for (Index w = run.first + 1; w < run.last; ++w)
        exchange(w, ~std::uint64_t{0});
    if (run.last > run.first)
        exchange(run.last, run.last_mask);
}

} // namespace pearlite::simd
