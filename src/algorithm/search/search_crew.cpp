#include "algorithm/search/search_crew.hpp"

#include "algorithm/search/stochastic_approximation.hpp"

#include <fmt/format.h>

#include <chrono>

namespace pearlite::algorithm {

namespace {

/// An iteration that takes longer is worth the messages of any number of ranks: such trials are skipped.
constexpr double surely_worth_it_seconds = 1e-3;
/// A trial ends after this time, or after this number of batches of iterations.
constexpr double trial_seconds = 10e-3;
constexpr int most_batches = 8;
/// A larger crew must save this share of an iteration.
constexpr double least_gain = 0.05;

double seconds_of(const auto& work) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// Collective. The seconds in which the slowest of these ranks evaluates its share of the chains; 0 after a failure.
double evaluation_seconds(const parallel::Communicator& ranks, const model::Space& space,
                          const SearchSettings& settings) {
    const parallel::BlockLayout layout(settings.chains, 1, ranks.size(), ranks.rank());
    double seconds = 0;
    try {
        const auto chains = space.make_chains(layout.local_items());
        std::vector<double> energies(static_cast<std::size_t>(chains->padded_size()));
        space.draw_start(*chains, {settings.seed, 0, 0, layout.first_local_item(), 0});
        for (int repeat = 0; repeat < 2; ++repeat) // the second time in memory that is warm
            seconds = seconds_of([&] { space.evaluate(*chains, energies); });
    } catch (...) { // the search will throw and report it
        seconds = 0;
    }
    return ranks.max(seconds);
}

/// Collective. The seconds of an iteration on these ranks, the fastest batch of several.
double iteration_seconds(const parallel::Communicator& ranks, const std::shared_ptr<const model::Space>& space,
                         const SearchSettings& settings) {
    constexpr Index batch = SearchChains::iterations_remembered;
    StochasticApproximation search(ranks, space, settings);
    search.begin();
    double best = infinity, total = 0;
    for (int k = 0; k <= most_batches && total < trial_seconds && !search.finished(); ++k) {
        const Index before = search.iterations_done();
        const double seconds = ranks.max(seconds_of([&] {
            for (Index i = 0; i < batch && !search.finished(); ++i)
                search.iterate();
        }));
        total += seconds;
        best = std::min(best, seconds / static_cast<double>(search.iterations_done() - before));
    }
    return best;
}

/// The same; +inf on all ranks after a failure of which they all know.
double trial_of(const parallel::Communicator& ranks, const std::shared_ptr<const model::Space>& space,
                const SearchSettings& settings) {
    try {
        return iteration_seconds(ranks, space, settings);
    } catch (...) {
        if (ranks.size() > 1 && !is_agreed(std::current_exception()))
            throw; // the others wait for this rank
        return infinity;
    }
}

} // namespace

std::string SearchCrew::describe() const {
    std::string text;
    for (const auto& [ranks, seconds] : trials)
        text += text.empty() ? fmt::format("an iteration takes {:.3g} us on {} rank{}", 1e6 * seconds, ranks,
                                           ranks == 1 ? "" : "s")
                             : fmt::format(", {:.3g} us on {}", 1e6 * seconds, ranks);
    return text;
}

SearchCrew choose_crew(const parallel::Communicator& team, const std::shared_ptr<const model::Space>& space,
                       const SearchSettings& settings) {
    const int most = static_cast<int>(std::min<Index>(team.size(), std::max<Index>(settings.chains, 1)));
    if (settings.ranks || most == 1)
        return {static_cast<int>(std::min<Index>(settings.ranks.value_or(1), most)), {}};
    SearchCrew crew{most, {}};
    const double share_seconds = evaluation_seconds(team, *space, settings);
    double best = infinity;
    for (int size = 1;; size = std::min(2 * size, most)) {
        if (size == most && crew.trials.empty())
            return crew;
        const double expected = share_seconds * std::ceil(static_cast<double>(most) / size);
        if (expected < surely_worth_it_seconds) {
            const bool takes_part = team.rank() < size;
            const auto ranks = size == 1             ? parallel::Communicator::alone()
                               : size == team.size() ? team
                                                     : team.split(takes_part ? 0 : 1);
            const double mine = takes_part ? trial_of(ranks, space, settings) : 0;
            const double seconds = team.max(mine);
            crew.trials.push_back({size, seconds});
            if (seconds < (1 - least_gain) * best) {
                best = seconds;
                crew.size = size;
            }
        }
        if (size == most)
            return best < infinity ? crew : SearchCrew{most, {}};
    }
}

} // namespace pearlite::algorithm
