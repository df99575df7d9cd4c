#pragma once
/// Draws for many consecutive ids at once, an id per vector lane, for chains that move side by side. The numbers are
/// those that a Stream, or fill.hpp, draws at each address, bit for bit; only floats have other numbers.

#include "pearlite/core/detail/lane_padding.hpp"
#include "pearlite/random/stream.hpp"

#include <span>

namespace pearlite::random {

/// out[k n + i] is element k of the stream at the address with id + i; n lanes, a multiple of lane_padding (0 of a
/// rank that has no chains), and out.size() a multiple of n. The ids of all lanes must share their upper bits (id >>
/// 32): ContractViolation.
void fill_uniform_lanes(const Address& address, Index n, std::span<double> out);
void fill_normal_lanes(const Address& address, Index n, std::span<double> out);
/// In single precision, four from each 128 bits: the noise of proposals, which need not be finer. |z| < 6.8.
void fill_normal_lanes(const Address& address, Index n, std::span<float> out);
/// `skip` elements are left out first: the numbers k + skip.
void fill_exponential_lanes(const Address& address, Index n, std::span<double> out, Index skip = 0);

/// The first numbers of many steps at once, which hides the latency of one: out[s n + i] is element 0 of the stream at
/// the address with id + i and step + s.
void fill_uniform_steps(const Address& address, Index n, std::span<double> out);
void fill_exponential_steps(const Address& address, Index n, std::span<double> out);

} // namespace pearlite::random
