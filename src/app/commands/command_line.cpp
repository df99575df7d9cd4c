#include "pearlite/app/command_line.hpp"

#include "app/commands/command.hpp"
#include "app/program/build_info.hpp"
#include "core/linear_algebra/linear_algebra.hpp"
#include "io/files/child_process.hpp"
#include "parallel/machines.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <malloc.h>
#include <thread>

namespace pearlite::app {

namespace {

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

/// Ends a job of several ranks after an error that all of them have. mpirun waits for seconds if a process ends with
/// another status than 0, but not if one aborts the job.
void end_job(const parallel::Communicator& ranks, int status) {
    constexpr int patience = 2; // seconds: for ranks that still put away what they hold, and for the end
    if (ranks.size() == 1)
        return;
    ranks.all_arrive(patience);
    if (ranks.is_root()) {
        std::fflush(stdout);
        parallel::Environment::abort(status);
    }
    // In MPI_Finalize, mpirun of Open MPI 4.1 may crash as it ends them.
    std::this_thread::sleep_for(std::chrono::seconds(patience));
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
            end_job(*ranks, status);
            return status;
        }
        std::array<char, 320> place{}; // no memory may be left
        if (ranks)
            std::snprintf(place.data(), place.size(), " (rank %d of %d%s, which ends the job)", ranks->rank(),
                          ranks->size(), parallel::on_this_host().c_str());
        print_error(report.message, place.data());
        parallel::Environment::abort(status);
    }
}

/// Prints help, or the mistake in a command line: the root does, where a launcher has started ranks.
int end_parsing(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
    if (error.get_exit_code() == 0 || !parallel::was_launched())
        return app.exit(error) == 0 ? exit_finished : exit_bad_input;
    const parallel::Environment environment(argc, argv);
    const auto ranks = parallel::Communicator::world();
    if (ranks.is_root())
        app.exit(error);
    end_job(ranks, exit_bad_input);
    return exit_bad_input;
}

/// Memory that a step frees stays with the process for the next step: pages that go back to the system and come again
/// cost a third of the time of a large population.
void keep_freed_memory() {
    constexpr int most = std::numeric_limits<int>::max();
    mallopt(M_MMAP_THRESHOLD, most);
    mallopt(M_TRIM_THRESHOLD, most);
}

/// The command that a parsed command line names.
struct Chosen {
    const CommandEntry* entry = nullptr;
    Action action = {};
};

int run_program(int argc, char** argv, const Catalogue& models, const std::filesystem::path& support_directory) {
    CLI::App app("Annealed Monte Carlo: normalising constants, posteriors and minima, with error bars.");
    app.require_subcommand(1);
    app.set_version_flag("--version", fmt::format("{}, {} kernels, {}", build_id(), kernel_path(), generators()));
    const CommandContext context{models, support_directory, app};
    const auto entries = commands();
    Chosen chosen;
    for (const auto& entry : entries) {
        auto* command = app.add_subcommand(entry.name, entry.about);
        command->callback([&chosen, &entry, action = entry.action(*command, context)] { chosen = {&entry, action}; });
    }
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return end_parsing(app, error, argc, argv);
    }
    require_cpu();
    keep_freed_memory();
    cut_products_alike();
    int status = exit_finished;
    if (chosen.action.serial && chosen.action.is_serial()) {
        print_kernel_path_note();
        status = chosen.action.serial();
    } else {
        const io::ReadyToRead ready_to_read;
        std::optional<parallel::Environment> environment;
        if (parallel::was_launched()) // the start of MPI takes a third of a second
            environment.emplace(argc, argv);
        status = guarded_on_ranks(chosen.action.distributed);
        if (!chosen.entry->needs_output)
            return status;
    }
    return has_arrived() || status != exit_finished ? status : exit_failed;
}

} // namespace

int main(int argc, char** argv, const Catalogue& models, const char* support_directory) {
    return guarded([&] { return run_program(argc, argv, models, support_directory); });
}

int main(int argc, char** argv, Catalogue (*models)(), const char* support_directory) {
    return guarded([&] { return run_program(argc, argv, models(), support_directory); });
}

} // namespace pearlite::app
