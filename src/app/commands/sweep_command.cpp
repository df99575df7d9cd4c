#include "app/commands/run_command.hpp"

#include "app/program/build_info.hpp"
#include "app/sweep/run_sweep.hpp"
#include "app/sweep/sweep_files.hpp"
#include "app/written/run_directory.hpp"
#include "io/files/text_file.hpp"
#include "parallel/agreement.hpp"
#include "pearlite/app/command_line.hpp"

#include <fmt/ranges.h>

#include <cstdio>

namespace pearlite::app {

namespace {

namespace fs = std::filesystem;

constexpr Index most_runs = 10'000'000;

void refuse_step_limit(const std::optional<Index>& limit) {
    if (limit)
        throw InputError("--step-limit: a sweep has no steps, expected --time-limit");
}

SweepJob job_of(const parallel::Communicator& ranks, const fs::path& directory, const std::string& data_directory,
                const std::optional<std::string>& time_limit, const Sweep& sweep) {
    if (sweep.runs() > most_runs)
        throw InputError(fmt::format("[sweep] has {} runs, expected at most {}", sweep.runs(), most_runs));
    return {ranks, directory, data_directory,
            time_limit ? io::parse_duration(*time_limit) : sweep.time_limit_seconds()};
}

std::string first_line(const Sweep& sweep, const parallel::Communicator& ranks) {
    const auto& facts = sweep.facts().front();
    return fmt::format("sweep of {}, {}: {} on {} rank(s)", facts.model, facts.algorithm, describe_size(sweep),
                       ranks.size());
}

/// InputError if the data or the model of a setting are not those of the beginning.
void compare_fingerprints(const Sweep& sweep, const SweepOrigin& origin, const fs::path& directory) {
    for (Index s = 0; s < sweep.grid().settings(); ++s)
        if (at(s) >= origin.fingerprints.size() || sweep.facts()[at(s)].fingerprint != origin.fingerprints[at(s)])
            throw InputError(fmt::format("{}: the model of setting {} ({}) or its data are not those the sweep began "
                                         "with; resume with the same data files",
                                         directory.string(), s, sweep.grid().describe(s)));
}

} // namespace

int run_sweep_command(const parallel::Communicator& ranks, const Catalogue& models, const RunOptions& options) {
    refuse_step_limit(options.step_limit);
    const auto directory = options.directory.value_or(fs::path("runs") / options.configuration.stem());
    SweepOrigin origin;
    std::optional<io::Configuration> configuration;
    parallel::together(ranks, [&] {
        configuration = load_configuration(options);
        origin.text =
            options.text ? options.text->text : io::read_text_file(options.configuration, "a TOML configuration");
    });
    origin.name = options.configuration.string();
    origin.directory = configuration->directory();
    origin.overrides = options.overrides;
    origin.data_directory = configuration->data_directory().value_or("").string();
    origin.build = build_id();
    require_same_inputs(ranks, {fmt::format("{}\n{}", origin.text, fmt::join(origin.overrides, "\n")), {}, {}});
    const Sweep sweep(ranks, models, *std::move(configuration));
    sweep.require_same_files(ranks);
    for (const auto& facts : sweep.facts()) {
        origin.fitted.push_back(facts.fitted);
        origin.fingerprints.push_back(facts.fingerprint);
    }
    origin.runs = sweep.runs();
    auto job = job_of(ranks, directory, origin.data_directory, options.time_limit, sweep);
    DirectoryLock lock;
    parallel::on_root(ranks, [&] {
        lock = make_run_directory(directory, options.overwrite);
        write_origin(directory, origin);
    });
    job.run_id = run_id_of(ranks, directory);
    Reporter reporter(ranks.is_root(), directory / "run.log", false, options.screen);
    reporter.info(first_line(sweep, ranks));
    if (!lock.remark().empty())
        reporter.warn(lock.remark());
    for (const auto& remark : remarks_on_ranks(ranks, nullptr))
        reporter.warn(remark);
    return reporter.watch([&] { return run_sweep(job, models, sweep, reporter); });
}

int resume_sweep_command(const parallel::Communicator& ranks, const Catalogue& models, const ResumeOptions& options) {
    refuse_step_limit(options.step_limit);
    const auto& directory = options.directory;
    SweepOrigin origin;
    std::optional<io::Configuration> configuration;
    std::optional<fs::path> data_directory = options.data_directory;
    parallel::together(ranks, [&] {
        origin = read_origin(directory);
        std::error_code ignored;
        if (!data_directory && fs::is_directory(origin.data_directory, ignored))
            data_directory = origin.data_directory;
        configuration =
            io::Configuration::parse(origin.text, origin.name, origin.directory, origin.overrides, data_directory);
    });
    const bool has_budget = std::any_of(origin.fitted.begin(), origin.fitted.end(),
                                        [](const std::string& fitted) { return !fitted.empty(); });
    const Sweep sweep(ranks, models, *std::move(configuration),
                      has_budget ? origin.fitted : std::vector<std::string>());
    sweep.require_same_files(ranks);
    compare_fingerprints(sweep, origin, directory);
    auto job = job_of(ranks, directory, data_directory.value_or("").string(), options.time_limit, sweep);
    DirectoryLock lock;
    parallel::on_root(ranks, [&] { lock = DirectoryLock(directory); });
    job.run_id = run_id_of(ranks, directory);
    Reporter reporter(ranks.is_root(), directory / "run.log", true, options.screen);
    reporter.info(first_line(sweep, ranks) + "; resumed");
    if (!lock.remark().empty())
        reporter.warn(lock.remark());
    for (const auto& remark : remarks_on_ranks(ranks, nullptr))
        reporter.warn(remark);
    if (origin.build != build_id())
        reporter.warn(
            fmt::format("the sweep was begun by {}, this is {}: the bits of its results may differ from those "
                        "of an uninterrupted sweep",
                        origin.build, build_id()));
    return reporter.watch([&] { return run_sweep(job, models, sweep, reporter); });
}

} // namespace pearlite::app
