#pragma once
/// The search space of permutations, compiled once for all energies.

#include "pearlite/kernel/detail/permutation_functions.hpp"

#include <memory>

namespace pearlite::kernel {

/// A SearchSpace; PermutationSpace names the operations.
class AnyPermutationSpace {
  public:
    using Chains = PermutationChains;

    /// InputError as PermutationOperations.
    AnyPermutationSpace(std::shared_ptr<const PermutationFunctions> energy,
                        const PermutationOperationSettings& settings);

    Index size() const { return operations_.size(); }
    std::span<const model::Operation> operations() const { return operations_.list(); }
    std::optional<double> known_minimum() const { return energy_->known_minimum(); }

    Chains make_chains(Index n) const { return Chains(size(), n); }
    /// Uniform on the permutations with a finite energy; NumericalError if they are too rare. The differences that an
    /// energy offers are asked for once from each start, and a wrong answer is a NumericalError.
    void draw_start(Chains& chains, const model::BlockStreams& streams) const;
    /// The energies that the states carry: exact, or a bounded number of updates away (CarriedEnergy).
    void evaluate(const Chains& chains, std::span<double> out) const { chains.write_energies(out); }

    void mutate(Chains& chains, Index op, const model::ProposalScale& scale, std::span<const double> energies,
                const model::BlockStreams& streams, model::Proposals& proposals) const;
    /// ContractViolation: operations() has no crossover.
    void cross(Chains& chains, const model::Partners<Chains>& partners, Index op, const model::Meetings& meetings,
               const model::ProposalScale& scale, std::span<const double> energies, const model::BlockStreams& streams,
               model::Proposals& proposals) const;
    void accept(Chains& chains, std::span<const std::uint8_t> accepted) const { chains.accept(accepted); }

    void fingerprint(model::Fingerprint& fingerprint) const { energy_->fingerprint(fingerprint); }
    /// The permutation: the element at each place.
    model::StateDescription describe(std::span<const std::byte> packed) const;

  protected:
    const PermutationFunctions& functions() const { return *energy_; }

  private:
    void try_changes(Chains& chains, Index op, const model::BlockStreams& streams) const;

    std::shared_ptr<const PermutationFunctions> energy_;
    PermutationOperations operations_;
};

} // namespace pearlite::kernel
