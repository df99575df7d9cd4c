#include "app/works/energy_unit.hpp"

#include "pearlite/core/error.hpp"

#include <fmt/format.h>

namespace pearlite::app {

EnergyUnit energy_unit(const std::string& units, const std::optional<double>& temperature,
                       const std::optional<double>& beta, const std::string& what) {
    struct Known {
        const char* name;
        double gas_constant; ///< in this unit per kelvin
    };
    constexpr Known known[] = {{"kJ/mol", 8.31446261815324e-3}, {"kcal/mol", 8.31446261815324e-3 / 4.184}};
    if (beta && temperature)
        throw InputError("got both --beta and --temperature, expected one of them");
    if (beta)
        return {units == "kT" ? "units of " + what : units, 1 / *beta};
    for (const auto& unit : known)
        if (units == unit.name) {
            if (!temperature)
                throw InputError(fmt::format("{} in {} need --temperature, in kelvin, or --beta", what, unit.name));
            return {unit.name, unit.gas_constant * *temperature};
        }
    if (temperature)
        throw InputError(fmt::format("{} in kT have no --temperature; expected --units kJ/mol or kcal/mol", what));
    return {};
}

} // namespace pearlite::app
