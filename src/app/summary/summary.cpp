#include "app/summary/summary.hpp"

#include "app/commands/build_info.hpp"
#include "app/run/progress.hpp"
#include "pearlite/core/error.hpp"

#include "app/summary/search_summary.hpp"
#include "app/summary/write_durably.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>

namespace pearlite::app {

namespace {

using Json = nlohmann::ordered_json;

/// JSON has no infinities: they are written as text.
Json number(double value) {
    return std::isfinite(value) ? Json(value) : Json(fmt::format("{}", value));
}

/// One estimate of a quantity; `shift` turns log_ratio into log_normaliser.
Json estimate_entry(const estimator::Estimate& estimate, const char* quantity, double shift,
                    const std::optional<double>& exact_log_ratio) {
    Json entry{{"estimator", estimate.estimator}, {"quantity", quantity}, {"value", estimate.value + shift}};
    if (estimate.standard_error) {
        entry["standard_error"] = *estimate.standard_error;
        if (estimate.interval95)
            entry["interval95"] = {estimate.interval95->low + shift, estimate.interval95->high + shift};
    }
    if (!estimate.error_method.empty())
        entry["error_method"] = estimate.error_method;
    if (!estimate.note.empty())
        entry["note"] = estimate.note;
    if (exact_log_ratio) {
        entry["exact"] = *exact_log_ratio + shift;
        if (estimate.standard_error && *estimate.standard_error > 0)
            entry["z_score"] = (estimate.value - *exact_log_ratio) / *estimate.standard_error;
    }
    return entry;
}

/// Where log Z_0 is known and not 0, the normaliser is a result of its own.
bool has_normaliser(const RunResult& result) {
    return result.log_normaliser_start && *result.log_normaliser_start != 0;
}

Json evidence(const RunResult& result) {
    Json entries = Json::array();
    for (const auto& estimate : result.outcome.log_ratio) {
        if (!std::isfinite(estimate.value)) {
            entries.push_back(
                {{"estimator", estimate.estimator},
                 {"refused", estimate.note.empty() ? "no particle has a positive weight" : estimate.note}});
            continue;
        }
        entries.push_back(estimate_entry(estimate, "log_ratio", 0, result.exact_log_ratio));
        if (has_normaliser(result))
            entries.push_back(
                estimate_entry(estimate, "log_normaliser", *result.log_normaliser_start, result.exact_log_ratio));
    }
    return entries;
}

/// What chains know of a parameter beside its summary; empty for others.
Json convergence(const RunResult& result, std::size_t parameter) {
    if (!result.markov_chains)
        return Json::object();
    const auto& summary = result.markov_chains->summaries[parameter];
    return {{"r_hat", number(summary.r_hat)},
            {"bulk_ess", number(summary.bulk_ess)},
            {"tail_ess", number(summary.tail_ess)}};
}

Json chains(const algorithm::ChainOutcome& outcome) {
    Json entries = Json::array();
    for (std::size_t c = 0; c < outcome.acceptance.size(); ++c)
        entries.push_back({{"acceptance", outcome.acceptance[c]}, {"longest_stay", outcome.longest_stay[c]}});
    return entries;
}

Json posterior(const RunResult& result) {
    Json entries = Json::array();
    for (const auto& p : result.posterior) {
        entries.push_back({{"name", p.name},
                           {"mean", number(p.mean)},
                           {"sd", number(p.sd)},
                           {"quantiles",
                            {{"0.025", number(p.quantile_025)},
                             {"0.25", number(p.quantile_250)},
                             {"0.5", number(p.quantile_500)},
                             {"0.75", number(p.quantile_750)},
                             {"0.975", number(p.quantile_975)}}}});
        entries.back().update(convergence(result, entries.size() - 1));
        if (std::isnan(p.mcse))
            continue;
        entries.back()["mcse"] = number(p.mcse);
        entries.back()["ess"] = number(p.ess);
    }
    return entries;
}

/// The busiest rank against the mean one.
Json balance(const population::WorkAccount& work) {
    return {{"imbalance", work.busiest / work.mean},
            {"imbalance_of_equal_runs", work.busiest_of_equal_runs / work.mean},
            {"deals", work.deals},
            {"blocks_moved", work.blocks_moved}};
}

Json read_summary(const std::filesystem::path& directory) {
    std::ifstream in(directory / "summary.json");
    auto summary = Json::parse(in, nullptr, false);
    return summary.is_object() ? summary : Json::object();
}

bool is_same_number(const Json& a, const Json& b) {
    return a.value("estimator", "") == b.value("estimator", "") && a.value("quantity", "") == b.value("quantity", "") &&
           a.value("value", 0.0) == b.value("value", 0.0);
}

/// One estimate, with the standard errors of other methods for the same number in brackets.
std::string describe_estimate(const Json& entry, const Json& all) {
    if (entry.contains("refused"))
        return fmt::format("  {}: refused: {}\n", entry.value("estimator", ""), entry.value("refused", ""));
    const bool ratio = entry.value("quantity", "") == "log_ratio";
    auto line = fmt::format("  {:<9} = {:.4f}", ratio ? "log Z/Z_0" : "log Z", entry.value("value", 0.0));
    if (entry.contains("standard_error"))
        line += fmt::format(" +- {:.4f}", entry.value("standard_error", 0.0));
    line += "   (" + entry.value("estimator", "");
    if (entry.contains("error_method"))
        line += ", " + entry.value("error_method", "");
    for (const auto& other : all)
        if (is_same_number(other, entry) && other.value("error_method", "") != entry.value("error_method", "") &&
            other.contains("standard_error"))
            line += fmt::format("; {} {:.4f}", other.value("error_method", ""), other.value("standard_error", 0.0));
    line += ")";
    if (entry.contains("exact"))
        line += fmt::format("   exact {:.4f}", entry.value("exact", 0.0));
    if (entry.contains("z_score"))
        line += fmt::format("   z {:+.2f}", entry.value("z_score", 0.0));
    if (entry.contains("note"))
        line += fmt::format("   [{}]", entry.value("note", ""));
    return line + "\n";
}

/// What was written as a number or, where it is none, as text.
double number_at(const Json& entry, const char* key) {
    const auto value = entry.find(key);
    return value != entry.end() && value->is_number() ? value->get<double>() : std::nan("");
}

/// A table: a parameter per line.
std::string describe_posterior(const Json& entries) {
    if (entries.empty())
        return {};
    const std::array<const char*, 5> levels{"0.025", "0.25", "0.5", "0.75", "0.975"};
    std::size_t widest = 9;
    for (const auto& p : entries)
        widest = std::max(widest, p.value("name", "").size());
    auto text = fmt::format("  {:<{}} {:>10} {:>9} {:>8} {:>7} {:>10} {:>10} {:>10} {:>10} {:>10}", "parameter", widest,
                            "mean", "sd", "mcse", "ess", "2.5 %", "25 %", "50 %", "75 %", "97.5 %");
    const bool of_chains = entries.front().contains("r_hat");
    text += of_chains ? fmt::format(" {:>7} {:>8} {:>8}\n", "R-hat", "bulk ess", "tail ess") : "\n";
    for (const auto& p : entries) {
        text += fmt::format("  {:<{}} {:>10.5g} {:>9.4g}", p.value("name", ""), widest, number_at(p, "mean"),
                            number_at(p, "sd"));
        text += p.contains("mcse") ? fmt::format(" {:>8.2g} {:>7.0f}", number_at(p, "mcse"), number_at(p, "ess"))
                                   : fmt::format(" {:>8} {:>7}", "-", "-");
        const auto quantiles = p.value("quantiles", Json::object());
        for (const auto* level : levels)
            text += fmt::format(" {:>10.5g}", number_at(quantiles, level));
        if (of_chains)
            text += fmt::format(" {:>7.3f} {:>8.0f} {:>8.0f}", number_at(p, "r_hat"), number_at(p, "bulk_ess"),
                                number_at(p, "tail_ess"));
        text += "\n";
    }
    return text;
}

/// A line for each of a few chains, or for all of them together.
std::string describe_chains(const Json& chains) {
    constexpr std::size_t most = 16;
    std::string rates, stays;
    for (std::size_t c = 0; c < std::min(most, chains.size()); ++c) {
        rates += fmt::format(" {:.3f}", number_at(chains[c], "acceptance"));
        stays += fmt::format(" {}", chains[c].value("longest_stay", 0L));
    }
    const char* more = chains.size() > most ? " ..." : "";
    return fmt::format("  acceptance of each chain{}{}, longest stay{}{}\n", rates, more, stays, more);
}

} // namespace

std::string verdict(const RunResult& result) {
    if (result.search)
        return search_verdict(*result.search);
    if (!result.outcome.verdict.empty())
        return result.outcome.verdict;
    if (result.outcome.log_ratio.empty() || !std::isfinite(result.outcome.log_ratio.front().value))
        return "no estimate";
    if (!result.outcome.log_ratio.front().standard_error)
        return "the diagnostics do not support an error bar";
    return result.outcome.warnings.empty() ? "the diagnostics support the estimate and its error bar"
                                           : "an error bar is given, but the diagnostics carry warnings";
}

void write_summary(const std::filesystem::path& directory, const RunFacts& facts, const RunResult* result) {
    Json summary{{"schema", 1},          {"algorithm", facts.algorithm},
                 {"model", facts.model}, {"seed", facts.seed},
                 {"ranks", facts.ranks}, {"block", facts.block},
                 {"build", build_id()},  {"status", result ? "finished" : "stopped"}};
    auto warnings = facts.warnings;
    Json diagnostics = Json::object();
    if (result) {
        summary["verdict"] = verdict(*result);
        if (result->search) {
            add_search(summary, diagnostics, *result->search);
            const auto own = search_warnings(*result->search);
            warnings.insert(warnings.end(), own.begin(), own.end());
        } else if (!result->markov_chains) {
            summary["log_evidence"] = evidence(*result);
        }
        if (!result->posterior.empty())
            summary["posterior"] = posterior(*result);
        if (result->markov_chains)
            summary["chains"] = chains(*result->markov_chains);
        if (result->outcome.ess > 0)
            diagnostics["ess"] = result->outcome.ess;
        for (const auto& diagnostic : result->outcome.diagnostics) {
            diagnostics[diagnostic.name] = number(diagnostic.value);
            if (diagnostic.standard_error)
                diagnostics[diagnostic.name + "_standard_error"] = number(*diagnostic.standard_error);
        }
        warnings.insert(warnings.end(), result->outcome.warnings.begin(), result->outcome.warnings.end());
    }
    diagnostics["warnings"] = warnings;
    summary["diagnostics"] = diagnostics;
    if (result)
        summary["digest"] = result->digest;
    summary["timing"] = {
        {"wall_seconds", facts.wall_seconds}, {"updates_per_second", facts.updates_per_second}, {"unit", facts.unit}};
    summary["timing"]["busiest_rank"] = {{"peak_memory_bytes", facts.resources.peak_memory_bytes},
                                         {"sent_bytes", facts.resources.sent_bytes},
                                         {"reduced_words", facts.resources.reduced_words},
                                         {"collected_bytes", facts.resources.collected_bytes}};
    if (facts.work && facts.work->mean > 0)
        summary["timing"]["balance"] = balance(*facts.work);
    write_durably(directory / "summary.json", summary.dump(2) + "\n");
}

std::string read_status(const std::filesystem::path& directory) {
    const auto summary = read_summary(directory);
    const auto status = summary.find("status");
    return status != summary.end() && status->is_string() ? status->get<std::string>() : std::string();
}

std::string describe_summary(const std::filesystem::path& directory) {
    const auto summary = read_summary(directory);
    std::string text = fmt::format("{}, {}: {}\n", summary.value("model", "?"), summary.value("algorithm", "?"),
                                   summary.value("status", "?"));
    const auto estimates = summary.value("log_evidence", Json::array());
    const std::string headline = estimates.empty() ? "" : estimates.front().value("estimator", "");
    for (auto entry = estimates.begin(); entry != estimates.end(); ++entry)
        if (entry->value("quantity", "") == "log_normaliser" && entry->value("estimator", "") != headline)
            continue; // the same ones again, shifted by log Z_0
        else if (std::none_of(estimates.begin(), entry,
                              [&](const Json& earlier) { return is_same_number(earlier, *entry); }))
            text += describe_estimate(*entry, estimates);
    text += describe_search(summary);
    text += describe_posterior(summary.value("posterior", Json::array()));
    if (summary.contains("chains"))
        text += describe_chains(summary["chains"]);
    const auto diagnostics = summary.value("diagnostics", Json::object());
    if (diagnostics.contains("ess"))
        text += fmt::format("  effective sample size {:.1f}\n", diagnostics.value("ess", 0.0));
    if (summary.contains("verdict"))
        text += "  verdict: " + summary.value("verdict", "") + "\n";
    for (const auto& warning : diagnostics.value("warnings", Json::array()))
        text += "  warning: " + warning.get<std::string>() + "\n";
    if (summary.contains("digest"))
        text += "  digest " + summary.value("digest", "") + "\n";
    const auto timing = summary.value("timing", Json::object());
    text += fmt::format("  {} on {} rank(s), {} {}/s\n", format_duration(timing.value("wall_seconds", 0.0)),
                        summary.value("ranks", 1), format_rate(timing.value("updates_per_second", 0.0)),
                        timing.value("unit", ""));
    if (const auto busiest = timing.find("busiest_rank"); busiest != timing.end())
        text += fmt::format("  memory: {:.0f} MiB on the rank that needed most\n",
                            busiest->value("peak_memory_bytes", 0.0) / (1 << 20));
    if (const auto balance = timing.find("balance"); balance != timing.end() && balance->value("deals", 0) > 0)
        text += fmt::format(
            "  the busiest rank did {:.2f} times the mean; with equally many blocks it would have been {:.2f}\n",
            balance->value("imbalance", 0.0), balance->value("imbalance_of_equal_runs", 0.0));
    return text;
}

} // namespace pearlite::app
