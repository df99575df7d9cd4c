#pragma once
/// Philox4x32-10 (Salmon, Moraes, Dror & Shaw 2011): counter-based random bits, 128 at a time.

#include <array>
#include <cstdint>
#include <span>

namespace pearlite::random {

/// The generator of all runs that name no other.
struct Philox {
    static constexpr const char* name = "philox4x32-10";
    using Counter = std::array<std::uint32_t, 4>;
    using Key = std::array<std::uint32_t, 2>;

    /// The key of a 64-bit seed: its two words, low first.
    static constexpr Key key(std::uint64_t seed) {
        return {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)};
    }

    /// One counter's 128 bits; equal to Random123's philox4x32 of 10 rounds.
    static Counter generate(Counter counter, Key key);

    /// Words 4 i .. 4 i + 3 of `out` are generate({counter[0] + i, counter[1], counter[2], counter[3]}, key); the last
    /// group may be cut short. Vectorised (AVX-512, AVX2, or plain), with the same bits in each.
    static void fill(Counter counter, Key key, std::span<std::uint32_t> out);
};

} // namespace pearlite::random
