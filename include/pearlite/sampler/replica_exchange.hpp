#pragma once
/// The exchange of states between neighbouring temperatures, between blocks of one rank or with the ranks next to it.
///
///     for t of the parity of the scan, and each of the R systems:  exchange x_t and x_{t+1} with probability
///         min(1, f_t(x_{t+1}) f_{t+1}(x_t) / (f_t(x_t) f_{t+1}(x_{t+1})))
///
/// Even and odd pairs alternate, so that replicas travel instead of diffusing (Okabe et al. 2001; Syed, Bouchard-Cote,
/// Deligiannidis & Doucet 2022).

#include "pearlite/model/annealed_model.hpp"
#include "pearlite/parallel/exchange.hpp"
#include "pearlite/path/schedule.hpp"
#include "pearlite/population/generation.hpp"
#include "pearlite/sampler/delayed_failure.hpp"
#include "pearlite/sampler/streams.hpp"

#include <cstring>
#include <memory>
#include <span>
#include <vector>

namespace pearlite::sampler {

/// Of the systems i = 0..R-1 of one pair of temperatures.
struct ExchangeDecision {
    std::vector<std::uint8_t> which; ///< whether the states are exchanged
    std::vector<double> probability;
};

/// `below`: log f_{t+1} - log f_t of the states at t, `above`: log f_t - log f_{t+1} of those at t + 1; system i
/// decides by the number at (swap, i) of the streams.
ExchangeDecision decide_exchange(std::span<const double> below, std::span<const double> above,
                                 const model::BlockStreams& streams);

/// The states of all temperatures of the schedule: block t of the generation holds those at b_t.
template <model::AnnealedModel M>
class ReplicaExchange {
  public:
    using Generation = population::Generation<typename M::Block>;

    ReplicaExchange(const parallel::Communicator& ranks, std::shared_ptr<const M> model, path::Schedule schedule,
                    std::uint64_t seed)
        : ranks_(ranks), model_(std::move(model)), schedule_(std::move(schedule)), seed_(seed) {}

    /// The pairs (t, t + 1) that have their turn in a scan.
    bool is_due(Index t, Index scan) const { return t >= 0 && t < schedule_.steps() && t % 2 == scan % 2; }

    /// Collective over neighbouring ranks. One scan's exchanges; a tag travels with its state. Each exchange's
    /// probability is added to `expected` at the local slot of the lower state, unless `expected` is empty. A rank that
    /// fails, or has failed, takes part, so that none waits for it.
    void exchange(Generation& states, Index scan, std::span<std::int64_t> tags, std::span<double> expected,
                  DelayedFailure& failure) const {
        const Scan now{states, scan, tags, expected, failure};
        const auto& layout = states.layout();
        const Index first = layout.first_local_block(), end = first + layout.local_blocks();
        for (Index t = first; t + 1 < end; ++t)
            if (is_due(t, scan))
                failure.guard(ranks_, [&] { exchange_here(now, t); });
        if (layout.local_blocks() > 0)
            exchange_with_neighbours(now);
    }

  private:
    struct Scan {
        Generation& states;
        Index number;
        std::span<std::int64_t> tags;
        std::span<double> expected;
        DelayedFailure& failure;

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
    std::vector<double> log_ratios(const Scan& scan, Index from, Index to) const {
        std::vector<double> ratios(static_cast<std::size_t>(scan.replicas()), 0.0);
        model_->add_log_ratio(scan.block(from), schedule_[from], schedule_[to], ratios);
        return ratios;
    }

    /// Of the pair (t, t + 1), one of which at least is here.
    std::vector<std::uint8_t> decide(const Scan& scan, Index t, std::span<const double> below,
                                     std::span<const double> above) const {
        const auto decision =
            decide_exchange(below, above, {seed_, static_cast<std::uint32_t>(scan.number), 0, t * scan.replicas(), t});
        if (!scan.expected.empty() && scan.local_block(t) >= 0)
            for (std::size_t i = 0; i < decision.probability.size(); ++i)
                scan.expected[scan.first_slot(t) + i] += decision.probability[i];
        return decision.which;
    }

