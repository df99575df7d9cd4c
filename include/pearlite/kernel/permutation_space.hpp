#pragma once
/// Permutations, searched by chains side by side, for any model::PermutationEnergy.

#include "pearlite/core/detail/contract.hpp"
#include "pearlite/core/error.hpp"
#include "pearlite/kernel/detail/permutation_operations.hpp"
#include "pearlite/model/energy/discrete_energy.hpp"
#include "pearlite/model/energy/energy.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace pearlite::kernel {

/// Operations by name, all of them mutations; two children of permutations are no permutations, so there are no
/// crossovers:
///   swap        the elements at two uniform places change places
///   insertion   a uniform element is taken out and put in at another uniform place
///   reversal    the elements between two uniform places, both included, are reversed (2-opt)
template <model::PermutationEnergy E>
class PermutationSpace {
  public:
    using Chains = PermutationChains;

    /// InputError as PermutationOperations.
    explicit PermutationSpace(E energy, const PermutationOperationSettings& settings = {})
        : energy_(std::move(energy)),
          operations_(settings, energy_.size(),
                      {model::HasSwapChange<E>, model::HasInsertionChange<E>, model::HasReversalChange<E>}) {}

    const E& energy() const { return energy_; }
    Index size() const { return operations_.size(); }
    std::span<const model::Operation> operations() const { return operations_.list(); }
    std::optional<double> known_minimum() const {
        if constexpr (model::HasKnownMinimum<E>)
            return energy_.known_minimum();
        return {};
    }

    Chains make_chains(Index n) const { return Chains(size(), n); }
    /// Uniform on the permutations with a finite energy; NumericalError if they are too rare. The differences that an
    /// energy offers are asked for once from each start, and a wrong answer is a NumericalError.
    void draw_start(Chains& chains, const model::BlockStreams& streams) const {
        std::vector<std::int32_t> x(static_cast<std::size_t>(size()));
        for (Index i = 0; i < chains.size(); ++i) {
            random::Stream stream(streams.at(random::Purpose::start, i));
            const double energy = draw_inside(
                x, [&](std::span<std::int32_t> state) { operations_.draw(stream, state); },
                [&](std::span<const std::int32_t> state) { return energy_.energy(state); });
            chains.set(i, x, energy);
        }
        for (Index op = 0; op < static_cast<Index>(operations().size()); ++op)
            try_changes(chains, op, streams);
    }
    /// The energies that the states carry: exact, or a bounded number of updates away (CarriedEnergy).
    void evaluate(const Chains& chains, std::span<double> out) const { chains.write_energies(out); }

    void mutate(Chains& chains, Index op, const model::ProposalScale&, std::span<const double>,
                const model::BlockStreams& streams, model::Proposals& proposals) const {
        operations_.mutate(chains, op, streams);
        for (Index i = 0; i < chains.size(); ++i) {
            const CarriedEnergy& now = chains.energy(i);
            const auto change = now.can_take(1) ? change_of(chains, i) : std::nullopt;
            chains.propose(i, change ? now.updated(now.value + *change, 1) : CarriedEnergy{energy_after(chains, i), 0});
        }
        chains.write_proposals(proposals);
    }
    /// ContractViolation: operations() has no crossover.
    void cross(Chains&, const model::Partners<Chains>&, Index, const model::Meetings&, const model::ProposalScale&,
               std::span<const double>, const model::BlockStreams&, model::Proposals&) const {
        throw ContractViolation("there are no crossovers of permutations");
    }
    void accept(Chains& chains, std::span<const std::uint8_t> accepted) const { chains.accept(accepted); }

    void fingerprint(model::Fingerprint& fingerprint) const { energy_.fingerprint(fingerprint); }
    /// The permutation: the element at each place.
    model::StateDescription describe(std::span<const std::byte> packed) const {
        auto chains = make_chains(1);
        chains.unpack(0, packed);
        const auto x = std::as_const(chains).state(0);
        return {.values = {x.begin(), x.end()}};
    }

  private:
    /// Nothing if the energy has no difference for this step.
    std::optional<double> change_of(const Chains& chains, Index i) const {
        const auto x = chains.state(i);
        const auto [first, second] = chains.places(i);
        switch (chains.step()) {
        case PermutationStep::swap:
            if constexpr (model::HasSwapChange<E>)
                return energy_.swap_change(x, first, second);
            break;
        case PermutationStep::insertion:
            if constexpr (model::HasInsertionChange<E>)
                return energy_.insertion_change(x, first, second);
            break;
        case PermutationStep::reversal:
            if constexpr (model::HasReversalChange<E>)
                return energy_.reversal_change(x, first, second);
            break;
        }
        return {};
    }
    double energy_after(Chains& chains, Index i) const {
        chains.make_step(i);
        const double energy = energy_.energy(std::as_const(chains).state(i));
        chains.undo_step(i);
        return energy;
    }
    void try_changes(Chains& chains, Index op, const model::BlockStreams& streams) const {
        const auto& operation = operations()[static_cast<std::size_t>(op)];
        if (!operation.is_local)
            return;
        operations_.mutate(chains, op, streams);
        for (Index i = 0; i < chains.size(); ++i)
            if (const auto change = change_of(chains, i))
                require_same_change(chains.energy(i).value, energy_after(chains, i), *change,
                                    operation.name + "_change()");
    }

    E energy_;
    PermutationOperations operations_;
};

} // namespace pearlite::kernel
