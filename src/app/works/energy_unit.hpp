#pragma once
/// Units of energies.

#include <optional>
#include <string>

namespace pearlite::app {

/// A unit of free energy, in which one nat, or kT, is per_nat.
struct EnergyUnit {
    std::string name = "kT";
    double per_nat = 1;
};

/// `units`: kT, kJ/mol or kcal/mol; the latter two at a temperature in kelvin; or any unit with `beta`, 1/(kT).
/// InputError for a temperature that is missing or of no use. `what`: "works", in messages.
EnergyUnit energy_unit(const std::string& units, const std::optional<double>& temperature,
                       const std::optional<double>& beta, const std::string& what);

} // namespace pearlite::app
