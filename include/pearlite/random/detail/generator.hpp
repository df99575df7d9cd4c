#pragma once
/// The generators of random bits, and the seed of a run, which holds their starting value and selects one of them.

#include <array>
#include <cstdint>
#include <span>

namespace pearlite::random {

/// Both turn a counter of 128 bits and a key into 128 random bits (Salmon, Moraes, Dror & Shaw 2011).
enum class Generator : std::uint8_t { philox, ars };

/// "philox4x32-10", "ars4x32-7".
const char* name_of(Generator generator);

/// The seed that all streams of a run share. An integer converts to a seed of Philox. A seed converts back only through
/// its member `value`, so that no function drops the generator by accident.
struct Seed {
    std::uint64_t value = 0;
    Generator generator = Generator::philox;

    constexpr Seed() = default;
    // A run's seed is a number wherever it is written. NOLINTNEXTLINE(google-explicit-constructor)
    constexpr Seed(std::uint64_t number, Generator by = Generator::philox) : value(number), generator(by) {}

    friend constexpr bool operator==(const Seed&, const Seed&) = default;
};

using Counter = std::array<std::uint32_t, 4>;

/// The 128 bits of one counter, by the seed's generator.
Counter generate(const Counter& counter, const Seed& seed);
/// Words 4 i .. 4 i + 3 of `out` are generate({counter[0] + i, counter[1], counter[2], counter[3]}, seed); the last
/// group may be cut short.
void fill(const Counter& counter, const Seed& seed, std::span<std::uint32_t> out);

} // namespace pearlite::random
