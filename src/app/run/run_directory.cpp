#include "app/run/run_directory.hpp"

#include "app/commands/build_info.hpp"
#include "app/result/parts/search/search.hpp"
#include "io/container/checkpoints.hpp"
#include "pearlite/core/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <string>
#include <string_view>

namespace pearlite::app {

namespace {

namespace fs = std::filesystem;

bool is_of_a_sweep(const std::string& name) {
    constexpr std::array<std::string_view, 6> files{"configuration.json", "sweep.h5",  "runs.csv",
                                                    "settings.csv",       "pairs.csv", "tables.md"};
    return std::find(files.begin(), files.end(), name) != files.end() ||
           (name.starts_with("rows.") && name.ends_with(".jsonl"));
}

bool is_of_a_run(const fs::path& file) {
    const auto name = file.filename().string();
    return name == "results.h5" || name == "posterior.nc" || name == "summary.json" || name == "run.log" ||
           name == "report.html" || is_best_file(name) || (name.starts_with(".") && name.ends_with(".tmp")) ||
           is_of_a_sweep(name);
}

/// The figures that the report has listed as its own.
void remove_figures(const fs::path& directory) {
    const auto list = directory / ".report-figures", figures = directory / "figures";
    std::error_code ignored;
    std::ifstream in(list);
    for (std::string name; std::getline(in, name);)
        if (const auto file = fs::path(name).filename(); file.has_extension())
            fs::remove(figures / file, ignored);
    fs::remove(list, ignored);
    fs::remove(figures, ignored); // unless there is more in it
}

/// The runs of a sweep have numbers for names.
void remove_runs(const fs::path& runs) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(runs, ignored)) {
        const auto name = entry.path().filename().string();
        if (std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isdigit(c) != 0; }))
            fs::remove_all(entry.path());
    }
    fs::remove(runs, ignored); // unless there is more in it
}

} // namespace

DirectoryLock make_run_directory(const fs::path& directory, bool overwrite) {
    std::error_code error;
    if (fs::exists(directory, error)) {
        if (!fs::is_directory(directory, error))
            throw InputError(
                fmt::format("{}: not a directory; expected a directory for the run (-o)", directory.string()));
        if (!fs::is_empty(directory, error) && !overwrite)
            throw InputError(fmt::format("{}: not empty; `{} resume {}` continues a run, --overwrite replaces it",
                                         directory.string(), program_name(), directory.string()));
        DirectoryLock lock(directory);
        for (const auto& checkpoint : io::list_checkpoints(directory))
            fs::remove_all(checkpoint);
        for (const auto& entry : fs::directory_iterator(directory))
            if (is_of_a_run(entry.path()))
                fs::remove_all(entry.path());
        remove_figures(directory);
        remove_runs(directory / "runs");
        return lock;
    }
    fs::create_directories(directory, error);
    if (error)
        throw InputError(fmt::format("{}: cannot make this directory: {}", directory.string(), error.message()));
    return DirectoryLock(directory);
}

fs::path directory_of_run(const fs::path& sweep, long run) {
    return sweep / "runs" / fmt::format("{:06}", run);
}

} // namespace pearlite::app
