#include "app/sweep/cost.hpp"
#include "app/result/run.hpp"

#include "app/configured/prepare.hpp"
#include "app/probe/probe.hpp"

#include <queue>
#include <tuple>

namespace pearlite::app {

namespace {

/// The predicted updates of a setting for a value of the fitted key.
class PredictedUpdates {
  public:
    PredictedUpdates(const Catalogue& models, const io::SweepGrid& grid, Index setting, std::string key)
        : models_(models), grid_(grid), setting_(setting), key_(std::move(key)) {}

    std::string assignment(Index value) const { return fmt::format("{}={}", key_, value); }
    /// Infinite for a value that is not legal. Each value is tried once: a trial builds the model.
    double at(Index value) {
        const auto [known, is_new] = known_.emplace(value, infinity);
        if (is_new)
            try {
                const auto prepared = prepare(models_, grid_.configuration(setting_, {assignment(value)}));
                known->second = prepared.plan->workload(*prepared.model).updates;
            } catch (const InputError&) {
                known->second = infinity;
            }
        return known->second;
    }

  private:
    const Catalogue& models_;
    const io::SweepGrid& grid_;
    Index setting_;
    std::string key_;
    std::map<Index, double> known_;
};

std::string budget_key(const SweepSettings& settings) {
    return settings.seconds ? "sweep.seconds" : "sweep.evaluations";
}

/// The key that [sweep] names, else the first of those that size a run and are not swept.
std::string fitted_key(const io::SweepGrid& grid, const algorithm::Plan& plan, const SweepSettings& settings) {
    if (!settings.fitted_key.empty()) {
        if (grid.sets(settings.fitted_key))
            throw grid.mistake("sweep.fit", settings.fitted_key + " is swept, expected a key that is not");
        return settings.fitted_key;
    }
    for (const auto& key : plan.size_keys())
        if (!grid.sets(key))
            return key;
    throw grid.mistake(budget_key(settings), "every key that sizes the runs is swept, so that none follows from the "
                                             "budget; expected another key as sweep.fit");
}

} // namespace

std::string fit_to_budget(const Catalogue& models, const io::SweepGrid& grid, Index setting,
                          const SweepSettings& settings) {
    const auto configuration = grid.configuration(setting);
    const auto prepared = prepare(models, configuration);
    const auto key = fitted_key(grid, *prepared.plan, settings);
    double budget = settings.evaluations.value_or(0);
    if (settings.seconds)
        budget = *settings.seconds / measure_cost(models, configuration).per_update;
    if (prepared.plan->workload(*prepared.model).updates == 0)
        throw grid.mistake(budget_key(settings), "a budget needs runs whose cost is known beforehand, expected a "
                                                 "schedule that is not adaptive and a number as kernel.moves");
    PredictedUpdates updates(models, grid, setting, key);
    // The least legal value, then doubling and halving: updates grow with the key.
    Index low = 1;
    while (low < 1024 && updates.at(low) == infinity)
        low *= 2;
    if (!(updates.at(low) <= budget))
        throw grid.mistake(budget_key(settings),
                           fmt::format("a run with {} takes {:.4g} {}, more than its budget of {:.4g}",
                                       updates.assignment(low), updates.at(low), prepared.plan->unit(), budget));
    constexpr Index most = Index{1} << 40;
    // Updates are nearly proportional to the key: twice the value estimated here is too much, if it is legal.
    double below = 0, above = 0; // of low and of high
    Index high = low;
    do {
        low = high;
        below = updates.at(low);
        const double estimate = 2 * static_cast<double>(low) * budget / std::max(below, 1.0);
        high = std::max(low + 1, static_cast<Index>(std::min(estimate, static_cast<double>(most))));
        above = updates.at(high);
    } while (above <= budget && high < most);
    if (above <= budget || above == infinity) {
        high = 2 * low;
        while (high < most && (above = updates.at(high)) <= budget) {
            below = above;
            low = std::exchange(high, 2 * high);
        }
        if (high >= most)
            throw grid.mistake(budget_key(settings), "the cost of a run does not depend on " + key);
        // If twice this value is not legal, the search for the largest legal value takes long; it is made only if this
        // value spends at least a quarter of the budget.
        if (above == infinity && 4 * below < budget)
            throw grid.mistake(
                budget_key(settings),
                fmt::format("a run with {} takes {:.4g} {}, less than a quarter of its budget of {:.4g}, and "
                            "twice that value is not legal",
                            updates.assignment(low), below, prepared.plan->unit(), budget));
    }
    // Interpolates linearly, from both sides in turn, and bisects at every third step, so that the search ends.
    for (int step = 0; high - low > std::max<Index>(0, low / 1'000'000) && high - low > 1; ++step) {
        Index middle = low + (high - low) / 2;
        if (above < infinity && step % 3 != 2) {
            const double share = (budget - below) / (above - below);
            middle = low + static_cast<Index>(share * static_cast<double>(high - low)) + step % 3;
            middle = std::clamp(middle, low + 1, high - 1);
        }
        const double there = updates.at(middle);
        (there <= budget ? low : high) = middle;
        (there <= budget ? below : above) = there;
    }
    return updates.assignment(low);
}

MeasuredCost measure_cost(const Catalogue& models, const io::Configuration& configuration, double enough) {
    const auto ranks = parallel::Communicator::alone();
    const auto prepared = prepare(models, configuration);
    Run run(ranks, *prepared.plan, *prepared.model);
    const Rehearsal first{follow(ranks, run.sampler(), {enough, enough, enough, 0}, monotonic_seconds)};
    double seconds = 0, updates = 0, left = 0;
    for (const auto& stage : first.course.stages) {
        seconds += stage.pace.seconds();
        updates += stage.updates;
        left = stage.pace.seconds_left().value_or(0);
    }
    const double per_update = updates > 0 ? seconds / updates : seconds;
    if (const auto prediction = predict(first, {}))
        return {per_update, prediction->seconds()};
    return {per_update, seconds + left + per_update * prepared.plan->workload(*prepared.model).updates};
}

namespace {

/// Whether updates predict costs: groups will be single ranks, and all runs have the same model and algorithm and a
/// known number of updates.
bool updates_predict_costs(int ranks, const Sweep& sweep, const std::vector<Index>& open) {
    const auto& facts = sweep.facts();
    return std::ssize(open) >= 4 * Index{ranks} &&
           std::all_of(facts.begin(), facts.end(), [&](const SweepSetting& setting) {
               return setting.updates > 0 && setting.model == facts.front().model &&
                      setting.algorithm == facts.front().algorithm;
           });
}

/// 0 for settings of which no run has finished.
std::vector<double> costs_of_ended(const Sweep& sweep, const std::map<Index, EndedRun>& ended) {
    std::vector<double> seconds(at(sweep.grid().settings()), 0.0), counts(seconds.size(), 0.0);
    for (const auto& [run, row] : ended)
        if (run >= 0 && run < sweep.runs() && !row.failed()) {
            seconds[at(sweep.setting_of(run))] += row.seconds * row.ranks;
            counts[at(sweep.setting_of(run))] += 1;
        }
    for (std::size_t s = 0; s < seconds.size(); ++s)
        seconds[s] /= std::max(1.0, counts[s]);
    return seconds;
}

/// Measures this rank's share of the settings whose cost is not known yet.
void add_measured(const parallel::Communicator& ranks, const Catalogue& models, const Sweep& sweep,
                  const std::vector<Index>& open, std::vector<double>& seconds) {
    constexpr double most_bytes = 1 << 28, most_seconds = 5;
    const Index settings = sweep.grid().settings();
    const double enough = std::min(0.05, most_seconds * ranks.size() / static_cast<double>(settings));
    std::vector<bool> is_open(at(settings), false);
    for (const Index run : open)
        is_open[at(sweep.setting_of(run))] = true;
    for (Index s = ranks.rank(); s < settings; s += ranks.size())
        if (seconds[at(s)] == 0 && is_open[at(s)] && sweep.facts()[at(s)].bytes < most_bytes)
            try {
                const auto configuration = sweep.configuration_of(sweep.first_run_of(s));
                seconds[at(s)] = measure_cost(models, configuration, enough).run;
            } catch (const std::exception&) {
                seconds[at(s)] = 0; // its runs will fail, and say so
            }
}

/// Predicts settings that no rank has measured: from their updates, at the rate of the others.
void add_predicted(const Sweep& sweep, std::vector<double>& seconds) {
    double measured = 0, updates = 0;
    for (std::size_t s = 0; s < seconds.size(); ++s)
        if (seconds[s] > 0 && sweep.facts()[s].updates > 0) {
            measured += seconds[s];
            updates += sweep.facts()[s].updates;
        }
    const double rate = measured > 0 ? updates / measured : 1;
    for (std::size_t s = 0; s < seconds.size(); ++s)
        if (seconds[s] == 0)
            seconds[s] = std::max(1.0, sweep.facts()[s].updates) / rate;
}

} // namespace

std::vector<double> costs_of_settings(const parallel::Communicator& ranks, const Catalogue& models, const Sweep& sweep,
                                      const std::map<Index, EndedRun>& ended, const std::vector<Index>& open) {
    auto seconds = costs_of_ended(sweep, ended);
    ranks.broadcast(std::span(seconds));
    if (ranks.size() > 1 && sweep.settings().ranks_per_run == 0 && !updates_predict_costs(ranks.size(), sweep, open))
        add_measured(ranks, models, sweep, open, seconds);
    ranks.max(std::span(seconds));
    add_predicted(sweep, seconds);
    return seconds;
}

namespace {

/// Sorts the runs as Graham's longest-processing-time rule needs them.
void sort_longest_first(std::vector<RunCost>& runs) {
    std::stable_sort(runs.begin(), runs.end(), [](const auto& a, const auto& b) { return a.seconds > b.seconds; });
}

double speedup(int ranks, Index useful) {
    constexpr double power = 0.85;
    return std::pow(static_cast<double>(std::min<Index>(ranks, useful)), power);
}

std::vector<int> equal_groups(int ranks, int groups) {
    std::vector<int> sizes(at(groups), ranks / groups);
    std::fill_n(sizes.begin(), ranks % groups, ranks / groups + 1);
    return sizes;
}

/// Makes a group for each run, longest first: each spare rank goes to the run that would take longest.
std::vector<int> group_for_each(int ranks, const std::vector<RunCost>& runs) {
    std::vector<int> sizes(runs.size(), 1);
    for (int spare = ranks - static_cast<int>(runs.size()); spare > 0; --spare) {
        std::size_t slowest = 0;
        const auto time = [&](std::size_t k) { return runs[k].seconds / speedup(sizes[k], runs[k].useful_ranks); };
        const auto can_use = [&](std::size_t k) { return sizes[k] < runs[k].useful_ranks; };
        for (std::size_t k = 1; k < runs.size(); ++k)
            if (can_use(k) > can_use(slowest) || (can_use(k) == can_use(slowest) && time(k) > time(slowest)))
                slowest = k;
        ++sizes[slowest];
    }
    return sizes;
}

} // namespace

double predicted_makespan(const std::vector<int>& sizes, std::vector<RunCost> runs) {
    sort_longest_first(runs);
    // The first runs go to the groups in their order, the largest group first; each later run goes to the group that is
    // free first.
    std::priority_queue<std::pair<double, std::size_t>, std::vector<std::pair<double, std::size_t>>, std::greater<>>
        free_at;
    double last = 0;
    for (std::size_t k = 0; k < runs.size(); ++k) {
        double begin = 0;
        std::size_t group = k;
        if (k >= sizes.size()) {
            std::tie(begin, group) = free_at.top();
            free_at.pop();
        }
        const double end = begin + runs[k].seconds / speedup(sizes[group], runs[k].useful_ranks);
        free_at.emplace(end, group);
        last = std::max(last, end);
    }
    return last;
}

std::vector<int> deal_ranks(int ranks, std::vector<RunCost> runs) {
    sort_longest_first(runs);
    const auto most_groups = std::min<Index>(ranks, std::max<Index>(1, std::ssize(runs)));
    std::vector<int> best = equal_groups(ranks, static_cast<int>(most_groups));
    // For hundreds of runs single ranks are best.
    if (std::ssize(runs) >= 32 * Index{ranks})
        return best;
    double shortest = predicted_makespan(best, runs);
    const auto consider = [&](std::vector<int> sizes) {
        const double time = predicted_makespan(sizes, runs);
        if (time < shortest * (1 - 1e-9)) {
            shortest = time;
            best = std::move(sizes);
        }
    };
    for (int size = 1; size <= ranks; size += 1 + size / 4)
        if (const int groups = ranks / size; groups <= std::ssize(runs))
            consider(equal_groups(ranks, groups));
    if (!runs.empty() && std::ssize(runs) <= ranks)
        consider(group_for_each(ranks, runs));
    std::stable_sort(best.begin(), best.end(), std::greater<>());
    return best;
}

} // namespace pearlite::app
