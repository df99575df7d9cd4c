#include "population/generation.hpp"

#include "parallel/agreement.hpp"
#include "parallel/exchange.hpp"
#include "population/shards.hpp"

#include <numeric>
#include <optional>

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
    return field_of_items(type, item_bytes, size(), layout_.first_local_item(), values);
}

namespace {

/// Global slots first .. end-1.
struct SlotRange {
    Index first, end;
    Index size() const { return end - first; }
};

/// The slots that `a` gives to rank `from` and `b` gives to rank `to`.
SlotRange common_range(const parallel::BlockLayout& a, int from, const parallel::BlockLayout& b, int to) {
    const Index first = std::max(a.first_item(from), b.first_item(to));
    return {first, std::max(first, std::min(a.first_item(from + 1), b.first_item(to + 1)))};
}

} // namespace

void deal(const parallel::Communicator& ranks, Generation& generation, const parallel::BlockLayout& layout,
          std::size_t particle_bytes, const MakeBlock& make_block, const std::function<void(Block&)>& prepare) {
    const parallel::BlockLayout before = generation.layout();
    const int me = ranks.rank();
    const auto kept = common_range(before, me, layout, me);
    const auto is_kept = [&](Index item) { return item >= kept.first && item < kept.end; };

    // Leaving particles are packed before anything is moved.
    std::vector<parallel::Transfer> outgoing, incoming;
    std::vector<SlotRange> leaving(static_cast<std::size_t>(ranks.size())), arriving = leaving;
    for (int peer = 0; peer < ranks.size(); ++peer) {
        const auto p = static_cast<std::size_t>(peer);
        if (peer == me)
            continue;
        leaving[p] = common_range(before, me, layout, peer);
        arriving[p] = common_range(before, peer, layout, me);
        if (leaving[p].size() > 0)
            outgoing.push_back({peer, leaving[p].size()});
        if (arriving[p].size() > 0)
            incoming.push_back({peer, arriving[p].size()});
    }

    std::optional<Generation> dealt;
    parallel::together(ranks, [&] {
        Index item = layout.first_local_item();
        dealt.emplace(layout, generation.number(), [&](Index size) {
            const Index first = std::exchange(item, item + size);
            return is_kept(first) ? generation.release((first - before.first_local_item()) / before.block())
                                  : make_block(size);
        });
        const auto copy_kept = [&](const auto& from, auto& to) {
            std::copy_n(from.begin() + (kept.first - before.first_local_item()), kept.size(),
                        to.begin() + (kept.first - layout.first_local_item()));
        };
        if (kept.size() > 0) {
            copy_kept(generation.log_weights(), dealt->log_weights());
            copy_kept(generation.eves(), dealt->eves());
        }
    });

    constexpr std::size_t weight_bytes = sizeof(double), eve_bytes = sizeof(std::int64_t);
    const auto error = parallel::exchange_deferring(
        ranks, particle_bytes + weight_bytes + eve_bytes, outgoing, incoming,
        [&](int peer, Index item, std::span<std::byte> out) {
            const Index slot = leaving[static_cast<std::size_t>(peer)].first + item - before.first_local_item();
            const auto i = static_cast<std::size_t>(slot);
            generation.pack(slot, out.first(particle_bytes));
            std::memcpy(out.data() + particle_bytes, &generation.log_weights()[i], weight_bytes);
            std::memcpy(out.data() + particle_bytes + weight_bytes, &generation.eves()[i], eve_bytes);
        },
        [&](int peer, Index item, std::span<const std::byte> in) {
            const Index slot = arriving[static_cast<std::size_t>(peer)].first + item - layout.first_local_item();
            const auto i = static_cast<std::size_t>(slot);
            dealt->unpack(slot, in.first(particle_bytes));
            std::memcpy(&dealt->log_weights()[i], in.data() + particle_bytes, weight_bytes);
            std::memcpy(&dealt->eves()[i], in.data() + particle_bytes + weight_bytes, eve_bytes);
        });
    parallel::together(ranks, [&] {
        if (error)
            std::rethrow_exception(error);
        for (Index b = 0; b < dealt->local_blocks(); ++b)
            if (!is_kept(layout.first_local_item() + dealt->block_begin(b)))
                prepare(dealt->block(b));
    });
    generation = std::move(*dealt);
}

} // namespace pearlite::population
