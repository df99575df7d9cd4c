#pragma once
/// States of a few values a site, searched by chains side by side, for any model::CategoricalEnergy.

#include "pearlite/core/detail/contract.hpp"
#include "pearlite/kernel/detail/categorical_operations.hpp"
#include "pearlite/model/energy/discrete_energy.hpp"
#include "pearlite/model/energy/energy.hpp"

#include <cmath>
#include <optional>
#include <utility>

namespace pearlite::kernel {

/// Operations by name:
///   single-site           a uniform site gets another value, uniform; Gibbs (heat bath) if all sites are binary
///   k-site                k distinct uniform sites get other values, uniform
///   two-point-crossover   two chains exchange a run of sites
///   uniform-crossover     two chains exchange every site with probability 1/2
template <model::CategoricalEnergy E>
class CategoricalSpace {
  public:
    using Chains = CategoricalChains;

    /// InputError as CategoricalOperations.
    explicit CategoricalSpace(E energy, const CategoricalOperationSettings& settings = {})
        : energy_(std::move(energy)), operations_(settings, energy_.levels(), model::HasSiteChange<E>) {}

    const E& energy() const { return energy_; }
    Index sites() const { return operations_.sites(); }
    std::span<const model::Operation> operations() const { return operations_.list(); }
    std::optional<double> known_minimum() const {
        if constexpr (model::HasKnownMinimum<E>)
            return energy_.known_minimum();
        return {};
    }

    Chains make_chains(Index n) const { return Chains(sites(), n); }
    /// Uniform on the states with a finite energy; NumericalError if they are too rare. An energy that offers change()
    /// is asked for one from each start, and a wrong answer is a NumericalError.
    void draw_start(Chains& chains, const model::BlockStreams& streams) const {
        std::vector<std::int32_t> x(static_cast<std::size_t>(sites()));
        for (Index i = 0; i < chains.size(); ++i) {
            random::Stream stream(streams.at(random::Purpose::start, i));
            const double energy = draw_inside(
                x, [&](std::span<std::int32_t> state) { operations_.draw(stream, state); },
                [&](std::span<const std::int32_t> state) { return energy_.energy(state); });
            chains.set(i, x, energy);
            try_change(x, energy, stream);
        }
    }
    /// The energies that the states carry: exact, or a bounded number of updates away (CarriedEnergy).
    void evaluate(const Chains& chains, std::span<double> out) const { chains.write_energies(out); }

    void mutate(Chains& chains, Index op, const model::ProposalScale&, std::span<const double>,
                const model::BlockStreams& streams, model::Proposals& proposals) const {
        operations_.mutate(chains, op, streams);
        for (Index i = 0; i < chains.size(); ++i)
            chains.propose(i, energy_after_edits(chains, i));
        chains.write_proposals(proposals);
    }
    /// Children's energies are computed in full.
    void cross(Chains& chains, const model::Partners<Chains>& partners, Index op, const model::Meetings& meetings,
               const model::ProposalScale&, std::span<const double>, const model::BlockStreams& streams,
               model::Proposals& proposals) const {
        operations_.cross(chains, partners[0], op, meetings, streams);
        for (Index i = 0; i < chains.size(); ++i)
            chains.propose(i, meetings.active[static_cast<std::size_t>(i)] != 0
                                  ? CarriedEnergy{energy_.energy(chains.child(i)), 0}
                                  : chains.energy(i));
        chains.write_proposals(proposals);
    }
    void accept(Chains& chains, std::span<const std::uint8_t> accepted) const { chains.accept(accepted); }

    void fingerprint(model::Fingerprint& fingerprint) const { energy_.fingerprint(fingerprint); }
    /// The sites' values.
    model::StateDescription describe(std::span<const std::byte> packed) const {
        auto chains = make_chains(1);
        chains.unpack(0, packed);
        const auto x = std::as_const(chains).state(0);
        return {.values = {x.begin(), x.end()}};
    }

  private:
    CarriedEnergy energy_after_edits(Chains& chains, Index i) const {
        const auto x = chains.state(i);
        if constexpr (model::HasSiteChange<E>) {
            const auto edits = chains.edits(i);
            const CarriedEnergy& now = chains.energy(i);
            if (now.can_take(edits.size())) {
                double energy = now.value;
                for (const auto& edit : edits) {
                    energy += energy_.change(x, edit.site, edit.to);
                    x[static_cast<std::size_t>(edit.site)] = edit.to;
                }
                chains.undo_edits(i);
                // The way to a state inside may lead over one outside, from where there are no differences.
                if (std::isfinite(energy) || edits.size() == 1)
                    return now.updated(energy, edits.size());
            }
        }
        chains.make_edits(i);
        const double energy = energy_.energy(x);
        chains.undo_edits(i);
        return {energy, 0};
    }

    void try_change(std::vector<std::int32_t>& x, double energy, random::Stream& stream) const {
        if constexpr (model::HasSiteChange<E>) {
            const auto site = stream.index(x.size());
            const std::int32_t value = operations_.other_value(static_cast<Index>(site), x[site], stream.uniform());
            const double change = energy_.change(x, static_cast<Index>(site), value);
            x[site] = value;
            require_same_change(energy, energy_.energy(x), change, "change()");
        }
    }

    E energy_;
    CategoricalOperations operations_;
};

} // namespace pearlite::kernel
