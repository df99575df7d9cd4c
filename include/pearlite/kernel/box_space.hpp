#pragma once
/// A box in R^d searched by chains in vector lanes, with the operations of Karagiannis et al. 2017, section 4 (after
/// Liang & Wong 2001), for any model::Energy.

#include "pearlite/core/contract.hpp"
#include "pearlite/kernel/box_operations.hpp"
#include "pearlite/kernel/local_descent.hpp"
#include "pearlite/model/energy.hpp"
#include "pearlite/model/search_space.hpp"

#include <cmath>
#include <limits>
#include <utility>

namespace pearlite::kernel {

template <model::Energy E>
class BoxSpace {
  public:
    using Chains = BoxChains;

    /// InputError if the settings name an operation twice or do not fit the dimension. With a descent the energy of a
    /// state is the one that a descent from there reaches; the state stays where it is.
    explicit BoxSpace(E energy, const BoxOperationSettings& settings = {}, const DescentLimits& descent = {})
        : energy_(std::move(energy)), operations_(settings, energy_.dimension()), descent_(descent) {}

    const E& energy() const { return energy_; }
    Index dimension() const { return energy_.dimension(); }
    std::span<const model::Operation> operations() const { return operations_.list(); }
    std::optional<double> known_minimum() const {
        if constexpr (model::HasKnownMinimum<E>)
            return energy_.known_minimum();
        return {};
    }

    Chains make_chains(Index n) const { return Chains(dimension(), n); }
    /// Uniform on the energy's start box, or else on its domain; where that is infinite, normal with the standard
    /// deviation of `start_sd`.
    void draw_start(Chains& chains, const model::BlockStreams& streams) const {
        if constexpr (model::HasStartBox<E>)
            operations_.draw_start(chains, energy_.start_lower(), energy_.start_upper(), streams);
        else
            operations_.draw_start(chains, energy_.lower(), energy_.upper(), streams);
    }
    void evaluate(const Chains& chains, std::span<double> out) const {
        energies_of(chains.points(), chains.size(), out);
    }

    void mutate(Chains& chains, Index op, const model::ProposalScale& scale, std::span<const double> energies,
                const model::BlockStreams& streams, model::Proposals& proposals) const {
        operations_.mutate(chains, op, scale, energies, streams);
        weigh(chains, scale, energies, proposals);
    }
    void cross(Chains& chains, std::span<const Chains> partners, Index op, const model::Meetings& meetings,
               const model::ProposalScale& scale, std::span<const double> energies, const model::BlockStreams& streams,
               model::Proposals& proposals) const {
        operations_.cross(chains, partners, op, meetings, scale, energies, streams);
        weigh(chains, scale, energies, proposals);
    }
    void accept(Chains& chains, std::span<const std::uint8_t> accepted) const { chains.accept(accepted); }

    void fingerprint(model::Fingerprint& fingerprint) const { energy_.fingerprint(fingerprint); }

  private:
    /// Energies of the proposals, and the ratio of a scale that is another at the proposal.
    void weigh(Chains& chains, const model::ProposalScale& scale, std::span<const double> energies,
               model::Proposals& proposals) const {
        if (chains.n_proposed() == 0)
            return;
        energies_of(chains.proposed(), chains.n_proposed(), chains.proposed_energies());
        chains.refuse_outside(energy_.lower(), energy_.upper());
        chains.report(scale, energies, proposals);
    }
    void energies_of(const model::LaneMatrix& points, Index n, std::span<double> out) const {
        if constexpr (model::HasLaneEnergies<E>) {
            if (descent_.iterations == 0)
                return energy_.energies(points, out);
        }
        std::vector<double> x(static_cast<std::size_t>(dimension()));
        for (Index i = 0; i < n; ++i) {
            for (Index k = 0; k < dimension(); ++k)
                x[static_cast<std::size_t>(k)] = points(k, i);
            out[static_cast<std::size_t>(i)] =
                descent_.iterations == 0 ? energy_.energy(x) : descended_energy(energy_, x, descent_);
        }
    }

    E energy_;
    BoxOperations operations_;
    DescentLimits descent_;
};

} // namespace pearlite::kernel
