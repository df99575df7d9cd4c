#pragma once
/// Chains whose states are vectors of integers, with the energies that the states carry along.

#include "pearlite/core/types.hpp"
#include "pearlite/model/energy/detail/search_space.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace pearlite::kernel {

/// An energy, and the number of differences that were added to it since it was computed in full.
///
/// It belongs to a chain's state and is packed with it, because a sum of differences depends on how the chain came to
/// its state: energies computed afresh would differ in the last bits where U is not exact, and a resumed run would
/// differ from an uninterrupted one. When the number is used up, the next proposal is computed in full; that depends on
/// the state alone as well, so every layout does it in the same iteration.
struct CarriedEnergy {
    static constexpr std::int32_t largest_updates = 1024;

    double value = 0;
    std::int32_t updates = 0;

    bool can_take(std::size_t differences) const {
        return static_cast<std::size_t>(updates) + differences <= static_cast<std::size_t>(largest_updates);
    }
    /// With this number of differences added.
    CarriedEnergy updated(double energy, std::size_t differences) const {
        return {energy, updates + static_cast<std::int32_t>(differences)};
    }
};

/// n integers a chain, chain after chain, so that an energy sees its state as a span.
class DiscreteChains {
  public:
    DiscreteChains(Index sites, Index size);

    Index size() const { return size_; }
    Index padded_size() const { return padded(size_); }
    Index sites() const { return sites_; }
    /// The state, then its carried energy.
    std::size_t packed_bytes() const {
        return static_cast<std::size_t>(sites_) * sizeof(std::int32_t) + sizeof(double) + sizeof(std::int32_t);
    }
    void pack(Index slot, std::span<std::byte> out) const;
    void unpack(Index slot, std::span<const std::byte> in);

    std::span<std::int32_t> state(Index slot) { return {states_.data() + slot * sites_, at(sites_)}; }
    std::span<const std::int32_t> state(Index slot) const { return {states_.data() + slot * sites_, at(sites_)}; }
    const CarriedEnergy& energy(Index slot) const { return energies_[at(slot)]; }
    /// `energy` computed in full.
    void set(Index slot, std::span<const std::int32_t> state, double energy);

    /// Carried energies of all chains; padding is left alone.
    void write_energies(std::span<double> out) const;
    void propose(Index slot, const CarriedEnergy& energy) { proposed_energies_[at(slot)] = energy; }
    /// The energies of the proposals, and ratios of 1: all operations on discrete states are symmetric.
    void write_proposals(model::Proposals& proposals) const;

  protected:
    static std::size_t at(Index i) { return static_cast<std::size_t>(i); }
    void accept_energy(Index slot) { energies_[at(slot)] = proposed_energies_[at(slot)]; }

  private:
    Index sites_, size_;
    std::vector<std::int32_t> states_;
    std::vector<CarriedEnergy> energies_, proposed_energies_;
};

/// NumericalError unless `after` is `before` with the `change` that an energy says, but for rounding.
void require_same_change(double before, double after, double change, const std::string& function);

inline constexpr int largest_start_draws = 10000;
[[noreturn]] void no_start_found();

/// Calls draw(x) until energy_of(x) is not +inf, and returns it; NumericalError after largest_start_draws.
template <class Draw, class EnergyOf>
double draw_inside(std::span<std::int32_t> x, Draw draw, EnergyOf energy_of) {
    for (int k = 0; k < largest_start_draws; ++k) {
        draw(x);
        const double energy = energy_of(x);
        if (energy != infinity)
            return energy;
    }
    no_start_found();
}

} // namespace pearlite::kernel
