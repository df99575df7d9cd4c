#include "pearlite/kernel/detail/discrete_chains.hpp"

#include "pearlite/core/error.hpp"

#include <algorithm>
#include <cstring>

namespace pearlite::kernel {

DiscreteChains::DiscreteChains(Index sites, Index size)
    : sites_(sites), size_(size), states_(at(sites * size)), energies_(at(size)), proposed_energies_(at(size)) {}

void DiscreteChains::pack(Index slot, std::span<std::byte> out) const {
    PEARLITE_EXPECTS(slot >= 0 && slot < size_ && out.size() == packed_bytes());
    const auto x = std::as_bytes(state(slot));
    const CarriedEnergy& carried = energies_[at(slot)];
    std::copy(x.begin(), x.end(), out.begin());
    std::memcpy(out.data() + x.size(), &carried.value, sizeof carried.value);
    std::memcpy(out.data() + x.size() + sizeof carried.value, &carried.updates, sizeof carried.updates);
}

void DiscreteChains::unpack(Index slot, std::span<const std::byte> in) {
    PEARLITE_EXPECTS(slot >= 0 && slot < size_ && in.size() == packed_bytes());
    const auto x = std::as_writable_bytes(state(slot));
    CarriedEnergy& carried = energies_[at(slot)];
    std::copy_n(in.begin(), x.size(), x.begin());
    std::memcpy(&carried.value, in.data() + x.size(), sizeof carried.value);
    std::memcpy(&carried.updates, in.data() + x.size() + sizeof carried.value, sizeof carried.updates);
}

void DiscreteChains::set(Index slot, std::span<const std::int32_t> x, double energy) {
    PEARLITE_EXPECTS(slot >= 0 && slot < size_ && x.size() == at(sites_));
    std::copy(x.begin(), x.end(), state(slot).begin());
    energies_[at(slot)] = {energy, 0};
}

void DiscreteChains::write_energies(std::span<double> out) const {
    for (std::size_t i = 0; i < energies_.size(); ++i)
        out[i] = energies_[i].value;
}

void DiscreteChains::write_proposals(model::Proposals& proposals) const {
    for (std::size_t i = 0; i < proposed_energies_.size(); ++i)
        proposals.energies[i] = proposed_energies_[i].value;
    std::fill(proposals.log_ratios.begin(), proposals.log_ratios.end(), 0.0);
}

void require_same_change(double before, double after, double change, const std::string& function) {
    // Differences of large energies are worth no more than the roundings of these.
    const double size = std::max({1.0, std::abs(before), std::abs(after)});
    const bool is_same = std::isinf(after) ? change == after : std::abs(after - before - change) <= 1e-6 * size;
    if (!is_same)
        throw NumericalError(function + " says " + std::to_string(change) + " where the energy changes from " +
                             std::to_string(before) + " to " + std::to_string(after));
}

void no_start_found() {
    throw NumericalError("none of " + std::to_string(largest_start_draws) +
                         " random states has a finite energy; states outside the space must be rarer");
}

} // namespace pearlite::kernel
