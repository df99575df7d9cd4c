#pragma once
/// Normal draws in single precision for inner loops that need many, particle filters above all: one random word each,
/// several times as fast as the doubles of fill.hpp.

#include "pearlite/random/stream.hpp"

#include <span>

namespace pearlite::random {

/// The size of a group of normals; loops that ask for whole groups waste nothing.
inline constexpr std::size_t normal_group = 32;

/// out[i] is normal number first + i of the stream, N(0, 1) by Box-Muller in single precision. Group g has words 32 g
/// .. 32 g + 31; its normals j and 16 + j share the radius made of word j and the direction made of word 16 + j.
/// The number depends on the address and on first + i alone, never on the length of the span nor on the instruction
/// set. Radii have 31 bits: no draw is beyond 6.67 (chance 3e-11 each), and the distribution function is right to
/// 1e-7. first + out.size() <= 2^34, else ContractViolation.
void fill_normal(const Address& address, std::uint64_t first, std::span<float> out);

} // namespace pearlite::random
