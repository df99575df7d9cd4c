#pragma once
/// Interface of an energy of states of a few values a site, for the search space that is compiled once for all
/// energies.

#include "pearlite/core/detail/point_error.hpp"
#include "pearlite/kernel/detail/categorical_operations.hpp"
#include "pearlite/model/energy/discrete_energy.hpp"
#include "pearlite/model/energy/energy.hpp"

#include <cmath>
#include <optional>
#include <utility>

namespace pearlite::kernel {

/// One virtual call serves the proposals of all chains; the members mean what they mean in the concepts
/// CategoricalEnergy and HasSiteChange.
class CategoricalFunctions {
  public:
    using Chains = CategoricalChains;
    using Operations = CategoricalOperations;
    using Settings = CategoricalOperationSettings;

    virtual ~CategoricalFunctions() = default;
    /// InputError as CategoricalOperations.
    Operations operations(const Settings& settings) const { return {settings, levels(), has_change()}; }
    virtual std::span<const std::int32_t> levels() const = 0;
    virtual double energy(std::span<const std::int32_t> x) const = 0;
    virtual bool has_change() const = 0;
    /// ContractViolation without has_change().
    virtual double change(std::span<const std::int32_t> x, Index site, std::int32_t value) const = 0;
    virtual std::optional<double> known_minimum() const = 0;
    virtual void fingerprint(model::Fingerprint& fingerprint) const = 0;

    /// Proposes the energies after the edits of all chains.
    virtual void propose_mutated(CategoricalChains& chains) const = 0;
    /// Proposes the energies of children, in full; chains that are not active keep theirs.
    virtual void propose_children(CategoricalChains& chains, const model::Meetings& meetings) const = 0;
};

template <model::CategoricalEnergy E>
class CategoricalFunctionsOf final : public CategoricalFunctions {
  public:
    explicit CategoricalFunctionsOf(E energy) : energy_(std::move(energy)) {}
    const E& own() const { return energy_; }

    std::span<const std::int32_t> levels() const override { return energy_.levels(); }
    double energy(std::span<const std::int32_t> x) const override { return energy_.energy(x); }
    bool has_change() const override { return model::HasSiteChange<E>; }
    double change(std::span<const std::int32_t> x, Index site, std::int32_t value) const override {
        if constexpr (model::HasSiteChange<E>)
            return energy_.change(x, site, value);
        else
            throw ContractViolation("this energy has no change()");
    }
    std::optional<double> known_minimum() const override { return model::known_minimum_of(energy_); }
    void fingerprint(model::Fingerprint& fingerprint) const override { energy_.fingerprint(fingerprint); }

    void propose_mutated(CategoricalChains& chains) const override {
        at_each_point(
            chains.size(), [&](Index i) { chains.propose(i, energy_after_edits(chains, i)); },
            [](Index) { return std::string(); });
    }
    void propose_children(CategoricalChains& chains, const model::Meetings& meetings) const override {
        const auto visit = [&](Index i) {
            chains.propose(i, meetings.active[static_cast<std::size_t>(i)] != 0
                                  ? CarriedEnergy{energy_.energy(chains.child(i)), 0}
                                  : chains.energy(i));
        };
        at_each_point(chains.size(), visit, [](Index) { return std::string(); });
    }

  private:
    CarriedEnergy energy_after_edits(CategoricalChains& chains, Index i) const {
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

    E energy_;
};

} // namespace pearlite::kernel
