#include "algorithm/nonequilibrium/work_outcome.hpp"

#include "algorithm/common/outcome_of_works.hpp"
#include "pearlite/model/detail/path_moments.hpp"

#include <cmath>

namespace pearlite::algorithm {

namespace {

/// A mean and a standard deviation of each quantity, which alternate in `means` and `sds`.
void add_quantities(std::vector<NamedArray>& arrays, const std::string& group, const std::vector<std::string>& names,
                    const std::vector<double>& means, const std::vector<double>& sds) {
    for (std::size_t q = 0; q < names.size(); ++q) {
        NamedArray mean{group + "/mean_" + names[q], {}}, sd{group + "/sd_" + names[q], {}};
        for (std::size_t k = q; k < means.size(); k += names.size()) {
            mean.values.push_back(means[k]);
            sd.values.push_back(sds[k]);
        }
        arrays.push_back(std::move(mean));
        arrays.push_back(std::move(sd));
    }
}

void add_averages(std::vector<NamedArray>& arrays, const std::string& group, const PathAverages& averages) {
    arrays.push_back({group + "/inverse_temperature", averages.inverse_temperature});
    arrays.push_back({group + "/mean_u", averages.mean_u});
    arrays.push_back({group + "/sd_u", averages.sd_u});
    arrays.push_back({group + "/mean_work", averages.mean_work});
    arrays.push_back({group + "/sd_work", averages.sd_work});
    add_quantities(arrays, group, averages.quantities, averages.mean_quantity, averages.sd_quantity);
}

} // namespace

std::optional<double> start_drift(const PathAverages& equilibration, Index n_trajectories) {
    const auto n = equilibration.mean_u.size();
    if (n < 4)
        return {};
    const std::size_t middle = n / 2 - 1, end = n - 1;
    const double variance = (std::pow(equilibration.sd_u[middle], 2) + std::pow(equilibration.sd_u[end], 2)) /
                            static_cast<double>(n_trajectories);
    const double change = equilibration.mean_u[end] - equilibration.mean_u[middle];
    if (!std::isfinite(change) || !(variance > 0))
        return {};
    return change / std::sqrt(variance);
}

void add_equilibrium(Outcome& outcome, const model::Target& target, const path::Schedule& schedule) {
    constexpr Index most_known = 2000;
    const auto* known = target.offers<model::EquilibriumMean>();
    const auto* quantities = target.offers<model::PathQuantities>();
    if (!known && !quantities)
        return;
    const Index stride = 1 + (schedule.steps() - 1) / most_known;
    std::vector<double> temperatures;
    for (Index k = 0; k < schedule.steps(); k += stride)
        temperatures.push_back(schedule[k]);
    temperatures.push_back(schedule.end());
    const std::string group = "hysteresis/equilibrium";
    std::vector<double> mean_u, means, sds;
    for (const double b : temperatures) {
        if (known)
            mean_u.push_back(known->equilibrium_mean_u(b).value_or(std::nan("")));
        if (quantities)
            for (const auto& [mean, sd] : quantities->equilibrium_moments(b)) {
                means.push_back(mean);
                sds.push_back(sd);
            }
    }
    outcome.arrays.push_back({group + "/inverse_temperature", std::move(temperatures)});
    if (known)
        outcome.arrays.push_back({group + "/mean_u", std::move(mean_u)});
    if (quantities)
        add_quantities(outcome.arrays, group, quantities->quantity_names(), means, sds);
}

Outcome work_outcome(const population::Shards& forward, const population::Shards& reverse, const WorkRecord& record,
                     bool exact_start, const population::Families* ancestors, const random::Seed& seed) {
    estimator::WorkFacts facts{exact_start, {}, ancestors};
    if (!exact_start)
        facts.start_drift_z = start_drift(record.equilibration, reverse.size());
    auto outcome = outcome_of_works(forward, reverse, facts, seed);
    if (facts.start_drift_z)
        outcome.diagnostics.push_back({"reverse_start_drift", *facts.start_drift_z, {}});
    if (ancestors)
        outcome.diagnostics.push_back({"distinct_reverse_starts", static_cast<double>(ancestors->surviving()), {}});
    if (ancestors && outcome.verdict.starts_with("agree"))
        outcome.verdict += "; both directions start from the same peaks, since the reverse starts are ends of forward "
                           "trajectories: a peak that these have missed shows in neither";
    add_averages(outcome.arrays, "hysteresis/forward", record.forward);
    add_averages(outcome.arrays, "hysteresis/equilibration", record.equilibration);
    add_averages(outcome.arrays, "hysteresis/reverse", record.reverse);
    return outcome;
}

} // namespace pearlite::algorithm
