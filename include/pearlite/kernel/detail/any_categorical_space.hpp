#pragma once
/// The search space of states of a few values a site, compiled once for all energies.

#include "pearlite/kernel/detail/categorical_functions.hpp"

#include <memory>

namespace pearlite::kernel {

/// A SearchSpace; CategoricalSpace names the operations.
class AnyCategoricalSpace {
  public:
    using Chains = CategoricalChains;

    /// InputError as CategoricalOperations.
    AnyCategoricalSpace(std::shared_ptr<const CategoricalFunctions> energy,
                        const CategoricalOperationSettings& settings);

    Index sites() const { return operations_.sites(); }
    std::span<const model::Operation> operations() const { return operations_.list(); }
    std::optional<double> known_minimum() const { return energy_->known_minimum(); }

    Chains make_chains(Index n) const { return Chains(sites(), n); }
    /// Uniform on the states with a finite energy; NumericalError if they are too rare. An energy that offers change()
    /// is asked for one from each start, and a wrong answer is a NumericalError.
    void draw_start(Chains& chains, const model::BlockStreams& streams) const;
    /// The energies that the states carry: exact, or a bounded number of updates away (CarriedEnergy).
    void evaluate(const Chains& chains, std::span<double> out) const { chains.write_energies(out); }

    void mutate(Chains& chains, Index op, const model::ProposalScale& scale, std::span<const double> energies,
                const model::BlockStreams& streams, model::Proposals& proposals) const;
    /// Children's energies are computed in full.
    void cross(Chains& chains, const model::Partners<Chains>& partners, Index op, const model::Meetings& meetings,
               const model::ProposalScale& scale, std::span<const double> energies, const model::BlockStreams& streams,
               model::Proposals& proposals) const;
    void accept(Chains& chains, std::span<const std::uint8_t> accepted) const { chains.accept(accepted); }

    void fingerprint(model::Fingerprint& fingerprint) const { energy_->fingerprint(fingerprint); }
    /// The sites' values.
    model::StateDescription describe(std::span<const std::byte> packed) const;

  protected:
    const CategoricalFunctions& functions() const { return *energy_; }

  private:
    void try_change(std::vector<std::int32_t>& x, double energy, random::Stream& stream) const;

    std::shared_ptr<const CategoricalFunctions> energy_;
    CategoricalOperations operations_;
};

} // namespace pearlite::kernel
