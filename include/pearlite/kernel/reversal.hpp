#pragma once
/// Kernels that run backwards in time.

#include "pearlite/model/block_streams.hpp"

#include <span>

namespace pearlite::kernel {

/// anneal_reversed(model, block, from, to, streams, increments, derivative): as anneal, with the time reversal of the
/// transition: p_b(x) T(y|x) = p_b(y) T'(x|y).
template <class K>
concept TimeReversible = requires(const K& kernel, const typename K::Model& model, typename K::Block& block,
                                  const pearlite::model::BlockStreams& streams, std::span<double> out) {
    kernel.anneal_reversed(model, block, 0.0, 0.0, streams, out, out);
};

} // namespace pearlite::kernel
