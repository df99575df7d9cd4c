#pragma once
/// The chains of a search that live on this rank: their states, how they move, and the best that they found.

#include "pearlite/core/error.hpp"
#include "pearlite/core/log_space.hpp"
#include "pearlite/model/search_space.hpp"
#include "pearlite/random/lanes.hpp"
#include "pearlite/sampler/chain_exchange.hpp"
#include "pearlite/sampler/chain_finds.hpp"
#include "pearlite/sampler/delayed_failure.hpp"
#include "pearlite/sampler/meetings.hpp"
#include "pearlite/sampler/pair_children.hpp"
#include "pearlite/sampler/search_memory.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

namespace pearlite::sampler {

/// What an iteration is to do, the same on every rank.
struct SearchMove {
    Index operation = 0;
    double temperature = 1;
    Index step = 0; ///< names its random numbers
};

template <model::SearchSpace Space>
class SearchChains {
  public:
    using Chains = typename Space::Chains;
    /// Iterations after which a space forgets what it remembers besides the states, and energies are computed from
    /// these alone: between them a search cannot be continued from its states to the bit.
    static constexpr Index iterations_remembered = 64;

    SearchChains(const parallel::Communicator& ranks, std::shared_ptr<const Space> space,
                 const SearchSettings& settings)
        : ranks_(ranks),
          space_(std::move(space)),
          settings_(settings),
          layout_(settings.chains, 1, ranks.size(), ranks.rank()),
          first_(layout_.first_local_item()),
          n_(at(layout_.local_items())),
          chains_(space_->make_chains(layout_.local_items())),
          planner_(settings),
          finds_(chains_.packed_bytes()) {
        const auto padded = at(chains_.padded_size());
        for (auto* values : {&energies_, &exponentials_, &proposals_.energies, &proposals_.log_ratios})
            values->assign(padded, 0.0);
        accepted_.assign(padded, 0);
        active_.assign(padded, 0);
        meeting_.assign(padded, -1);
        regions_.assign(padded, 0);
        proposed_regions_.assign(padded, 0);
    }

    const Chains& states() const { return chains_; }
    const parallel::BlockLayout& layout() const { return layout_; }
    DelayedFailure& failure() { return failure_; }

    /// Collective. First states; returns the energies of all chains.
    std::vector<double> draw_start() {
        failure_.guard(ranks_, [&] {
            space_->draw_start(chains_, streams(0));
            evaluate();
        });
        const auto all = ranks_.all_gather(std::span<const double>(energies_).first(n_));
        failure_.agree(ranks_);
        return all;
    }
    /// As a stage begins after so many iterations: its regions, and what is found in them from now on.
    void begin_regions(const model::EnergyPartition& partition, Index step) {
        finds_.begin_regions(partition.regions());
        find_regions(partition);
        for (std::size_t i = 0; i < n_; ++i)
            note_find(i, step);
    }
    void find_regions(const model::EnergyPartition& partition) {
        std::transform(energies_.begin(), energies_.begin() + layout_.local_items(), regions_.begin(),
                       [&](double energy) { return partition.region(energy); });
    }

    /// The sampling step: the chains move by an operation that leaves log f_{theta,tau} of `memory` invariant.
    /// Collective if the operation is a crossover.
    void sample(const SearchMove& move, const SearchMemory& memory, std::span<ChainReport> reports) {
        if (forgets && move.step % iterations_remembered == 1)
            forget(memory);
        switch (space_->operations()[at(move.operation)].kind) {
        case model::Operation::Kind::mutation:
            mutate(move, memory);
            break;
        case model::Operation::Kind::partner:
            meet_partners(move, memory);
            break;
        case model::Operation::Kind::pair:
            meet_in_pairs(move, memory);
            break;
        }
        if (!failure_.happened())
            take_accepted(move, reports);
        else
            std::fill(reports.begin(), reports.end(), ChainReport{});
    }

    /// Collective. What the chains of all ranks found.
    void describe(SearchOutcome& outcome) const {
        const auto all = finds_.gathered(ranks_, layout_);
        outcome.best = all.best();
        outcome.region_states = all.states();
    }

