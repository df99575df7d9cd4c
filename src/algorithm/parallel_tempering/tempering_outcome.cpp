#include "algorithm/parallel_tempering/tempering_outcome.hpp"

#include <fmt/format.h>

#include <numeric>

namespace pearlite::algorithm {

namespace {

/// Every passage brings a newly drawn state to a system: each system needs a few passages, and all systems need many.
constexpr double few_passages = 2, few_in_all = 80;
constexpr double low_acceptance = 0.05;
/// Limits of the split R-hat of u over the halves of the systems' measured scans. A half in which u has n effective
/// values gives R-hat^2 = 1 + 1/n. The limit 1.05 stands for ten values in a half, and so for five in a burn-in of a
/// fifth of the scans, after which a start is forgotten. The limit 1.1 stands for five in a half, and so for two in the
/// burn-in, after which a start is not forgotten, so that the spread of the systems is no error bar: with two peaks of
/// unequal width, runs at 1.12 are 30 error bars off. Vehtari et al. (2021) ask for 1.01 for a posterior's quantiles
/// from a few chains; an error bar over many independent systems needs less.
constexpr double suspicious_r_hat = 1.05, largest_r_hat = 1.1;

/// Whether there are enough systems and scans to compare.
bool judges_systems(const TemperingFacts& facts) {
    return facts.systems >= estimator::least_systems && facts.first_half_scans >= 2;
}

double swap_acceptance(std::span<const double> swaps, Index t, const TemperingFacts& facts) {
    const auto n = due_scans(t, facts.scans - facts.measurements, facts.scans);
    return n > 0 ? std::accumulate(swaps.begin(), swaps.end(), 0.0) / static_cast<double>(n * facts.systems) : 0;
}

/// The difference of mean u between the halves of the kept scans at the temperature whose sums begin at `first`, in
/// standard errors.
double drift(const TemperingSums& sums, std::size_t first, const TemperingFacts& facts) {
    const auto R = static_cast<std::size_t>(facts.systems);
    const auto first_n = static_cast<double>(facts.first_half_scans);
    const auto second_n = static_cast<double>(facts.measurements) - first_n;
    double mean = 0, square = 0;
    std::vector<double> change;
    for (std::size_t i = first; i < first + R; ++i) {
        change.push_back((sums.u[i] - sums.u_first_half[i]) / second_n - sums.u_first_half[i] / first_n);
        mean += change.back() / static_cast<double>(R);
    }
    for (const double c : change)
        square += (c - mean) * (c - mean);
    const double error = std::sqrt(square / static_cast<double>(R * (R - 1)));
    return error > 0 ? std::abs(mean) / error : 0;
}

/// The potential scale reduction of u over the halves of all systems at the temperature whose sums begin at `first`
/// (Gelman & Rubin 1992, of split chains): 1 + between / within variance, its root.
double split_r_hat(const TemperingSums& sums, std::size_t first, const TemperingFacts& facts) {
    const auto R = static_cast<std::size_t>(facts.systems);
    const auto first_n = static_cast<double>(facts.first_half_scans);
    const auto second_n = static_cast<double>(facts.measurements) - first_n;
    double within = 0, mean = 0, between = 0;
    std::vector<double> means;
    for (std::size_t i = first; i < first + R; ++i) {
        means.push_back(sums.u_first_half[i] / first_n);
        means.push_back((sums.u[i] - sums.u_first_half[i]) / second_n);
        const double of_means = first_n * std::pow(means[means.size() - 2], 2) + second_n * std::pow(means.back(), 2);
        within +=
            (sums.u_square[i] - of_means) / (static_cast<double>(facts.measurements - 2) * static_cast<double>(R));
    }
    for (const double m : means)
        mean += m / static_cast<double>(means.size());
    for (const double m : means)
        between += (m - mean) * (m - mean) / static_cast<double>(means.size() - 1);
    const double negligible = 1e-12 * (mean * mean + between); // of rounding, where u hardly varies
    if (!(between > negligible))
        return 1;
    return within > negligible ? std::sqrt(1 + between / within) : infinity;
}

std::array<std::int64_t, 4> farthest_systems(const TemperingSums& sums, std::size_t first, std::size_t R) {
    const auto of_rung = std::span(sums.u).subspan(first, R);
    std::vector<double> sorted(of_rung.begin(), of_rung.end());
    std::ranges::nth_element(sorted, sorted.begin() + static_cast<std::ptrdiff_t>(R / 2));
    const double median = sorted[R / 2];
    std::vector<std::int64_t> order(R);
    std::iota(order.begin(), order.end(), std::int64_t{0});
    std::ranges::stable_sort(order, std::greater<>{},
                             [&](std::int64_t i) { return std::abs(of_rung[static_cast<std::size_t>(i)] - median); });
    order.resize(4, -1);
    std::array<std::int64_t, 4> farthest{};
    std::ranges::copy(order, farthest.begin());
    return farthest;
}

/// Collective.
double passages_of_a_system(const parallel::Communicator& ranks, const TemperingSums& sums,
                            const TemperingFacts& facts) {
    Index passages = 0;
    for (const auto tag : sums.tags)
        passages += ReplicaTag::passages(tag);
    return static_cast<double>(ranks.sum(passages)) / static_cast<double>(facts.systems);
}

void judge_exchanges(const std::vector<RungFacts>& rungs, double passages, const TemperingFacts& facts,
                     Outcome& outcome) {
    double barrier = 0, smallest = 1;
    for (std::size_t t = 0; t + 1 < rungs.size(); ++t) {
        barrier += 1 - rungs[t].swap_acceptance;
        smallest = std::min(smallest, rungs[t].swap_acceptance);
    }
    outcome.diagnostics = {{"passages_per_system", passages, {}},
                           {"communication_barrier", barrier, {}},
                           {"smallest_swap_acceptance", smallest, {}}};
    if (smallest < low_acceptance)
        outcome.warnings.push_back(
            fmt::format("a pair of neighbouring temperatures exchanges at a rate of {:.3f} only: use "
                        "more temperatures there",
                        smallest));
    if (passages < few_passages || passages * static_cast<double>(facts.systems) < few_in_all)
        outcome.warnings.push_back(fmt::format("states of a system have come {:.1f} times from the start of the ladder "
                                               "to its end: more scans are needed to trust it",
                                               passages));
}

void withhold(Outcome& outcome, const char* reason) {
    for (auto& estimate : outcome.log_ratio) {
        if (std::isnan(estimate.value))
            continue; // refused before
        estimate.standard_error.reset();
        estimate.interval95.reset();
        estimate.note = reason;
    }
}

/// Systems that were drawn to different modes and stay there disagree in the mean of u.
void judge_agreement(const std::vector<RungFacts>& rungs, const TemperingFacts& facts, Outcome& outcome) {
    const auto worst = std::ranges::max_element(rungs, {}, &RungFacts::r_hat);
    outcome.diagnostics.push_back({"largest_r_hat", worst->r_hat, {}});
    if (worst->r_hat <= suspicious_r_hat)
        return;
    if (worst->r_hat > largest_r_hat)
        withhold(outcome, "no error bar: the systems disagree");
    std::string names;
    for (const auto system : worst->farthest)
        if (system >= 0)
            names += fmt::format("{}{}", names.empty() ? "" : ", ", system);
    outcome.warnings.push_back(fmt::format(
        "the systems disagree: split R-hat of d log f_b/db is {:.3f} at inverse temperature {:.4g} and should be at "
        "most {:g}; farthest from the others are systems {}: more scans, or temperatures at which modes meet",
        worst->r_hat, facts.inverse_temperature[static_cast<std::size_t>(worst - rungs.begin())], suspicious_r_hat,
        names));
}

void judge_drift(const std::vector<RungFacts>& rungs, Outcome& outcome) {
    double worst = 0;
    for (const auto& rung : rungs)
        worst = std::max(worst, rung.drift);
    // The largest of many temperatures: they are correlated, and 4 + log2 T / 2 leaves room for all.
    const double limit = estimator::significant_deviation + 0.5 * std::log2(static_cast<double>(rungs.size()));
    outcome.diagnostics.push_back({"largest_drift", worst, {}});
    if (!(worst > limit))
        return;
    withhold(outcome, "no error bar: the systems are not in equilibrium");
    outcome.warnings.push_back(fmt::format("mean energies of the two halves of the scans differ by {:.1f} standard "
                                           "errors: the burn-in was too short",
                                           worst));
}

std::vector<NamedArray> tempering_arrays(const std::vector<RungFacts>& rungs, const TemperingFacts& facts) {
    std::vector<NamedArray> arrays{{"tempering/inverse_temperature", facts.inverse_temperature},
                                   {"tempering/swap_acceptance", {}},
                                   {"tempering/mean_u", {}},
                                   {"tempering/variance_u", {}},
                                   {"tempering/mean_u_standard_error", {}},
                                   {"tempering/r_hat", {}}};
    for (std::size_t t = 0; t < rungs.size(); ++t) {
        if (t + 1 < rungs.size())
            arrays[1].values.push_back(rungs[t].swap_acceptance);
        arrays[2].values.push_back(rungs[t].mean_u);
        arrays[3].values.push_back(std::max(0.0, rungs[t].variance_u));
        arrays[4].values.push_back(rungs[t].mean_u_error);
        arrays[5].values.push_back(rungs[t].r_hat);
    }
    return arrays;
}

/// log Z_t/Z_0 of all temperatures, with errors where the estimate at the end has kept its own.
void add_path(estimator::LadderMbar mbar, Outcome& outcome) {
    if (!outcome.log_ratio.back().standard_error)
        std::ranges::fill(mbar.standard_error, std::numeric_limits<double>::quiet_NaN());
    outcome.arrays.push_back({"tempering/log_ratio", std::move(mbar.log_ratio)});
    outcome.arrays.push_back({"tempering/log_ratio_standard_error", std::move(mbar.standard_error)});
}

} // namespace

std::vector<RungFacts> rung_facts(const parallel::Communicator& ranks, const estimator::Ladder& ladder,
                                  const TemperingSums& sums, const parallel::BlockLayout& layout,
                                  const TemperingFacts& facts) {
    std::vector<RungFacts> here;
    const std::size_t R = ladder.systems();
    for (const estimator::Rung& rung : ladder.rungs()) {
        const std::size_t first = here.size() * R;
        const Index t = layout.first_local_block() + static_cast<Index>(here.size());
        here.push_back({rung.mean(R), rung.variance(R), rung.standard_error(), drift(sums, first, facts),
                        swap_acceptance(std::span(sums.swaps).subspan(first, R), t, facts),
                        t > 0 && judges_systems(facts) ? split_r_hat(sums, first, facts) : 1,
                        farthest_systems(sums, first, R)});
    }
    return ranks.all_gather(std::span<const RungFacts>(here));
}

void judge_tempering(const parallel::Communicator& ranks, const std::vector<RungFacts>& rungs,
                     const TemperingSums& sums, const TemperingFacts& facts, Outcome& outcome) {
    judge_exchanges(rungs, passages_of_a_system(ranks, sums, facts), facts, outcome);
    if (!judges_systems(facts))
        return;
    judge_drift(rungs, outcome);
    judge_agreement(rungs, facts, outcome);
}

Outcome tempering_outcome(const parallel::Communicator& ranks, const TemperingSums& sums,
                          const parallel::BlockLayout& layout, const TemperingFacts& facts,
                          const std::optional<estimator::LadderRecords>& records) {
    PEARLITE_EXPECTS(layout.block() == facts.systems && layout.local_items() == static_cast<Index>(sums.u.size()));
    const estimator::Ladder ladder(ranks, {sums.u, sums.u_square, sums.ratio, sums.ratio_shift}, layout, facts);
    Outcome outcome;
    outcome.log_ratio.push_back(estimator::stepping_stones(ladder));
    if (auto& stones = outcome.log_ratio.back(); stones.standard_error == 0.0)
        stones.set_flat(stones.value);
    const auto rungs = rung_facts(ranks, ladder, sums, layout, facts);
    std::vector<double> means, variances;
    for (const auto& rung : rungs) {
        means.push_back(rung.mean_u);
        variances.push_back(rung.variance_u);
    }
    outcome.log_ratio.push_back(estimator::thermodynamic_integral(ladder, means, variances, outcome.log_ratio.front()));
    std::optional<estimator::LadderMbar> mbar;
    if (records) {
        mbar = estimator::mbar_of_ladder(ladder, *records);
        outcome.log_ratio.push_back(mbar->estimate);
    }
    judge_tempering(ranks, rungs, sums, facts, outcome);
    outcome.arrays = tempering_arrays(rungs, facts);
    if (mbar)
        add_path(*std::move(mbar), outcome);
    return outcome;
}

} // namespace pearlite::algorithm
