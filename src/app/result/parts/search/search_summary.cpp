#include "app/result/parts/kinds.hpp"
#include "app/result/parts/search/search.hpp"

namespace pearlite::app {

namespace {

/// States longer than this are in results.h5 alone.
constexpr std::size_t longest_state = 1000;

/// The lowest of each replicate's search, and after its descent.
std::vector<double> found_energies(const SearchResult& search) {
    std::vector<double> energies;
    for (const auto& replicate : search.replicates)
        energies.push_back(replicate.best.energy);
    return energies;
}
std::vector<double> polished_energies(const PolishResult& polish) {
    std::vector<double> energies;
    for (const auto& replicate : polish.replicates)
        energies.push_back(replicate.energy);
    return energies;
}

/// Mean and standard deviation over replicates, and how many of them are below `success_below`.
void add_spread(Json& diagnostics, const std::string& name, const std::vector<double>& energies,
                const std::optional<double>& success_below, const std::string& success_name) {
    const auto n = static_cast<double>(energies.size());
    double mean = 0, sum = 0;
    for (const double energy : energies)
        mean += energy / n;
    for (const double energy : energies)
        sum += (energy - mean) * (energy - mean);
    diagnostics["mean_" + name] = mean;
    diagnostics["sd_" + name] = n > 1 ? std::sqrt(sum / (n - 1)) : 0;
    if (success_below) {
        const auto successes =
            std::count_if(energies.begin(), energies.end(), [&](double e) { return e < *success_below; });
        diagnostics[success_name] = static_cast<double>(successes) / n;
    }
}

std::string compare_with_known(double best, double known) {
    if (std::abs(best - known) <= energy_tolerance(known))
        return "the known minimum was found (to 1e-6)";
    return fmt::format("the known minimum is {:.10g}; the best energy is {:.3g} {} it", known, std::abs(best - known),
                       best > known ? "above" : "below");
}

/// How many of the energies are the lowest one, up to energy_tolerance.
std::size_t count_best(const std::vector<double>& energies) {
    const double best = *std::min_element(energies.begin(), energies.end());
    return static_cast<std::size_t>(
        std::count_if(energies.begin(), energies.end(), [&](double e) { return e - best <= energy_tolerance(best); }));
}

/// A sentence on how far the replicates differ. Without descents, replicates in the basin of one minimum end at
/// different energies, so that only the spread is given.
std::string describe_agreement(const std::vector<double>& energies, bool are_minima) {
    const double best = *std::min_element(energies.begin(), energies.end());
    const double spread = *std::max_element(energies.begin(), energies.end()) - best;
    const auto n = energies.size();
    const auto agreeing = count_best(energies);
    if (agreeing == n)
        return fmt::format("{} of {} replicates found the best energy (to 1e-6)", n, n);
    if (are_minima)
        return fmt::format("{} of {} replicates found the best energy (to 1e-6); the worst is {:.3g} above it",
                           agreeing, n, spread);
    return fmt::format("the best energies of {} replicates differ by up to {:.3g}", n, spread);
}

std::int64_t all_evaluations(const PolishedState& state) {
    return state.energies + state.gradients;
}

void add_polish(Json& summary, const PolishResult& polish) {
    const auto& best = polish.replicates[polish.best_replicate];
    Json entry{{"energy", best.energy},
               {"replicate", polish.best_replicate},
               {"energies", best.energies},
               {"gradients", best.gradients}};
    if (best.point.size() <= longest_state)
        entry["state"] = best.point;
    summary["polished"] = entry;
}

/// Over the replicates: means of the coordinates under exp(-U), and their standard errors where there are two at least.
Json averages_of(const SearchResult& search) {
    const auto n = static_cast<double>(search.replicates.size());
    Json means = Json::array(), errors = Json::array(), states = Json::array();
    for (std::size_t k = 0; k < search.replicates.front().averages.means.size(); ++k) {
        double mean = 0, squares = 0;
        for (const auto& replicate : search.replicates)
            mean += replicate.averages.means[k] / n;
        for (const auto& replicate : search.replicates)
            squares += (replicate.averages.means[k] - mean) * (replicate.averages.means[k] - mean);
        means.push_back(mean);
        if (n > 1)
            errors.push_back(std::sqrt(squares / (n * (n - 1))));
    }
    for (const auto& replicate : search.replicates)
        states.push_back(replicate.averages.effective_states);
    Json averages{{"means", means}};
    if (n > 1)
        averages["standard_errors"] = errors;
    averages["effective_states"] = states;
    return averages;
}

/// Means over the replicates whose masses are known.
Json theta_errors(const SearchResult& search) {
    double squares = 0, largest = 0, n = 0;
    for (std::size_t r = 0; r < search.replicates.size(); ++r) {
        if (search.exact_log_masses[r].empty())
            continue;
        const auto error = theta_error(learnt_log_masses(search.replicates[r]), search.exact_log_masses[r]);
        squares += error.squared;
        largest += error.largest;
        n += 1;
    }
    return {{"mean_squared_error", squares / n}, {"largest_error", largest / n}};
}

} // namespace

double energy_tolerance(double energy) {
    return 1e-6 * std::max(1.0, std::abs(energy));
}

std::string SearchPart::verdict() const {
    if (search_.replicates.empty())
        return "no search";
    const auto energies = search_.polish ? polished_energies(*search_.polish) : found_energies(search_);
    const double best = *std::min_element(energies.begin(), energies.end());
    const bool are_minima = search_.polish || !search_.can_polish;
    std::string text;
    if (search_.known_minimum)
        text = compare_with_known(best, *search_.known_minimum);
    if (energies.size() > 1)
        text += (text.empty() ? "" : "; ") + describe_agreement(energies, are_minima);
    else if (text.empty())
        text = "one replicate: nothing says whether the minimum was found; algorithm.replicates makes more";
    if (!search_.can_polish)
        return text;
    return text + (search_.polish ? "; polished" : "; not polished: algorithm.polish descends to the minima");
}

std::optional<Headline> SearchPart::headline() const {
    Headline headline;
    headline.account = verdict();
    if (search_.replicates.empty()) {
        headline.findings = {{"the replicates", Finding::Weight::no_value}};
        return headline;
    }
    const auto energies = search_.polish ? polished_energies(*search_.polish) : found_energies(search_);
    const double best = *std::min_element(energies.begin(), energies.end());
    headline.label = "lowest energy";
    headline.value = best;
    headline.method = search_.polish ? "polished" : "found";
    headline.exact = search_.known_minimum;
    if (!search_.known_minimum) {
        if (const auto n = count_best(energies); n < 2)
            headline.findings = {
                {"replicates with the lowest energy", Finding::Weight::doubt, {}, static_cast<double>(n), 2}};
        return headline;
    }
    const double difference = best - *search_.known_minimum, tolerance = energy_tolerance(*search_.known_minimum);
    const auto weight = std::abs(difference) <= tolerance
                            ? Finding::Weight::confirmation // whatever theta has learnt on the way
                        : difference > 0 ? Finding::Weight::doubt
                                         : Finding::Weight::contradiction;
    headline.findings = {{"difference from the known minimum", weight, {}, difference, tolerance}};
    return headline;
}

void SearchPart::write_summary(SummaryParts& parts) const {
    const auto& search = search_;
    auto& [summary, diagnostics, warnings] = parts;
    if (search.replicates.empty())
        return;
    const auto& best = search.replicates[search.best_replicate];
    Json entry{{"energy", best.best.energy},
               {"replicate", search.best_replicate},
               {"iteration", best.best.iteration},
               {"evaluations", best.best_evaluations}};
    if (search.known_minimum)
        entry["known_minimum"] = *search.known_minimum;
    if (search.best.values.size() <= longest_state)
        entry["state"] = search.best.values;
    if (!search.best.graph.empty())
        entry["graph"] = search.best.graph;
    summary["best"] = entry;
    Json rows = Json::array();
    for (std::size_t r = 0; r < search.replicates.size(); ++r) {
        const auto& replicate = search.replicates[r];
        Json row{{"seed", search.seeds[r]},
                 {"best", replicate.best.energy},
                 {"best_evaluations", replicate.best_evaluations},
                 {"evaluations", replicate.evaluations}};
        if (search.polish) {
            row["polished"] = search.polish->replicates[r].energy;
            row["polish_evaluations"] = all_evaluations(search.polish->replicates[r]);
        }
        rows.push_back(std::move(row));
    }
    if (search.polish)
        add_polish(summary, *search.polish);
    summary["replicates"] = rows;
    if (!search.edges.empty())
        summary["edges"] = search.edges.summary();
    else if (!best.averages.means.empty())
        summary["averages"] = averages_of(search);
    if (!search.exact_log_masses.empty())
        summary["theta"] = theta_errors(search);
    add_spread(diagnostics, "best", found_energies(search), search.success_below, "success_rate");
    if (search.polish)
        add_spread(diagnostics, "polished", polished_energies(*search.polish), search.success_below,
                   "success_rate_polished");
    Json acceptance = Json::object();
    for (std::size_t op = 0; op < best.operations.size(); ++op) {
        double proposed = 0, accepted = 0;
        for (const auto& replicate : search.replicates) {
            proposed += static_cast<double>(replicate.counts[op].proposed);
            accepted += static_cast<double>(replicate.counts[op].accepted);
        }
        if (proposed > 0)
            acceptance[best.operations[op]] = accepted / proposed;
    }
    diagnostics["acceptance"] = acceptance;
    if (best.start.draws > 0) {
        diagnostics["start_draws"] = best.start.draws;
        diagnostics["feasible_start_draws"] = best.start.feasible;
    }
    if (best.truncations > 0)
        diagnostics["truncations"] = best.truncations;
    if (best.outside > 0)
        diagnostics["iterations_outside_the_space"] = best.outside;
    const auto own = search_warnings(search);
    warnings.insert(warnings.end(), own.begin(), own.end());
}

namespace {

/// A line on all replicates, if there is anything to say.
std::string describe_spread(const Json& diagnostics, std::size_t replicates, const std::string& name,
                            const std::string& success_name) {
    if (!diagnostics.contains("mean_" + name) || (replicates == 1 && !diagnostics.contains(success_name)))
        return {};
    std::string text = replicates == 1
                           ? " "
                           : fmt::format("  {} replicates, {}: mean {:.6g}  sd {:.4g}", replicates, name,
                                         diagnostics.value("mean_" + name, 0.0), diagnostics.value("sd_" + name, 0.0));
    if (diagnostics.contains(success_name))
        text += fmt::format("  success rate {:.3g}", diagnostics.value(success_name, 0.0));
    return text + "\n";
}

} // namespace

std::string describe_search(const Json& summary) {
    if (!summary.contains("best"))
        return {};
    const auto& best = summary["best"];
    const auto diagnostics = summary.value("diagnostics", Json::object());
    const auto n = summary.value("replicates", Json::array()).size();
    std::string text =
        fmt::format("  best energy {:.10g}   (iteration {}, after {:.4g} proposals", best.value("energy", 0.0),
                    whole_at(best, "iteration"), best.value("evaluations", 0.0));
    text += n > 1 ? fmt::format(", replicate {})\n", whole_at(best, "replicate")) : ")\n";
    if (summary.contains("polished")) {
        const auto& polished = summary["polished"];
        text +=
            fmt::format("  polished    {:.10g}   (by {} energies and {} gradients more", polished.value("energy", 0.0),
                        whole_at(polished, "energies"), whole_at(polished, "gradients"));
        text += n > 1 ? fmt::format(", replicate {})\n", whole_at(polished, "replicate")) : ")\n";
    }
    text += describe_spread(diagnostics, n, "best", "success_rate");
    text += describe_spread(diagnostics, n, "polished", "success_rate_polished");
    if (diagnostics.contains("start_draws"))
        text += fmt::format("  none of the first states had a finite energy; {} of {} further ones had, and the chains "
                            "start there\n",
                            whole_at(diagnostics, "feasible_start_draws"), whole_at(diagnostics, "start_draws"));
    text += "  accepted:";
    const auto acceptance = diagnostics.value("acceptance", Json::object());
    for (const auto& [name, rate] : acceptance.items())
        text += fmt::format(" {} {:.3g}", name, rate.get<double>());
    text += "\n";
    if (summary.contains("edges"))
        text += fmt::format("  {:.4g} edges expected; {} pairs of nodes are probably adjacent (edges.csv)\n",
                            summary["edges"].value("expected_number", 0.0),
                            whole_at(summary["edges"], "probably_adjacent"));
    return text;
}

} // namespace pearlite::app
