#pragma once
/// States of other chains, wherever they are, for crossovers.

#include "pearlite/core/block.hpp"
#include "pearlite/parallel/exchange.hpp"
#include "pearlite/parallel/layout.hpp"

#include <span>
#include <utility>
#include <vector>

namespace pearlite::sampler {

/// Slot i of `to` becomes the state in slot source[i] of `from`, where that is not negative; by copy(), if the chains
/// have one.
template <class Chains>
void copy_states(const Chains& from, std::span<const Index> source, Chains& to) {
    if constexpr (requires { to.copy(from, source); }) {
        to.copy(from, source);
    } else {
        std::vector<std::byte> packed(from.packed_bytes());
        for (std::size_t i = 0; i < source.size(); ++i) {
            if (source[i] < 0)
                continue;
            from.pack(source[i], packed);
            to.unpack(static_cast<Index>(i), packed);
        }
    }
}

/// Slot i of `result`, which has room for this rank's chains, becomes the state of chain partner_of[first_local + i] of
/// all chains; slots of chains without a partner (-1) stay as they are. Collective; `partner_of` is the same on every
/// rank. What lies on this rank is copied, the rest travels point to point: one packed state per partner moved.
template <class Chains>
void fetch_partners(const parallel::Communicator& ranks, const Chains& chains, const parallel::BlockLayout& layout,
                    std::span<const std::int64_t> partner_of, Chains& result) {
    const Index first = layout.first_local_item(), end = first + layout.local_items();
    if (ranks.size() == 1)
        return copy_states(chains, partner_of, result);
    // By peer: which local chains they want, and which of ours wait for theirs, in the order of the chain that asks.
    std::vector<std::vector<Index>> wanted(static_cast<std::size_t>(ranks.size())), waiting(wanted.size());
    std::vector<Index> local(static_cast<std::size_t>(layout.local_items()), -1);
    for (Index i = 0; i < layout.size(); ++i) {
        const Index j = partner_of[static_cast<std::size_t>(i)];
        if (j < 0)
            continue;
        const bool asks = i >= first && i < end, has = j >= first && j < end;
        if (asks && has)
            local[static_cast<std::size_t>(i - first)] = j - first;
        else if (asks)
            waiting[static_cast<std::size_t>(layout.owner_of_item(j))].push_back(i - first);
        else if (has)
            wanted[static_cast<std::size_t>(layout.owner_of_item(i))].push_back(j - first);
    }
    copy_states(chains, std::span<const Index>(local), result);
    std::vector<parallel::Transfer> outgoing, incoming;
    for (int peer = 0; peer < ranks.size(); ++peer) {
        const auto p = static_cast<std::size_t>(peer);
        if (!wanted[p].empty())
            outgoing.push_back({peer, static_cast<Index>(wanted[p].size())});
        if (!waiting[p].empty())
            incoming.push_back({peer, static_cast<Index>(waiting[p].size())});
    }
    if (outgoing.empty() && incoming.empty())
        return;
    parallel::exchange(
        ranks, chains.packed_bytes(), outgoing, incoming,
        [&](int peer, Index item, std::span<std::byte> out) {
            chains.pack(wanted[static_cast<std::size_t>(peer)][static_cast<std::size_t>(item)], out);
        },
        [&](int peer, Index item, std::span<const std::byte> in) {
            result.unpack(waiting[static_cast<std::size_t>(peer)][static_cast<std::size_t>(item)], in);
        });
}

} // namespace pearlite::sampler
