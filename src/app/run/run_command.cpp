#include "app/result/run.hpp"

#include "app/commands/build_info.hpp"
#include "app/commands/commands.hpp"
#include "app/probe/memory.hpp"
#include "app/run/run_directory.hpp"
#include "app/run/run_loop.hpp"
#include "app/run/signals.hpp"
#include "app/run/watchdog.hpp"
#include "app/sweep/run_sweep.hpp"
#include "app/sweep/sweep_files.hpp"
#include "io/container/checkpoints.hpp"
#include "parallel/agreement.hpp"
#include "pearlite/app/command_line.hpp"
#include "pearlite/core/error.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <sstream>

namespace pearlite::app {

namespace {

namespace fs = std::filesystem;

Job job_of(const parallel::Communicator& ranks, const fs::path& directory, const Prepared& prepared,
           const std::optional<std::string>& time_limit, const std::optional<Index>& step_limit) {
    Job job;
    job.ranks = ranks;
    job.directory = directory;
    job.model_name = prepared.model_name;
    job.configuration = prepared.resolved;
    job.model = prepared.model.get();
    job.algorithm = prepared.algorithm->name();
    job.plan = prepared.plan.get();
    job.time_limit_seconds = time_limit ? io::parse_duration(*time_limit) : prepared.plan->run().time_limit_seconds;
    job.step_limit = step_limit;
    return job;
}

int finish(const Job& job, Run& run, Reporter& reporter) {
    if (run_to_end(job, run, reporter).stop > 0)
        return exit_stopped;
    if (job.ranks.is_root())
        reporter.result(describe_summary(job.directory), job.directory / "summary.json");
    return 0;
}

std::optional<double> seconds_of(const std::optional<std::string>& option) {
    return option ? std::optional(io::parse_duration(*option)) : std::nullopt;
}

constexpr double default_patience = 10; // seconds

std::string first_line(const Job& job) {
    return fmt::format("{}, {}: {} on {} rank(s), seed {}", job.model_name, job.algorithm, job.plan->headline(),
                       job.ranks.size(), job.plan->run().seed.value);
}

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

io::Configuration load_configuration(const RunOptions& options) {
    return options.text ? io::Configuration::parse(options.text->text, options.configuration.string(),
                                                   options.text->base, options.overrides, options.data_directory)
                        : io::Configuration::load(options.configuration, options.overrides, options.data_directory);
}

int run_command(const parallel::Communicator& ranks, const Catalogue& models, const RunOptions& options) {
    const StopSignals signals;
    const Watchdog watchdog(ranks.rank(), ranks.size(), seconds_of(options.patience).value_or(default_patience));
    const auto directory = options.directory.value_or(fs::path("runs") / options.configuration.stem());
    Watchdog::follow(directory, ranks.is_root(), seconds_of(options.time_limit));
    Prepared prepared;
    std::string data_directory;
    bool has_sweep = false;
    parallel::together(ranks, [&] {
        auto configuration = load_configuration(options);
        data_directory = configuration.data_directory().value_or("").string();
        has_sweep = is_sweep(configuration);
        if (!has_sweep) {
            prepared = prepare(models, std::move(configuration));
            require_memory(prepared, ranks.size());
        }
    });
    if (has_sweep)
        return run_sweep_command(ranks, models, options);
    Job job = job_of(ranks, directory, prepared, options.time_limit, options.step_limit);
    job.data_directory = data_directory;
    DirectoryLock lock;
    parallel::on_root(ranks, [&] { lock = make_run_directory(directory, options.overwrite); });
    job.run_id = run_id_of(ranks, directory);
    Reporter reporter(ranks.is_root(), directory / "run.log", false, options.screen);
    reporter.info(first_line(job));
    if (!lock.remark().empty())
        reporter.warn(lock.remark());
    if (const auto unused = describe_unused(prepared); !unused.empty())
        reporter.info(unused);
    Watchdog::follow(directory, ranks.is_root(), job.time_limit_seconds);
    return reporter.watch([&] {
        const auto run = make_run(ranks, *prepared.plan, *prepared.model);
        run->begin();
        return finish(job, *run, reporter);
    });
}

int resume_command(const parallel::Communicator& ranks, const Catalogue& models, const ResumeOptions& options) {
    const StopSignals signals;
    const Watchdog watchdog(ranks.rank(), ranks.size(), seconds_of(options.patience).value_or(default_patience));
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
        run = make_run(ranks, *prepared.plan, *prepared.model);
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

} // namespace pearlite::app
