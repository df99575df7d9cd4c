#include "algorithm/nonequilibrium/work_outcome.hpp"

#include "algorithm/works/outcome_of_works.hpp"

#include <cmath>
#include <string>

namespace pearlite::algorithm {

namespace {

void add_averages(std::vector<NamedArray>& arrays, const std::string& group, const PathAverages& averages) {
    arrays.push_back({group + "/inverse_temperature", averages.inverse_temperature});
    arrays.push_back({group + "/mean_u", averages.mean_u});
    arrays.push_back({group + "/sd_u", averages.sd_u});
    arrays.push_back({group + "/mean_work", averages.mean_work});
    arrays.push_back({group + "/sd_work", averages.sd_work});
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
    add_averages(outcome.arrays, "hysteresis/forward", record.forward);
    add_averages(outcome.arrays, "hysteresis/equilibration", record.equilibration);
    add_averages(outcome.arrays, "hysteresis/reverse", record.reverse);
    return outcome;
}

} // namespace pearlite::algorithm
