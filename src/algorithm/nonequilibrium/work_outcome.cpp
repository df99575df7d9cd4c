#include "algorithm/nonequilibrium/work_outcome.hpp"

#include "algorithm/common/log_weight_moments.hpp"
#include "estimator/work/work.hpp"

#include <cmath>
#include <string>
#include <utility>

namespace pearlite::algorithm {

namespace {

void add_averages(std::vector<NamedArray>& arrays, const std::string& group, const PathAverages& averages) {
    arrays.push_back({group + "/inverse_temperature", averages.inverse_temperature});
    arrays.push_back({group + "/mean_u", averages.mean_u});
    arrays.push_back({group + "/sd_u", averages.sd_u});
    arrays.push_back({group + "/mean_work", averages.mean_work});
    arrays.push_back({group + "/sd_work", averages.sd_work});
}

std::vector<Diagnostic> diagnostics_of(const estimator::WorkAnalysis& analysis) {
    const auto& bounds = analysis.bounds;
    const auto& overlap = analysis.overlap;
    std::vector<Diagnostic> diagnostics{
        {"lower_bound", bounds.lower, bounds.lower_standard_error},
        {"upper_bound", bounds.upper, bounds.upper_standard_error},
        {"overlap", overlap.coefficient, {}},
        {"effective_overlap", overlap.effective, {}},
        {"crossing_forward_works", static_cast<double>(overlap.crossing_forward), {}},
        {"crossing_reverse_works", static_cast<double>(overlap.crossing_reverse), {}},
    };
    const auto& crooks = analysis.crooks;
    if (crooks.is_defined) {
        diagnostics.push_back({"crooks_slope", crooks.slope, crooks.slope_standard_error});
        diagnostics.push_back({"crooks_log_ratio", crooks.log_ratio, crooks.log_ratio_standard_error});
    }
    return diagnostics;
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
    auto analysis = estimator::analyse_work(forward, reverse, facts, seed);

    Outcome outcome;
    outcome.log_ratio = std::move(analysis.estimates);
    outcome.verdict = analysis.verdict_text;
    outcome.warnings = analysis.warnings;
    outcome.diagnostics = diagnostics_of(analysis);
    outcome.log_weights = {log_weight_moments(forward, -1)};
    if (facts.start_drift_z)
        outcome.diagnostics.push_back({"reverse_start_drift", *facts.start_drift_z, {}});
    if (ancestors)
        outcome.diagnostics.push_back({"distinct_reverse_starts", static_cast<double>(ancestors->surviving()), {}});
    outcome.arrays.push_back({"work/log_ratio_posterior", std::move(analysis.posterior)});
    add_averages(outcome.arrays, "hysteresis/forward", record.forward);
    add_averages(outcome.arrays, "hysteresis/equilibration", record.equilibration);
    add_averages(outcome.arrays, "hysteresis/reverse", record.reverse);
    return outcome;
}

} // namespace pearlite::algorithm
