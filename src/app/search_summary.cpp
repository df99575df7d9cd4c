#include "search_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pearlite::app {

namespace {

using Json = nlohmann::ordered_json;

/// States longer than this are in results.h5 alone.
constexpr std::size_t longest_state = 1000;

double relative_gap(const SearchResult& search) {
    const double best = search.replicates[search.best_replicate].best.energy;
    return (best - *search.known_minimum) / std::max(std::abs(*search.known_minimum), 1.0);
}

struct MeanSd {
    double mean = 0, sd = 0;
};
MeanSd mean_sd(const SearchResult& search) {
    const auto n = static_cast<double>(search.replicates.size());
    MeanSd result;
    for (const auto& replicate : search.replicates)
        result.mean += replicate.best.energy / n;
    for (const auto& replicate : search.replicates)
        result.sd += (replicate.best.energy - result.mean) * (replicate.best.energy - result.mean);
    result.sd = n > 1 ? std::sqrt(result.sd / (n - 1)) : 0;
    return result;
}

} // namespace

std::string search_verdict(const SearchResult& search) {
    if (search.replicates.empty())
        return "no search";
    if (search.known_minimum) {
        const double gap = relative_gap(search);
        return std::abs(gap) < 1e-9
                   ? "the known minimum was found"
                   : fmt::format("the known minimum is {:.10g}: the best energy is {:.3g} above it",
                                 *search.known_minimum,
                                 search.replicates[search.best_replicate].best.energy - *search.known_minimum);
    }
    const double best = search.replicates[search.best_replicate].best.energy;
    const auto agreeing = std::count_if(search.replicates.begin(), search.replicates.end(), [&](const auto& r) {
        return r.best.energy - best <= 1e-6 * std::max(1.0, std::abs(best));
    });
    if (search.replicates.size() == 1)
        return "one replicate: nothing says whether the minimum was found; algorithm.replicates makes more";
    return fmt::format("{} of {} replicates found the best energy (to 1e-6)", agreeing, search.replicates.size());
}

void add_search(Json& summary, Json& diagnostics, const SearchResult& search) {
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
    Index successes = 0;
    for (std::size_t r = 0; r < search.replicates.size(); ++r) {
        const auto& replicate = search.replicates[r];
        rows.push_back({{"seed", search.seeds[r]},
                        {"best", replicate.best.energy},
                        {"best_evaluations", replicate.best_evaluations},
                        {"evaluations", replicate.evaluations}});
        successes += search.success_below && replicate.best.energy < *search.success_below ? 1 : 0;
    }
    summary["replicates"] = rows;
    const auto [mean, sd] = mean_sd(search);
    diagnostics["mean_best"] = mean;
    diagnostics["sd_best"] = sd;
    if (search.success_below)
        diagnostics["success_rate"] = static_cast<double>(successes) / static_cast<double>(search.replicates.size());
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
    if (best.truncations > 0)
        diagnostics["truncations"] = best.truncations;
    if (best.outside > 0)
        diagnostics["iterations_outside_the_space"] = best.outside;
}

std::string describe_search(const Json& summary) {
    if (!summary.contains("best"))
        return {};
    const auto& best = summary["best"];
    const auto diagnostics = summary.value("diagnostics", Json::object());
    const auto n = summary.value("replicates", Json::array()).size();
    std::string text =
        fmt::format("  best energy {:.10g}   (iteration {}, after {:.4g} energies", best.value("energy", 0.0),
                    best.value("iteration", 0), best.value("evaluations", 0.0));
    text += n > 1 ? fmt::format(", replicate {})\n", best.value("replicate", 0)) : ")\n";
    if (n > 1)
        text += fmt::format("  {} replicates: mean {:.6g}  sd {:.4g}", n, diagnostics.value("mean_best", 0.0),
                            diagnostics.value("sd_best", 0.0));
    if (diagnostics.contains("success_rate"))
        text += fmt::format("{}success rate {:.3g}", n > 1 ? "  " : "  ", diagnostics.value("success_rate", 0.0));
    if (n > 1 || diagnostics.contains("success_rate"))
        text += "\n";
    text += "  accepted:";
    const auto acceptance = diagnostics.value("acceptance", Json::object());
    for (const auto& [name, rate] : acceptance.items())
        text += fmt::format(" {} {:.3g}", name, rate.get<double>());
    return text + "\n";
}

} // namespace pearlite::app
