#include "algorithm/search_chains/chain_exchange.hpp"

#include "algorithm/search_chains/meetings.hpp"
#include "core/log_space.hpp"
#include "parallel/exchange.hpp"

#include <cstring>
#include <vector>

namespace pearlite::algorithm {

void fetch_partners(const parallel::Communicator& ranks, const model::Space& space, const Block& chains,
                    const parallel::BlockLayout& layout, std::span<const std::int64_t> partner_of, Block& result) {
    const Index first = layout.first_local_item(), end = first + layout.local_items();
    if (ranks.size() == 1)
        return space.copy_states(chains, partner_of, result);
    // By peer: the local chains that it wants and those that wait for its states, in the order of the asking chains.
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
    space.copy_states(chains, local, result);
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

void gather_children(const parallel::Communicator& ranks, const parallel::BlockLayout& chains,
                     const model::Proposals& proposals, std::span<const Index> proposed_regions,
                     std::vector<Child>& all) {
    const auto n = static_cast<std::size_t>(chains.local_items());
    const auto put = [&](std::vector<Child>& mine) {
        for (std::size_t i = 0; i < n; ++i)
            mine[i] = {proposals.energies[i], proposals.log_ratios[i], proposed_regions[i]};
    };
    all.resize(static_cast<std::size_t>(chains.size()));
    if (ranks.size() == 1)
        return put(all);
    // Equal shares, so that one collective suffices.
    const auto share = static_cast<std::size_t>((chains.size() + ranks.size() - 1) / ranks.size());
    std::vector<Child> mine(share);
    put(mine);
    const auto bytes = ranks.all_gather_bytes_of_equal_size(std::as_bytes(std::span(mine)));
    for (int r = 0; r < ranks.size(); ++r)
        std::memcpy(all.data() + chains.first_item(r),
                    bytes.data() + static_cast<std::size_t>(r) * share * sizeof(Child),
                    static_cast<std::size_t>(chains.first_item(r + 1) - chains.first_item(r)) * sizeof(Child));
}

double log_acceptance_of_pair(const SearchMemory& memory, const SearchMemory::Acceptance& acceptance,
                              const SearchSettings& settings, std::span<const Child> children, std::size_t one,
                              std::size_t other) {
    const auto energies = memory.energies();
    double log_alpha = 0;
    for (const std::size_t chain : {one, other})
        log_alpha += acceptance(chain, energies[chain], memory.region(chain), children[chain].energy,
                                children[chain].region, children[chain].log_ratio);
    if (settings.crossover == SearchSettings::Crossover::single && log_alpha > log_zero)
        log_alpha += pair_log_ratio(energies, one, other, children[one].energy, children[other].energy,
                                    settings.selection_temperature);
    return log_alpha;
}

} // namespace pearlite::algorithm
