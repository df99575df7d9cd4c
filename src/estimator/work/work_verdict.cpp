#include "estimator/work/work_verdict.hpp"

#include <fmt/format.h>

#include <cmath>

namespace pearlite::estimator::detail {

namespace {

std::string text_of_agreement(const WorkAnalysis& analysis, const WorkFacts& facts) {
    const auto& series = analysis.series;
    const bool is_short = series && (series->forward.is_short() || series->reverse.is_short());
    return fmt::format("agree{}: forward and reverse works overlap well ({:.0f} effective) and {}{}",
                       is_short ? ", by few independent works" : "", analysis.overlap.effective,
                       analysis.crooks.is_defined ? "obey Crooks' theorem" : "Crooks' theorem could not be looked at",
                       facts.ancestors ? "; both directions start from the same peaks, so a peak that the forward ends "
                                         "miss shows in neither"
                                       : "");
}

std::string text_of_correlation(const WorkSeries& series) {
    const bool is_forward = series.forward.is_too_short();
    const auto& worse = is_forward ? series.forward : series.reverse;
    return fmt::format("too correlated: {:g} {} works stand for {:.0f} independent ones (statistical inefficiency "
                       "{:.0f}), too few for an error bar; use more works, or works farther apart, or --independent "
                       "if their order means nothing",
                       worse.length, is_forward ? "forward" : "reverse", worse.independent(), worse.inefficiency());
}

} // namespace

std::string objection_to_start(const WorkAnalysis& analysis, const WorkFacts& facts) {
    constexpr double significant = significant_difference;
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
    const double effective = overlap.effective * (analysis.series ? analysis.series->ratio() : 1);
    if (overlap.crossing_forward == 0 || overlap.crossing_reverse == 0 || effective < least_effective_overlap)
        return WorkVerdict::too_fast;
    if (analysis.series && analysis.series->is_too_short())
        return WorkVerdict::too_correlated;
    return overlap.effective < good_effective_overlap ? WorkVerdict::poor_overlap : WorkVerdict::agree;
}

std::string text_of(const WorkAnalysis& analysis, const WorkFacts& facts, const std::string& objection,
                    const std::string& advice) {
    const auto& overlap = analysis.overlap;
    switch (analysis.verdict) {
    case WorkVerdict::agree:
        return text_of_agreement(analysis, facts);
    case WorkVerdict::poor_overlap:
        return fmt::format("poor overlap: forward and reverse works meet in few trajectories ({:.1f} effective, {:g} "
                           "wanted): the error bars are rough; {} more slowly, or use more trajectories",
                           overlap.effective, good_effective_overlap, facts.foreign ? "switch" : "anneal");
    case WorkVerdict::reverse_start_not_equilibrated:
        if (facts.foreign)
            return fmt::format("inconsistent: {}: {}", objection, advice);
        return "reverse start not equilibrated: " + objection +
               (facts.exact_reverse_start ? "; the starts are exact, so the transition's reversal must be wrong"
                                          : "; use more equilibration, or another start");
    case WorkVerdict::too_fast:
        return "too fast: forward and reverse works do not overlap, so no estimate has an error bar; " +
               (facts.foreign ? advice + "; if these are right, switch more slowly" : "anneal more slowly");
    case WorkVerdict::too_correlated:
        return text_of_correlation(*analysis.series);
    }
    return {};
}

} // namespace pearlite::estimator::detail
