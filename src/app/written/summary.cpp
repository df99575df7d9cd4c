#include "app/written/summary.hpp"

#include "app/program/amounts.hpp"
#include "app/program/build_info.hpp"
#include "app/result/parts/kinds.hpp"
#include "app/result/parts/summary_parts.hpp"
#include "io/files/temporary_file.hpp"
#include "pearlite/core/error.hpp"

#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <sys/resource.h>

namespace pearlite::app {

namespace {

/// The ratios of the busiest rank's work to the mean, and the number of deals.
Json balance(const population::WorkAccount& work) {
    return {{"imbalance", work.busiest / work.mean},
            {"imbalance_of_equal_runs", work.busiest_of_equal_runs / work.mean},
            {"deals", work.deals},
            {"blocks_moved", work.blocks_moved}};
}

/// The headline of the first part that has one.
Headline headline_of(const RunResult& result, bool has_warnings) {
    for (const auto& part : result.parts)
        if (auto headline = part->headline(has_warnings))
            return *headline;
    Headline none;
    none.support = Support::refused;
    none.sentence = "no estimate";
    return none;
}

/// Lines for a person: estimates with errors beside exact values, posterior, warnings, digest.
std::string describe(const Json& summary) {
    std::string text = fmt::format("{}, {}: {}\n", summary.value("model", "?"), summary.value("algorithm", "?"),
                                   summary.value("status", "?"));
    text += describe_headline(summary);
    const auto diagnostics = summary.value("diagnostics", Json::object());
    for (const auto& warning : diagnostics.value("warnings", Json::array()))
        text += "  warning: " + warning.get<std::string>() + "\n";
    for (const auto& kind : kinds_of_parts())
        if (kind.describe)
            text += kind.describe(summary);
    if (summary.contains("digest"))
        text += "  digest " + summary.value("digest", "") + "\n";
    const auto timing = summary.value("timing", Json::object());
    text += fmt::format("  {} on {} rank(s), {} {}/s\n", format_duration(timing.value("wall_seconds", 0.0)),
                        whole_at(summary, "ranks", 1), format_rate(timing.value("updates_per_second", 0.0)),
                        timing.value("unit", ""));
    if (const auto busiest = timing.find("busiest_rank"); busiest != timing.end())
        text += fmt::format("  memory: {:.0f} MiB on the rank that needed most\n",
                            busiest->value("peak_memory_bytes", 0.0) / (1 << 20));
    if (const auto balance = timing.find("balance"); balance != timing.end() && whole_at(*balance, "deals") > 0)
        text += fmt::format(
            "  the busiest rank did {:.2f} times the mean; with equally many blocks it would have been {:.2f}\n",
            balance->value("imbalance", 0.0), balance->value("imbalance_of_equal_runs", 0.0));
    return text;
}

/// The first entries of every summary.
Json head_of(const RunFacts& facts, const std::string& status) {
    return {{"schema", 1},
            {"algorithm", facts.algorithm},
            {"model", facts.model},
            {"seed", facts.seed},
            {"ranks", facts.ranks},
            {"block", facts.block},
            {"build", build_id()},
            {"status", status},
            {"generator", facts.generator}};
}

void add_diagnostics(Json& summary, SummaryParts& parts, const std::vector<std::string>& warnings) {
    parts.diagnostics["warnings"] = warnings;
    summary["diagnostics"] = parts.diagnostics;
}

void add_timing(Json& summary, const RunFacts& facts) {
    summary["timing"] = {
        {"wall_seconds", facts.wall_seconds}, {"updates_per_second", facts.updates_per_second}, {"unit", facts.unit}};
    const auto& messages = facts.resources.messages;
    summary["timing"]["busiest_rank"] = {{"peak_memory_bytes", facts.resources.peak_memory_bytes},
                                         {"sent_bytes", messages.sent_bytes},
                                         {"reduced_words", messages.reduced_words},
                                         {"collected_bytes", messages.collected_bytes},
                                         {"sends", messages.sends},
                                         {"reductions", messages.reductions},
                                         {"other_collectives", messages.other_collectives}};
    if (facts.work && facts.work->mean > 0)
        summary["timing"]["balance"] = balance(*facts.work);
}

Json entry_of(const Standing& standing) {
    const auto& progress = standing.progress;
    const bool has_iterations = progress.iterations_per_step > 1;
    Json entry{{"in_pilot", standing.in_pilot},
               {"unit", has_iterations ? "iteration" : "step"},
               {"done", progress.step * progress.iterations_per_step}};
    if (progress.steps > 0)
        entry["of"] = progress.steps * progress.iterations_per_step;
    if (!progress.stage.empty())
        entry["stage"] = progress.stage;
    else if (progress.best_energy) {
        entry["best_energy"] = json_number(*progress.best_energy);
        entry["temperature"] = progress.temperature;
    } else {
        if (progress.variables > 0)
            entry["variables"] = std::lround(progress.inverse_temperature * static_cast<double>(progress.variables));
        else
            entry["inverse_temperature"] = progress.inverse_temperature;
        entry["ess"] = json_number(progress.ess);
    }
    if (standing.log_ratio && progress.stage.empty()) {
        entry["log_ratio"] = json_number(standing.log_ratio->value);
        if (standing.log_ratio->standard_error)
            entry["standard_error"] = json_number(*standing.log_ratio->standard_error);
    }
    if (standing.seconds_left)
        entry["seconds_left"] = json_number(*standing.seconds_left);
    return entry;
}

} // namespace

std::string summary_text(const RunFacts& facts, const RunResult& result) {
    auto summary = head_of(facts, "finished");
    SummaryParts parts;
    for (const auto& part : result.parts)
        part->write_summary(parts);
    const auto headline = headline_of(result, !parts.warnings.empty());
    summary["headline"] = headline_entry(headline);
    summary["verdict"] = headline.sentence;
    summary.update(parts.entries);
    auto warnings = facts.warnings;
    warnings.insert(warnings.end(), parts.warnings.begin(), parts.warnings.end());
    add_diagnostics(summary, parts, warnings);
    summary["digest"] = result.digest;
    add_timing(summary, facts);
    return summary.dump(2) + "\n";
}

std::string summary_text(const RunFacts& facts, const std::string& status, const Standing& standing,
                         const ResultParts& known) {
    auto summary = head_of(facts, status);
    summary["progress"] = entry_of(standing);
    SummaryParts parts;
    for (const auto& part : known)
        part->write_summary(parts);
    summary.update(parts.entries);
    add_diagnostics(summary, parts, facts.warnings);
    add_timing(summary, facts);
    return summary.dump(2) + "\n";
}

void write_summary(const std::filesystem::path& directory, const std::string& text) {
    io::write_durably(directory / "summary.json", text);
}

Json read_summary(const std::filesystem::path& directory) {
    std::ifstream in(directory / "summary.json");
    auto summary = Json::parse(in, nullptr, false);
    return summary.is_object() ? summary : Json::object();
}

std::string read_status(const std::filesystem::path& directory) {
    const auto summary = read_summary(directory);
    const auto status = summary.find("status");
    return status != summary.end() && status->is_string() ? status->get<std::string>() : std::string();
}

std::string describe_summary(const std::filesystem::path& directory) {
    try {
        return describe(read_summary(directory));
    } catch (const Json::exception&) {
        throw InputError(fmt::format("{}: damaged; expected what a run wrote", (directory / "summary.json").string()));
    }
}

std::string describe_text(const std::string& summary) {
    return describe(Json::parse(summary));
}

Resources resources_of(const parallel::Communicator& ranks) {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const auto mine = parallel::message_count();
    return {ranks.max(static_cast<Index>(usage.ru_maxrss) * 1024),
            {ranks.max(mine.reductions), ranks.max(mine.reduced_words), ranks.max(mine.other_collectives),
             ranks.max(mine.collected_bytes), ranks.max(mine.sends), ranks.max(mine.sent_bytes)}};
}

} // namespace pearlite::app
