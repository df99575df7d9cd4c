#include "pearlite/app/command_line.hpp"

#include "app/commands/build_info.hpp"
#include "app/commands/commands.hpp"
#include "app/commands/manual.hpp"
#include "core/linear_algebra/linear_algebra.hpp"
#include "pearlite/core/error.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>

namespace pearlite::app {

namespace {

/// The command of the parsed command line: `distributed` if it needs ranks, else `serial`.
struct Request {
    std::function<int()> serial;
    std::function<int(const parallel::Communicator&)> distributed;
};

/// An error message for a text that is no valid number of steps; empty for a valid one.
std::string at_least_one(const std::string& text) {
    Index value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc() && end == text.data() + text.size() && value >= 1)
        return {};
    return fmt::format("got {}, expected an integer of at least 1", text);
}

/// A message for the terminal: control characters that a file brought along are written as \x1b.
std::string printable(const std::string& message) {
    std::string text;
    for (std::size_t i = 0; i < message.size(); ++i) {
        const auto c = static_cast<unsigned char>(message[i]);
        const auto next = static_cast<unsigned char>(i + 1 < message.size() ? message[i + 1] : 0);
        const bool is_upper_control = c == 0xc2 && next >= 0x80 && next < 0xa0; // in UTF-8
        if ((c < 0x20 && c != '\n') || c == 0x7f)
            text += fmt::format("\\x{:02x}", c);
        else if (is_upper_control)
            text += fmt::format("\\x{:02x}", static_cast<unsigned char>(message[++i]));
        else
            text += message[i];
    }
    return text;
}

void print_error(const std::string& message, const char* place = "") {
    std::fprintf(stderr, "%s: %s%s\n", program_name().c_str(), printable(message).c_str(), place);
}

/// Whether all output has reached standard output; prints an error if it has not.
bool has_arrived() {
    errno = 0;
    const bool is_whole = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
    if (!is_whole)
        print_error(fmt::format("standard output cannot be written ({})",
                                errno == 0 ? "an earlier write failed" : std::strerror(errno)));
    return is_whole;
}

template <class Options>
void add_session_options(CLI::App& command, Options& options) {
    command.add_option("--data-dir", options.data_directory,
                       "where relative data paths start (else PEARLITE_DATA_DIR)");
    command.add_option("--time-limit", options.time_limit,
                       "time after which to stop with a checkpoint: seconds or [D-]HH:MM:SS");
    command.add_option("--step-limit", options.step_limit, "number of steps after which to stop with a checkpoint")
        ->check(at_least_one);
    command.add_option("--patience", options.patience,
                       "time that a step may take after a stop signal or the time limit (default 10 s)");
}

void add_report_options(CLI::App& command, ReportOptions& options) {
    command
        .add_option("directory", options.directory,
                    "directory of a run, finished or not (as of its last checkpoint), or of a finished sweep")
        ->required();
    command.add_flag("--follow", options.follow, "runs: draw it again with each checkpoint, until the run ends");
    command.add_option("--scalar", options.scalars, "sweeps: show this scalar instead of the chosen ones")
        ->allow_extra_args(false);
    command.add_option("--against", options.against, "sweeps: draw against this swept key alone");
    command.add_option("--above", options.above, "sweeps: draw distances to this value on a logarithmic axis");
    command.add_flag("--runs", options.runs, "sweeps: make the report of every single run too");
}

void add_stan_options(CLI::App& command, StanOptions& options) {
    command.add_option("program", options.program, "MODEL.stan")->required();
    command.add_option("-o,--output", options.library, "the library (default MODEL.so, beside the program)");
    command.add_flag("--again", options.again, "compile even if the library is up to date");
}

void add_works_options(CLI::App& command, WorksOptions& options) {
    command.add_option("forward", options.forward, "works of the forward process, a line each")->required();
    command.add_option("reverse", options.reverse, "works of the reverse process")->required();
    command.add_option("--column", options.column, "the column of works, by name or number (default the last)");
    command.add_option("--units", options.units, "of works and free energies")
        ->check(CLI::IsMember({"kT", "kJ/mol", "kcal/mol"}))
        ->capture_default_str();
    command.add_option("--temperature", options.temperature, "in kelvin, for works in kJ/mol or kcal/mol")
        ->check(CLI::PositiveNumber);
    command.add_option("--beta", options.beta, "in place of it: 1/(kT) in the unit of the works")
        ->check(CLI::PositiveNumber);
    command.add_flag("--same-sign", options.same_sign,
                     "reverse works are written with the sign of the forward process");
    command
        .add_option("--integrate", options.integrate,
                    "the arguments are directories of records over time, a trajectory each: of dH/dlambda (lambda goes "
                    "evenly from 0 to 1, or back), or of a pulling force")
        ->check(CLI::IsMember({"lambda", "force"}));
    command.add_option("--velocity", options.velocity, "of pulling in the forward process, for --integrate force");
    command.add_option("--seed", options.seed, "of the bootstrap and of posterior draws")
        ->check(CLI::NonNegativeNumber)
        ->capture_default_str();
    command.add_option("--block", options.block, "works that are summed one after another, run.block of a run")
        ->check(at_least_one)
        ->capture_default_str();
    command.add_option("-o", options.directory, "directory for results.h5 and summary.json, which `report` reads");
    command.add_flag("--overwrite", options.overwrite, "replace earlier results in that directory");
}

void add_mbar_options(CLI::App& command, MbarOptions& options) {
    command
        .add_option("file", options.file,
                    "reduced potentials: .npz or .h5 with u_kn and N_k, or a table with a row a sample")
        ->required();
    command.add_option("--state", options.state, "tables: the column of the state that a sample was drawn from")
        ->capture_default_str();
    command.add_option("--leave-out", options.leave_out, "tables: columns that are no states, time say")
        ->delimiter(',');
    command.add_option("--units", options.units, "unit of the free energies")
        ->check(CLI::IsMember({"kT", "kJ/mol", "kcal/mol"}))
        ->capture_default_str();
    command.add_option("--temperature", options.temperature, "in kelvin, for kJ/mol or kcal/mol")
        ->check(CLI::PositiveNumber);
    command.add_option("--beta", options.beta, "in place of it: 1/(kT) in the unit wanted")->check(CLI::PositiveNumber);
    command.add_option("-o", options.directory, "directory for results.h5 and summary.json");
    command.add_flag("--overwrite", options.overwrite, "replace earlier results in that directory");
}

void add_new_options(CLI::App& command, NewOptions& options) {
    command.add_option("kind", options.kind, "model, likelihood (that is estimated) or energy (to be minimised)")
        ->required()
        ->check(CLI::IsMember({"model", "likelihood", "energy"}));
    command.add_option("name", options.name, "of the folder, the program and the class")->required();
}

template <class Options>
void add_configuration_options(CLI::App& command, Options& options) {
    command.add_option("configuration", options.configuration, "FILE.toml")->required();
    command.add_option("--set", options.overrides, "override a key: table.key=value")->allow_extra_args(false);
    command.add_option_function<std::string>(
        "--seed", [&options](const std::string& seed) { options.overrides.push_back("run.seed=" + seed); },
        "the same as --set run.seed=...");
}

/// Prints a note if the kernels are not those that the environment asks for.
void print_kernel_path_note() {
    if (const auto note = kernel_path_note(); !note.empty())
        std::fprintf(stderr, "%s: %s\n", program_name().c_str(), note.c_str());
}

/// Runs work, a function that returns an exit status; errors become messages and an exit status.
template <class Work>
int guarded(const Work& work) {
    try {
        return work();
    } catch (...) {
        const auto report = describe(std::current_exception());
        print_error(report.message);
        return report.kind == ErrorKind::input ? exit_bad_input : exit_failed;
    }
}

/// The same on all ranks. The root prints an error that all ranks have. If only one rank has an error, such as
/// exhausted memory, the others wait for it: that rank prints the error itself and aborts the job.
int guarded_on_ranks(const std::function<int(const parallel::Communicator&)>& work) {
    constexpr double patience = 2; // seconds for errors that the ranks throw alike without a message
    std::optional<parallel::Communicator> ranks;
    try {
        ranks = parallel::Communicator::world();
        if (ranks->is_root())
            print_kernel_path_note();
        return work(*ranks);
    } catch (...) {
        const auto error = std::current_exception();
        const auto report = describe(error);
        const int status = report.kind == ErrorKind::input ? exit_bad_input : exit_failed;
        if (ranks && (is_agreed(error) || ranks->all_arrive(patience))) {
            if (ranks->is_root())
                print_error(report.message);
            return status;
        }
        std::array<char, 64> place{}; // no memory may be left
        if (ranks)
            std::snprintf(place.data(), place.size(), " (rank %d of %d, which ends the job)", ranks->rank(),
                          ranks->size());
        print_error(report.message, place.data());
        parallel::Environment::abort(status);
    }
}

int run_program(int argc, char** argv, const Catalogue& models, const std::filesystem::path& support_directory) {
    CLI::App app("Annealed Monte Carlo: normalising constants, posteriors and minima, with error bars.");
    app.require_subcommand(1);
    app.set_version_flag("--version", fmt::format("{}, {} kernels, {}", build_id(), kernel_path(), generators()));
    Request request;
    RunOptions run;
    CheckOptions check;
    ResumeOptions resume;
    TuneOptions tune;
    KeysOptions keys;
    ReportOptions report;
    StanOptions stan;
    NewOptions made;
    WorksOptions works;
    MbarOptions mbar;
    std::filesystem::path file;
    std::optional<std::filesystem::path> draws_file;
    std::vector<std::filesystem::path> directories;

    auto* run_app = app.add_subcommand("run", "run a configuration");
    add_configuration_options(*run_app, run);
    run_app->add_option("-o", run.directory, "run directory (default runs/<toml stem>)");
    run_app->add_flag("--overwrite", run.overwrite, "replace an earlier run in that directory");
    add_session_options(*run_app, run);
    run_app->callback(
        [&] { request.distributed = [&](const auto& ranks) { return run_command(ranks, models, run); }; });

    auto* resume_app =
        app.add_subcommand("resume", "go on with a stopped run, on any number of ranks, with the same bits");
    resume_app->add_option("directory", resume.directory, "run directory")->required();
    add_session_options(*resume_app, resume);
    resume_app->callback(
        [&] { request.distributed = [&](const auto& ranks) { return resume_command(ranks, models, resume); }; });

    auto* check_app =
        app.add_subcommand("check", "validate a configuration; print it resolved, with its cost in time and memory");
    add_configuration_options(*check_app, check);
    check_app->add_option("--data-dir", check.data_directory,
                          "where relative data paths start (else PEARLITE_DATA_DIR)");
    check_app->add_option("--probe", check.probe_seconds, "seconds of steps that are tried for a prediction; 0: none")
        ->check(CLI::NonNegativeNumber)
        ->capture_default_str();
    check_app->callback(
        [&] { request.distributed = [&](const auto& ranks) { return check_command(ranks, models, check); }; });

    auto* tune_app = app.add_subcommand(
        "tune",
        "choose the number of particles of an estimated likelihood, or survey the path for an optimised schedule; "
        "write a new configuration");
    add_configuration_options(*tune_app, tune);
    tune_app->add_option("-o,--output", tune.output, "the new configuration (default <toml stem>-tuned.toml here)");
    tune_app->add_flag("--overwrite", tune.overwrite, "replace that file if it exists");
    tune_app->add_option("--data-dir", tune.data_directory, "where relative data paths start (else PEARLITE_DATA_DIR)");
    tune_app->add_option("--pilot-particles", tune.pilot_particles, "of the population that finds the mode")
        ->check(CLI::Range(Index{16}, Index{1'000'000}))
        ->capture_default_str();
    tune_app->callback(
        [&] { request.distributed = [&](const auto& ranks) { return tune_command(ranks, models, tune); }; });

    auto* works_app = app.add_subcommand(
        "works", "a free energy from works that another program or a laboratory has measured in both directions");
    add_works_options(*works_app, works);
    works_app->callback([&] { request.distributed = [&](const auto& ranks) { return works_command(ranks, works); }; });

    auto* mbar_app = app.add_subcommand(
        "mbar",
        "free energies of many states from samples of some of them, by the multistate Bennett acceptance ratio");
    add_mbar_options(*mbar_app, mbar);
    mbar_app->callback([&] { request.distributed = [&](const auto& ranks) { return mbar_command(ranks, mbar); }; });

    auto* list_app = app.add_subcommand("list", "models, algorithms, and which go together");
    list_app->callback([&] { request.serial = [&] { return list_command(models); }; });

    auto* keys_app = app.add_subcommand("keys", "the keys of a configuration: types, ranges, defaults, meanings");
    keys_app->add_option("table", keys.table, "run, model.ising, algorithm.smc ... (default all)");
    auto* markdown = keys_app->add_flag("--markdown", keys.as_markdown, "all of them, as Markdown");
    keys_app->add_flag("--json-schema", keys.as_json_schema, "all of them, as a JSON schema for editors")
        ->excludes(markdown);
    keys_app->callback([&] { request.serial = [&] { return keys_command(models, keys); }; });

    auto* show_app = app.add_subcommand("show", "list the contents of a results or checkpoint file");
    show_app->add_option("file", file, "FILE.h5")->required();
    show_app->callback([&] { request.serial = [&] { return show_command(file); }; });

    auto* compare_app = app.add_subcommand("compare", "models by the evidences of finished runs: Bayes factors");
    compare_app->add_option("directories", directories, "of finished runs, two or more")->required();
    compare_app->callback([&] { request.serial = [&] { return compare_command(directories); }; });

    auto* status_app = app.add_subcommand("status", "a table of runs and sweeps: which go on, how far they are");
    status_app->add_option("directories", directories, "of runs and sweeps (default all in runs/)");
    status_app->callback([&] { request.serial = [&] { return status_command(directories); }; });

    auto* draws_app = app.add_subcommand("draws", "write the draws of a posterior as CmdStan does, a table a chain");
    draws_app->add_option("directory", file, "of a finished run")->required();
    draws_app->add_option("-o", draws_file, "the table (default draws.csv in the directory)");
    draws_app->callback([&] { request.serial = [&] { return draws_command(file, draws_file); }; });

    auto* report_app =
        app.add_subcommand("report", "figures and one HTML page from the directory of a run or of a sweep");
    add_report_options(*report_app, report);
    report.support_directory = support_directory;
    report_app->callback([&] { request.serial = [&] { return report_command(report); }; });

    auto* stan_app = app.add_subcommand("stan", "compile a Stan program to a library that model \"stan\" takes");
    add_stan_options(*stan_app, stan);
    stan.support_directory = support_directory;
    stan_app->callback([&] { request.serial = [&] { return stan_command(stan); }; });

    auto* new_app = app.add_subcommand("new", "make a folder with a model of your own, which builds and runs");
    add_new_options(*new_app, made);
    made.support_directory = support_directory;
    new_app->callback([&] { request.serial = [&] { return new_command(made); }; });

    auto* manual_app = app.add_subcommand("manual", "print a manual page, or completions for a shell");
    auto part = ManualPart::commands;
    manual_app
        ->add_option("part", part, "commands: the page pearlite(1); keys: pearlite.toml(5); bash, zsh: completions")
        ->required()
        ->transform(CLI::CheckedTransformer(std::map<std::string, ManualPart>{{"commands", ManualPart::commands},
                                                                              {"keys", ManualPart::keys},
                                                                              {"bash", ManualPart::bash},
                                                                              {"zsh", ManualPart::zsh}}));
    manual_app->callback([&] {
        request.serial = [&] {
            std::fputs(manual(part, app, describe_configuration(models).tables).c_str(), stdout);
            return exit_finished;
        };
    });

    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? exit_finished : exit_bad_input;
    }
    require_cpu();
    cut_products_alike();
    if (request.serial) {
        print_kernel_path_note();
        const int status = request.serial();
        return has_arrived() || status != exit_finished ? status : exit_failed;
    }

    parallel::Environment environment(argc, argv);
    const int status = guarded_on_ranks(request.distributed);
    // A run has written its result to files and printed their directory.
    const bool needs_output = check_app->parsed() || tune_app->parsed() || works_app->parsed() || mbar_app->parsed();
    return !needs_output || has_arrived() || status != exit_finished ? status : exit_failed;
}

} // namespace

int main(int argc, char** argv, const Catalogue& models, const char* support_directory) {
    return guarded([&] { return run_program(argc, argv, models, support_directory); });
}

int main(int argc, char** argv, Catalogue (*models)(), const char* support_directory) {
    return guarded([&] { return run_program(argc, argv, models(), support_directory); });
}

} // namespace pearlite::app
