#include "algorithm/search/chains/chain_exchange.hpp"

#include "algorithm/search/chains/meetings.hpp"
#include "parallel/exchange.hpp"
#include "parallel/shared_memory/machine_memory.hpp"

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

ChainExchange::ChainExchange(const parallel::Communicator& ranks, const parallel::BlockLayout& chains,
                             std::size_t state_bytes, Memory memory)
    : ranks_(ranks),
      layout_(chains),
      memory_(memory),
      first_(chains.first_local_item()),
      state_bytes_(state_bytes),
      share_(static_cast<std::size_t>((chains.size() + ranks.size() - 1) / ranks.size())),
      children_(static_cast<std::size_t>(chains.size())) {
    for (Index i = 0; i < chains.size(); ++i)
        owner_.push_back(chains.owner_of_item(i));
}

void ChainExchange::fetch(const model::Space& space, const Block& chains, std::span<const PartnerFetch> fetches) {
    if (ranks_.size() == 1) {
        for (const auto& fetch : fetches)
            space.copy_states(chains, fetch.partner_of, fetch.result);
        return;
    }
    bool does_any_travel = false;
    for (const auto& fetch : fetches) {
        copy_here(space, chains, fetch);
        for (Index i = 0; i < layout_.size(); ++i) {
            const auto partner = fetch.partner_of[static_cast<std::size_t>(i)];
            does_any_travel |= partner >= 0 && owner(partner) != owner(i);
        }
    }
    if (!does_any_travel)
        return;
    if (!shares_memory_) {
        const std::size_t bytes = share_ * state_bytes_;
        const bool has_room = 2 * static_cast<std::size_t>(ranks_.size()) * bytes <= room;
        shares_memory_ = has_room && memory_ == Memory::shared_on_one_machine && parallel::on_one_machine(ranks_);
        if (*shares_memory_)
            states_ = std::make_unique<parallel::SharedGather>(ranks_, bytes);
    }
    if (*shares_memory_)
        return fetch_through_memory(chains, fetches);
    for (const auto& fetch : fetches)
        fetch_from_peers(chains, fetch);
}

void ChainExchange::copy_here(const model::Space& space, const Block& chains, const PartnerFetch& fetch) {
    source_.assign(static_cast<std::size_t>(layout_.local_items()), -1);
    for (std::size_t i = 0; i < source_.size(); ++i) {
        const auto partner = fetch.partner_of[static_cast<std::size_t>(first_) + i];
        if (is_here(partner))
            source_[i] = partner - first_;
    }
    space.copy_states(chains, source_, fetch.result);
}

/// A rank packs its states that others want, each at its place, and reads those that it wants itself.
void ChainExchange::fetch_through_memory(const Block& chains, std::span<const PartnerFetch> fetches) {
    const auto place = [this](std::int64_t chain) {
        return static_cast<std::size_t>(chain - layout_.first_item(owner(chain))) * state_bytes_;
    };
    is_wanted_.assign(share_, 0);
    waiting_.clear();
    for (const auto& fetch : fetches)
        for (Index i = 0; i < layout_.size(); ++i) {
            const auto partner = fetch.partner_of[static_cast<std::size_t>(i)];
            if (partner < 0 || is_here(i) == is_here(partner))
                continue;
            if (is_here(i))
                waiting_.push_back({&fetch.result, i - first_, partner});
            else
                is_wanted_[static_cast<std::size_t>(partner - first_)] = 1;
        }
    const auto own = states_->own();
    for (std::size_t i = 0; i < share_; ++i)
        if (is_wanted_[i] != 0)
            prefetch_to_write(own.subspan(i * state_bytes_, state_bytes_));
    for (std::size_t i = 0; i < share_; ++i)
        if (is_wanted_[i] != 0)
            chains.pack(static_cast<Index>(i), own.subspan(i * state_bytes_, state_bytes_));
    states_->gather(waiting_.size() * state_bytes_);
    const auto state_of = [&](const Waiting& its) {
        return states_->of(owner(its.partner)).subspan(place(its.partner), state_bytes_);
    };
    for (const auto& its : waiting_)
        prefetch_to_read(state_of(its));
    for (const auto& its : waiting_)
        its.result->unpack(its.slot, state_of(its));
}

void ChainExchange::fetch_from_peers(const Block& chains, const PartnerFetch& fetch) {
    // The local chains that peers want, and those that wait for peers' states, in the order of the asking chains.
    std::vector<Trade> wanted, waiting;
    for (Index i = 0; i < layout_.size(); ++i) {
        const auto partner = fetch.partner_of[static_cast<std::size_t>(i)];
        if (partner < 0 || is_here(i) == is_here(partner))
            continue;
        if (is_here(i))
            waiting.push_back({owner(partner), i - first_});
        else
            wanted.push_back({owner(i), partner - first_}); // the peers ascend with i
    }
    if (wanted.empty() && waiting.empty())
        return;
    std::stable_sort(waiting.begin(), waiting.end(), [](const Trade& a, const Trade& b) { return a.peer < b.peer; });
    const Trades outgoing(std::move(wanted)), incoming(std::move(waiting));
    parallel::exchange(
        ranks_, state_bytes_, outgoing.transfers(), incoming.transfers(),
        [&](int peer, Index item, std::span<std::byte> out) { chains.pack(outgoing.chain(peer, item), out); },
        [&](int peer, Index item, std::span<const std::byte> in) {
            fetch.result.unpack(incoming.chain(peer, item), in);
        });
}

std::span<const Child> ChainExchange::gather_children(const model::Proposals& proposals,
                                                      std::span<const Index> proposed_regions) {
    const auto n = static_cast<std::size_t>(layout_.local_items());
    const auto child = [&](std::size_t i) {
        return Child{proposals.energies[i], proposals.log_ratios[i], proposed_regions[i]};
    };
    if (ranks_.size() == 1) {
        for (std::size_t i = 0; i < n; ++i)
            children_[i] = child(i);
        return children_;
    }
    if (!gathered_children_)
        gathered_children_ = std::make_unique<parallel::SharedGather>(ranks_, share_ * sizeof(Child), memory_);
    const auto mine = gathered_children_->own();
    for (std::size_t i = 0; i < n; ++i) {
        const Child its = child(i);
        std::memcpy(mine.data() + i * sizeof its, &its, sizeof its);
    }
    gathered_children_->gather();
    for (int rank = 0; rank < ranks_.size(); ++rank)
        std::memcpy(children_.data() + layout_.first_item(rank), gathered_children_->of(rank).data(),
                    static_cast<std::size_t>(layout_.first_item(rank + 1) - layout_.first_item(rank)) * sizeof(Child));
    return children_;
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
