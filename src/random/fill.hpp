#pragma once
/// Draws by the block: the vectorised forms for inner loops. Element i depends on the address and on i alone, never on
/// the length of the span (for every element type and distribution), nor on the instruction set that it was built for.
/// A stream has 2^34 words; a longer span is a ContractViolation. Uniforms, normals and exponentials of doubles are the
/// numbers that a Stream at the same address draws one after another.

#include "pearlite/random/stream.hpp"

#include <span>

namespace pearlite::random {

/// Words of a stream: counter word 0 counts four at a time and must not come round.
inline constexpr std::uint64_t stream_words = std::uint64_t{1} << 34;

/// Raw words of the stream: out[i] is word i.
void fill_bits(const Address& address, std::span<std::uint32_t> out);
/// Uniform on (0, 1): 24 bits per float (one word), 53 bits per double (two words); half a step in place of zero.
void fill_uniform(const Address& address, std::span<float> out);
void fill_uniform(const Address& address, std::span<double> out);
/// N(0, 1) by Box-Muller on pairs of double uniforms: elements 2 j and 2 j + 1 from words 4 j .. 4 j + 3.
void fill_normal(const Address& address, std::span<double> out);
/// The normals from an even element `first` on; first + out.size() <= 2^33.
void fill_normal(const Address& address, std::uint64_t first, std::span<double> out);
/// Exponential of rate 1.
void fill_exponential(const Address& address, std::span<double> out);
/// out[i] = 1 with probability probabilities[i] (0 if below 0, 1 if above 1), else 0; spans of equal length <= 2^32.
/// Exact to 2^-48: 16 random bits decide (half i mod 2, low half first, of word i / 2); a tie (chance 2^-16) is settled
/// by 32 more bits, the word of the same stream at index 2^31 + i, so that no draw moves another. A NaN among the
/// probabilities is a NumericalError that names the element.
void fill_bernoulli(const Address& address, std::span<const float> probabilities, std::span<float> out);
void fill_bernoulli(const Address& address, std::span<const float> probabilities, std::span<std::int8_t> out);

/// The size of a group of normals; loops that ask for whole groups waste nothing.
inline constexpr std::size_t normal_group = 32;

/// out[i] is normal number first + i of the stream, N(0, 1) by Box-Muller in single precision. Group g has words 32 g
/// .. 32 g + 31; its normals j and 16 + j share the radius made of word j and the direction made of word 16 + j.
/// The number depends on the address and on first + i alone, never on the length of the span nor on the instruction
/// set. Radii have 31 bits: no draw is beyond 6.67 (chance 3e-11 each), and the distribution function is right to
/// 1e-7. first + out.size() <= 2^34, else ContractViolation.
void fill_normal(const Address& address, std::uint64_t first, std::span<float> out);

} // namespace pearlite::random
