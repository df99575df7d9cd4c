#pragma once
/// A box in R^d searched by chains in vector lanes, with the operations of Karagiannis et al. 2017, section 4 (after
/// Liang & Wong 2001), for any model::Energy.

#include "pearlite/core/detail/contract.hpp"
#include "pearlite/kernel/detail/box_memories.hpp"
#include "pearlite/kernel/detail/box_operations.hpp"
#include "pearlite/kernel/detail/local_descent.hpp"
#include "pearlite/model/energy/detail/search_space.hpp"
#include "pearlite/model/energy/energy.hpp"

#include <cmath>
#include <cstring>
#include <type_traits>
#include <utility>

namespace pearlite::kernel {

template <model::Energy E>
class BoxSpace {
  public:
    static constexpr bool is_local = model::HasLocalMoves<E>;
    using Chains = typename ChainsOf<E>::type;

    /// InputError if the settings name an operation twice or do not fit the dimension. With a descent the energy of a
    /// state is the lowest that the descent meets; the state stays, or, if the limits say so, goes there.
    explicit BoxSpace(E energy, const BoxOperationSettings& settings = {}, const DescentLimits& descent = {})
        : energy_(std::move(energy)),
          operations_(settings, energy_.dimension(), own_moves(energy_)),
          descent_(descent) {}

    const E& energy() const { return energy_; }
    Index dimension() const { return energy_.dimension(); }
    std::span<const model::Operation> operations() const { return operations_.list(); }
    std::optional<double> known_minimum() const { return model::known_minimum_of(energy_); }
    /// Empty with a descent, which changes the energies.
    std::vector<double> log_region_masses(std::span<const double> points,
                                          double temperature) const requires model::HasRegionMasses<E> {
        return descent_.iterations == 0 ? energy_.log_region_masses(points, temperature) : std::vector<double>{};
    }

    Chains make_chains(Index n) const { return Chains(dimension(), n); }
    /// Draws states uniformly from the energy's start box, or else from its domain; if the domain is infinite, from a
    /// normal distribution with the standard deviation `start_sd`.
    void draw_start(Chains& chains, const model::BlockStreams& streams) const {
        if constexpr (model::HasStartBox<E>)
            operations_.draw_start(chains, energy_.start_lower(), energy_.start_upper(), streams);
        else
            operations_.draw_start(chains, energy_.lower(), energy_.upper(), streams);
        if (!descent_.moves_state)
            return;
        auto& points = chains.points();
        for (Index i = 0; i < chains.size(); ++i)
            descend_at(points, i);
    }
    void evaluate(const Chains& chains, std::span<double> out) const {
        if (!descent_.moves_state)
            return energies_of(chains.points(), chains.size(), out);
        for (Index i = 0; i < chains.size(); ++i) // states have descended
            out[static_cast<std::size_t>(i)] = energy_.energy(column(chains.points(), i));
    }

    void mutate(Chains& chains, Index op, const model::ProposalScale& scale, std::span<const double> energies,
                const model::BlockStreams& streams, model::Proposals& proposals) const {
        operations_.mutate(chains, op, scale, energies, streams);
        if constexpr (is_local) {
            const auto move = operations_.own_move(op);
            const bool is_small = operations_.changes_one_coordinate(op) && descent_.iterations == 0;
            // Memories of chains that operations of another kind keep changing would cost more than they save.
            const bool is_local_now = move || (is_small && chains.follows_local());
            chains.note_local(move || is_small);
            if (is_local_now) {
                propose_locally(chains, move, energies);
                chains.refuse_outside(energy_.lower(), energy_.upper());
                return chains.report(scale, energies, proposals);
            }
        }
        weigh(chains, scale, energies, proposals);
    }
    void cross(Chains& chains, const model::Partners<Chains>& partners, Index op, const model::Meetings& meetings,
               const model::ProposalScale& scale, std::span<const double> energies, const model::BlockStreams& streams,
               model::Proposals& proposals) const {
        if constexpr (is_local)
            chains.note_local(false);
        operations_.cross(chains, partners[0], partners.size() > 1 ? &partners[1] : nullptr, op, meetings, scale,
                          energies, streams);
        weigh(chains, scale, energies, proposals);
    }
    void accept(Chains& chains, std::span<const std::uint8_t> accepted) const {
        chains.accept(accepted);
        if constexpr (is_local) {
            if (descent_.moves_state) // away from what the memories have proposed
                chains.leave_memories(accepted);
            else
                chains.update_memories(accepted, [&](auto& memory) { energy_.take(memory); });
        }
    }
    /// Makes energies functions of the states alone from here on, if evaluate() follows.
    void forget(Chains& chains) const requires is_local { chains.forget(); }

