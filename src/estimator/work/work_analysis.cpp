// All estimators of one run, and whether they can be trusted.
#include "estimator/evidence/importance.hpp"
#include "estimator/work/work.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pearlite::estimator {

namespace {

/// Beyond this many standard errors a difference that should be zero is taken as real: one false alarm in 1.6e4.
constexpr double significant = 4;
constexpr double skewed = 0.5; ///< skewness of the mean weight that an error bar bears

bool uses_reverse(const Estimate& estimate) {
    return estimate.estimator != "jarzynski-forward" && estimate.estimator != "cumulant-forward";
}

template <class Which>
void withhold(std::vector<Estimate>& estimates, const std::string& note, Which&& which) {
    for (auto& estimate : estimates)
        if (which(estimate)) {
            estimate.standard_error.reset();
            estimate.interval95.reset();
            estimate.error_method.clear();
            estimate.note = note;
        }
    // Estimates that differed only in their error method are now equal: one is kept.
    std::vector<Estimate> kept;
    for (const auto& estimate : estimates)
        if (std::none_of(kept.begin(), kept.end(), [&](const Estimate& other) {
                return other.estimator == estimate.estimator && !other.standard_error && !estimate.standard_error;
            }))
            kept.push_back(estimate);
    estimates = kept;
}

/// Why the reverse trajectories cannot have started in equilibrium; empty if nothing speaks against it.
std::string objection_to_start(const WorkAnalysis& analysis, const WorkFacts& facts) {
    if (facts.start_drift_z && std::abs(*facts.start_drift_z) > significant)
        return fmt::format(
            "their mean energy still changed by {:.1f} standard errors in the second half of the equilibration",
            *facts.start_drift_z);
    const auto& bounds = analysis.bounds;
    const double error = std::hypot(bounds.lower_standard_error, bounds.upper_standard_error);
    if (bounds.lower - bounds.upper > significant * error)
        return fmt::format("the lower bound {:.4g} exceeds the upper bound {:.4g}", bounds.lower, bounds.upper);
    const auto& crooks = analysis.crooks;
    if (crooks.is_defined && analysis.overlap.effective >= good_effective_overlap &&
        std::abs(crooks.slope - 1) > significant * crooks.slope_standard_error)
        return fmt::format("Crooks' slope is {:.3f} +- {:.3f} where it should be 1", crooks.slope,
                           crooks.slope_standard_error);
    return {};
}

WorkVerdict verdict_of(const WorkAnalysis& analysis, const std::string& objection) {
    const auto& overlap = analysis.overlap;
    if (!objection.empty())
        return WorkVerdict::reverse_start_not_equilibrated;
    if (overlap.crossing_forward == 0 || overlap.crossing_reverse == 0 || overlap.effective < least_effective_overlap)
        return WorkVerdict::too_fast;
    return overlap.effective < good_effective_overlap ? WorkVerdict::poor_overlap : WorkVerdict::agree;
}

std::string text_of(const WorkAnalysis& analysis, const WorkFacts& facts, const std::string& objection) {
    const auto& overlap = analysis.overlap;
    switch (analysis.verdict) {
    case WorkVerdict::agree:
        return fmt::format("agree: forward and reverse works overlap well ({:.0f} effective) and obey Crooks' theorem",
                           overlap.effective);
    case WorkVerdict::poor_overlap:
        return fmt::format("poor overlap: forward and reverse works meet in few trajectories ({:.1f} effective, {:g} "
                           "wanted): the error bars are rough; anneal more slowly, or use more trajectories",
                           overlap.effective, good_effective_overlap);
    case WorkVerdict::reverse_start_not_equilibrated:
        return "reverse start not equilibrated: " + objection +
               (facts.exact_reverse_start ? "; the starts are exact, so the transition's reversal must be wrong"
                                          : "; use more equilibration, or another start");
    case WorkVerdict::too_fast:
        return "too fast: forward and reverse works do not overlap, so no estimate has an error bar; anneal more "
               "slowly";
    }
    return {};
}

std::vector<double> times(std::span<const double> works, double sign) {
    std::vector<double> log_weights;
    log_weights.reserve(works.size());
    for (const double w : works)
        log_weights.push_back(sign * w);
    return log_weights;
}

/// Works: spans of all works, or shards; skewness(works, sign) is that of the mean weight, with log weights sign W.
template <class Works, class Skewness>
WorkAnalysis analyse(const Works& forward, const Works& reverse, const WorkFacts& facts, std::uint64_t seed,
                     Skewness&& skewness) {
    WorkAnalysis analysis;
    analysis.bounds = work_bounds(forward, reverse);
    analysis.overlap = work_overlap(forward, reverse);
    analysis.crooks = crooks_check(forward, reverse);
    const auto objection = objection_to_start(analysis, facts);
    analysis.verdict = verdict_of(analysis, objection);
    analysis.verdict_text = text_of(analysis, facts, objection);

    const bool refused = analysis.verdict == WorkVerdict::too_fast;
    auto& estimates = analysis.estimates;
    estimates.push_back(bar(forward, reverse));
    if (!refused) {
        const auto n = static_cast<std::int64_t>(forward.size() + reverse.size());
        const auto replicates = static_cast<int>(std::clamp<std::int64_t>(40'000'000 / n, 100, 400));
        estimates.push_back(bar_bootstrap(forward, reverse, seed, replicates));
    }
    auto posterior = histogram(forward, reverse, seed, refused ? 0 : 2000);
    estimates.push_back(posterior.estimate);
    analysis.posterior = std::move(posterior.posterior);
    estimates.push_back(jarzynski_forward(forward));
    estimates.push_back(jarzynski_reverse(reverse));
    estimates.push_back(cumulant_forward(forward));
    estimates.push_back(cumulant_reverse(reverse));
    estimates.push_back(cumulant_both(forward, reverse));

    if (refused)
        withhold(estimates, "no error bar: forward and reverse works do not overlap", [](const auto&) { return true; });
    else if (analysis.verdict == WorkVerdict::reverse_start_not_equilibrated)
        withhold(estimates, "no error bar: the reverse start is not equilibrated", uses_reverse);
    else if (analysis.verdict == WorkVerdict::poor_overlap)
        analysis.warnings.emplace_back("few works lie where the two distributions meet: error bars are rough");

    for (auto& estimate : estimates) {
        const bool is_skewed = (estimate.estimator == "jarzynski-forward" && skewness(forward, -1) > skewed) ||
                               (estimate.estimator == "jarzynski-reverse" && skewness(reverse, 1) > skewed);
        if (estimate.estimator.starts_with("cumulant") && estimate.standard_error)
            estimate.note = "exact for normal work distributions only";
        if (is_skewed && estimate.standard_error)
            estimate.note = "skewed weights: the error bar is probably too small";
    }
    return analysis;
}

} // namespace

WorkAnalysis analyse_work(std::span<const double> forward, std::span<const double> reverse, const WorkFacts& facts,
                          std::uint64_t seed) {
    return analyse(forward, reverse, facts, seed,
                   [](std::span<const double> works, double sign) { return skewness_of_mean(times(works, sign)); });
}

WorkAnalysis analyse_work(const population::Shards& forward, const population::Shards& reverse, const WorkFacts& facts,
                          std::uint64_t seed) {
    return analyse(forward, reverse, facts, seed, [](const population::Shards& works, double sign) {
        const auto log_weights = times(works.here, sign);
        return skewness_of_mean(population::Shards(works.ranks, works.layout, log_weights));
    });
}

} // namespace pearlite::estimator
