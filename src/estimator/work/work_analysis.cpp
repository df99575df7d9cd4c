// All estimators of one run, and whether they can be trusted.
#include "estimator/evidence/genealogy.hpp"
#include "estimator/evidence/importance.hpp"
#include "estimator/work/sharded_works.hpp"
#include "estimator/work/work_verdict.hpp"

#include <fmt/format.h>

namespace pearlite::estimator {

namespace {

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

/// Collective. The analysis of works that are all one number.
WorkAnalysis analyse_alike(const population::Shards& forward, const population::Shards& reverse, bool is_foreign) {
    WorkAnalysis analysis;
    analysis.bounds = work_bounds(forward, reverse);
    analysis.overlap = work_overlap(forward, reverse);
    analysis.overlap.coefficient = 1;
    analysis.verdict_text =
        is_foreign
            ? "agree: all works are alike, so that nothing was dissipated: the value is exact if no work was lost"
            : "agree: all works are alike, since the likelihood is the same at every state that was visited";
    std::vector<std::string> names{"bar"};
    for (const auto& estimator : work_estimators())
        names.push_back(estimator.name);
    const double value = analysis.bounds.lower;
    for (const auto& name : names)
        analysis.estimates.push_back({name, value, 0.0, Interval{value, value}, "exact"});
    analysis.posterior.assign(1, value);
    return analysis;
}

/// Collective. Bounds, overlap and Crooks' check, of works as a series where they are one.
void look_at(const population::Shards& forward, const population::Shards& reverse, bool is_series,
             WorkAnalysis& analysis) {
    auto& bounds = analysis.bounds;
    bounds = work_bounds(forward, reverse);
    analysis.overlap = work_overlap(forward, reverse);
    analysis.crooks = crooks_check(forward, reverse, is_series);
    const bool do_meet = analysis.overlap.crossing_forward > 0 && analysis.overlap.crossing_reverse > 0 &&
                         analysis.overlap.effective >= least_effective_overlap;
    if (!is_series || !do_meet) // BAR of works that do not meet says nothing about their order
        return;
    analysis.series = work_series(forward, reverse);
    analysis.overlap.effective /= analysis.series->ratio();
    const auto inflation = [](const population::Shards& works) {
        if (!works.all([](double w) { return std::isfinite(w); }))
            return 1.0;
        return std::sqrt(work_series(works.ranks, {{works.here.begin(), works.here.end()}, {}}).ratio());
    };
    bounds.lower_standard_error *= inflation(forward);
    bounds.upper_standard_error *= inflation(reverse);
}

/// Collective. BAR by its formula and by the bootstrap, and the histogram; the errors of series are those of
/// `analysis.series`.
void add_two_sided(const population::Shards& forward, const population::Shards& reverse, const random::Seed& seed,
                   WorkAnalysis& analysis) {
    const auto& series = analysis.series;
    auto& estimates = analysis.estimates;
    const bool refused = analysis.verdict == WorkVerdict::too_fast;
    estimates.push_back(bar(forward, reverse));
    if (series)
        estimates.back() = detail::bar_of_series(estimates.back(), *series);
    if (!refused) {
        const auto n = static_cast<std::int64_t>(forward.size() + reverse.size());
        const auto replicates = static_cast<int>(std::clamp<std::int64_t>(40'000'000 / n, 100, 400));
        const auto blocks = series ? detail::blocks_of(*series) : WorkBlocks();
        estimates.push_back(bar_bootstrap(forward, reverse, seed, replicates, blocks));
        if (series) {
            std::vector<double> none;
            const double spread = detail::spread_in_blocks(forward, reverse, blocks);
            detail::stretch(estimates.back(), none, spread > 0 ? std::sqrt(series->variance) / spread : 1);
        }
    }
    auto posterior = histogram(forward, reverse, seed, refused ? 0 : 2000);
    if (series)
        detail::stretch(posterior.estimate, posterior.posterior, std::sqrt(series->ratio()));
    estimates.push_back(posterior.estimate);
    analysis.posterior = std::move(posterior.posterior);
}

/// Collective. The other estimates; means of weights have an error bar only where these are not skewed.
void add_others(const population::Shards& forward, const population::Shards& reverse, WorkAnalysis& analysis) {
    for (const auto& entry : work_estimators()) {
        auto estimate = entry.estimate(forward, reverse);
        double inefficiency = 1;
        if (analysis.series && estimate.standard_error && !entry.influence) {
            estimate.withhold_error("no error bar: it has none for works that depend on those before them");
        } else if (analysis.series && estimate.standard_error && std::isfinite(estimate.value)) {
            const auto series = work_series(forward.ranks, entry.influence(forward, reverse, estimate.value));
            detail::use_series(estimate, series);
            inefficiency = series.ratio();
        }
        if (estimate.standard_error && entry.weight_sign != 0) {
            const auto& works = entry.weight_sign < 0 ? forward : reverse;
            const double skew = skewness_of_weights(works, entry.weight_sign) * std::sqrt(inefficiency);
            if (skew > largest_skewness)
                estimate.withhold_error(fmt::format("no error bar: the weights are skewed ({:.2g}, more than {:g})",
                                                    skew, largest_skewness));
        }
        analysis.estimates.push_back(std::move(estimate));
    }
}

/// Collective. Cumulants have error bars only where the works look normal and BAR, which needs no such shape, agrees.
void judge_cumulants(const population::Shards& forward, const population::Shards& reverse, WorkAnalysis& analysis) {
    constexpr double apart = 2; // joint errors
    const auto& series = analysis.series;
    const bool is_forward_normal =
        are_normal(forward, series ? series->forward.independent() : static_cast<double>(forward.size()));
    const bool is_reverse_normal =
        are_normal(reverse, series ? series->reverse.independent() : static_cast<double>(reverse.size()));
    const auto bar_estimate = analysis.estimates.front();
    for (auto& estimate : analysis.estimates) {
        const auto* entry = entry_of(estimate);
        if (!estimate.standard_error || entry == nullptr || !entry->assumes_normal)
            continue;
        estimate.note = "exact for normal work distributions only";
        if (!bar_estimate.standard_error)
            estimate.withhold_error("no error bar: BAR has none, so nothing shows that the works are normal");
        else if (std::abs(estimate.value - bar_estimate.value) >
                 apart * std::hypot(*estimate.standard_error, *bar_estimate.standard_error))
            estimate.withhold_error("no error bar: the works are not normal, since it is far from BAR");
        else if ((entry->uses_forward && !is_forward_normal) || (entry->uses_reverse && !is_reverse_normal))
            estimate.withhold_error("no error bar: the works have not the skewness and kurtosis of normal ones");
    }
}

/// Two methods give one number errors that differ so much that one of them must be wrong.
void compare_errors(WorkAnalysis& analysis) {
    constexpr double largest_ratio = 2;
    const Estimate *least = nullptr, *most = nullptr;
    for (const auto& estimate : analysis.estimates) {
        const bool is_of_bar = estimate.estimator == "bar" || estimate.estimator == "histogram";
        if (!is_of_bar || estimate.error_method == "ancestors" || !(estimate.standard_error.value_or(0) > 0))
            continue;
        if (!least || *estimate.standard_error < *least->standard_error)
            least = &estimate;
        if (!most || *estimate.standard_error > *most->standard_error)
            most = &estimate;
    }
    if (most && *most->standard_error > largest_ratio * *least->standard_error)
        analysis.warnings.push_back(fmt::format(
            "two error bars of one number differ: {:.3g} ({}, {}) and {:.3g} ({}, {}): look at the largest and the "
            "smallest works",
            *least->standard_error, least->estimator, least->error_method, *most->standard_error, most->estimator,
            most->error_method));
}

void add_warnings(WorkAnalysis& analysis) {
    const auto& series = analysis.series;
    if (analysis.verdict == WorkVerdict::poor_overlap)
        analysis.warnings.emplace_back("few works lie where the two distributions meet: error bars are rough");
    if (analysis.verdict == WorkVerdict::agree && !analysis.crooks.is_defined)
        analysis.warnings.emplace_back("Crooks' theorem could not be looked at: a logistic regression of the direction "
                                       "on the work has no rising solution");
    for (const bool is_forward : {true, false}) {
        if (!series || analysis.verdict == WorkVerdict::too_correlated)
            continue;
        const auto& of = is_forward ? series->forward : series->reverse;
        if (of.is_short())
            analysis.warnings.push_back(
                fmt::format("{:g} {} works stand for some {:.0f} independent ones: the error bar is rough", of.length,
                            is_forward ? "forward" : "reverse", of.independent()));
    }
}

WorkAnalysis analyse(const population::Shards& forward, const population::Shards& reverse, const WorkFacts& facts,
                     const random::Seed& seed, const std::optional<AncestorError>& ancestors) {
    WorkAnalysis analysis;
    look_at(forward, reverse, facts.is_series, analysis);
    const auto objection = detail::objection_to_start(analysis, facts);
    analysis.verdict = detail::verdict_of(analysis, objection);
    const bool refused = analysis.verdict == WorkVerdict::too_fast;
    const bool contradicts = analysis.verdict == WorkVerdict::reverse_start_not_equilibrated;
    const auto advice = facts.foreign && (refused || contradicts)
                            ? advice_on_foreign(forward, reverse, *facts.foreign, analysis.crooks)
                            : std::string();
    analysis.verdict_text = detail::text_of(analysis, facts, objection, advice);

    auto& estimates = analysis.estimates;
    add_two_sided(forward, reverse, seed, analysis);
    add_others(forward, reverse, analysis);
    const auto of_all = [](const auto&) { return true; };
    if (refused)
        withhold(estimates, "no error bar: forward and reverse works do not overlap", of_all);
    else if (analysis.verdict == WorkVerdict::too_correlated)
        withhold(estimates, "no error bar: too few independent works", of_all);
    else if (contradicts && facts.foreign)
        withhold(estimates, "no error bar: the works contradict each other", of_all);
    else if (contradicts)
        withhold(estimates, "no error bar: the reverse start is not equilibrated", uses_reverse);
    if (ancestors && !refused)
        use_ancestors(estimates, *ancestors);
    judge_cumulants(forward, reverse, analysis);
    add_warnings(analysis);
    compare_errors(analysis);
    return analysis;
}

} // namespace

WorkAnalysis analyse_work(const population::Shards& forward, const population::Shards& reverse, const WorkFacts& facts,
                          const random::Seed& seed) {
    if (are_alike(forward, reverse))
        return analyse_alike(forward, reverse, facts.foreign.has_value());
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
