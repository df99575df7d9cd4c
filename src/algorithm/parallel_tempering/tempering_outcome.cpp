#include "algorithm/parallel_tempering/tempering_outcome.hpp"

#include "algorithm/parallel_tempering/tempering_judgment.hpp"
#include "estimator/evidence/curvature.hpp"
#include "estimator/quantiles.hpp"
#include "pearlite/core/detail/contract.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace pearlite::algorithm {

namespace {

/// The estimate with the jackknife's error over the systems.
estimator::Estimate jackknifed(const std::string& name, const LeaveOneOut& systems) {
    estimator::Estimate estimate{name, systems.value, {}, {}, "jackknife", ""};
    if (!std::isfinite(estimate.value)) {
        estimate.note = "d log f_b/db is infinite somewhere on the path";
        return estimate;
    }
    const std::size_t replicas = systems.without.size();
    if (static_cast<Index>(replicas) < least_systems) {
        estimate.note = fmt::format("no error bar: {} independent systems, fewer than {}", replicas, least_systems);
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
    if (!(apart > significant_deviation * std::hypot(*integral.standard_error, *stones.standard_error)))
        return;
    if (apart > estimator::largest_trusted_curvature)
        return integral.refuse(fmt::format("it is {:.2g} nats away from the stepping stones, so its "
                                           "quadrature is too coarse; use more temperatures",
                                           apart));
    integral.standard_error.reset();
    integral.interval95.reset();
    integral.note += (integral.note.empty() ? "" : "; ");
    integral.note += "no error bar: it is far from the stepping stones, so its quadrature is too coarse";
}

std::vector<NamedArray> tempering_arrays(const std::vector<RungFacts>& rungs, const TemperingFacts& facts) {
    std::vector<NamedArray> arrays{{"tempering/inverse_temperature", facts.inverse_temperature},
                                   {"tempering/swap_acceptance", {}},
                                   {"tempering/mean_u", {}},
                                   {"tempering/variance_u", {}},
                                   {"tempering/mean_u_standard_error", {}},
                                   {"tempering/r_hat", {}}};
    for (std::size_t t = 0; t < rungs.size(); ++t) {
        if (t + 1 < rungs.size())
            arrays[1].values.push_back(rungs[t].swap_acceptance);
        arrays[2].values.push_back(rungs[t].mean_u);
        arrays[3].values.push_back(std::max(0.0, rungs[t].variance_u));
        arrays[4].values.push_back(rungs[t].mean_u_error);
        arrays[5].values.push_back(rungs[t].r_hat);
    }
    return arrays;
}

/// Adds an error of the quadrature to the systems'. A rule of fourth order over steps h is off by a fifteenth of its
/// difference from the rule over steps 2h.
void add_discretisation(estimator::Estimate& integral, double coarse) {
    if (integral.standard_error.value_or(0) == 0)
        return;
    const double systems = *integral.standard_error, error = std::hypot(systems, (integral.value - coarse) / 15);
    const double half = (integral.interval95->high - integral.interval95->low) / 2 * (error / systems);
    integral.standard_error = error;
    integral.interval95 = estimator::Interval{integral.value - half, integral.value + half};
}

/// Collective. Thermodynamic integration, judged by its curvature and by the stepping stones.
estimator::Estimate integral_of(const Ladder& ladder, const std::vector<RungFacts>& rungs, const TemperingFacts& facts,
                                const estimator::Estimate& stones) {
    auto estimate = jackknifed("thermodynamic-integration", ladder.integral(best_quadrature(facts), false));
    estimate.is_integral = true;
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
    else if (facts.inverse_temperature.size() > 3)
        add_discretisation(estimate, ladder.integral(coarse_quadrature(facts), true).value);
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
    judge_tempering(ranks, rungs, sums, facts, outcome);
    outcome.arrays = tempering_arrays(rungs, facts);
    return outcome;
}

} // namespace pearlite::algorithm
