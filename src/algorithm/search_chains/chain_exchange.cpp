#include "algorithm/search_chains/chain_exchange.hpp"

#include "algorithm/search_chains/meetings.hpp"
#include "core/log_space.hpp"
#include "parallel/exchange.hpp"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

namespace pearlite::algorithm {

namespace {

/// A state that travels between this rank and a peer: of a local chain, or to its slot.
struct Trade {
    int peer;
    Index chain;
};

/// Trades by their peers; the peers ascend. Memory and time depend on the trades alone, not on the number of ranks.
class Trades {
  public:
    explicit Trades(std::vector<Trade> trades) : trades_(std::move(trades)) {
        for (std::size_t k = 0; k < trades_.size(); ++k) {
            if (k == 0 || trades_[k].peer != trades_[k - 1].peer) {
                transfers_.push_back({trades_[k].peer, 0});
                begins_.push_back(k);
            }
            ++transfers_.back().items;
        }
    }
    std::span<const parallel::Transfer> transfers() const { return transfers_; }
    Index chain(int peer, Index item) const {
        const auto place = std::lower_bound(transfers_.begin(), transfers_.end(), peer,
                                            [](const auto& transfer, int p) { return transfer.peer < p; });
        return trades_[begins_[static_cast<std::size_t>(place - transfers_.begin())] + static_cast<std::size_t>(item)]
            .chain;
    }

  private:
    std::vector<Trade> trades_;
    std::vector<parallel::Transfer> transfers_;
    std::vector<std::size_t> begins_;
};

} // namespace

void fetch_partners(const parallel::Communicator& ranks, const model::Space& space, const Block& chains,
                    const parallel::BlockLayout& layout, std::span<const std::int64_t> partner_of, Block& result) {
    const Index first = layout.first_local_item(), end = first + layout.local_items();
    if (ranks.size() == 1)
        return space.copy_states(chains, partner_of, result);
    // The local chains that peers want, and those that wait for peers' states, in the order of the asking chains.
    std::vector<Trade> wanted, waiting;
    std::vector<Index> local(static_cast<std::size_t>(layout.local_items()), -1);
    for (Index i = 0; i < layout.size(); ++i) {
        const Index j = partner_of[static_cast<std::size_t>(i)];
        if (j < 0)
            continue;
        const bool asks = i >= first && i < end, has = j >= first && j < end;
        if (asks && has)
            local[static_cast<std::size_t>(i - first)] = j - first;
        else if (asks)
            waiting.push_back({layout.owner_of_item(j), i - first});
        else if (has)
            wanted.push_back({layout.owner_of_item(i), j - first}); // the peers ascend with i
    }
    std::stable_sort(waiting.begin(), waiting.end(), [](const Trade& a, const Trade& b) { return a.peer < b.peer; });
    space.copy_states(chains, local, result);
    if (wanted.empty() && waiting.empty())
        return;
    const Trades outgoing(std::move(wanted)), incoming(std::move(waiting));
    parallel::exchange(
        ranks, chains.packed_bytes(), outgoing.transfers(), incoming.transfers(),
        [&](int peer, Index item, std::span<std::byte> out) { chains.pack(outgoing.chain(peer, item), out); },
        [&](int peer, Index item, std::span<const std::byte> in) { result.unpack(incoming.chain(peer, item), in); });
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
