#pragma once
/// The search space of states that are vectors of integers, compiled once for all energies of a kind.

#include "pearlite/kernel/detail/discrete_chains.hpp"
#include "pearlite/random/stream.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace pearlite::kernel {

/// A SearchSpace; CategoricalSpace and PermutationSpace name the operations. F: CategoricalFunctions or
/// PermutationFunctions.
template <class F>
class AnyDiscreteSpace {
  public:
    using Chains = typename F::Chains;

    /// InputError as the operations.
    AnyDiscreteSpace(std::shared_ptr<const F> energy, const typename F::Settings& settings);

    Index sites() const { return operations_.sites(); }
    std::span<const model::Operation> operations() const { return operations_.list(); }
    std::optional<double> known_minimum() const { return energy_->known_minimum(); }

    Chains make_chains(Index n) const { return Chains(sites(), n); }
    /// Uniform on the states with a finite energy; NumericalError if they are too rare. The differences that an energy
    /// offers are asked for once from each start, and a wrong answer is a NumericalError.
    void draw_start(Chains& chains, const model::BlockStreams& streams) const;
    /// The energies that the states carry: exact, or a bounded number of updates away (CarriedEnergy).
    void evaluate(const Chains& chains, std::span<double> out) const { chains.write_energies(out); }

    void mutate(Chains& chains, Index op, const model::ProposalScale& scale, std::span<const double> energies,
                const model::BlockStreams& streams, model::Proposals& proposals) const;
    /// Children's energies are computed in full. ContractViolation for permutations, whose operations() have no
    /// crossover.
    void cross(Chains& chains, const model::Partners<Chains>& partners, Index op, const model::Meetings& meetings,
               const model::ProposalScale& scale, std::span<const double> energies, const model::BlockStreams& streams,
               model::Proposals& proposals) const;
    void accept(Chains& chains, std::span<const std::uint8_t> accepted) const { chains.accept(accepted); }

    void fingerprint(model::Fingerprint& fingerprint) const { energy_->fingerprint(fingerprint); }
    /// The sites' values; of a permutation, the element at each place.
    model::StateDescription describe(std::span<const std::byte> packed) const;

  protected:
    const F& functions() const { return *energy_; }

  private:
    std::shared_ptr<const F> energy_;
    typename F::Operations operations_;
};

} // namespace pearlite::kernel