    void fingerprint(model::Fingerprint& fingerprint) const { energy_.fingerprint(fingerprint); }
    /// The coordinates of a point; for a molecule also the positions of its beads.
    model::StateDescription describe(std::span<const std::byte> packed) const {
        model::StateDescription description;
        description.values.resize(packed.size() / sizeof(double));
        std::memcpy(description.values.data(), packed.data(), packed.size());
        if constexpr (model::HasConformations<E>)
            description.positions = energy_.coordinates(description.values);
        return description;
    }

  private:
    static std::span<const model::LocalMove> own_moves(const E& energy) {
        if constexpr (is_local)
            return energy.local_moves();
        return {};
    }

    /// Mutates by one of the energy's own moves, or by one coordinate. Energies are the chains' own plus the change.
    void propose_locally(Chains& chains, std::optional<Index> move, std::span<const double> energies) const {
        const auto memories = chains.remembered(
            [&](auto wanted, auto all) { energy_.remember(std::as_const(chains).points(), wanted, all); });
        const auto out = chains.proposed_energies();
        for (Index i = 0; i < chains.size(); ++i) {
            auto& memory = memories[static_cast<std::size_t>(i)];
            const auto x = chains.proposal(i);
            const auto draws = chains.draws(i);
            const double energy = energies[static_cast<std::size_t>(i)];
            double change = 0;
            if (move) {
                const auto proposal = energy_.propose(memory, x, *move, draws);
                change = proposal.change;
                chains.set_log_jacobian(i, proposal.log_ratio);
            } else {
                change = energy_.change(memory, x, chains.coordinate(i), draws.step);
            }
            const bool is_refused = change == infinity;
            const bool is_summed = descent_.iterations == 0 && std::abs(energy) < largest_summed;
            out[static_cast<std::size_t>(i)] =
                is_refused || is_summed ? energy + change : energy_at(chains.proposals(), i);
        }
    }

    /// Reports the proposals' energies, and the log ratio if the proposal's region has another scale.
    void weigh(Chains& chains, const model::ProposalScale& scale, std::span<const double> energies,
               model::Proposals& proposals) const {
        if (chains.n_proposed() == 0)
            return;
        energies_of(chains.proposals(), chains.n_proposed(), chains.proposed_energies());
        chains.refuse_outside(energy_.lower(), energy_.upper());
        chains.report(scale, energies, proposals);
    }
    /// Energies of the first n points; a descent may move these points.
    template <class Points> // LaneMatrix or const LaneMatrix
    void energies_of(Points& points, Index n, std::span<double> out) const {
        if (descent_.iterations == 0) {
            if constexpr (model::HasFirstEnergies<E>)
                return energy_.first_energies(points, n, out);
            else if constexpr (model::HasLaneEnergies<E>)
                return energy_.energies(points, out);
        }
        for (Index i = 0; i < n; ++i)
            out[static_cast<std::size_t>(i)] = energy_at(points, i);
    }
    template <class Points>
    double energy_at(Points& points, Index i) const {
        if (descent_.iterations == 0)
            return energy_.energy(column(points, i));
        if constexpr (!std::is_const_v<Points>)
            if (descent_.moves_state)
                return descend_at(points, i);
        return descend(energy_, column(points, i), descent_).energy;
    }
    /// Moves a point to the lowest one that a descent from there meets; returns its energy.
    double descend_at(model::LaneMatrix& points, Index i) const {
        const auto minimum = descend(energy_, column(points, i), descent_);
        for (Index k = 0; k < dimension(); ++k)
            points(k, i) = minimum.x[static_cast<std::size_t>(k)];
        return minimum.energy;
    }
    static std::vector<double> column(const model::LaneMatrix& points, Index i) {
        std::vector<double> x(static_cast<std::size_t>(points.rows()));
        for (Index k = 0; k < points.rows(); ++k)
            x[static_cast<std::size_t>(k)] = points(k, i);
        return x;
    }

    /// Larger energies (overlaps, at the start) would leave lasting rounding errors in sums of changes.
    static constexpr double largest_summed = 1e4;

    E energy_;
    BoxOperations operations_;
    DescentLimits descent_;
};

} // namespace pearlite::kernel
