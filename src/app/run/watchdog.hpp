#pragma once
/// Ends a process whose present step does not end although the run should stop. Private to this layer.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace pearlite::app {

/// The share of the longest step so far that still counts after the next step.
inline constexpr double memory_of_long_steps = 0.9;

/// The run loop obeys signals and limits between steps. A likelihood that never returns keeps its rank in a step, and
/// collectives keep all other ranks waiting. In that case, some time after a stop signal or the time limit, a timer of
/// the process writes a message to stderr and to the log, and ends the process with exit status 3. No thread is needed.
/// Rank 0 of a run writes the message; other ranks follow two seconds later, if they are still running, because the
/// signal may have reached one of them alone. A process that writes a file is not ended before the file is written
/// (io::DiskWait). The others wait for it in an agreement, for twice the patience, or ten times as long as files took
/// so far.
/// Where ranks agree on nothing for 45 s, or three times as long as the longest step, rank 0 says so, again and again.
/// One at a time in a process: a signal handler can only reach process state. The static functions do nothing where
/// there is none.
class Watchdog {
  public:
    /// The stage that must end before the run can stop.
    enum class Stage { start, step, results, files, others };

    /// Watches over the start. `patience_seconds`: how long the stage may go on after a stop signal or the time limit;
    /// a step, after a signal, twice as long as the longest step of late if that is more.
    Watchdog(int rank, int ranks, double patience_seconds);
    ~Watchdog();
    Watchdog(const Watchdog&) = delete;
    Watchdog& operator=(const Watchdog&) = delete;

    /// Sets the directory of the run, and whether this rank is its root. The time limit counts from the start of the
    /// process.
    static void follow(const std::filesystem::path& directory, bool is_root, std::optional<double> time_limit_seconds);
    /// Sets the end of the message: "the run ends without a new checkpoint; " and then `advice`.
    static void advise(const std::string& advice);

    /// Watches over a stage, with full patience from now on.
    static void watch(Stage stage);
    /// Stops watching until watch().
    static void rest();
    /// The stage in which the ranks write files together, during its lifetime; then the stage before goes on.
    class Files {
      public:
        Files();
        ~Files();
        Files(const Files&) = delete;
        Files& operator=(const Files&) = delete;

      private:
        bool was_watching_;
        Stage stage_before_;
        std::int64_t began_; ///< nanoseconds
    };

    /// The ranks have agreed after steps that took so long each.
    static void step_took(double seconds);

    /// For the handler of stop signals.
    static void stop_is_wanted(int signal) noexcept;
};

} // namespace pearlite::app
