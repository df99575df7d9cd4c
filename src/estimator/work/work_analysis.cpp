// All estimators of one run, and whether they can be trusted.
#include "estimator/evidence/genealogy.hpp"
#include "estimator/evidence/importance.hpp"
#include "estimator/work/work.hpp"

#include <fmt/format.h>

#include <cmath>

namespace pearlite::estimator {

namespace {

constexpr double significant = significant_difference;

/// The entry of an estimate; null for BAR and the histogram.
const WorkEstimator* entry_of(const Estimate& estimate) {
    const auto& all = work_estimators();
    const auto found = std::ranges::find(all, estimate.estimator, &WorkEstimator::name);
    return found == all.end() ? nullptr : &*found;
}

bool uses_reverse(const Estimate& estimate) {
    const auto* entry = entry_of(estimate);
    return entry == nullptr || entry->uses_reverse;
}

template <class Which>
void withhold(std::vector<Estimate>& estimates, const std::string& note, Which&& which) {
    for (auto& estimate : estimates)
        if (which(estimate)) {
            estimate.withhold_error(note);
            estimate.error_method.clear();
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

/// Reverse works whose starts have common ancestors: BAR's error is the largest of those known, and all that use
/// reverse works are as doubtful as the number of ancestors is small.
struct AncestorError {
    Estimate bar;
    double effective = 0; ///< number of ancestors
};

void use_ancestors(std::vector<Estimate>& estimates, const AncestorError& ancestors) {
    const auto finding = fmt::format("the reverse starts descend from {:.1f} effective ancestors", ancestors.effective);
    if (ancestors.effective < min_effective_families)
        return withhold(estimates, "no error bar: " + finding, uses_reverse);
    auto& headline = estimates.front();
    if (ancestors.bar.standard_error && headline.standard_error &&
        *ancestors.bar.standard_error > *headline.standard_error)
        estimates.insert(estimates.begin(), ancestors.bar);
    if (ancestors.effective < good_effective_families)
        estimates.front().doubts.push_back(fmt::format(
            "{}, fewer than {:g}: the error bar may be too small; use more trajectories, or start elsewhere", finding,
            good_effective_families));
}

/// Collective. The skewness of the mean weight, with log weights sign W.
double skewness_of_weights(const population::Shards& works, double sign) {
    const auto log_weights = times(works.here, sign);
    return skewness_of_mean(population::Shards(works.ranks, works.layout, log_weights));
}

WorkAnalysis analyse(const population::Shards& forward, const population::Shards& reverse, const WorkFacts& facts,
                     const random::Seed& seed, const std::optional<AncestorError>& ancestors) {
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
    for (const auto& estimator : work_estimators())
        estimates.push_back(estimator.estimate(forward, reverse));

    if (refused)
        withhold(estimates, "no error bar: forward and reverse works do not overlap", [](const auto&) { return true; });
    else if (analysis.verdict == WorkVerdict::reverse_start_not_equilibrated)
        withhold(estimates, "no error bar: the reverse start is not equilibrated", uses_reverse);
    else if (analysis.verdict == WorkVerdict::poor_overlap)
        analysis.warnings.emplace_back("few works lie where the two distributions meet: error bars are rough");

    if (ancestors && !refused)
        use_ancestors(estimates, *ancestors);
    const auto bar_estimate = estimates.front();
    for (auto& estimate : estimates) {
        const auto* entry = entry_of(estimate);
        if (!estimate.standard_error || entry == nullptr)
            continue;
        const int sign = entry->weight_sign;
        const double skew = sign == 0 ? 0 : skewness_of_weights(sign < 0 ? forward : reverse, sign);
        if (skew > largest_skewness)
            estimate.withhold_error(
                fmt::format("no error bar: the weights are skewed ({:.2g}, more than {:g})", skew, largest_skewness));
        if (entry->assumes_normal) {
            estimate.note = "exact for normal work distributions only";
            if (are_apart(estimate, bar_estimate))
                estimate.withhold_error("no error bar: the works are not normal, since it is far from BAR");
        }
    }
    return analysis;
}

} // namespace

WorkAnalysis analyse_work(const population::Shards& forward, const population::Shards& reverse, const WorkFacts& facts,
                          const random::Seed& seed) {
    std::optional<AncestorError> ancestors;
    if (facts.ancestors) {
        const auto n = static_cast<double>(reverse.size());
        const Matrix sizes = facts.ancestors->sums(Matrix::Ones(1, static_cast<Index>(reverse.here.size())));
        population::BlockSums squares(1);
        for (Index e = 0; e < sizes.cols(); ++e)
            squares.add(0, sizes(0, e) * sizes(0, e));
        ancestors = {bar_by_ancestors(forward, reverse, *facts.ancestors),
                     n * n / squares.total(reverse.ranks).front()};
    }
    return analyse(forward, reverse, facts, seed, ancestors);
}

} // namespace pearlite::estimator
