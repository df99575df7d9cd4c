#include "algorithm/common/chain_outcome.hpp"

#include "algorithm/common/few_families.hpp"

#include <fmt/format.h>

#include <cmath>

namespace pearlite::algorithm {

namespace {

constexpr double largest_r_hat = 1.01;
constexpr double least_ess_per_chain = 100;
/// A chain sticks if it stands still for this fraction of its iterations, and for at least this number of them.
constexpr double longest_fraction = 0.05;
constexpr std::int64_t shortest_stay = 100;
/// The largest share of the pilot's weight that a peak may have without a visit by a chain.
constexpr double largest_unvisited = 0.05;
constexpr double most_joint_errors = 4;

/// The worst value over parameters; NaN (no draw differs from the others) is worse than any.
template <class Value, class Worse>
double worst(const std::vector<estimator::ChainSummary>& summaries, Value value, Worse worse) {
    double found = value(summaries.front());
    for (const auto& summary : summaries)
        if (const double v = value(summary); std::isnan(v) || worse(v, found))
            found = v;
    return found;
}

void warn_of_convergence(const ChainOutcome& chains, double r_hat, double bulk, double tail, Outcome& outcome) {
    const auto n_chains = static_cast<double>(chains.acceptance.size());
    if (!(r_hat <= largest_r_hat)) {
        std::string names;
        for (const auto& summary : chains.summaries)
            if (!(summary.r_hat <= largest_r_hat))
                names += (names.empty() ? "" : ", ") + summary.posterior.name;
        outcome.warnings.push_back(fmt::format("R-hat is {:.3f} and should be at most {:g} ({}): the chains have not "
                                               "met; more iterations, or a likelihood that is estimated more precisely",
                                               r_hat, largest_r_hat, names));
    }
    const double least = least_ess_per_chain * n_chains;
    if (!(bulk >= least && tail >= least))
        outcome.warnings.push_back(fmt::format("the smallest bulk ESS is {:.0f} and tail ESS {:.0f}, below {:g} per "
                                               "chain: means and quantiles are uncertain beyond their errors",
                                               bulk, tail, least_ess_per_chain));
}

void warn_of_sticking(const ChainOutcome& chains, Outcome& outcome) {
    const auto longest = std::max_element(chains.longest_stay.begin(), chains.longest_stay.end());
    if (*longest >= shortest_stay &&
        static_cast<double>(*longest) > longest_fraction * static_cast<double>(chains.iterations))
        outcome.warnings.push_back(
            fmt::format("chain {} stood still for {} of {} iterations: chains stick where the likelihood was "
                        "overestimated; estimate it more precisely",
                        longest - chains.longest_stay.begin(), *longest, chains.iterations));
}

void warn_of_peaks(const ChainOutcome& chains, Outcome& outcome) {
    const auto n_chains = chains.acceptance.size();
    for (const auto& peak : chains.peaks) {
        if (peak.visitors == 0 && peak.pilot_share > largest_unvisited)
            outcome.warnings.push_back(fmt::format("none of the {} chains has visited {}: the posterior lacks it; more "
                                                   "chains, or an algorithm along a path",
                                                   n_chains, peak.description));
        const double joint = std::hypot(peak.error, peak.pilot_error); // NaN where all draws are in one peak
        if (peak.visitors > 0 && std::abs(peak.share - peak.pilot_share) > most_joint_errors * joint)
            outcome.warnings.push_back(fmt::format(
                "{:.2g} +- {:.2g} of the draws are in {}, which the pilot's error of {:.2g} does not explain: "
                "chains hardly move between the peaks",
                peak.share, peak.error, peak.description, peak.pilot_error));
    }
}

} // namespace

Outcome judge_chains(const ChainOutcome& chains) {
    Outcome outcome;
    if (chains.summaries.empty())
        return outcome;
    const auto least = std::less<>{};
    const double r_hat = worst(
        chains.summaries, [](const auto& s) { return s.r_hat; }, std::greater<>{});
    const double ess = worst(
        chains.summaries, [](const auto& s) { return s.posterior.ess; }, least);
    const double bulk = worst(
        chains.summaries, [](const auto& s) { return s.bulk_ess; }, least);
    const double tail = worst(
        chains.summaries, [](const auto& s) { return s.tail_ess; }, least);
    double acceptance = 0;
    for (const double rate : chains.acceptance)
        acceptance += rate / static_cast<double>(chains.acceptance.size());
    outcome.ess = std::isnan(ess) ? 0 : ess;
    outcome.diagnostics = {
        {"largest_r_hat", r_hat, {}},
        {"smallest_bulk_ess", bulk, {}},
        {"smallest_tail_ess", tail, {}},
        {"acceptance", acceptance, {}},
        {"longest_stay",
         static_cast<double>(*std::max_element(chains.longest_stay.begin(), chains.longest_stay.end())),
         {}}};
    warn_of_convergence(chains, r_hat, bulk, tail, outcome);
    warn_of_sticking(chains, outcome);
    warn_of_peaks(chains, outcome);
    if (auto warning = warning_of_families(chains.pilot_families); !warning.empty())
        outcome.warnings.push_back(std::move(warning));
    outcome.has_no_error_bar = are_too_few_families(chains.pilot_families);
    if (!chains.peaks.empty())
        outcome.diagnostics.push_back({"pilot_peaks", static_cast<double>(chains.peaks.size()), {}});
    outcome.verdict = outcome.has_no_error_bar
                          ? fmt::format("{:.1f} effective families of the pilot, in which all chains start, support no "
                                        "error bar; chains give no evidence",
                                        chains.pilot_families)
                      : outcome.warnings.empty()
                          ? fmt::format("the chains agree (R-hat at most {:.3f}); chains give no evidence", r_hat)
                          : "the diagnostics of the chains carry warnings; chains give no evidence";
    return outcome;
}

} // namespace pearlite::algorithm
