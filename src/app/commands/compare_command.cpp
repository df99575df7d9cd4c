#include "app/commands/command.hpp"
#include "app/commands/comparison.hpp"
#include "app/commands/run_command.hpp"
#include "parallel/agreement.hpp"
#include "pearlite/app/command_line.hpp"

#include <fmt/ranges.h>

#include <cstdio>

namespace pearlite::app {

namespace {

namespace fs = std::filesystem;

struct CompareOptions : RunOptions {
    std::vector<fs::path> compared; ///< directories of finished runs, or configurations
};

bool is_configuration(const fs::path& path) {
    return path.extension() == ".toml";
}

int compare(const std::vector<fs::path>& directories) {
    std::fputs(compare_runs(directories).c_str(), stdout);
    return exit_finished;
}

/// As TOML has it.
std::string list_of(const std::vector<std::string>& texts) {
    return Json(texts).dump();
}

/// The rows of the table of a configuration's model; nothing if it has no table.
std::optional<TableRows> rows_of(const Catalogue& models, const RunOptions& options) {
    const auto prepared = prepare(models, load_configuration(options));
    const auto target = prepared.model->target();
    const auto* described = target ? target->offers<model::DescribedData>() : nullptr;
    return described ? described->describe_data().rows : std::nullopt;
}

void add(std::vector<std::string>& all, const std::vector<std::string>& more) {
    for (const auto& one : more)
        if (std::ranges::find(all, one) == all.end())
            all.push_back(one);
}

/// Overrides of each configuration, by which models of one table leave out the rows that any of them leaves out.
std::vector<std::vector<std::string>> on_common_rows(const Catalogue& models, RunOptions options,
                                                     const std::vector<fs::path>& files) {
    std::vector<std::optional<TableRows>> of_files;
    std::map<std::string, TableRows> of_tables;
    for (const auto& file : files) {
        options.configuration = file;
        of_files.push_back(rows_of(models, options));
        if (const auto& rows = of_files.back()) {
            auto& all = of_tables[rows->source];
            add(all.complete, rows->complete);
            add(all.missing_values, rows->missing_values);
        }
    }
    std::vector<std::vector<std::string>> overrides(files.size());
    for (std::size_t i = 0; i < files.size(); ++i) {
        const auto all = of_files[i] ? of_tables.at(of_files[i]->source) : TableRows();
        if (!all.complete.empty())
            overrides[i] = {"model.missing=\"drop\"", "model.complete=" + list_of(all.complete),
                            "model.missing_values=" + list_of(all.missing_values)};
    }
    return overrides;
}

/// Collective. Runs each configuration on the rows that all have in common, and compares them.
int run_and_compare(const parallel::Communicator& ranks, const Catalogue& models, const CompareOptions& options) {
    const RunOptions& base = options;
    std::vector<std::vector<std::string>> common;
    parallel::together(ranks, [&] { common = on_common_rows(models, base, options.compared); });
    std::vector<fs::path> directories;
    for (std::size_t i = 0; i < options.compared.size(); ++i) {
        const auto& file = options.compared[i];
        RunOptions each = base;
        each.overrides.insert(each.overrides.end(), common[i].begin(), common[i].end());
        each.configuration = file;
        each.directory = options.directory.value_or("runs") / file.stem();
        directories.push_back(*each.directory);
        if (const int status = run_command(ranks, models, each); status != exit_finished)
            return status;
    }
    parallel::on_root(ranks, [&] { std::fputs(compare_runs(directories).c_str(), stdout); });
    return exit_finished;
}

/// Whether all are directories; InputError for directories beside configurations, and for two of one name.
bool are_directories(const std::vector<fs::path>& compared) {
    const auto n = std::ranges::count_if(compared, is_configuration);
    if (n != 0 && n != std::ssize(compared))
        throw InputError("directories of runs beside configurations, expected either the ones or the others");
    if (n == 1)
        throw InputError("one configuration only, expected two or more");
    for (std::size_t i = 0; n != 0 && i < compared.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            if (compared[i].stem() == compared[j].stem())
                throw InputError(fmt::format("{} and {}: their runs would have one directory, expected other names",
                                             compared[j].string(), compared[i].string()));
    return n == 0;
}

} // namespace

CommandEntry compare_command_entry() {
    return {"compare", "models by the evidences of finished runs: Bayes factors",
            [](CLI::App& command, const CommandContext& context) -> Action {
                const auto options = std::make_shared<CompareOptions>();
                command
                    .add_option("runs", options->compared,
                                "directories of finished runs, two or more; or configurations, which are run on the "
                                "rows that their tables have in common")
                    ->required();
                command
                    .add_option("--set", options->overrides, "override a key of all configurations: table.key=value")
                    ->allow_extra_args(false);
                command.add_option("-o", options->directory, "directory of the runs of configurations (default runs)");
                command.add_flag("--overwrite", options->overwrite, "replace earlier runs there");
                add_session_options(command, *options);
                return {.serial = [options] { return compare(options->compared); },
                        .is_serial = [options] { return are_directories(options->compared); },
                        .distributed = [options, &models = context.models](
                                           const auto& ranks) { return run_and_compare(ranks, models, *options); }};
            }};
}

} // namespace pearlite::app
