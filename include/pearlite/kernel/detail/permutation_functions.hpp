#pragma once
/// Interface of an energy of permutations, for the search space that is compiled once for all energies.

#include "pearlite/core/detail/point_error.hpp"
#include "pearlite/kernel/detail/permutation_operations.hpp"
#include "pearlite/model/energy/discrete_energy.hpp"
#include "pearlite/model/energy/energy.hpp"

#include <optional>
#include <utility>

namespace pearlite::kernel {

/// One virtual call serves the proposals of all chains; the members mean what they mean in the concept
/// PermutationEnergy.
class PermutationFunctions {
  public:
    using Chains = PermutationChains;
    using Operations = PermutationOperations;
    using Settings = PermutationOperationSettings;

    virtual ~PermutationFunctions() = default;
    /// InputError as PermutationOperations.
    Operations operations(const Settings& settings) const {
        using enum PermutationStep;
        return {settings, size(), {has_change(swap), has_change(insertion), has_change(reversal)}};
    }
    virtual Index size() const = 0;
    virtual double energy(std::span<const std::int32_t> permutation) const = 0;
    /// Whether the energy offers differences for a step.
    virtual bool has_change(PermutationStep step) const = 0;
    /// The difference that the proposed step of a chain makes; nothing without has_change().
    virtual std::optional<double> change(const PermutationChains& chains, Index slot) const = 0;
    virtual std::optional<double> known_minimum() const = 0;
    virtual void fingerprint(model::Fingerprint& fingerprint) const = 0;

    /// Proposes the energies after the steps of all chains.
    virtual void propose_mutated(PermutationChains& chains) const = 0;
};

template <model::PermutationEnergy E>
class PermutationFunctionsOf final : public PermutationFunctions {
  public:
    explicit PermutationFunctionsOf(E energy) : energy_(std::move(energy)) {}
    const E& own() const { return energy_; }

    Index size() const override { return energy_.size(); }
    double energy(std::span<const std::int32_t> permutation) const override { return energy_.energy(permutation); }
    bool has_change(PermutationStep step) const override {
        switch (step) {
        case PermutationStep::swap:
            return model::HasSwapChange<E>;
        case PermutationStep::insertion:
            return model::HasInsertionChange<E>;
        case PermutationStep::reversal:
            return model::HasReversalChange<E>;
        }
        return false;
    }
    std::optional<double> change(const PermutationChains& chains, Index slot) const override {
        const auto x = chains.state(slot);
        const auto [first, second] = chains.places(slot);
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
    std::optional<double> known_minimum() const override { return model::known_minimum_of(energy_); }
    void fingerprint(model::Fingerprint& fingerprint) const override { energy_.fingerprint(fingerprint); }

    void propose_mutated(PermutationChains& chains) const override {
        const auto visit = [&](Index i) {
            const CarriedEnergy& now = chains.energy(i);
            const auto difference = now.can_take(1) ? change(chains, i) : std::nullopt;
            chains.propose(i, difference ? now.updated(now.value + *difference, 1)
                                         : CarriedEnergy{energy_after(chains, i), 0});
        };
        at_each_point(chains.size(), visit, [](Index) { return std::string(); });
    }

  private:
    double energy_after(PermutationChains& chains, Index i) const {
        chains.make_step(i);
        const double energy = energy_.energy(std::as_const(chains).state(i));
        chains.undo_step(i);
        return energy;
    }

    E energy_;
};

} // namespace pearlite::kernel