    /// Between t and t + 1, both of which are here.
    void exchange_here(const Scan& scan, Index t) const {
        const auto which = decide(scan, t, log_ratios(scan, t, t + 1), log_ratios(scan, t + 1, t));
        const std::size_t low = scan.first_slot(t), high = scan.first_slot(t + 1);
        for (std::size_t i = 0; i < which.size(); ++i)
            if (which[i])
                std::swap(scan.tags[low + i], scan.tags[high + i]);
        auto &below = scan.block(t), &above = scan.block(t + 1);
        if constexpr (model::HasStateSwap<M>) {
            model_->swap_states(below, above, which);
        } else {
            std::vector<std::byte> x(scan.states.packed_bytes()), y(x);
            for (std::size_t i = 0; i < which.size(); ++i)
                if (which[i]) {
                    below.pack(static_cast<Index>(i), x);
                    above.pack(static_cast<Index>(i), y);
                    below.unpack(static_cast<Index>(i), y);
                    above.unpack(static_cast<Index>(i), x);
                }
            model_->prepare(below);
            model_->prepare(above);
        }
    }

    /// With the ranks that own the temperatures next to this rank's. Both sides send all systems and decide alike: one
    /// message instead of two.
    void exchange_with_neighbours(const Scan& scan) const {
        const auto& layout = scan.states.layout();
        const Index first = layout.first_local_block(), last = first + layout.local_blocks() - 1;
        std::vector<Side> sides;
        if (is_due(first - 1, scan.number))
            sides.push_back(side_of(scan, first, first - 1));
        if (is_due(last, scan.number))
            sides.push_back(side_of(scan, last, last + 1));
        if (sides.empty())
            return;
        send_and_receive(scan, sides);
        for (const Side& side : sides)
            scan.failure.guard(ranks_, [&] { take(scan, side); });
    }

    Side side_of(const Scan& scan, Index own, Index other) const {
        const auto n = static_cast<std::size_t>(scan.replicas());
        Side side{scan.states.layout().owner_of_block(other),
                  own,
                  other,
                  std::vector<double>(n),
                  std::vector<double>(n),
                  std::vector<std::int64_t>(n),
                  std::vector<std::byte>(n * packed_particle_bytes(*model_))};
        scan.failure.guard(ranks_, [&] { side.own_ratios = log_ratios(scan, own, other); });
        return side;
    }

    /// An item is a state, its log ratio and its tag.
    void send_and_receive(const Scan& scan, std::vector<Side>& sides) const {
        const std::size_t state_bytes = packed_particle_bytes(*model_), item = state_bytes + 2 * sizeof(double);
        std::vector<parallel::Transfer> transfers;
        for (const Side& side : sides)
            transfers.push_back({side.peer, scan.replicas()});
        const auto with = [&](int peer) -> Side& { return sides.front().peer == peer ? sides.front() : sides.back(); };
        parallel::exchange(
            ranks_, item, transfers, transfers,
            [&](int peer, Index i, std::span<std::byte> out) {
                const Side& side = with(peer);
                const auto slot = static_cast<std::size_t>(i);
                scan.block(side.own).pack(i, out.first(state_bytes));
                std::memcpy(out.data() + state_bytes, &side.own_ratios[slot], sizeof(double));
                std::memcpy(out.data() + state_bytes + sizeof(double), &scan.tags[scan.first_slot(side.own) + slot],
                            sizeof(double));
            },
            [&](int peer, Index i, std::span<const std::byte> in) {
                Side& side = with(peer);
                const auto slot = static_cast<std::size_t>(i);
                std::copy(in.begin(), in.begin() + static_cast<std::ptrdiff_t>(state_bytes),
                          side.other_states.begin() + static_cast<std::ptrdiff_t>(slot * state_bytes));
                std::memcpy(&side.other_ratios[slot], in.data() + state_bytes, sizeof(double));
                std::memcpy(&side.other_tags[slot], in.data() + state_bytes + sizeof(double), sizeof(double));
            });
    }

    void take(const Scan& scan, const Side& side) const {
        const bool is_lower = side.own < side.other;
        const auto which = decide(scan, std::min(side.own, side.other), is_lower ? side.own_ratios : side.other_ratios,
                                  is_lower ? side.other_ratios : side.own_ratios);
        auto& block = scan.block(side.own);
        const std::size_t state_bytes = packed_particle_bytes(*model_);
        for (std::size_t i = 0; i < which.size(); ++i)
            if (which[i]) {
                block.unpack(static_cast<Index>(i), std::span(side.other_states).subspan(i * state_bytes, state_bytes));
                scan.tags[scan.first_slot(side.own) + i] = side.other_tags[i];
            }
        model_->prepare(block);
    }

    parallel::Communicator ranks_;
    std::shared_ptr<const M> model_;
    path::Schedule schedule_;
    std::uint64_t seed_;
};

} // namespace pearlite::sampler
