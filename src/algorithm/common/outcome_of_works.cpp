#include "algorithm/common/outcome_of_works.hpp"

#include <cmath>

namespace pearlite::algorithm {

namespace {

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
    if (const auto& series = analysis.series) {
        diagnostics.push_back({"forward_inefficiency", series->forward.inefficiency(), {}});
        diagnostics.push_back({"forward_independent", series->forward.independent(), {}});
        diagnostics.push_back({"reverse_inefficiency", series->reverse.inefficiency(), {}});
        diagnostics.push_back({"reverse_independent", series->reverse.independent(), {}});
    }
    const auto& crooks = analysis.crooks;
    if (crooks.is_defined) {
        diagnostics.push_back({"crooks_slope", crooks.slope, crooks.slope_standard_error});
        diagnostics.push_back({"crooks_log_ratio", crooks.log_ratio, crooks.log_ratio_standard_error});
    }
    return diagnostics;
}

} // namespace

Outcome outcome_of_works(const population::Shards& forward, const population::Shards& reverse,
                         const estimator::WorkFacts& facts, const random::Seed& seed) {
    auto analysis = estimator::analyse_work(forward, reverse, facts, seed);
    Outcome outcome;
    outcome.log_ratio = std::move(analysis.estimates);
    outcome.verdict = analysis.verdict_text;
    outcome.warnings = analysis.warnings;
    outcome.diagnostics = diagnostics_of(analysis);
    outcome.log_weights = {log_weight_moments(forward, -1)};
    outcome.arrays.push_back({"work/log_ratio_posterior", std::move(analysis.posterior)});
    std::vector<double> log_weights;
    log_weights.reserve(forward.here.size());
    for (const double work : forward.here)
        log_weights.push_back(-work);
    outcome.ess = population::summarise(forward.ranks, forward.layout, log_weights).ess;
    return outcome;
}

LogRatioSoFar independent_log_ratio(const Trace& trace, Index n) {
    constexpr double least_ess = 5;
    LogRatioSoFar found{trace.log_ratio.back(), {}};
    if (const double ess = trace.ess.back(); ess >= least_ess)
        found.standard_error = std::sqrt(std::max(0.0, 1 / ess - 1 / static_cast<double>(n)));
    return found;
}

LogWeightMoments log_weight_moments(const population::Shards& numbers, double sign) {
    constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
    const auto n = static_cast<double>(numbers.size());
    if (!numbers.all([](double x) { return std::isfinite(x); }))
        return {n, not_a_number, not_a_number};
    const double mean = population::sums_over<1>(numbers, [](double x) { return std::array{x}; })[0] / n;
    const auto square =
        population::sums_over<1>(numbers, [&](double x) { return std::array{(x - mean) * (x - mean)}; })[0];
    return {n, sign * mean, square / (n - 1)};
}

} // namespace pearlite::algorithm
