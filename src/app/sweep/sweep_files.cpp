#include "app/sweep/sweep_files.hpp"

#include "app/program/amounts.hpp"
#include "app/program/build_info.hpp"
#include "io/files/temporary_file.hpp"

#include <fstream>

namespace pearlite::app {

namespace {

namespace fs = std::filesystem;

Json value_of(const io::SweptValue& value) {
    if (!value.number)
        return value.text;
    return value.is_whole ? Json(static_cast<Index>(*value.number)) : json_number(*value.number);
}

Json settings_of(const io::SweepGrid& grid) {
    Json settings = Json::array();
    for (Index s = 0; s < grid.settings(); ++s) {
        Json setting = Json::object();
        for (std::size_t a = 0; a < grid.axes().size(); ++a)
            setting[grid.axes()[a].name] = value_of(grid.value(s, a));
        settings.push_back(std::move(setting));
    }
    return settings;
}

Json head_of(const Sweep& sweep, const SweepProgress& progress, const char* status) {
    Json axes = Json::array(), model_axes = Json::array();
    for (const auto& axis : sweep.grid().axes()) {
        axes.push_back(axis.name);
        if (axis.is_of_models)
            model_axes.push_back(axis.name);
    }
    return {{"schema", 1},
            {"kind", "sweep"},
            {"status", status},
            {"runs", sweep.runs()},
            {"finished", progress.finished},
            {"failed", progress.failed},
            {"model", sweep.facts().front().model},
            {"algorithm", sweep.facts().front().algorithm},
            {"replicates", sweep.settings().replicates},
            {"seeds", sweep.settings().has_common_seeds ? "common" : "separate"},
            {"axes", axes},
            {"model_axes", model_axes},
            {"settings", settings_of(sweep.grid())},
            {"build", build_id()}};
}

Json timing_of(const SweepProgress& progress) {
    return {{"wall_seconds", progress.wall_seconds},
            {"ranks", progress.ranks},
            {"share_of_time_in_runs", progress.busy_share}};
}

Json failures_of(const Sweep& sweep, const std::map<Index, EndedRun>& ended) {
    Json failures = Json::array();
    for (const auto& [run, row] : ended)
        if (row.failed())
            failures.push_back({{"run", run},
                                {"setting", sweep.setting_of(run)},
                                {"replicate", sweep.replicate_of(run)},
                                {"seed", sweep.seed_of(run)},
                                {"error", row.error}});
    return failures;
}

/// Without what was not given.
Json figures_of(const io::SweepGrid& grid) {
    Json figures = Json::array();
    for (const auto& figure : grid.figures()) {
        Json json{{"name", figure.name},           {"title", figure.title},     {"scalars", figure.scalars},
                  {"statistic", figure.statistic}, {"against", figure.against}, {"published", Json::array()}};
        if (figure.known)
            json["known"] = *figure.known;
        if (figure.logarithmic)
            json["logarithmic"] = *figure.logarithmic;
        for (const auto& curve : figure.published) {
            Json x = Json::array();
            for (const auto& value : curve.x)
                std::visit([&](const auto& plain) { x.push_back(plain); }, value);
            json["published"].push_back({{"label", curve.label}, {"x", x}, {"y", curve.y}});
        }
        figures.push_back(json);
    }
    return figures;
}

Json read_json(const fs::path& file) {
    std::ifstream in(file);
    return Json::parse(in, nullptr, false);
}

} // namespace

void write_origin(const fs::path& directory, const SweepOrigin& origin) {
    const Json json{{"schema", 1},
                    {"name", origin.name},
                    {"directory", origin.directory.string()},
                    {"data_directory", origin.data_directory},
                    {"overrides", origin.overrides},
                    {"build", origin.build},
                    {"runs", origin.runs},
                    {"fitted", origin.fitted},
                    {"fingerprints", origin.fingerprints},
                    {"configuration", origin.text}};
    io::write_durably(directory / "configuration.json", json.dump(2) + "\n");
}

SweepOrigin read_origin(const fs::path& directory) {
    const auto file = directory / "configuration.json";
    const auto json = read_json(file);
    try {
        if (json.at("schema") != 1)
            throw FileError(fmt::format("{}: schema {}, this program reads 1", file.string(), json["schema"].dump()));
        return {json.at("configuration"), json.at("name"),           json.at("directory").get<std::string>(),
                json.at("overrides"),     json.at("data_directory"), json.at("fitted"),
                json.at("fingerprints"),  json.at("build"),          whole_at(json, "runs")};
    } catch (const Json::exception&) {
        throw FileError(file.string() + ": damaged; expected the configuration of a sweep");
    }
}

bool is_sweep_directory(const fs::path& directory) {
    std::error_code ignored;
    return fs::exists(directory / "configuration.json", ignored);
}

void write_stopped_sweep(const fs::path& directory, const Sweep& sweep, const SweepProgress& progress) {
    auto summary = head_of(sweep, progress, "stopped");
    summary["timing"] = timing_of(progress);
    io::write_durably(directory / "summary.json", summary.dump(2) + "\n");
}

void write_finished_sweep(const fs::path& directory, const Sweep& sweep, const std::map<Index, EndedRun>& ended,
                          const SweepProgress& progress) {
    const SweepTable table(sweep, ended);
    const auto shown = shown_scalars(sweep, table);
    auto summary = head_of(sweep, progress, "finished");
    summary["verdict"] = progress.failed == 0 ? fmt::format("all {} runs finished", sweep.runs())
                                              : fmt::format("{} of {} runs failed", progress.failed, sweep.runs());
    summary["scalars"] = shown.names;
    if (!sweep.grid().figures().empty())
        summary["figures"] = figures_of(sweep.grid());
    summary["failures"] = failures_of(sweep, ended);
    summary["warnings"] = shown.warnings;
    if (!sweep.settings().seconds)
        summary["digest"] = table.digest();
    summary["timing"] = timing_of(progress);
    io::write_durably(directory / "runs.csv", csv_of_runs(sweep, table));
    io::write_durably(directory / "settings.csv", csv_of_settings(sweep, table));
    io::write_durably(directory / "pairs.csv", csv_of_pairs(sweep, table));
    io::write_durably(directory / "tables.md", markdown_tables(sweep, table, shown.names));
    write_container(directory / "sweep.h5", sweep, table);
    io::write_durably(directory / "summary.json", summary.dump(2) + "\n");
}

std::string describe_finished_sweep(const fs::path& directory) try {
    const auto summary = read_json(directory / "summary.json");
    if (!summary.is_object())
        return {};
    std::string text = fmt::format("sweep of {}, {}: {} of {} runs finished, {} settings x {} replicates\n\n",
                                   summary.value("model", "?"), summary.value("algorithm", "?"),
                                   whole_at(summary, "finished"), whole_at(summary, "runs"),
                                   summary.value("settings", Json::array()).size(), whole_at(summary, "replicates", 1));
    // The table of settings; those of differences are for the file.
    std::ifstream in(directory / "tables.md");
    for (std::string line; std::getline(in, line) && !line.empty();)
        text += line + "\n";
    text += fmt::format("\n  all tables: {}\n", (directory / "tables.md").string());
    for (const auto& failure : summary.value("failures", Json::array()))
        text += fmt::format("  failed: run {} (setting {}, replicate {}): {}\n", whole_at(failure, "run"),
                            whole_at(failure, "setting"), whole_at(failure, "replicate"), failure.value("error", "?"));
    for (const auto& warning : summary.value("warnings", Json::array()))
        text += "  warning: " + warning.get<std::string>() + "\n";
    if (summary.contains("digest"))
        text += "  digest " + summary.value("digest", "") + "\n";
    else
        text += "  no digest: the budget was one in time, which is not reproducible\n";
    const auto timing = summary.value("timing", Json::object());
    return text + fmt::format("  {} on {} rank(s), {:.1f} % of their time in runs\n",
                              format_duration(timing.value("wall_seconds", 0.0)), whole_at(timing, "ranks", 1),
                              100 * timing.value("share_of_time_in_runs", 0.0));
} catch (const Json::exception&) {
    throw InputError(fmt::format("{}: damaged; expected what a sweep wrote", (directory / "summary.json").string()));
}

} // namespace pearlite::app
