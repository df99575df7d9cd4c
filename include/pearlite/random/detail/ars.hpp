#pragma once
/// ARS4x32 (Salmon, Moraes, Dror & Shaw 2011, section 3.1): rounds of the cipher AES with a Weyl sequence for its round
/// keys. Counter-based random bits, 128 at a time.

#include <array>
#include <cstdint>
#include <span>

namespace pearlite::random {

/// With the AES instructions of a CPU, several times as fast as Philox; without them slower, with the same bits.
struct Ars {
    static constexpr const char* name = "ars4x32-7";
    using Counter = std::array<std::uint32_t, 4>;
    using Key = std::array<std::uint32_t, 4>;

    /// The key of a 64-bit seed: its two words, low first, and two words of the binary digits of pi.
    static constexpr Key key(std::uint64_t seed) {
        return {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32), 0x243f6a88u, 0x85a308d3u};
    }

    /// One counter's 128 bits; equal to Random123's ars4x32 of 7 rounds.
    static Counter generate(const Counter& counter, const Key& key);
    /// Words 4 i .. 4 i + 3 of `out` are generate({counter[0] + i, counter[1], counter[2], counter[3]}, key); the last
    /// group may be cut short.
    static void fill(const Counter& counter, const Key& key, std::span<std::uint32_t> out);
    /// Whole counters, out[4 i .. 4 i + 3]: generate({counter[0], counter[1], counter[2] + i, counter[3]}, key).
    static void fill_ids(const Counter& counter, const Key& key, std::span<std::uint32_t> out);
    /// Puts the words of whole counters, which are anywhere, in their places.
    static void encrypt(const Key& key, std::span<std::uint32_t> counters);

    /// The implementation that was chosen when the program began: "software", "aes", "vaes", "vaes512".
    static const char* implementation();
};

} // namespace pearlite::random
