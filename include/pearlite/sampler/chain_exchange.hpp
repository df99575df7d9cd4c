#pragma once
/// States of other chains, wherever they are, for crossovers.

#include "pearlite/core/block.hpp"
#include "pearlite/parallel/exchange.hpp"
#include "pearlite/parallel/layout.hpp"

#include <span>
#include <utility>
#include <vector>

namespace pearlite::sampler {

/// Slot i of the result holds the state of chain partner_of[first_local + i] of all chains; slots of chains without a
/// partner (-1) are left as make_chains() made them. Collective; `partner_of` is the same on every rank. What lies on
/// this rank is copied, the rest travels point to point: one packed state per partner moved.
template <class Space, class Chains>
Chains fetch_partners(const parallel::Communicator& ranks, const Space& space, const Chains& chains,
                      const parallel::BlockLayout& layout, std::span<const std::int64_t> partner_of) {
    const Index first = layout.first_local_item(), end = first + layout.local_items();
    Chains result = space.make_chains(layout.local_items());
    std::vector<std::byte> packed(chains.packed_bytes());
    // By peer: which local chains they want, and which of ours wait for theirs, in the order of the chain that asks.
    std::vector<std::vector<Index>> wanted(static_cast<std::size_t>(ranks.size())), waiting(wanted.size());
    for (Index i = 0; i < layout.size(); ++i) {
        const Index j = partner_of[static_cast<std::size_t>(i)];
        if (j < 0)
            continue;
        const bool asks = i >= first && i < end, has = j >= first && j < end;
        if (asks && has) {
            chains.pack(j - first, packed);
            result.unpack(i - first, packed);
        } else if (asks) {
            waiting[static_cast<std::size_t>(layout.owner_of_item(j))].push_back(i - first);
        } else if (has) {
            wanted[static_cast<std::size_t>(layout.owner_of_item(i))].push_back(j - first);
        }
    }
    std::vector<parallel::Transfer> outgoing, incoming;
    for (int peer = 0; peer < ranks.size(); ++peer) {
        const auto p = static_cast<std::size_t>(peer);
        if (!wanted[p].empty())
            outgoing.push_back({peer, static_cast<Index>(wanted[p].size())});
        if (!waiting[p].empty())
            incoming.push_back({peer, static_cast<Index>(waiting[p].size())});
    }
    if (outgoing.empty() && incoming.empty())
        return result;
    parallel::exchange(
        ranks, packed.size(), outgoing, incoming,
        [&](int peer, Index item, std::span<std::byte> out) {
            chains.pack(wanted[static_cast<std::size_t>(peer)][static_cast<std::size_t>(item)], out);
        },
        [&](int peer, Index item, std::span<const std::byte> in) {
            result.unpack(waiting[static_cast<std::size_t>(peer)][static_cast<std::size_t>(item)], in);
        });
    return result;
}

} // namespace pearlite::sampler
