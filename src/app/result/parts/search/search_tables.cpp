#include "app/result/parts/search/search.hpp"

namespace pearlite::app {

namespace {

using algorithm::SearchOutcome;
using Outcomes = std::vector<SearchOutcome>;

/// A replicate per row; a shorter row ends with NaN.
template <class Replicate, class ValuesOf>
Matrix table_of(const std::vector<Replicate>& replicates, ValuesOf values_of) {
    std::size_t width = 0;
    for (const auto& replicate : replicates)
        width = std::max(width, values_of(replicate).size());
    Matrix table = Matrix::Constant(static_cast<Index>(replicates.size()), static_cast<Index>(width),
                                    std::numeric_limits<double>::quiet_NaN());
    for (std::size_t r = 0; r < replicates.size(); ++r) {
        const auto& values = values_of(replicates[r]);
        for (std::size_t k = 0; k < values.size(); ++k)
            table(static_cast<Index>(r), static_cast<Index>(k)) = static_cast<double>(values[k]);
    }
    return table;
}

template <class T>
Matrix table_of(const Outcomes& replicates, std::vector<T> SearchOutcome::*member) {
    return table_of(
        replicates, [member](const SearchOutcome& o) -> const auto& { return o.*member; });
}

/// Iterations and temperatures are those of the longest curve: all curves have the same ones, as far as they have come.
void write_curves(io::Writer& writer, const Outcomes& replicates) {
    static const algorithm::ProgressCurve nothing;
    const auto* longest = &nothing;
    for (const auto& replicate : replicates)
        if (replicate.curve.iterations().size() > longest->iterations().size())
            longest = &replicate.curve;
    writer("search/iteration", longest->iterations());
    writer("search/temperature", longest->temperature());
    writer("search/evaluations",
           table_of(
               replicates, [](const SearchOutcome& o) -> const auto& { return o.curve.evaluations(); }));
    writer("search/best", table_of(
                              replicates, [](const SearchOutcome& o) -> const auto& { return o.curve.best(); }));
    writer("search/final_energies", table_of(replicates, &SearchOutcome::final_energies));
    writer("search/final_log_weights", table_of(replicates, &SearchOutcome::final_log_weights));
}

void write_averages(const parallel::Communicator& ranks, io::Writer& writer, const SearchResult& search) {
    const auto on_any = [&](bool here) { return ranks.max(Index{here ? 1 : 0}) > 0; };
    if (on_any(!search.edges.empty()))
        return search.edges.write(writer);
    const auto& replicates = search.replicates;
    if (!on_any(!replicates.empty() && !replicates.front().averages.means.empty()))
        return;
    writer("search/means", table_of(
                               replicates, [](const SearchOutcome& o) -> const auto& { return o.averages.means; }));
    writer("search/deviations",
           table_of(
               replicates, [](const SearchOutcome& o) -> const auto& { return o.averages.deviations; }));
}

void write_regions(io::Writer& writer, const Outcomes& replicates, const SearchOutcome& best, const Matrix& states) {
    writer("regions/points", table_of(replicates, &SearchOutcome::points));
    writer("regions/theta", table_of(replicates, &SearchOutcome::theta));
    writer("regions/visits", table_of(replicates, &SearchOutcome::visits));
    writer("regions/first_visit", table_of(replicates, &SearchOutcome::first_visits));
    writer("regions/best_energy", table_of(replicates, &SearchOutcome::region_best));
    writer("regions/best_state", states);
    writer("regions/desired", best.desired);
}

void write_masses(const parallel::Communicator& ranks, io::Writer& writer, const SearchResult& search) {
    if (ranks.max(Index{search.exact_log_masses.empty() ? 0 : 1}) == 0)
        return;
    std::vector<std::vector<double>> learnt;
    for (const auto& replicate : search.replicates)
        learnt.push_back(learnt_log_masses(replicate));
    const auto itself = [](const std::vector<double>& row) -> const auto& {
        return row;
    };
    writer("regions/log_mass", table_of(learnt, itself));
    writer("regions/exact_log_mass", table_of(search.exact_log_masses, itself));
}

void write_operations(io::Writer& writer, const Outcomes& replicates, const SearchOutcome& best) {
    writer("operations/names", best.operations);
    writer("operations/scales", table_of(replicates, &SearchOutcome::scales));
    writer("operations/acceptance", table_of(replicates, [](const SearchOutcome& o) {
               std::vector<double> rates;
               for (const auto& count : o.counts)
                   rates.push_back(count.rate());
               return rates;
           }));
}

void write_replicates(io::Writer& writer, const SearchResult& search) {
    std::vector<double> energies;
    std::vector<std::int64_t> seeds(search.seeds.begin(), search.seeds.end()), best_evaluations, evaluations;
    for (const auto& outcome : search.replicates) {
        energies.push_back(outcome.best.energy);
        best_evaluations.push_back(outcome.best_evaluations);
        evaluations.push_back(outcome.evaluations);
    }
    writer("replicates/best", energies);
    writer("replicates/best_evaluations", best_evaluations);
    writer("replicates/evaluations", evaluations);
    writer("replicates/seed", seeds);
}

void write_best(const parallel::Communicator& ranks, io::Writer& writer, const model::StateDescription& best) {
    const auto on_any = [&](bool here) { return ranks.max(Index{here ? 1 : 0}) > 0; };
    writer("best/state", best.values);
    if (on_any(best.positions.has_value()))
        writer("best/positions", best.positions.value_or(Matrix()));
    if (on_any(!best.graph.empty()))
        writer("best/graph", best.graph);
    if (on_any(best.images.has_value())) {
        const auto sheet = best.images.value_or(Images{});
        writer("images/pixels", sheet.pixels);
        writer("images/rows", sheet.rows);
        writer("images/columns", sheet.columns);
    }
}

void write_polish(const parallel::Communicator& ranks, io::Writer& writer, const PolishResult& polish) {
    const auto n = static_cast<Index>(polish.replicates.size());
    Matrix points(n, n == 0 ? 0 : static_cast<Index>(polish.replicates.front().point.size()));
    std::vector<double> energy;
    std::vector<std::int64_t> energies, gradients;
    for (const auto& replicate : polish.replicates) {
        points.row(static_cast<Index>(energy.size())) =
            Eigen::Map<const Vector>(replicate.point.data(), points.cols()).transpose();
        energy.push_back(replicate.energy);
        energies.push_back(replicate.energies);
        gradients.push_back(replicate.gradients);
    }
    writer("polished/best", energy);
    writer("polished/energies", energies);
    writer("polished/gradients", gradients);
    writer("polished/states", points);
    if (ranks.max(Index{polish.best.positions ? 1 : 0}) > 0)
        writer("polished/positions", polish.best.positions.value_or(Matrix()));
}

} // namespace

void SearchPart::write_fields(io::Writer& writer) {
    static const SearchOutcome nothing;
    const auto& replicates = search_.replicates;
    const auto& best = replicates.empty() ? nothing : replicates[search_.best_replicate];
    write_curves(writer, replicates);
    write_averages(ranks_, writer, search_);
    write_regions(writer, replicates, best, search_.region_states);
    write_masses(ranks_, writer, search_);
    write_operations(writer, replicates, best);
    write_replicates(writer, search_);
    write_best(ranks_, writer, search_.best);
    if (search_.polish)
        write_polish(ranks_, writer, *search_.polish);
}

} // namespace pearlite::app
