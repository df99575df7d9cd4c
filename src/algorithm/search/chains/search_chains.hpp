#pragma once
/// The chains of a search that live on this rank: their states, their moves, and the best states that they found.

#include "algorithm/search/chains/chain_exchange.hpp"
#include "algorithm/search/chains/chain_finds.hpp"
#include "algorithm/search/chains/draws_ahead.hpp"
#include "algorithm/search/chains/meetings.hpp"
#include "parallel/agreement.hpp"

#include <cmath>
#include <memory>
#include <vector>

namespace pearlite::algorithm {

/// The task of an iteration, the same on every rank.
struct SearchMove {
    Index operation = 0;
    double temperature = 1;
    Index step = 0; ///< names its random numbers
};

class SearchChains {
  public:
    /// Iterations after which a space forgets its memories besides the states, and energies are computed from the
    /// states alone: only at these can a search be continued from its states to the bit.
    static constexpr Index iterations_remembered = 64;

    SearchChains(const parallel::Communicator& ranks, std::shared_ptr<const model::Space> space,
                 const SearchSettings& settings);

    const Block& states() const { return *chains_; }
    const parallel::BlockLayout& layout() const { return layout_; }
    parallel::DelayedFailure& failure() { return failure_; }

    /// Collective. First states; returns the energies of all chains.
    std::vector<double> draw_start();
    /// Collective. Where none of the first states has a finite energy, draws states in all chains until each has one,
    /// or until the draws are ten times as many as the first of them took; chains without one keep their state. Updates
    /// the energies of all chains. InputError if the settings' most_start_draws find none. Draws have the addresses of
    /// a seed of their own.
    StartDraws seek_start(std::vector<double>& energies);
    /// Called when a stage begins, after `step` iterations: takes the stage's regions and begins the finds in them
    /// anew.
    void begin_regions(const model::EnergyPartition& partition, Index step);
    void find_regions(const model::EnergyPartition& partition);
    /// The same once a file is read, whose finds must be in these regions, else ContractViolation.
    void find_regions_again(const model::EnergyPartition& partition);

    /// The sampling step: the chains move by an operation that leaves log f_{theta,tau} of `memory` invariant.
    /// Collective if the operation is a crossover.
    void sample(const SearchMove& move, const SearchMemory& memory, const Reports& reports);

    /// Collective. Chain i takes the state of chain parents[i] of all chains, or keeps its own (-1); no parent takes
    /// another's. `memory` has done so already.
    void copy_chains(std::span<const std::int64_t> parents, const SearchMemory& memory);

    /// Collective. The finds of the chains of all ranks.
    void describe(SearchOutcome& outcome) const;

    /// Collective. The finds of all ranks, and each chain's state from its owner; reading ends with evaluated states.
    void fields(Fields& f);

  private:
    static std::size_t at(Index i) { return static_cast<std::size_t>(i); }
    const model::Operation& operation(const SearchMove& move) const { return operations_[at(move.operation)]; }
    model::BlockStreams streams(Index step) const {
        return {settings_.seed, static_cast<std::uint32_t>(step), 0, first_, 0};
    }
    /// The address of a chain's own draws of this purpose.
    random::Address address_of(random::Purpose purpose, Index chain, Index step) const {
        return {settings_.seed, purpose, random::slot_id(0, chain), static_cast<std::uint32_t>(step)};
    }
    /// The address of the random numbers that an iteration's meetings share.
    random::Address order_address(const SearchMove& move) const {
        return address_of(random::Purpose::operation, 1, move.step);
    }

    void forget(const SearchMemory& memory);
    void evaluate();
    /// Does `work` here, unless something has gone wrong before; the ranks agree on failures later. Messages of
    /// exceptions from `work` name the iteration and the chain.
    template <class Work>
    void guard(Index iteration, const Work& work);
    void require_number(double energy, std::size_t local, Index step) const {
        if (std::isnan(energy))
            refuse(local, step);
    }
    /// Throws NumericalError.
    [[noreturn]] void refuse(std::size_t local, Index step) const;

    void mutate(const SearchMove& move, const SearchMemory& memory);
    void meet_partners(const SearchMove& move, const SearchMemory& memory);
    void meet_in_pairs(const SearchMove& move, const SearchMemory& memory);
    void need_partners(int n);
    /// Collective. Marks the chains that take part, and fetches the states of their partners.
    void meet(const MeetingPlan& plan, int n_partners);
    void cross(const SearchMove& move, const SearchMemory& memory);

    /// Marks the active chains; an empty span means all.
    void take_part(std::span<const std::uint8_t> active);
    void find_proposed_regions(const SearchMove& move, const SearchMemory& memory);
    /// Accepts or rejects each active chain's proposal.
    void accept_one_by_one(const SearchMove& move, const SearchMemory& memory);
    /// A pair is accepted or rejected as one, by the random number of its first member.
    void accept_pairs(const SearchMove& move, const SearchMemory& memory, const MeetingPlan& plan,
                      std::span<const Child> children);
    void take_accepted(const SearchMove& move, const Reports& reports);
    void note_find(std::size_t i, Index step);

    parallel::Communicator ranks_;
    std::shared_ptr<const model::Space> space_;
    std::span<const model::Operation> operations_;
    SearchSettings settings_;
    parallel::BlockLayout layout_;
    Index first_;   ///< this rank's first chain
    std::size_t n_; ///< this rank's chains
    std::unique_ptr<Block> chains_;
    MeetingPlanner planner_;
    std::vector<std::unique_ptr<Block>> partners_; ///< of this rank's chains, in their slots

    std::vector<double> energies_;
    std::vector<Index> regions_; ///< of the states
    model::Proposals proposals_;
    std::vector<Index> proposed_regions_;
    DrawsAhead exponentials_ahead_; ///< -log of a uniform number for each chain, by which it accepts or rejects
    std::vector<std::uint8_t> accepted_, active_;
    std::vector<std::int64_t> meeting_;
    std::vector<std::size_t> taking_part_; ///< in the present operation
    ChainExchange exchange_;
    ChainFinds finds_;
    parallel::DelayedFailure failure_;
};

} // namespace pearlite::algorithm
