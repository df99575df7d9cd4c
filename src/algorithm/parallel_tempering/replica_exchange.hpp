#pragma once
/// The exchange of states between neighbouring temperatures, between blocks of one rank or with the ranks next to it.
///
///     for t of the parity of the scan, and each of the R systems:  exchange x_t and x_{t+1} with probability
///         min(1, f_t(x_{t+1}) f_{t+1}(x_t) / (f_t(x_t) f_{t+1}(x_{t+1})))
///
/// Even and odd pairs alternate, so that replicas travel instead of diffusing (Okabe et al. 2001; Syed, Bouchard-Cote,
/// Deligiannidis & Doucet 2022).

#include "parallel/agreement.hpp"
#include "path/schedule.hpp"
#include "pearlite/model/target.hpp"
#include "population/generation.hpp"

#include <memory>
#include <span>
#include <vector>

namespace pearlite::algorithm {

/// The decisions for the systems i = 0..R-1 at one pair of temperatures.
struct ExchangeDecision {
    std::vector<std::uint8_t> which; ///< whether the states are exchanged
    std::vector<double> probability;
};

/// `below`: log f_{t+1} - log f_t of the states at t, `above`: log f_t - log f_{t+1} of those at t + 1; system i
/// decides by the number at (swap, i) of the streams.
ExchangeDecision decide_exchange(std::span<const double> below, std::span<const double> above,
                                 const model::BlockStreams& streams);

/// The states of all temperatures of the schedule: block t of the generation holds the states at b_t.
class ReplicaExchange {
  public:
    ReplicaExchange(const parallel::Communicator& ranks, std::shared_ptr<const model::Target> target,
                    path::Schedule schedule, const random::Seed& seed)
        : ranks_(ranks),
          target_(std::move(target)),
          schedule_(std::move(schedule)),
          swap_(target_->offers<model::StateSwap>()),
          particle_bytes_(target_->particle_bytes()),
          seed_(seed) {}

    /// The pairs (t, t + 1) that have their turn in a scan.
    bool is_due(Index t, Index scan) const { return t >= 0 && t < schedule_.steps() && t % 2 == scan % 2; }

    /// Collective over neighbouring ranks. One scan's exchanges; a tag travels with its state. Each exchange's
    /// probability is added to `expected` at the local slot of the lower state, unless `expected` is empty. A rank that
    /// has failed still takes part, so that no rank waits for it.
    void exchange(population::Generation& states, Index scan, std::span<std::int64_t> tags, std::span<double> expected,
                  parallel::DelayedFailure& failure) const;

  private:
    struct Scan {
        population::Generation& states;
        Index number;
        std::span<std::int64_t> tags;
        std::span<double> expected;
        parallel::DelayedFailure& failure;

        Index local_block(Index t) const { return t - states.layout().first_local_block(); }
        auto& block(Index t) const { return states.block(local_block(t)); }
        std::size_t first_slot(Index t) const { return static_cast<std::size_t>(states.block_begin(local_block(t))); }
        Index replicas() const { return states.layout().block(); }
    };

    /// One side of an exchange with another rank: the states at own, those of the peer at other.
    struct Side {
        int peer = 0;
        Index own = 0, other = 0;
        std::vector<double> own_ratios, other_ratios; ///< R
        std::vector<std::int64_t> other_tags;         ///< R
        std::vector<std::byte> other_states;          ///< R, packed
    };

    /// log f_to - log f_from of the states at `from`, which are here.
    std::vector<double> log_ratios(const Scan& scan, Index from, Index to) const;

    /// Decides for the pair (t, t + 1), of which this rank holds one at least.
    std::vector<std::uint8_t> decide(const Scan& scan, Index t, std::span<const double> below,
                                     std::span<const double> above) const;

    /// Between t and t + 1, both of which are here.
    void exchange_here(const Scan& scan, Index t) const;

    /// With the ranks that own the temperatures next to this rank's. Both sides send all systems and decide alike: one
    /// message instead of two.
    void exchange_with_neighbours(const Scan& scan) const;

    Side side_of(const Scan& scan, Index own, Index other) const;

    /// An item is a state, its log ratio and its tag.
    void send_and_receive(const Scan& scan, std::vector<Side>& sides) const;

    void take(const Scan& scan, const Side& side) const;

    parallel::Communicator ranks_;
    std::shared_ptr<const model::Target> target_;
    path::Schedule schedule_;
    const model::StateSwap* swap_; ///< null: by packing and unpacking
    std::size_t particle_bytes_;
    random::Seed seed_;
};

} // namespace pearlite::algorithm
