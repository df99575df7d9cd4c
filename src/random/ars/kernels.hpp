#pragma once
/// ARS4x32 on many counters, one implementation for each set of instructions; all give the same bits. Each kernel
/// source is compiled for its instruction set; this header, which they share, has no inline functions.

#include <cstddef>
#include <cstdint>

namespace pearlite::random::ars_kernels {

/// Number of rounds. The paper finds that 5 rounds are the fewest that pass BigCrush, and recommends 7. The choice of 5
/// would save a tenth of an Ising job's time, which is not worth the margin: 5 rounds of AES have known structure over
/// 2^32 counters (Grassi, Rechberger & Ronjom 2017, "A new structural-differential property of 5-round AES"), as many
/// as a long run draws, and none is known of 7 rounds.
inline constexpr int rounds = 7;
/// The terms added to the low and to the high half of the key at every round: Weyl sequences of the golden ratio and
/// sqrt 3.
inline constexpr std::uint64_t weyl_low = 0x9E3779B97F4A7C15, weyl_high = 0xBB67AE8584CAA73B;

/// Which word of the counter goes up.
enum class Counting { draws, ids };

struct Kernels {
    const char* name;
    /// The four words of one counter.
    void (*generate)(const std::uint32_t* counter, const std::uint32_t* key, std::uint32_t* out);
    /// Words of counters `first`, `first` + 1, ... in the word that counts, without carry; n_words of them, the last
    /// counter cut short if need be.
    void (*fill)(const std::uint32_t* first, const std::uint32_t* key, Counting counting, std::uint32_t* out,
                 std::size_t n_words);
    /// The words of n counters in their places.
    void (*encrypt)(const std::uint32_t* key, std::uint32_t* counters, std::size_t n);
};

extern const Kernels software_kernels, aes_kernels, vaes_kernels, vaes512_kernels;

} // namespace pearlite::random::ars_kernels
