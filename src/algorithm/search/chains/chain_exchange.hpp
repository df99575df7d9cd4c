#pragma once
/// Messages between chains on different ranks for crossovers: states of partners, children of pairs.

#include "algorithm/search/bias/search_memory.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace pearlite::algorithm {

/// The facts of a child by which its pair decides.
struct Child {
    double energy = 0, log_ratio = 0;
    Index region = 0;
};

/// Slot i of `result`, which has room for this rank's chains, is to become the state of chain partner_of[first_local +
/// i] of all chains; slots of chains without a partner (-1) stay as they are.
struct PartnerFetch {
    std::span<const std::int64_t> partner_of;
    Block& result;
};

/// All members are collective.
class ChainExchange {
  public:
    /// Bytes of a machine's shared memory that states may take: containers have little of it, and for larger states the
    /// cost of a message is negligible.
    static constexpr std::size_t room = std::size_t{8} << 20;

    using Memory = parallel::SharedGather::Memory;
    ChainExchange(const parallel::Communicator& ranks, const parallel::BlockLayout& chains, std::size_t state_bytes,
                  Memory memory = Memory::shared_on_one_machine);

    /// Each `partner_of` is the same on every rank. States on this rank are copied. The others travel packed, through
    /// memory that all ranks share where they run on one machine and there is room, else point to point.
    void fetch(const model::Space& space, const Block& chains, std::span<const PartnerFetch> fetches);

    /// The children of all chains, from the proposals of this rank's chains, until the next call.
    std::span<const Child> gather_children(const model::Proposals& proposals, std::span<const Index> proposed_regions);

  private:
    /// A slot that waits for the state of a peer's chain.
    struct Waiting {
        Block* result;
        Index slot;
        std::int64_t partner;
    };
    int owner(std::int64_t chain) const { return owner_[static_cast<std::size_t>(chain)]; }
    bool is_here(std::int64_t chain) const { return chain >= first_ && chain < first_ + layout_.local_items(); }
    void copy_here(const model::Space& space, const Block& chains, const PartnerFetch& fetch);
    void fetch_through_memory(const Block& chains, std::span<const PartnerFetch> fetches);
    void fetch_from_peers(const Block& chains, const PartnerFetch& fetch);

    parallel::Communicator ranks_;
    parallel::BlockLayout layout_;
    Memory memory_;
    Index first_;
    std::size_t state_bytes_, share_; ///< share_: the chains of the rank that has most
    std::vector<int> owner_;          ///< of each chain
    std::vector<Index> source_;
    std::vector<std::uint8_t> is_wanted_; ///< this rank's chains, by peers
    std::vector<Waiting> waiting_;
    std::vector<Child> children_;
    std::optional<bool> shares_memory_; ///< where states have travelled
    std::unique_ptr<parallel::SharedGather> states_, gathered_children_;
};

/// The log acceptance of the pair of chains `one` and `other`; `children` holds the children of all chains.
double log_acceptance_of_pair(const SearchMemory& memory, const SearchMemory::Acceptance& acceptance,
                              const SearchSettings& settings, std::span<const Child> children, std::size_t one,
                              std::size_t other);

} // namespace pearlite::algorithm
