#include "algorithm/parallel_tempering/tempering_outcome.hpp"

#include "estimator/evidence/curvature.hpp"
#include "estimator/quantiles.hpp"
#include "pearlite/core/detail/contract.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <string>

namespace pearlite::algorithm {

namespace {

constexpr Index least_replicas = 8;
constexpr double significant = 4;
constexpr double few_round_trips = 10; ///< of a system
constexpr double low_acceptance = 0.05;

/// The facts of a temperature that all ranks know.
struct RungFacts {
    double mean_u = 0, variance_u = 0, mean_u_error = 0;
    double drift = 0;           ///< of mean u between the halves of the kept scans, in standard errors
    double swap_acceptance = 0; ///< with the next temperature
};

/// The estimate with the jackknife's error over the systems.
estimator::Estimate jackknifed(const std::string& name, const LeaveOneOut& systems) {
    estimator::Estimate estimate{name, systems.value, {}, {}, "jackknife", ""};
    if (!std::isfinite(estimate.value)) {
        estimate.note = "d log f_b/db is infinite somewhere on the path";
        return estimate;
    }
    const std::size_t replicas = systems.without.size();
    if (static_cast<Index>(replicas) < least_replicas) {
        estimate.note = fmt::format("no error bar: {} independent systems, fewer than {}", replicas, least_replicas);
        return estimate;
    }
    double mean = 0, square = 0;
    const auto r = static_cast<double>(replicas);
    for (const double value : systems.without)
        mean += value / r;
    for (const double value : systems.without)
        square += (value - mean) * (value - mean);
    const double error = std::sqrt(square * (r - 1) / r);
    const double t = estimator::student_quantile(r - 1, 0.975);
    estimate.standard_error = error;
    estimate.interval95 = estimator::Interval{estimate.value - t * error, estimate.value + t * error};
    return estimate;
}

/// Quadrature has an error that the jackknife cannot see: where the integrand jumps between temperatures, as along a
/// path that adds data points. Stepping stones have none, so an integral far from theirs carries no error bar, and is
/// refused where it is further off than an interval's curvature may be.
void withhold_if_apart(estimator::Estimate& integral, const estimator::Estimate& stones) {
    if (!integral.standard_error || !stones.standard_error)
        return;
    const double apart = std::abs(integral.value - stones.value);
    if (!(apart > significant * std::hypot(*integral.standard_error, *stones.standard_error)))
        return;
    if (apart > estimator::largest_trusted_curvature)
        return estimator::refuse(integral, fmt::format("it is {:.2g} nats away from the stepping stones, so its "
                                                       "quadrature is too coarse; use more temperatures",
                                                       apart));
    integral.standard_error.reset();
    integral.interval95.reset();
    integral.note += (integral.note.empty() ? "" : "; ");
    integral.note += "no error bar: it is far from the stepping stones, so its quadrature is too coarse";
}

double swap_acceptance(std::span<const double> swaps, Index t, const TemperingFacts& facts) {
    const auto n = due_scans(t, facts.scans - facts.kept_scans, facts.scans);
    return n > 0 ? std::accumulate(swaps.begin(), swaps.end(), 0.0) / static_cast<double>(n * facts.replicas) : 0;
}

/// The difference of mean u between the halves of the kept scans at the temperature whose sums begin at `first`, in
/// standard errors.
double drift(const TemperingSums& sums, std::size_t first, const TemperingFacts& facts) {
    const auto R = static_cast<std::size_t>(facts.replicas);
    const auto first_n = static_cast<double>(facts.first_half_scans);
    const auto second_n = static_cast<double>(facts.kept_scans) - first_n;
    double mean = 0, square = 0;
    std::vector<double> change;
    for (std::size_t i = first; i < first + R; ++i) {
        change.push_back((sums.u[i] - sums.u_first_half[i]) / second_n - sums.u_first_half[i] / first_n);
        mean += change.back() / static_cast<double>(R);
    }
    for (const double c : change)
        square += (c - mean) * (c - mean);
    const double error = std::sqrt(square / static_cast<double>(R * (R - 1)));
    return error > 0 ? std::abs(mean) / error : 0;
}

/// Collective. The facts of all temperatures.
std::vector<RungFacts> rung_facts(const parallel::Communicator& ranks, const Ladder& ladder, const TemperingSums& sums,
                                  const parallel::BlockLayout& layout, const TemperingFacts& facts) {
    std::vector<RungFacts> here;
    const std::size_t R = ladder.replicas();
    for (const Rung& rung : ladder.rungs()) {
        const std::size_t first = here.size() * R;
        const Index t = layout.first_local_block() + static_cast<Index>(here.size());
        here.push_back({rung.mean(R), rung.variance(R), rung.standard_error(), drift(sums, first, facts),
                        swap_acceptance(std::span(sums.swaps).subspan(first, R), t, facts)});
    }
    return ranks.all_gather(std::span<const RungFacts>(here));
}

/// Collective.
double round_trips_of_a_system(const parallel::Communicator& ranks, const TemperingSums& sums,
                               const TemperingFacts& facts) {
    Index trips = 0;
    for (const auto tag : sums.tags)
        trips += ReplicaTag::round_trips(tag);
    return static_cast<double>(ranks.sum(trips)) / static_cast<double>(facts.replicas);
}

std::vector<NamedArray> tempering_arrays(const std::vector<RungFacts>& rungs, const TemperingFacts& facts) {
    std::vector<NamedArray> arrays{{"tempering/inverse_temperature", facts.inverse_temperature},
                                   {"tempering/swap_acceptance", {}},
                                   {"tempering/mean_u", {}},
                                   {"tempering/variance_u", {}},
                                   {"tempering/mean_u_standard_error", {}}};
    for (std::size_t t = 0; t < rungs.size(); ++t) {
        if (t + 1 < rungs.size())
            arrays[1].values.push_back(rungs[t].swap_acceptance);
        arrays[2].values.push_back(rungs[t].mean_u);
        arrays[3].values.push_back(std::max(0.0, rungs[t].variance_u));
        arrays[4].values.push_back(rungs[t].mean_u_error);
    }
    return arrays;
}

void judge_exchanges(const std::vector<RungFacts>& rungs, double trips, Outcome& outcome) {
    double barrier = 0, smallest = 1;
    for (std::size_t t = 0; t + 1 < rungs.size(); ++t) {
        barrier += 1 - rungs[t].swap_acceptance;
        smallest = std::min(smallest, rungs[t].swap_acceptance);
    }
    outcome.diagnostics = {{"round_trips_per_system", trips, {}},
                           {"communication_barrier", barrier, {}},
                           {"smallest_swap_acceptance", smallest, {}}};
    if (smallest < low_acceptance)
        outcome.warnings.push_back(
            fmt::format("a pair of neighbouring temperatures exchanges at a rate of {:.3f} only: use "
                        "more temperatures there",
                        smallest));
    if (trips < few_round_trips)
        outcome.warnings.push_back(fmt::format(
            "{:.1f} round trips of a system between the ends of the ladder: more scans are needed to trust it", trips));
}

void judge_drift(const std::vector<RungFacts>& rungs, Outcome& outcome) {
    double worst = 0;
    for (const auto& rung : rungs)
        worst = std::max(worst, rung.drift);
    // The largest of many temperatures: they are correlated, and 4 + log2 T / 2 leaves room for all.
    const double limit = significant + 0.5 * std::log2(static_cast<double>(rungs.size()));
    outcome.diagnostics.push_back({"largest_drift", worst, {}});
    if (!(worst > limit))
        return;
    for (auto& estimate : outcome.log_ratio) {
        estimate.standard_error.reset();
        estimate.interval95.reset();
        estimate.note = "no error bar: the systems are not in equilibrium";
    }
    outcome.warnings.push_back(fmt::format("mean energies of the two halves of the scans differ by {:.1f} standard "
                                           "errors: the burn-in was too short",
                                           worst));
}

/// Collective. Thermodynamic integration, judged by its curvature and by the stepping stones.
estimator::Estimate integral_of(const Ladder& ladder, const std::vector<RungFacts>& rungs, const TemperingFacts& facts,
                                const estimator::Estimate& stones) {
    auto estimate = jackknifed("thermodynamic-integration", ladder.integral(best_quadrature(facts), false));
    const double plain = ladder.integral(plain_quadrature(facts), true).value;
    if (!std::isfinite(estimate.value))
        return estimate;
    std::vector<double> means, variances;
    for (const auto& rung : rungs) {
        means.push_back(rung.mean_u);
        variances.push_back(rung.variance_u);
    }
    if (estimator::refuse_if_curved(estimate, largest_curvature(facts, means, variances)))
        return estimate;
    if (!facts.is_linear)
        estimate.note +=
            (estimate.note.empty() ? "" : "; ") +
            (extrapolates(facts) ? fmt::format("extrapolated from steps h and 2h; plain trapezoids {:.4f}", plain)
                                 : "plain trapezoidal rule: its discretisation is not in the error bar");
    withhold_if_apart(estimate, stones);
    return estimate;
}

} // namespace

Outcome tempering_outcome(const parallel::Communicator& ranks, const TemperingSums& sums,
                          const parallel::BlockLayout& layout, const TemperingFacts& facts) {
    PEARLITE_EXPECTS(layout.block() == facts.replicas && layout.local_items() == static_cast<Index>(sums.u.size()));
    const Ladder ladder(ranks, sums, layout, facts);
    Outcome outcome;
    outcome.log_ratio.push_back(jackknifed("stepping-stone", ladder.stepping_stones()));
    const auto rungs = rung_facts(ranks, ladder, sums, layout, facts);
    outcome.log_ratio.push_back(integral_of(ladder, rungs, facts, outcome.log_ratio.front()));
    judge_exchanges(rungs, round_trips_of_a_system(ranks, sums, facts), outcome);
    if (facts.replicas >= least_replicas && facts.first_half_scans >= 2)
        judge_drift(rungs, outcome);
    outcome.arrays = tempering_arrays(rungs, facts);
    return outcome;
}

} // namespace pearlite::algorithm
