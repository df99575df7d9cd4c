#include "app/commands/run_command.hpp"

#include "app/commands/command.hpp"
#include "app/configured/memory.hpp"
#include "app/run/run_loop.hpp"
#include "app/run/signals.hpp"
#include "app/run/watchdog.hpp"
#include "app/sweep/sweep.hpp"
#include "app/written/run_directory.hpp"
#include "app/written/summary.hpp"
#include "parallel/agreement.hpp"
#include "pearlite/app/command_line.hpp"

namespace pearlite::app {

namespace fs = std::filesystem;

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

double patience_of(const SessionOptions& options) {
    constexpr double standard = 10; // seconds
    return seconds_of(options.patience).value_or(standard);
}

io::Configuration load_configuration(const RunOptions& options) {
    return options.text ? io::Configuration::parse(options.text->text, options.configuration.string(),
                                                   options.text->base, options.overrides, options.data_directory)
                        : io::Configuration::load(options.configuration, options.overrides, options.data_directory);
}

int run_command(const parallel::Communicator& ranks, const Catalogue& models, const RunOptions& options) {
    const StopSignals signals;
    const Watchdog watchdog(ranks.rank(), ranks.size(), patience_of(options));
    const auto directory = options.directory.value_or(fs::path("runs") / options.configuration.stem());
    Watchdog::follow(directory, ranks.is_root(), seconds_of(options.time_limit));
    Prepared prepared;
    std::string data_directory;
    bool has_sweep = false;
    Inputs inputs;
    parallel::together(ranks, [&] {
        auto configuration = load_configuration(options);
        data_directory = configuration.data_directory().value_or("").string();
        has_sweep = is_sweep(configuration);
        if (!has_sweep) {
            prepared = prepare(models, std::move(configuration));
            require_memory(prepared, ranks.size());
            inputs = inputs_of(prepared);
        }
    });
    if (ranks.max(Index{has_sweep ? 1 : 0}) == 0)
        require_same_inputs(ranks, inputs);
    else
        return run_sweep_command(ranks, models, options);
    Job job = job_of(ranks, directory, prepared, options.time_limit, options.step_limit);
    job.goes_on = options.goes_on;
    job.data_directory = data_directory;
    DirectoryLock lock;
    parallel::on_root(ranks, [&] { lock = make_run_directory(directory, options.overwrite); });
    job.run_id = run_id_of(ranks, directory);
    Reporter reporter(ranks.is_root(), directory / "run.log", false, options.screen);
    reporter.info(first_line(job));
    if (!lock.remark().empty())
        reporter.warn(lock.remark());
    for (const auto& remark : remarks_on_ranks(ranks, prepared.plan.get()))
        reporter.warn(remark);
    for (const auto& remark : prepared.remarks)
        reporter.info(remark);
    if (const auto unused = describe_unused(prepared); !unused.empty())
        reporter.info(unused);
    Watchdog::follow(directory, ranks.is_root(), job.time_limit_seconds);
    return reporter.watch([&] {
        const auto run = std::make_unique<Run>(ranks, *prepared.plan, *prepared.model);
        run->begin();
        return finish(job, *run, reporter);
    });
}

CommandEntry run_command_entry() {
    return {"run", "run a configuration",
            [](CLI::App& command, const CommandContext& context) -> Action {
                const auto options = std::make_shared<RunOptions>();
                add_configuration_options(command, options->configuration, options->overrides);
                command.add_option("-o", options->directory, "run directory (default runs/<toml stem>)");
                command.add_flag("--overwrite", options->overwrite, "replace an earlier run in that directory");
                add_session_options(command, *options);
                return {.distributed = [options, &models = context.models](const auto& ranks) {
                    return run_command(ranks, models, *options);
                }};
            },
            false};
}

} // namespace pearlite::app
