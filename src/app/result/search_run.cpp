#include "app/result/search_run.hpp"

#include "app/result/polish.hpp"
#include "io/container/container_fields.hpp"
#include "parallel/agreement.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

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

} // namespace

SearchRun::SearchRun(const parallel::Communicator& ranks, std::unique_ptr<algorithm::Search> search,
                     const algorithm::SearchPlan& plan)
    : ranks_(ranks), plan_(plan), search_(std::move(search)) {}

algorithm::Progress SearchRun::progress() const {
    algorithm::Progress progress;
    progress.iterations_per_step = search_->iterations_per_step();
    progress.step = search_->steps_done();
    progress.steps = search_->steps_in_all();
    progress.steps_at_once = std::max<Index>(1, search_->groups_at_work());
    progress.best_energy = search_->best_energy();
    progress.temperature = search_->temperature();
    return progress;
}

Index SearchRun::updates_per_step() const {
    return plan_.settings.chains * search_->iterations_per_step() * search_->groups_at_work();
}

void SearchRun::save(io::Writer& writer) {
    search_->flush();
    io::ContainerFields fields(writer);
    search_->fields(fields);
}

void SearchRun::restore(io::Reader& reader) {
    io::ContainerFields fields(reader);
    search_->fields(fields);
}

SoFar SearchRun::so_far() {
    SoFar found;
    found.parts.push_back(std::make_unique<SearchPart>(ranks_, found_so_far()));
    return found;
}

SearchResult SearchRun::found_so_far() const {
    SearchResult result;
    result.replicates = search_->outcomes();
    result.success_below = plan_.success_below;
    parallel::on_root(ranks_, [&] { describe(result); });
    return result;
}

RunResult SearchRun::result() {
    auto result = found_so_far();
    parallel::on_root(ranks_, [&] { find_exact_masses(result); });
    if (plan_.polish)
        result.polish = polish(ranks_, search_->space(), result.replicates, plan_.replicates);
    ResultParts parts;
    parts.push_back(std::make_unique<SearchPart>(ranks_, std::move(result)));
    return result_of(std::move(parts));
}

void SearchRun::describe(SearchResult& result) const {
    const auto& space = search_->space();
    result.seeds = search_->seeds();
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

void SearchRun::find_exact_masses(SearchResult& result) const {
    const auto* regions = search_->space().offers<model::RegionMasses>();
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

} // namespace pearlite::app
