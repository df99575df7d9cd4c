// Tries the corpus of a kind of input, then seeded mutations of it, and reports the outcomes.
//
//     campaign_fuzz KIND|all [--seed S] [--count N] [--first K] [--limit SECONDS] [--corpus DIR] [--failures DIR]
//     campaign_fuzz KIND --input FILE        one input, in this process, with all that is printed
//     campaign_fuzz KIND --seeds DIR         writes the inputs from which mutations begin
//     campaign_fuzz --list
//
// A child process tries the inputs one after another. When it crashes or takes too long over one, that input is kept,
// and another child continues with the next. Input K of a seed is the same on every machine. Exit status 1 if any input
// failed.

#include "campaign/fuzz/input_kind.hpp"
#include "campaign/fuzz/mutation.hpp"
#include "campaign/fuzz/tally.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <fcntl.h>
#include <optional>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace {

namespace fs = std::filesystem;
using namespace pearlite;
using fuzz::InputKind;
using fuzz::Outcome;
using Clock = std::chrono::steady_clock;

struct Options {
    std::string kind;
    std::uint64_t seed = 1;
    Index count = 200, first = 0;
    double limit_seconds = 20; ///< of a processor, for one input
    fs::path corpus = PEARLITE_SOURCE_DIR "/tests/campaign/fuzz/corpus";
    fs::path failures; ///< where inputs that failed are kept; empty: nowhere
    std::string input, seeds;
    bool list = false;
};

/// A directory that ends with the program.
struct Scratch {
    fs::path path = fs::temp_directory_path() / fmt::format("campaign-fuzz-{}", getpid());
    Scratch() { fs::create_directory(path); }
    Scratch(const Scratch&) = delete;
    ~Scratch() {
        std::error_code ignored;
        fs::remove_all(path, ignored);
    }
};

/// The corpus first, then mutations.
std::string input_of(const InputKind& kind, const std::vector<std::string>& seeds, std::uint64_t seed, Index number) {
    const auto corpus = std::ssize(seeds);
    if (number < corpus)
        return seeds[static_cast<std::size_t>(number)];
    random::Stream stream({seed, random::Purpose::test, static_cast<std::uint64_t>(number)});
    const auto& input = fuzz::one_of(seeds, stream);
    if (kind.mutate && stream.bernoulli(0.75))
        return kind.mutate(input, stream);
    return fuzz::mutated_bytes(input, fuzz::one_of(seeds, stream), stream);
}

/// Starts a child that tries the inputs from tally.current on. Its output is discarded.
pid_t start(const InputKind& kind, const std::vector<std::string>& seeds, const Options& options, Index end,
            fuzz::Tally& tally) {
    std::fflush(stdout);
    const pid_t child = fork();
    if (child != 0)
        return child;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    for (; tally.current < end; ++tally.current) {
        std::string message;
        const auto outcome = fuzz::attempt(kind, input_of(kind, seeds, options.seed, tally.current), message);
        tally.add(outcome, message);
        if (outcome == Outcome::failed)
            std::_Exit(EXIT_FAILURE); // the parent keeps the input
    }
    std::_Exit(EXIT_SUCCESS);
}

