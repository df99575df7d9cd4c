#include "app/commands/command.hpp"
#include "app/commands/options.hpp"
#include "app/program/amounts.hpp"
#include "app/sweep/sweep_files.hpp"
#include "app/watching/run_state.hpp"
#include "app/written/run_directory.hpp"
#include "app/written/summary.hpp"
#include "io/container/checkpoints.hpp"
#include "pearlite/app/command_line.hpp"

#include <cstdio>
#include <system_error>

namespace pearlite::app {

namespace {

namespace fs = std::filesystem;

/// A row of the table, in words.
struct Row {
    std::string run, state, what = {}, place = {}, found = {}, left = {}, checkpoint = {}, warnings = {};
    std::string remark = {}; ///< below the table

    std::array<const std::string*, 8> cells() const {
        return {&run, &state, &what, &place, &found, &left, &checkpoint, &warnings};
    }
};

const Row head{"run", "state", "model, algorithm", "place", "so far", "left", "checkpoint", "warnings"};

Json parse(const std::string& text) {
    auto json = Json::parse(text, nullptr, false);
    return json.is_object() ? json : Json::object();
}

/// A log Z with its error, if it has one.
std::string with_error(double value, double error) {
    return fmt::format("{:.4f}", value) + (std::isfinite(error) ? fmt::format(" +- {:.4f}", error) : "");
}

std::string what_of(const Json& summary) {
    if (!summary.contains("model"))
        return {};
    return summary.value("model", "") + ", " + summary.value("algorithm", "");
}

/// "pilot 12/40".
std::string place_of(const Json& progress) {
    auto text = fmt::format("{}{}", progress.value("in_pilot", false) ? "pilot " : "", whole_at(progress, "done"));
    if (progress.contains("of"))
        text += fmt::format("/{}", whole_at(progress, "of"));
    return text;
}

std::string found_of(const Json& progress) {
    if (progress.contains("stage"))
        return progress.value("stage", "");
    if (progress.contains("best_energy"))
        return fmt::format("best {:.10g}", number_at(progress, "best_energy"));
    if (!progress.contains("log_ratio"))
        return {};
    return "log Z/Z_0 " + with_error(number_at(progress, "log_ratio"), number_at(progress, "standard_error"));
}

/// "log evidence -32.0089 +- 0.0059, supported": a number is never printed without its verdict.
std::string headline_of(const Json& summary) {
    const auto headline = summary.value("headline", Json::object());
    if (!headline.contains("value"))
        return summary.value("verdict", "");
    const double value = number_at(headline, "value"), error = number_at(headline, "standard_error");
    return fmt::format("{} {}, {}", headline.value("label", ""),
                       std::isfinite(error) ? with_error(value, error) : fmt::format("{:.10g}", value),
                       headline.value("support", Json::object()).value("word", "?"));
}

/// How long ago the newest checkpoint was written; empty if there is none.
std::string age_of_checkpoint(const fs::path& directory) {
    const auto checkpoints = io::list_checkpoints(directory);
    std::error_code error;
    const auto written = checkpoints.empty() ? fs::file_time_type() : fs::last_write_time(checkpoints.front(), error);
    if (checkpoints.empty() || error)
        return {};
    const std::chrono::duration<double> age = fs::file_time_type::clock::now() - written;
    return format_duration(std::max(0.0, age.count())) + " ago";
}

Row row_of_sweep(const fs::path& directory, RunState run_state) {
    Row row{directory.string(), word_of(run_state)};
    Index runs = 0, failed = 0;
    const auto ended = read_journals(directory);
    for (const auto& [number, run] : ended)
        failed += run.failed() ? 1 : 0;
    try {
        runs = read_origin(directory).runs;
    } catch (const FileError&) { // a damaged file says nothing
    }
    row.what = "sweep";
    row.place = runs > 0 ? fmt::format("{}/{} runs", ended.size(), runs) : fmt::format("{} runs", ended.size());
    row.found = failed > 0 ? fmt::format("{} failed", failed) : "";
    return row;
}

Row row_of_run(const fs::path& directory, RunState run_state) {
    Row row{directory.string(), word_of(run_state)};
    if (run_state == RunState::finished) {
        const auto summary = read_summary(directory);
        row.what = what_of(summary);
        row.found = headline_of(summary);
        row.warnings =
            std::to_string(summary.value("diagnostics", Json::object()).value("warnings", Json::array()).size());
        return row;
    }
    const auto summary = parse(read_progress(directory).value_or(""));
    const auto progress = summary.value("progress", Json::object());
    row.what = what_of(summary);
    row.checkpoint = age_of_checkpoint(directory);
    if (progress.empty())
        return row;
    row.place = place_of(progress);
    row.found = found_of(progress);
    if (run_state == RunState::running && progress.contains("seconds_left"))
        row.left = format_duration(number_at(progress, "seconds_left"));
    return row;
}

Row row_of(const fs::path& directory, RunState run_state) {
    auto row = is_sweep_directory(directory) ? row_of_sweep(directory, run_state) : row_of_run(directory, run_state);
    const auto log = read_log(directory);
    if (row.warnings.empty())
        row.warnings = std::to_string(log.warnings);
    if (run_state != RunState::finished)
        row.remark = log.last_notice;
    const auto age = age_of_sign_of_life(directory).value_or(0);
    if (constexpr double usual = 20; run_state == RunState::running && age > usual)
        row.remark = fmt::format("the last heartbeat was {} ago{}{}", format_duration(age),
                                 row.remark.empty() ? "" : "; ", row.remark);
    return row;
}

std::string table(const std::vector<Row>& rows) {
    std::array<std::size_t, 8> widths{};
    const auto widen = [&](const Row& row) {
        const auto cells = row.cells();
        for (std::size_t k = 0; k < cells.size(); ++k)
            widths[k] = std::max(widths[k], cells[k]->size());
    };
    widen(head);
    std::ranges::for_each(rows, widen);
    std::string text;
    const auto write = [&](const Row& row) {
        const auto cells = row.cells();
        std::string line;
        for (std::size_t k = 0; k < cells.size(); ++k)
            line += fmt::format("{:<{}}", *cells[k], widths[k] + 2);
        text += line.erase(line.find_last_not_of(' ') + 1) + "\n";
    };
    write(head);
    std::ranges::for_each(rows, write);
    for (const auto& row : rows)
        if (!row.remark.empty())
            text += fmt::format("{}: {}\n", row.run, row.remark);
    return text;
}

std::vector<fs::path> all_runs() {
    std::vector<fs::path> found;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator("runs", error))
        found.push_back(entry.path());
    std::ranges::sort(found);
    return found;
}

int print_status(const std::vector<fs::path>& directories) {
    std::vector<Row> rows;
    for (const auto& directory : directories.empty() ? all_runs() : directories)
        if (const auto found = state_of(directory); found != RunState::none)
            rows.push_back(row_of(directory, found));
    if (rows.empty())
        throw InputError(
            directories.empty()
                ? std::string("runs: no run in this directory, expected directories of runs")
                : fmt::format("{}: not the directory of a run or of a sweep", directories.front().string()));
    std::fputs(table(rows).c_str(), stdout);
    return exit_finished;
}

} // namespace

CommandEntry status_command_entry() {
    return {"status", "a table of runs and sweeps: which go on, how far they are",
            [](CLI::App& command, const CommandContext&) -> Action {
                const auto options = std::make_shared<std::vector<fs::path>>();
                command.add_option("directories", *options, "of runs and sweeps (default all in runs/)");
                return {.serial = [options] { return print_status(*options); }};
            }};
}

} // namespace pearlite::app
