#pragma once
/// Chains that the ranks hold in one block each, as a field of a checkpoint.

#include "core/fields.hpp"
#include "parallel/layout.hpp"
#include "pearlite/core/detail/block.hpp"

namespace pearlite::population {

/// `block`: this rank's items of the layout.
inline void list_block(Fields& f, const char* name, Block& block, const parallel::BlockLayout& layout) {
    const std::size_t bytes = block.packed_bytes();
    ShardedField field{ItemType::bytes, bytes, layout.size(), layout.first_local_item(), layout.local_items(), {}, {}};
    field.pack = [&block, bytes](Index first, Index count, std::span<std::byte> out) {
        for (Index i = 0; i < count; ++i)
            block.pack(first + i, out.subspan(at(i) * bytes, bytes));
    };
    field.unpack = [&block, bytes](Index first, Index count, std::span<const std::byte> in) {
        for (Index i = 0; i < count; ++i)
            block.unpack(first + i, in.subspan(at(i) * bytes, bytes));
    };
    f.sharded(name, field);
}

} // namespace pearlite::population
