#include "app/commands/run_command.hpp"

#include "app/commands/command.hpp"
#include "app/configured/memory.hpp"
#include "app/program/build_info.hpp"
#include "app/run/checkpoint.hpp"
#include "app/run/run_loop.hpp"
#include "app/run/signals.hpp"
#include "app/run/watchdog.hpp"
#include "app/sweep/sweep_files.hpp"
#include "app/written/run_directory.hpp"
#include "app/written/summary.hpp"
#include "io/container/checkpoints.hpp"
#include "parallel/agreement.hpp"

#include <sstream>

namespace pearlite::app {

namespace fs = std::filesystem;

namespace {

std::string advice_without_checkpoint(const fs::path& directory) {
    return fmt::format("; nothing to resume: `{} run FILE.toml -o {} --overwrite` starts from the beginning",
                       program_name(), directory.string());
}

/// The configuration as it was, with the data where they are now: --data-dir, the old place or, where that is no more,
/// PEARLITE_DATA_DIR.
Prepared prepare_again(const Catalogue& models, const ResumeOptions& options, const std::string& configuration,
                       const std::string& old_data_directory) {
    auto data_directory = options.data_directory;
    std::error_code ignored;
    if (!data_directory && fs::is_directory(old_data_directory, ignored))
        data_directory = old_data_directory;
    return prepare(models, io::Configuration::parse(configuration, (options.directory / "configuration").string(),
                                                    options.directory, {}, data_directory));
}

/// InputError unless a new run of `expected` would have the settings of the checkpoint.
void require_same_settings(const Catalogue& models, const RunOptions& expected, const std::string& settings) {
    const auto wanted = prepare(models, load_configuration(expected)).resolved;
    std::istringstream now(wanted), then(settings);
    for (std::string line, earlier; std::getline(now, line), std::getline(then, earlier), now || then;) {
        line = now ? line : "";
        earlier = then ? earlier : "";
        if (line != earlier)
            throw InputError(fmt::format("{}: its run has other settings (\"{}\", now \"{}\"), expected the same, or "
                                         "another directory",
                                         expected.directory.value_or("").string(), earlier, line));
    }
}

} // namespace

int resume_command(const parallel::Communicator& ranks, const Catalogue& models, const ResumeOptions& options) {
    const StopSignals signals;
    const Watchdog watchdog(ranks.rank(), ranks.size(), patience_of(options));
    bool finished = false, is_of_sweep = false;
    parallel::together(ranks, [&] {
        if (!fs::is_directory(options.directory))
            throw InputError(
                fmt::format("{}: no such directory; expected the directory of a run", options.directory.string()));
        is_of_sweep = is_sweep_directory(options.directory);
        finished = !is_of_sweep && !options.expected && read_status(options.directory) == "finished";
    });
    if (ranks.max(Index{is_of_sweep ? 1 : 0}))
        return resume_sweep_command(ranks, models, options);
    if (ranks.max(Index{finished ? 1 : 0})) {
        Reporter reporter(ranks.is_root(), options.directory / "run.log", true, options.screen);
        if (ranks.is_root())
            reporter.result(describe_summary(options.directory), options.directory / "summary.json");
        return 0;
    }

    DirectoryLock lock;
    parallel::on_root(ranks, [&] { lock = DirectoryLock(options.directory); });
    auto run_id = run_id_of(ranks, options.directory);
    Watchdog::follow(options.directory, ranks.is_root(), seconds_of(options.time_limit));
    Watchdog::advise(resuming(options.directory) + " tries again");
    Prepared prepared;
    std::unique_ptr<Run> run;
    std::string data_directory;
    std::vector<std::string> warnings;
    const auto restore = [&](io::Reader& reader) {
        require_same_run(run_id, reader);
        std::string configuration;
        reader("configuration", configuration);
        reader("data_directory", data_directory);
        parallel::together(ranks, [&] {
            prepared = prepare_again(models, options, configuration, data_directory);
            if (options.expected)
                require_same_settings(models, *options.expected, prepared.resolved);
            require_memory(prepared, ranks.size());
        });
        const Job job = job_of(ranks, options.directory, prepared, options.time_limit, options.step_limit);
        Watchdog::follow(options.directory, ranks.is_root(), job.time_limit_seconds);
        run = std::make_unique<Run>(ranks, *prepared.plan, *prepared.model);
        warnings.clear();
        restore_checkpoint(job, *run, reader, warnings);
    };
    io::Restored restored;
    try {
        restored = io::restore_newest(ranks, options.directory, restore);
    } catch (const FileError& error) {
        throw_in_place_of(error, ErrorKind::input, error.what() + advice_without_checkpoint(options.directory));
    }
    Job job = job_of(ranks, options.directory, prepared, options.time_limit, options.step_limit);
    job.is_resumed = true;
    if (run_id.empty()) // the checkpoint was brought here
        parallel::on_root(ranks, [&] {
            run_id = new_run_id();
            write_run_id(options.directory, run_id);
        });
    job.run_id = ranks.broadcast(run_id);
    advise_to_resume(job, restored.path);
    job.data_directory = options.data_directory ? fs::absolute(*options.data_directory).string() : data_directory;

    Reporter reporter(ranks.is_root(), options.directory / "run.log", true, options.screen);
    reporter.info(fmt::format("{}; resumed from {} at step {}", first_line(job), restored.path.filename().string(),
                              run->progress().step));
    if (!lock.remark().empty())
        reporter.warn(lock.remark());
    for (const auto& warning : restored.warnings)
        reporter.warn(warning);
    for (const auto& warning : warnings)
        reporter.warn(warning);
    return reporter.watch([&] { return finish(job, *run, reporter); });
}

CommandEntry resume_command_entry() {
    return {"resume", "go on with a stopped run, on any number of ranks, with the same bits",
            [](CLI::App& command, const CommandContext& context) -> Action {
                const auto options = std::make_shared<ResumeOptions>();
                command.add_option("directory", options->directory, "run directory")->required();
                add_session_options(command, *options);
                return {.distributed = [options, &models = context.models](const auto& ranks) {
                    return resume_command(ranks, models, *options);
                }};
            },
            false};
}

} // namespace pearlite::app
