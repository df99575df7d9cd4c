// Works of other programs that contradict Crooks' theorem: the unit, sign or column that would explain it.
#include "estimator/work/sharded_works.hpp"

#include <fmt/format.h>

namespace pearlite::estimator {

namespace {

using population::Shards;

/// kT in a unit, over the temperatures at which people measure.
struct KnownUnit {
    const char* name;
    double per_nat_at_250_K, per_nat_at_400_K;
};
constexpr double gas_constant = 8.31446261815324e-3, boltzmann_in_ev = 8.617333262e-5; // kJ/(mol K), eV/K
constexpr KnownUnit known_units[] = {
    {"kT", 1, 1},
    {"kJ/mol", 250 * gas_constant, 400 * gas_constant},
    {"kcal/mol", 250 * gas_constant / 4.184, 400 * gas_constant / 4.184},
    {"J/mol", 250e3 * gas_constant, 400e3 * gas_constant},
    {"cal/mol", 250e3 * gas_constant / 4.184, 400e3 * gas_constant / 4.184},
    {"eV", 250 * boltzmann_in_ev, 400 * boltzmann_in_ev},
    {"meV", 250e3 * boltzmann_in_ev, 400e3 * boltzmann_in_ev},
    {"pN nm", 250 * 0.01380649, 400 * 0.01380649},
    {"kelvin", 250, 400},
};

/// The unit that works must have so that Crooks' slope is what it is, where it should be 1.
std::string unit_by_slope(const CrooksCheck& crooks, const ForeignWorks& foreign) {
    if (!crooks.is_defined)
        return {};
    constexpr double significant = 3;
    const double low = crooks.slope - significant * crooks.slope_standard_error,
                 high = crooks.slope + significant * crooks.slope_standard_error;
    if (!(low > 0) || high > 2 * low)
        return {};
    for (const auto& unit : known_units)
        if (unit.name != foreign.unit && foreign.per_nat / unit.per_nat_at_400_K < high &&
            foreign.per_nat / unit.per_nat_at_250_K > low)
            return fmt::format(
                "a slope of {:.3g} is that of works in {} read as {}{}: look at --units and --temperature",
                crooks.slope, unit.name, foreign.unit,
                std::string_view(unit.name) == "kT"
                    ? ""
                    : fmt::format(" (kT would be {:.3g} {})", foreign.per_nat / crooks.slope, unit.name));
    return {};
}

/// Collective. Whether works with these signs overlap and obey Crooks' theorem.
bool would_agree(const Shards& forward, const Shards& reverse, double forward_sign, double reverse_sign) {
    const auto times = [](const Shards& works, double sign) {
        std::vector<double> changed(works.here.begin(), works.here.end());
        for (double& w : changed)
            w *= sign;
        return changed;
    };
    const auto f = times(forward, forward_sign), r = times(reverse, reverse_sign);
    const auto crooks = crooks_check({forward.ranks, forward.layout, f}, {reverse.ranks, reverse.layout, r});
    constexpr double wide = 0.25;
    return crooks.is_defined && std::abs(crooks.slope - 1) < std::max(wide, 4 * crooks.slope_standard_error) &&
           crooks.slope_standard_error < wide;
}

/// Collective. The sign with which the works would obey Crooks' theorem.
std::string sign_by_slope(const Shards& forward, const Shards& reverse) {
    const auto is_finite = [](double w) { return std::isfinite(w); };
    if (!forward.all(is_finite) || !reverse.all(is_finite))
        return {};
    if (would_agree(forward, reverse, 1, -1))
        return "with the other sign of the reverse works they obey Crooks' theorem: --same-sign says which one they "
               "have";
    if (would_agree(forward, reverse, -1, 1))
        return "with the other sign of the forward works they obey Crooks' theorem: works are those done on the system";
    if (would_agree(forward, reverse, -1, -1))
        return "with the other sign of all works they obey Crooks' theorem: works are those done on the system";
    return {};
}

} // namespace

std::string advice_on_foreign(const Shards& forward, const Shards& reverse, const ForeignWorks& foreign,
                              const CrooksCheck& crooks) {
    const auto unit = unit_by_slope(crooks, foreign), sign = sign_by_slope(forward, reverse);
    if (!unit.empty() && !sign.empty())
        return unit + "; or " + sign;
    if (!unit.empty() || !sign.empty())
        return unit + sign;
    return "look at the unit (--units), the sign (--same-sign) and the column (--column) of the works, and whether all "
           "trajectories start in equilibrium and run to their end";
}

} // namespace pearlite::estimator