    /// Collective. All chains' states and the best one, on every rank; reading ends with evaluated states.
    template <class Fields>
    void fields(Fields& f) {
        const std::size_t bytes = chains_.packed_bytes();
        auto finds = Fields::reading ? finds_ : finds_.gathered(ranks_, layout_);
        finds.fields(f);
        std::vector<std::byte> mine(bytes * n_);
        for (std::size_t i = 0; i < n_; ++i)
            chains_.pack(static_cast<Index>(i), std::span(mine).subspan(i * bytes, bytes));
        auto all = ranks_.all_gather(std::span<const std::byte>(mine));
        f("chains", all);
        if constexpr (Fields::reading) {
            finds_ = std::move(finds);
            for (std::size_t i = 0; i < n_; ++i)
                chains_.unpack(static_cast<Index>(i), std::span(all).subspan((at(first_) + i) * bytes, bytes));
            failure_.guard(ranks_, [&] { evaluate(); });
            failure_.agree(ranks_);
        }
    }

  private:
    static constexpr bool forgets = requires(const Space& space, Chains& chains) { space.forget(chains); };

    void forget(const SearchMemory& memory) {
        if constexpr (forgets) {
            failure_.guard(ranks_, [&] {
                space_->forget(chains_);
                evaluate();
                find_regions(memory.partition());
            });
        }
    }

    static std::size_t at(Index i) { return static_cast<std::size_t>(i); }
    model::BlockStreams streams(Index step) const {
        return {settings_.seed, static_cast<std::uint32_t>(step), 0, first_, 0};
    }
    /// The address of a chain's own draws of this purpose.
    random::Address address_of(random::Purpose purpose, Index chain, Index step) const {
        return {settings_.seed, purpose, random::slot_id(0, chain), static_cast<std::uint32_t>(step)};
    }
    /// Of what an iteration's meetings share.
    random::Address order_address(const SearchMove& move) const {
        return address_of(random::Purpose::operation, 1, move.step);
    }
    const model::Operation& operation(const SearchMove& move) const { return space_->operations()[at(move.operation)]; }

    void evaluate() {
        space_->evaluate(chains_, energies_);
        for (std::size_t i = 0; i < n_; ++i)
            require_number(energies_[i], i, 0);
    }
    void require_number(double energy, std::size_t local, Index step) const {
        if (std::isnan(energy))
            throw NumericalError("the energy of chain " + std::to_string(first_ + static_cast<Index>(local)) +
                                 " is not a number in iteration " + std::to_string(step));
    }

    void mutate(const SearchMove& move, const SearchMemory& memory) {
        failure_.guard(ranks_, [&] {
            space_->mutate(chains_, move.operation, memory.scale(move.operation), energies_, streams(move.step),
                           proposals_);
            take_part({});
            accept_one_by_one(move, memory);
        });
    }

    void meet_partners(const SearchMove& move, const SearchMemory& memory) {
        const auto& plan = planner_.partners(memory.energies(), operation(move).partners, operation(move).by_energy,
                                             order_address(move), address_of(random::Purpose::partner, 0, move.step));
        meet(plan, operation(move).partners);
        failure_.guard(ranks_, [&] {
            cross(move, memory);
            accept_one_by_one(move, memory);
        });
    }

    void meet_in_pairs(const SearchMove& move, const SearchMemory& memory) {
        const auto& plan = planner_.pairs(memory.energies(), order_address(move));
        meet(plan, 1);
        failure_.guard(ranks_, [&] {
            cross(move, memory);
            find_proposed_regions(move, memory);
        });
        const auto children = gather_children(ranks_, layout_, proposals_, proposed_regions_);
        failure_.guard(ranks_, [&] { accept_pairs(move, memory, plan, children); });
    }

    void cross(const SearchMove& move, const SearchMemory& memory) {
        space_->cross(chains_, partners_, move.operation, {active_, meeting_}, memory.scale(move.operation), energies_,
                      streams(move.step), proposals_);
    }

    /// Nobody named: all.
    void take_part(std::span<const std::uint8_t> active) {
        taking_part_.resize(n_);
        std::size_t n = 0;
        for (std::size_t i = 0; i < n_; ++i) { // without branches: who is active is random
            active_[i] = active.empty() ? 1 : active[i];
            accepted_[i] = 0;
            taking_part_[n] = i;
            n += active_[i] != 0 ? 1 : 0;
        }
        taking_part_.resize(n);
    }

