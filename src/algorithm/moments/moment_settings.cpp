#include "algorithm/moments/moment_settings.hpp"

#include "pearlite/random/stream.hpp"

#include <fmt/format.h>

namespace pearlite::algorithm {

void MomentSettings::keys(Keys& k) {
    k("knots", knots, within(1, 1000), "members of the family between the ends, whose moments are evenly spaced");
    k("spacing", spacing,
      {{"length", Spacing::length, "as far apart as the path between them is long in joint states, for even steps"},
       {"even", Spacing::even, "evenly, as Grosse, Maddison & Salakhutdinov (2013) have them"}},
      "how the knots lie between inverse temperatures 0 and 1");
    k("fit_chains", chains, within(16, 1'000'000), "Markov chains by which moments are estimated and knots fitted");
    k("end_sweeps", end_sweeps, within(16, 1'000'000'000),
      "sweeps of these chains at the end of the path, the last three quarters of which estimate its moments");
    k("fit_updates", updates, within(16, 1'000'000'000),
      "updates of a knot's parameters, a sweep each; the knot is their mean over the last half");
    k("fit_rate", rate, above(0),
      "first rate of these updates, which are divided by the variance of each statistic; it adapts");
    k("fit_seed", fit_seed, "seed of the fit; else derived from run.seed");
}

random::Seed MomentSettings::seed(const random::Seed& of_run) const {
    return fit_seed ? random::Seed(*fit_seed, of_run.generator)
                    : random::derive_seed(of_run, (std::uint64_t{1} << 63) + 2);
}

std::string MomentSettings::cost() const {
    return fmt::format("# and, before, the path's fit: {} chains x ({} sweeps at its end + {} at each of {} knots)\n",
                       chains, end_sweeps, updates, knots);
}

} // namespace pearlite::algorithm
