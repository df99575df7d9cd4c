#pragma once
/// A field that the ranks hold together, as files see it: items of equal size, of which each rank holds a contiguous
/// run.

#include "pearlite/core/types.hpp"

#include <cstddef>
#include <functional>
#include <span>

namespace pearlite {

/// The type of an item's bytes, so that other programs can read the files: `bytes` is opaque.
enum class ItemType { bytes, float64, int64 };

/// A view of one sharded field: items 0 .. items-1 in global order, of which this rank holds
/// [first_local, first_local + local). The functions copy `count` items from local position `first` (0-based on this
/// rank) to or from `count * item_bytes` bytes.
struct ShardedField {
    ItemType type = ItemType::bytes;
    std::size_t item_bytes = 0; ///< bytes of an item; for float64 and int64 a multiple of 8
    Index items = 0;
    Index first_local = 0;
    Index local = 0;
    std::function<void(Index first, Index count, std::span<std::byte> out)> pack;
    std::function<void(Index first, Index count, std::span<const std::byte> in)> unpack;
};

} // namespace pearlite