    /// Collective. Who takes part, and the states of their partners.
    void meet(const MeetingPlan& plan, int n_partners) {
        take_part(std::span(plan.active).subspan(at(first_), n_));
        std::copy_n(plan.meeting.begin() + first_, n_, meeting_.begin());
        while (partners_.size() < static_cast<std::size_t>(n_partners))
            partners_.push_back(space_->make_chains(layout_.local_items()));
        fetch_partners(ranks_, chains_, layout_, plan.first, partners_[0]);
        if (n_partners == 2)
            fetch_partners(ranks_, chains_, layout_, plan.second, partners_[1]);
    }

    void find_proposed_regions(const SearchMove& move, const SearchMemory& memory) {
        for (const std::size_t i : taking_part_) {
            require_number(proposals_.energies[i], i, move.step);
            proposed_regions_[i] = memory.partition().region(proposals_.energies[i]);
        }
    }

    void draw_exponentials(const SearchMove& move) {
        if (n_ > 0)
            random::fill_exponential_lanes(address_of(random::Purpose::accept, first_, move.step),
                                           chains_.padded_size(), exponentials_);
    }

    /// -log of a uniform number decides of each active chain.
    void accept_one_by_one(const SearchMove& move, const SearchMemory& memory) {
        const bool heat_bath = operation(move).heat_bath;
        draw_exponentials(move);
        find_proposed_regions(move, memory);
        for (const std::size_t i : taking_part_) {
            const double log_alpha =
                memory.log_acceptance(at(first_) + i, energies_[i], regions_[i], proposals_.energies[i],
                                      proposed_regions_[i], proposals_.log_ratios[i], move.temperature);
            accepted_[i] = heat_bath ? exponentials_[i] >= softplus(-log_alpha) : log_alpha >= -exponentials_[i];
        }
    }

    /// A pair is accepted or rejected as one, by the random number of its first member.
    void accept_pairs(const SearchMove& move, const SearchMemory& memory, const MeetingPlan& plan,
                      std::span<const Child> children) {
        draw_exponentials(move);
        for (const std::size_t i : taking_part_) {
            const auto one = at(plan.meeting[at(first_) + i]), other = at(plan.first[one]);
            const bool is_here = one >= at(first_);
            if (is_here && one < at(first_) + i) {
                accepted_[i] = accepted_[one - at(first_)];
                continue;
            }
            const double exponential =
                is_here ? exponentials_[i]
                        : random::Stream(address_of(random::Purpose::accept, static_cast<Index>(one), move.step))
                              .exponential();
            accepted_[i] =
                log_acceptance_of_pair(memory, settings_, move.temperature, children, one, other) >= -exponential;
        }
    }
    void take_accepted(const SearchMove& move, std::span<ChainReport> reports) {
        space_->accept(chains_, accepted_);
        for (std::size_t i = 0; i < n_; ++i) {
            const bool is_inside = active_[i] != 0 && proposals_.energies[i] < std::numeric_limits<double>::infinity();
            const Index proposed = is_inside ? proposed_regions_[i] : regions_[i];
            if (accepted_[i] != 0) {
                energies_[i] = proposals_.energies[i];
                regions_[i] = proposed;
                note_find(i, move.step);
            }
            reports[i] = {.energy = energies_[i],
                          .proposed_region = static_cast<std::int32_t>(proposed),
                          .is_active = active_[i],
                          .is_accepted = accepted_[i]};
        }
    }
    void note_find(std::size_t i, Index step) {
        if (finds_.is_new(energies_[i], regions_[i]))
            finds_.note(energies_[i], regions_[i], step, first_ + static_cast<Index>(i),
                        [&](std::span<std::byte> out) { chains_.pack(static_cast<Index>(i), out); });
    }

    parallel::Communicator ranks_;
    std::shared_ptr<const Space> space_;
    SearchSettings settings_;
    parallel::BlockLayout layout_;
    Index first_;   ///< this rank's first chain
    std::size_t n_; ///< this rank's chains
    Chains chains_;
    MeetingPlanner planner_;
    std::vector<Chains> partners_; ///< of this rank's chains, in their slots

    std::vector<double> energies_;
    std::vector<Index> regions_; ///< of the states
    model::Proposals proposals_;
    std::vector<Index> proposed_regions_;
    std::vector<double> exponentials_;
    std::vector<std::uint8_t> accepted_, active_;
    std::vector<std::int64_t> meeting_;
    std::vector<std::size_t> taking_part_; ///< in the present operation
    ChainFinds finds_;
    DelayedFailure failure_;
};

} // namespace pearlite::sampler
