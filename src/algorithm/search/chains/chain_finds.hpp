#pragma once
/// The states of low energy that the chains of a rank found: the best of all, and the best of each region.

#include "algorithm/search/search_record.hpp"
#include "parallel/layout.hpp"

#include <span>
#include <vector>

namespace pearlite::algorithm {

/// Keeps the best state of each region. Without room for a state of every region, it keeps only the best of all.
class ChainFinds {
  public:
    /// Bytes of states that a rank keeps at most.
    static constexpr std::size_t room = std::size_t{16} << 20;

    /// `state_bytes`: the size of a packed state.
    explicit ChainFinds(std::size_t state_bytes) : bytes_(state_bytes) {}

    /// Forgets the regions and begins with `regions` new ones.
    void begin_regions(Index regions);
    bool keeps_regions() const { return !energies_.empty(); }

    /// Whether a state of this energy is to be noted. Among states of equal energy the first stays, and among chains
    /// that found it in the same iteration the chain with the lowest number.
    bool is_new(double energy, Index region) const {
        return energy < best_.energy || (keeps_regions() && energy < energies_[static_cast<std::size_t>(region)]);
    }
    /// Notes a state for which is_new() holds; pack(bytes) writes it.
    template <class Pack>
    void note(double energy, Index region, std::int64_t iteration, std::int64_t chain, Pack pack) {
        if (energy < best_.energy) {
            best_ = {energy, iteration, chain, std::vector<std::byte>(bytes_)};
            pack(std::span<std::byte>(best_.state));
        }
        const auto j = static_cast<std::size_t>(region);
        if (!keeps_regions() || !(energy < energies_[j]))
            return;
        energies_[j] = energy;
        iterations_[j] = iteration;
        chains_[j] = chain;
        pack(std::span(states_).subspan(j * bytes_, bytes_));
    }

    const Find& best() const { return best_; }
    /// Collective. The finds of all ranks, on every rank; `chains` is the distribution of the chains over the ranks.
    ChainFinds gathered(const parallel::Communicator& ranks, const parallel::BlockLayout& chains) const;
    /// The best state of each region, one after another; zeros for regions without any. Empty if they are not kept.
    const std::vector<std::byte>& states() const { return states_; }

    /// Checks finds that were read from a file: ContractViolation unless they are those of `chains` chains, in
    /// `regions` regions or in none.
    void check(Index chains, Index regions) const;
    /// Lists the fields of gathered finds.
    void fields(Fields& f);

  private:
    std::size_t bytes_;
    Find best_;
    std::vector<double> energies_; ///< by region, as all members below
    std::vector<std::int64_t> iterations_, chains_;
    std::vector<std::byte> states_;
};

} // namespace pearlite::algorithm
