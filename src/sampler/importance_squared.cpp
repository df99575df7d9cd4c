#include "pearlite/sampler/importance_squared.hpp"

#include "pearlite/core/log_space.hpp"

#include <fmt/format.h>

namespace pearlite::sampler {

namespace {

constexpr double largest_skewness = 0.5; ///< of the mean weight, for an error bar without a warning
constexpr double largest_share = 0.1;    ///< of one weight

double share_of_largest(std::span<const double> log_weights) {
    return std::exp(*std::max_element(log_weights.begin(), log_weights.end()) - log_sum_exp(log_weights));
}

} // namespace

Outcome importance_outcome(std::span<const double> log_weights, std::uint64_t seed) {
    const auto n = static_cast<Index>(log_weights.size());
    const auto replicates = std::clamp<Index>(20'000'000 / n, 200, 1000);
    const auto estimate = estimator::importance_estimate(log_weights, seed, static_cast<int>(replicates));
    Outcome outcome;
    outcome.log_ratio = {estimate.delta, estimate.bootstrap};
    for (auto& one : outcome.log_ratio) {
        one.estimator = "importance-squared";
        if (!one.note.empty() && !one.standard_error)
            one.note = fmt::format("no error bar: {:.1f} effective draws of {}", estimate.ess, n);
    }
    outcome.ess = estimate.ess;
    const double share = share_of_largest(log_weights);
    outcome.diagnostics = {{"ess_fraction", estimate.ess / static_cast<double>(n), {}},
                           {"largest_weight_share", share, {}},
                           {"skewness_of_mean_weight", estimate.skewness_of_mean, {}}};
    if (estimate.ess < 20)
        outcome.warnings.push_back("the effective number of draws is below 20: the proposal misses the posterior, or "
                                   "the likelihood's estimate is too noisy");
    else if (estimate.skewness_of_mean > largest_skewness)
        outcome.warnings.push_back("the weights are skewed: the error bar is probably too small; use more draws, or "
                                   "a likelihood that is estimated more precisely");
    if (share > largest_share)
        outcome.warnings.push_back(fmt::format(
            "one draw of {} has {:.0f} % of the weight: estimate and posterior hang on it", n, 100 * share));
    return outcome;
}

} // namespace pearlite::sampler
