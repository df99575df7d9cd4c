#include "algorithm/nonequilibrium/work_outcome.hpp"

#include "estimator/evidence/importance.hpp"
#include "estimator/work/work.hpp"

#include <algorithm>
#include <cmath>
#include <set>

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

Outcome work_outcome(std::span<const double> forward, std::span<const double> reverse, const WorkRecord& record,
                     bool exact_start, std::span<const std::int64_t> start_eves, std::uint64_t seed) {
    estimator::WorkFacts facts{exact_start, {}};
    if (!exact_start)
        facts.start_drift_z = start_drift(record.equilibration, static_cast<Index>(reverse.size()));
    auto analysis = estimator::analyse_work(forward, reverse, facts, seed);

    Outcome outcome;
    outcome.log_ratio = std::move(analysis.estimates);
    outcome.verdict = analysis.verdict_text;
    outcome.warnings = analysis.warnings;
    std::vector<double> log_weights;
    for (const double work : forward)
        log_weights.push_back(-work);
    outcome.ess = estimator::effective_sample_size(log_weights);
    outcome.diagnostics = diagnostics_of(analysis);
    if (facts.start_drift_z)
        outcome.diagnostics.push_back({"reverse_start_drift", *facts.start_drift_z, {}});
    if (!start_eves.empty()) {
        const std::set<std::int64_t> distinct(start_eves.begin(), start_eves.end());
        outcome.diagnostics.push_back({"distinct_reverse_starts", static_cast<double>(distinct.size()), {}});
        if (2 * distinct.size() < start_eves.size())
            outcome.warnings.push_back("the reverse starts descend from " + std::to_string(distinct.size()) + " of " +
                                       std::to_string(start_eves.size()) +
                                       " forward end states: they are not independent, and error bars are too small "
                                       "unless the equilibration makes them so");
    }
    outcome.arrays = work_arrays(forward, reverse, record, analysis.posterior);
    return outcome;
}

std::vector<NamedArray> work_arrays(std::span<const double> forward, std::span<const double> reverse,
                                    const WorkRecord& record, std::span<const double> posterior) {
    std::vector<NamedArray> arrays{
        {"work/forward", {forward.begin(), forward.end()}},
        {"work/reverse", {reverse.begin(), reverse.end()}},
        {"work/log_ratio_posterior", {posterior.begin(), posterior.end()}},
    };
    add_averages(arrays, "hysteresis/forward", record.forward);
    add_averages(arrays, "hysteresis/equilibration", record.equilibration);
    add_averages(arrays, "hysteresis/reverse", record.reverse);
    return arrays;
}

} // namespace pearlite::algorithm
