// Command lines, an argument a line. They run in an empty directory and cannot leave it.

#include "campaign/fuzz/input_kind.hpp"
#include "campaign/fuzz/mutation.hpp"

#include "parallel/communicator.hpp"
#include "pearlite/app/command_line.hpp"

#include <cstdlib>
#include <sstream>

namespace pearlite::fuzz {

namespace {

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);)
        lines.push_back(line.substr(0, line.find('\0')));
    return lines;
}

/// Another order, other options, other values.
std::string mutated_line(const std::string& input, random::Stream& stream) {
    static const std::vector<std::string> words{"run",
                                                "resume",
                                                "check",
                                                "tune",
                                                "list",
                                                "keys",
                                                "show",
                                                "report",
                                                "--set",
                                                "--seed",
                                                "-o",
                                                "--overwrite",
                                                "--data-dir",
                                                "--time-limit",
                                                "--step-limit",
                                                "--patience",
                                                "--probe",
                                                "--output",
                                                "--pilot-particles",
                                                "--markdown",
                                                "--json-schema",
                                                "--scalar",
                                                "--against",
                                                "--above",
                                                "--runs",
                                                "--help",
                                                "--help-all",
                                                "-h",
                                                "--version",
                                                "--",
                                                "-",
                                                "",
                                                "absent.toml",
                                                "absent",
                                                "run.seed=1",
                                                "=",
                                                "a.b=[",
                                                "1-00:00:00",
                                                "--seed=7",
                                                "--no-such-option",
                                                "-oabsent",
                                                "model.ising",
                                                "algorithm.smc"};
    auto lines = lines_of(input);
    const auto changes = 1 + stream.index(4);
    for (std::uint64_t k = 0; k < changes; ++k) {
        const auto at = static_cast<std::ptrdiff_t>(stream.index(lines.size() + 1));
        const bool is_end = at == std::ssize(lines);
        if (is_end || stream.bernoulli(0.4))
            lines.insert(lines.begin() + at, stream.bernoulli(0.2) ? odd_number(stream) : one_of(words, stream));
        else if (stream.bernoulli(0.3))
            lines.erase(lines.begin() + at);
        else
            lines[static_cast<std::size_t>(at)] = stream.bernoulli(0.3) ? odd_number(stream) : one_of(words, stream);
    }
    std::string text;
    for (const auto& line : lines)
        text += line + "\n";
    return text;
}

/// Runs the program. Every command line must end with status 0 or the status for bad input.
void run_line(const std::filesystem::path& directory, const std::string& input) {
    std::filesystem::current_path(directory);
    std::vector<std::string> arguments{"pearlite"};
    for (auto& line : lines_of(input))
        // Neither what is above the directory, nor a file of options.
        if (line.find('/') == std::string::npos && line.find("..") == std::string::npos)
            arguments.push_back(std::move(line));
    std::vector<char*> argv;
    for (auto& argument : arguments)
        argv.push_back(argument.data());
    argv.push_back(nullptr);
    const int status = app::main(static_cast<int>(arguments.size()), argv.data(), app::built_in_models);
    if (status == app::exit_bad_input)
        throw InputError("status 2");
    if (status != app::exit_finished)
        throw Error(ErrorKind::other, "status " + std::to_string(status));
}

} // namespace

Kinds command_line_kinds(const std::filesystem::path& scratch) {
    const auto directory = scratch / "command-line";
    std::filesystem::create_directory(directory);
    const auto read = [=](const std::string& input) {
        // MPI starts once in a process; a report would start Python for every line.
        static int argc = 0;
        static char** argv = nullptr;
        static const parallel::Environment environment(argc, argv);
        setenv("PEARLITE_PYTHON", "false", 1);
        run_line(directory, input);
    };
    return {{"command-line", "command-line", read, mutated_line}};
}

} // namespace pearlite::fuzz
