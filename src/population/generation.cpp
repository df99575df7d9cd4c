#include "population/generation.hpp"

#include <algorithm>
#include <numeric>

namespace pearlite::population {

Generation::Generation(const parallel::BlockLayout& layout, Index number, const MakeBlock& make_block)
    : layout_(layout),
      number_(number),
      log_weights_(static_cast<std::size_t>(layout.local_items()), 0.0),
      eves_(static_cast<std::size_t>(layout.local_items())) {
    blocks_.reserve(static_cast<std::size_t>(layout.local_blocks()));
    for (Index b = 0; b < layout.local_blocks(); ++b)
        blocks_.push_back(make_block(layout.block_size(layout.first_local_block() + b)));
    std::iota(eves_.begin(), eves_.end(), layout.first_local_item());
}

ShardedField Generation::particles_field(std::size_t particle_bytes) {
    ShardedField field{ItemType::bytes, particle_bytes, size(), layout_.first_local_item(), local_size(), {}, {}};
    field.pack = [this, particle_bytes](Index first, Index count, std::span<std::byte> out) {
        for (Index i = 0; i < count; ++i)
            pack(first + i, out.subspan(static_cast<std::size_t>(i) * particle_bytes, particle_bytes));
    };
    field.unpack = [this, particle_bytes](Index first, Index count, std::span<const std::byte> in) {
        for (Index i = 0; i < count; ++i)
            unpack(first + i, in.subspan(static_cast<std::size_t>(i) * particle_bytes, particle_bytes));
    };
    return field;
}

ShardedField Generation::bytes_field(std::span<std::byte> values, std::size_t item_bytes, ItemType type) const {
    ShardedField field{type, item_bytes, size(), layout_.first_local_item(), local_size(), {}, {}};
    const auto items = [values, item_bytes](Index first, Index count) {
        return values.subspan(static_cast<std::size_t>(first) * item_bytes,
                              static_cast<std::size_t>(count) * item_bytes);
    };
    field.pack = [items](Index first, Index count, std::span<std::byte> out) {
        const auto bytes = items(first, count);
        std::copy(bytes.begin(), bytes.end(), out.begin());
    };
    field.unpack = [items](Index first, Index count, std::span<const std::byte> in) {
        const auto bytes = items(first, count);
        std::copy(in.begin(), in.end(), bytes.begin());
    };
    return field;
}

} // namespace pearlite::population
