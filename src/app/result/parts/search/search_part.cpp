#include "app/result/parts/kinds.hpp"
#include "app/result/parts/search/search.hpp"
#include "parallel/agreement.hpp"

namespace pearlite::app {

namespace {

/// The best state of each region, one per row, as the space describes its values; NaN where none was found. No rows if
/// a search did not keep the states, if they differ in length, or if there are more than most_numbers numbers.
Matrix describe_regions(const model::Space& space, const algorithm::SearchOutcome& outcome) {
    constexpr std::size_t most_numbers = std::size_t{1} << 20;
    const std::size_t n = outcome.region_best.size(), bytes = n == 0 ? 0 : outcome.region_states.size() / n;
    Matrix rows;
    if (bytes == 0)
        return rows;
    for (std::size_t j = 0; j < n; ++j) {
        if (!std::isfinite(outcome.region_best[j]))
            continue;
        const auto values = space.describe(std::span(outcome.region_states).subspan(j * bytes, bytes)).values;
        if (rows.size() == 0 && values.size() <= most_numbers / n)
            rows = Matrix::Constant(static_cast<Index>(n), static_cast<Index>(values.size()),
                                    std::numeric_limits<double>::quiet_NaN());
        if (rows.cols() != static_cast<Index>(values.size()))
            return {};
        for (std::size_t k = 0; k < values.size(); ++k)
            rows(static_cast<Index>(j), static_cast<Index>(k)) = values[k];
    }
    return rows;
}

/// Called on the root.
void describe(const algorithm::Search& search, SearchResult& result) {
    const auto& space = search.space();
    result.seeds = search.seeds();
    for (std::size_t r = 1; r < result.replicates.size(); ++r)
        if (result.replicates[r].best.energy < result.replicates[result.best_replicate].best.energy)
            result.best_replicate = r;
    const auto& best = result.replicates[result.best_replicate];
    result.best = space.describe(best.best.state);
    result.region_states = describe_regions(space, best);
    result.known_minimum = space.known_minimum();
    result.can_polish = can_polish(space);
    if (const auto* graphs = space.offers<model::GraphStates>())
        result.edges = edge_probabilities(result.replicates, graphs->nodes());
}

/// Called on the root. The exact masses of the regions for a finished search, if the energy offers them.
void find_exact_masses(const model::Space& space, SearchResult& result) {
    const auto* regions = space.offers<model::RegionMasses>();
    if (regions == nullptr)
        return;
    const algorithm::SearchOutcome* before = nullptr;
    for (const auto& replicate : result.replicates) {
        auto& all = result.exact_log_masses;
        if (replicate.theta.empty() || replicate.curve.temperature().empty())
            all.emplace_back();
        else if (before != nullptr && before->points == replicate.points)
            all.push_back(all.back());
        else
            all.push_back(regions->log_region_masses(replicate.points, replicate.curve.temperature().back()));
        before = &replicate;
    }
    const auto is_known = [](const auto& masses) { return !masses.empty(); };
    if (std::none_of(result.exact_log_masses.begin(), result.exact_log_masses.end(), is_known))
        result.exact_log_masses.clear();
}

std::unique_ptr<ResultPart> search_part(RunView& run) {
    const auto& search = *run.found.search;
    const auto& plan = *run.search_plan;
    SearchResult result;
    result.replicates = search.outcomes();
    result.success_below = plan.success_below;
    parallel::on_root(run.ranks, [&] { describe(search, result); });
    if (run.is_finished) {
        parallel::on_root(run.ranks, [&] { find_exact_masses(search.space(), result); });
        if (plan.polish)
            result.polish = polish(run.ranks, search.space(), result.replicates, plan.replicates);
    }
    return std::make_unique<SearchPart>(run.ranks, std::move(result));
}

} // namespace

PartKind search_kind() {
    return {search_part, describe_search, model::Task::search, false};
}

} // namespace pearlite::app
