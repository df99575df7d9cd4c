#pragma once
/// Draws by the block: the vectorised forms for inner loops. Element i depends on the address and on i alone, never on
/// the length of the span (for every element type and distribution).

#include "pearlite/random/stream.hpp"

#include <span>

namespace pearlite::random {

/// Raw words of the stream: out[i] is word i.
void fill_bits(const Address& address, std::span<std::uint32_t> out);
/// Uniform on (0, 1): 24 bits per float (one word), 53 bits per double (two words).
void fill_uniform(const Address& address, std::span<float> out);
void fill_uniform(const Address& address, std::span<double> out);
/// N(0, 1) by Box-Muller on pairs of double uniforms.
void fill_normal(const Address& address, std::span<double> out);
/// Exponential of rate 1.
void fill_exponential(const Address& address, std::span<double> out);
/// out[i] = 1 with probability probabilities[i], else 0. Exact to 2^-32: 16 random bits decide, a tie (probability 2^-16)
/// is settled by 32 more bits (words of the same stream at index 2^31 + i, so that no draw moves another).
void fill_bernoulli(const Address& address, std::span<const float> probabilities, std::span<float> out);
void fill_bernoulli(const Address& address, std::span<const float> probabilities, std::span<std::int8_t> out);

} // namespace pearlite::random