/// Seconds of a processor that a child has taken.
double processor_seconds(pid_t child) {
    clockid_t clock = 0;
    timespec time{};
    if (clock_getcpuclockid(child, &clock) != 0 || clock_gettime(clock, &time) != 0)
        return 0;
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// How a child ended: its wait status, or none if an input took too long. The limit is processor time, so that other
/// programs do not count. A child that waits takes none: `patience` times the limit on the clock is too long as well.
std::optional<int> wait_for(pid_t child, double limit_seconds, const fuzz::Tally& tally) {
    constexpr double patience = 10;
    Index seen = -1;
    auto since = Clock::now();
    double taken = 0;
    int status = 0;
    for (auto pause = std::chrono::milliseconds(1); waitpid(child, &status, WNOHANG) == 0;
         pause = std::min(2 * pause, std::chrono::milliseconds(50))) {
        std::this_thread::sleep_for(pause);
        const Index current = *const_cast<const volatile std::int64_t*>(&tally.current);
        if (current != seen) {
            seen = current;
            since = Clock::now();
            taken = processor_seconds(child);
        } else if (processor_seconds(child) - taken > limit_seconds ||
                   std::chrono::duration<double>(Clock::now() - since).count() > patience * limit_seconds) {
            kill(child, SIGKILL);
            waitpid(child, &status, 0);
            return {};
        }
    }
    return status;
}

struct Report {
    Index crashes = 0, hangs = 0;
    std::vector<std::string> failures; ///< the first few, in words
};

void keep(const InputKind& kind, const std::vector<std::string>& seeds, const Options& options, Index number,
          const std::string& what, Report& report) {
    constexpr std::size_t most_reported = 10;
    if (report.failures.size() < most_reported)
        report.failures.push_back(
            fmt::format("{}: campaign_fuzz {} --seed {} --first {} --count 1", what, kind.name, options.seed, number));
    if (options.failures.empty())
        return;
    fs::create_directories(options.failures);
    fuzz::write_file(options.failures / fmt::format("{}-{}-{}", kind.name, options.seed, number),
                     input_of(kind, seeds, options.seed, number));
}

/// Tries all inputs; whether none failed.
bool campaign(const InputKind& kind, const Options& options, const fs::path& scratch) {
    const auto begin = Clock::now();
    const auto seeds = fuzz::seeds_of(kind, options.corpus);
    auto& tally = fuzz::shared_tally(scratch / "tally");
    tally = {};
    tally.current = options.first;
    const Index end = options.first + options.count + (options.first == 0 ? std::ssize(seeds) : 0);
    Report report;
    while (tally.current < end) {
        const auto failed = tally.failed;
        const auto status = wait_for(start(kind, seeds, options, end, tally), options.limit_seconds, tally);
        if (status && WIFEXITED(*status) && WEXITSTATUS(*status) == EXIT_SUCCESS)
            break;
        std::string what;
        if (!status)
            ++report.hangs, what = fmt::format("no end within {} s of a processor", options.limit_seconds);
        else if (tally.failed > failed)
            what = std::string(tally.message.data());
        else
            ++report.crashes, what = WIFSIGNALED(*status) ? fmt::format("signal {}", WTERMSIG(*status))
                                                          : fmt::format("exit status {}", WEXITSTATUS(*status));
        keep(kind, seeds, options, tally.current, what, report);
        ++tally.current;
    }
    const auto tried = tally.tried() + report.crashes + report.hangs;
    fmt::print("{:<28}{:>9} tried{:>9} accepted{:>9} refused{:>6} other status{:>6} crashes{:>6} hangs{:>8.1f} s\n",
               kind.name, tried, tally.accepted, tally.refused, tally.failed, report.crashes, report.hangs,
               std::chrono::duration<double>(Clock::now() - begin).count());
    for (const auto& failure : report.failures)
        fmt::print("    {}\n", failure);
    std::fflush(stdout);
    return report.failures.empty();
}

int try_one(const InputKind& kind, const std::string& file) {
    std::string message;
    const auto outcome = fuzz::attempt(kind, fuzz::read_file(file), message);
    fmt::print("{}{}\n",
               outcome == Outcome::accepted  ? "accepted"
               : outcome == Outcome::refused ? "refused: "
                                             : "failed: ",
               message);
    return outcome == Outcome::failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

int write_seeds(const InputKind& kind, const Options& options) {
    fs::create_directories(options.seeds);
    Index number = 0;
    for (const auto& seed : fuzz::seeds_of(kind, options.corpus))
        fuzz::write_file(fs::path(options.seeds) / std::to_string(number++), seed);
    return EXIT_SUCCESS;
}

int run(const Options& options) {
    const Scratch scratch;
    const auto kinds = fuzz::all_kinds(scratch.path, options.corpus);
    bool is_known = options.list, is_right = true;
    for (const auto& kind : kinds) {
        if (options.list)
            fmt::print("{}\n", kind.name);
        if (kind.name != options.kind && options.kind != "all")
            continue;
        is_known = true;
        if (!options.input.empty())
            return try_one(kind, options.input);
        if (!options.seeds.empty())
            return write_seeds(kind, options);
        is_right = campaign(kind, options, scratch.path) && is_right;
    }
    if (!is_known)
        throw InputError(fmt::format("no kind '{}'; --list prints them", options.kind));
    return is_right ? EXIT_SUCCESS : EXIT_FAILURE;
}

} // namespace

int main(int argc, char** argv) {
    Options options;
    CLI::App app("Tries mutated inputs of a kind.");
    app.add_option("kind", options.kind, "a kind of input, or all");
    app.add_option("--seed", options.seed, "of the mutations")->capture_default_str();
    app.add_option("--count", options.count, "mutations of each kind")->capture_default_str();
    app.add_option("--first", options.first, "number of the first input")->capture_default_str();
    app.add_option("--limit", options.limit_seconds, "seconds of a processor for one input")->capture_default_str();
    app.add_option("--corpus", options.corpus, "directory of valid inputs, a folder a kind");
    app.add_option("--failures", options.failures, "directory in which inputs that fail are kept");
    app.add_option("--input", options.input, "try the input in this file, here");
    app.add_option("--seeds", options.seeds, "write the inputs from which mutations begin into this directory");
    app.add_flag("--list", options.list, "the kinds");
    CLI11_PARSE(app, argc, argv);
    try {
        return run(options);
    } catch (const std::exception& error) {
        fmt::print(stderr, "campaign_fuzz: {}\n", error.what());
        return 2;
    }
}
