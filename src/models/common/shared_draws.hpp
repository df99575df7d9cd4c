#pragma once
/// Draws that all chains of a block share. Internal to the layer.

#include "pearlite/random/stream.hpp"

#include <cstdint>
#include <span>

namespace pearlite::models {

/// Independent and exactly uniform on 0 .. n-1, n < 2^31 (Lemire 2019): word k of the stream decides draw k; the few
/// words that would favour some values are replaced from a second stream, of a number that no block has.
void draw_indices(const random::Address& address, Index n, std::span<std::int32_t> out);

/// Words of a stream of planes from plane `plane` on, 16 words each.
void fill_planes(const random::Address& address, Index plane, std::span<std::uint32_t> words);

} // namespace pearlite::models
