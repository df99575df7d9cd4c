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

enum class Content { stopped_run, finished_run, sweep };

/// Collective. InputError if there is no directory.
Content content_of(const parallel::Communicator& ranks, const ResumeOptions& options) {
    auto content = Content::stopped_run;
    parallel::together(ranks, [&] {
        if (!fs::is_directory(options.directory))
            throw InputError(
                fmt::format("{}: no such directory; expected the directory of a run", options.directory.string()));
        if (is_sweep_directory(options.directory))
            content = Content::sweep;
        else if (!options.expected && read_status(options.directory) == "finished")
            content = Content::finished_run;
    });
    return static_cast<Content>(ranks.max(static_cast<Index>(content)));
}

/// A run as its newest readable checkpoint has it.
struct RestoredRun {
    Prepared prepared;
    std::unique_ptr<Run> run;
    std::string data_directory;
    fs::path checkpoint;
    std::vector<std::string> warnings;
};

/// Collective. InputError if no checkpoint can be read.
RestoredRun restore_run(const parallel::Communicator& ranks, const Catalogue& models, const ResumeOptions& options,
                        const std::string& run_id) {
    RestoredRun found;
    const auto restore = [&](io::Reader& reader) {
        require_same_run(run_id, reader);
        std::string configuration;
        reader("configuration", configuration);
        reader("data_directory", found.data_directory);
        Inputs inputs;
        parallel::together(ranks, [&] {
            found.prepared = prepare_again(models, options, configuration, found.data_directory);
            if (options.expected)
                require_same_settings(models, *options.expected, found.prepared.resolved);
            require_memory(found.prepared, ranks.size());
            inputs = inputs_of(found.prepared);
        });
        require_same_inputs(ranks, inputs);
        const Job job = job_of(ranks, options.directory, found.prepared, options.time_limit, options.step_limit);
        Watchdog::follow(options.directory, ranks.is_root(), job.time_limit_seconds);
        found.run = std::make_unique<Run>(ranks, *found.prepared.plan, *found.prepared.model);
        found.warnings.clear();
        restore_checkpoint(job, *found.run, reader, found.warnings);
    };
    try {
        auto restored = io::restore_newest(ranks, options.directory, restore);
        found.checkpoint = restored.path;
        found.warnings.insert(found.warnings.begin(), restored.warnings.begin(), restored.warnings.end());
    } catch (const FileError& error) {
        throw_in_place_of(error, ErrorKind::input, error.what() + advice_without_checkpoint(options.directory));
    }
    return found;
}

/// Collective. The job that goes on. A checkpoint that was brought to an empty directory gives the run a new identity.
Job job_of_restored(const parallel::Communicator& ranks, const ResumeOptions& options, const RestoredRun& restored,
                    std::string run_id) {
    Job job = job_of(ranks, options.directory, restored.prepared, options.time_limit, options.step_limit);
    job.goes_on = options.goes_on;
    job.is_resumed = true;
    if (run_id.empty())
        parallel::on_root(ranks, [&] {
            run_id = new_run_id();
            write_run_id(options.directory, run_id);
        });
    job.run_id = ranks.broadcast(run_id);
    advise_to_resume(job, restored.checkpoint);
    job.data_directory =
        options.data_directory ? fs::absolute(*options.data_directory).string() : restored.data_directory;
    return job;
}

} // namespace

int resume_command(const parallel::Communicator& ranks, const Catalogue& models, const ResumeOptions& options) {
    const StopSignals signals;
    const Watchdog watchdog(ranks.rank(), ranks.size(), patience_of(options));
    const auto content = content_of(ranks, options);
    if (content == Content::sweep)
        return resume_sweep_command(ranks, models, options);
    if (content == Content::finished_run) {
        Reporter reporter(ranks.is_root(), options.directory / "run.log", true, options.screen);
        if (ranks.is_root())
            reporter.result(describe_summary(options.directory), options.directory / "summary.json");
        return 0;
    }

    DirectoryLock lock;
    parallel::on_root(ranks, [&] { lock = DirectoryLock(options.directory); });
    const auto run_id = run_id_of(ranks, options.directory);
    Watchdog::follow(options.directory, ranks.is_root(), seconds_of(options.time_limit));
    Watchdog::advise(resuming(options.directory) + " tries again");
    const auto restored = restore_run(ranks, models, options, run_id);
    const Job job = job_of_restored(ranks, options, restored, run_id);

    Reporter reporter(ranks.is_root(), options.directory / "run.log", true, options.screen);
    reporter.info(fmt::format("{}; resumed from {} at step {}", first_line(job),
                              restored.checkpoint.filename().string(), restored.run->progress().step));
    if (!lock.remark().empty())
        reporter.warn(lock.remark());
    for (const auto& remark : remarks_on_ranks(ranks, restored.prepared.plan.get()))
        reporter.warn(remark);
    for (const auto& warning : restored.warnings)
        reporter.warn(warning);
    return reporter.watch([&] { return finish(job, *restored.run, reporter); });
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
