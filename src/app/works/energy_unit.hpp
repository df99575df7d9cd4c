#pragma once
/// Units of energies.

#include <optional>
#include <string>

namespace pearlite::app {

/// Free energy in units of which one nat, or kT, is so much.
struct EnergyUnit {
    std::string name = "kT";
    double per_nat = 1;
};

/// `units`: kT, kJ/mol or kcal/mol, the latter at a temperature in kelvin; or `beta`, 1/(kT) in any unit. InputError
/// for a temperature that is missing, or is there twice. `what`: "works", in messages.
EnergyUnit energy_unit(const std::string& units, const std::optional<double>& temperature,
                       const std::optional<double>& beta, const std::string& what);

} // namespace pearlite::app
