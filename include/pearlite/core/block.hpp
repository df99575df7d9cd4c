#pragma once
/// The block concept: what a population asks of the particles that it holds. A block's memory layout belongs to its
/// model; everybody else moves particles only through pack and unpack.

#include "pearlite/core/types.hpp"

#include <concepts>
#include <cstddef>
#include <span>

namespace pearlite {

/// A group of particles that is stored, moved and owned together.
///   size()            particles in it (logical size); slots are 0 .. size()-1
///   padded_size()     size rounded up to whole vector packets; padding is never packed, weighed or digested
///   packed_bytes()    bytes of one packed particle, the same for all particles of a model
///   pack(slot, out)   writes exactly packed_bytes() portable (little-endian) bytes
///   unpack(slot, in)  the inverse, bit for bit; derived quantities are recomputed afterwards by the model's `prepare`
template <class B>
concept ParticleBlock = requires(const B& block, B& mutable_block, Index slot, std::span<std::byte> out,
                                 std::span<const std::byte> in) {
    { block.size() } -> std::convertible_to<Index>;
    { block.padded_size() } -> std::convertible_to<Index>;
    { block.packed_bytes() } -> std::convertible_to<std::size_t>;
    block.pack(slot, out);
    mutable_block.unpack(slot, in);
};

} // namespace pearlite
