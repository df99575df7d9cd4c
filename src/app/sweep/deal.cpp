#include "app/sweep/deal.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <queue>
#include <tuple>
#include <utility>

namespace pearlite::app {

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
