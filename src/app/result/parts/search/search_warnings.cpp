#include "app/result/parts/search/search.hpp"

#include <algorithm>
#include <numeric>

namespace pearlite::app {

namespace {

using algorithm::SearchOutcome;

/// Below this acceptance an operation wastes the energies of its proposals.
constexpr double smallest_acceptance = 1e-3;
constexpr std::int64_t fewest_proposals = 1000;
constexpr double largest_gradient_error = 1e-3;
/// Below this share of chains that carry the weight, neither averages nor their errors are reliable.
constexpr double smallest_share = 0.5;
constexpr std::size_t fewest_chains = 4;

/// Whether regions matter: the replicate learns a bias.
bool has_regions(const SearchOutcome& outcome) {
    return !outcome.theta.empty() && outcome.points.size() >= 2;
}
bool is_below_regions(const SearchOutcome& outcome) {
    const auto& points = outcome.points;
    return has_regions(outcome) && outcome.best.energy < points[0] - (points[1] - points[0]);
}
bool is_above_the_middle(const SearchOutcome& outcome) {
    return has_regions(outcome) && outcome.best.energy > outcome.points[outcome.points.size() / 2];
}
bool stays_above_regions(const SearchOutcome& outcome) {
    const double all = std::accumulate(outcome.visits.begin(), outcome.visits.end(), 0.0);
    return has_regions(outcome) && 2 * static_cast<double>(outcome.visits.back()) > all;
}

/// Chains that visit few regions learn nothing of the others: with a range from 10^9 down a protein folds within one
/// region.
constexpr std::size_t many_regions = 10;
constexpr std::ptrdiff_t few_regions = 2;
std::ptrdiff_t visited_regions(const SearchOutcome& outcome) {
    return std::ranges::count_if(outcome.visits, [](std::int64_t visits) { return visits > 0; });
}
bool stays_in_few_regions(const SearchOutcome& outcome) {
    return has_regions(outcome) && outcome.visits.size() >= many_regions && visited_regions(outcome) <= few_regions &&
           !stays_above_regions(outcome);
}

/// The replicates for which is_so() holds.
std::vector<const SearchOutcome*> replicates_with(const SearchResult& search, bool (*is_so)(const SearchOutcome&)) {
    std::vector<const SearchOutcome*> found;
    for (const auto& replicate : search.replicates)
        if (is_so(replicate))
            found.push_back(&replicate);
    return found;
}

std::string in_replicates(const SearchResult& search, std::size_t n) {
    return search.replicates.size() == 1 ? "" : fmt::format("in {} of {} replicates ", n, search.replicates.size());
}

/// Whether the known minimum of a discrete energy was found, so that theta need not be learnt.
bool is_done(const SearchResult& search, const SearchOutcome& outcome) {
    return search.known_minimum && !search.can_polish &&
           std::abs(outcome.best.energy - *search.known_minimum) <= energy_tolerance(*search.known_minimum);
}

void add_region_warnings(std::vector<std::string>& warnings, const SearchResult& search) {
    if (const auto found = replicates_with(search, is_below_regions); !found.empty())
        warnings.push_back(in_replicates(search, found.size()) +
                           fmt::format("the best energy, {:.6g}, is below the regions, which begin at {:.6g}: all that "
                                       "lies below is one region; lower algorithm.energy_low, or raise "
                                       "algorithm.range_iterations",
                                       found.front()->best.energy, found.front()->points.front()));
    if (const auto found = replicates_with(search, is_above_the_middle); !found.empty())
        warnings.push_back(in_replicates(search, found.size()) +
                           fmt::format("the best energy, {:.6g}, is in the upper half of the regions, which begin at "
                                       "{:.6g}: raise algorithm.energy_low, or search longer",
                                       found.front()->best.energy, found.front()->points.front()));
    if (const auto found = replicates_with(search, stays_above_regions); !found.empty())
        warnings.push_back(in_replicates(search, found.size()) +
                           fmt::format("chains were above the regions, which end at {:.6g}, for more than half of the "
                                       "time: raise algorithm.energy_high, or search longer",
                                       found.front()->points.back()));
    auto found = replicates_with(search, stays_in_few_regions);
    std::erase_if(found, [&](const auto* outcome) { return is_done(search, *outcome); });
    if (!found.empty())
        warnings.push_back(
            in_replicates(search, found.size()) +
            fmt::format("chains met {} of {} regions, from {:.6g} to {:.6g}: theta says nothing, and the "
                        "search is plain annealing; give algorithm.energy_low and algorithm.energy_high",
                        visited_regions(*found.front()), found.front()->visits.size(), found.front()->points.front(),
                        found.front()->points.back()));
}

void add_late_regions(std::vector<std::string>& warnings, const SearchResult& search) {
    auto found = replicates_with(search, [](const SearchOutcome& o) { return !o.late_regions.empty(); });
    std::erase_if(found, [&](const auto* outcome) { return is_done(search, *outcome); });
    if (found.empty())
        return;
    const auto most = std::max_element(found.begin(), found.end(), [](const auto* a, const auto* b) {
        return a->late_regions.size() < b->late_regions.size();
    });
    warnings.push_back(
        in_replicates(search, found.size()) +
        fmt::format("up to {} regions were first visited when {:.0f} % of all gain had been spent: their "
                    "theta is not learnt; search longer, or raise algorithm.gain_start",
                    (*most)->late_regions.size(), 100 * SearchOutcome::late_share));
}

void add_operation_warnings(std::vector<std::string>& warnings, const SearchResult& search) {
    const auto& names = search.replicates.front().operations;
    for (std::size_t op = 0; op < names.size(); ++op) {
        algorithm::OperationCount all;
        for (const auto& replicate : search.replicates) {
            all.proposed += replicate.counts[op].proposed;
            all.accepted += replicate.counts[op].accepted;
        }
        if (all.proposed >= fewest_proposals && all.rate() < smallest_acceptance)
            warnings.push_back(fmt::format("{} was accepted in {} of {} proposals: leave it out of kernel.operations, "
                                           "or lower its share in kernel.rates",
                                           names[op], all.accepted, all.proposed));
    }
}

void add_polish_warnings(std::vector<std::string>& warnings, const SearchResult& search) {
    if (!search.polish)
        return;
    const auto& polished = search.polish->replicates;
    const auto n = std::count_if(polished.begin(), polished.end(),
                                 [](const auto& p) { return p.gradient_error > largest_gradient_error; });
    if (n > 0)
        warnings.push_back(in_replicates(search, static_cast<std::size_t>(n)) +
                           "the model's gradient() is not the slope of its energy() where the descent began: it may "
                           "have ended early");
}

/// The share of its chains that a replicate's averages rest on, as a number of chains that count the same; 1 without.
double share_of_chains(const SearchOutcome& outcome) {
    if (outcome.averages.means.empty() || outcome.final_energies.size() < fewest_chains)
        return 1;
    return outcome.averages.effective_chains / static_cast<double>(outcome.final_energies.size());
}

void add_average_warnings(std::vector<std::string>& warnings, const SearchResult& search) {
    const auto found =
        replicates_with(search, [](const SearchOutcome& o) { return share_of_chains(o) < smallest_share; });
    if (found.empty())
        return;
    const auto* worst = *std::ranges::min_element(found, {}, [](const auto* o) { return share_of_chains(*o); });
    warnings.push_back(in_replicates(search, found.size()) +
                       fmt::format("the averages rest on few chains, in one on {:.2g} of {}, because the chains met "
                                   "states of very different weights; search longer, at temperatures nearer to 1",
                                   worst->averages.effective_chains, worst->final_energies.size()));
}

} // namespace

std::vector<std::string> search_warnings(const SearchResult& search) {
    std::vector<std::string> warnings;
    if (search.replicates.empty())
        return warnings;
    add_region_warnings(warnings, search);
    if (const auto found = replicates_with(search, [](const SearchOutcome& o) { return o.truncations > 0; });
        !found.empty())
        warnings.push_back(in_replicates(search, found.size()) +
                           "the bias theta left its bounds and began again at 0: raise algorithm.gain_power, or lower "
                           "algorithm.gain_start");
    add_late_regions(warnings, search);
    add_operation_warnings(warnings, search);
    add_polish_warnings(warnings, search);
    add_average_warnings(warnings, search);
    return warnings;
}

} // namespace pearlite::app
