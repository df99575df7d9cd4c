#pragma once
/// Messages, results and progress of a running job; progress is one line that renews itself at a terminal.

#include "app/run/pace.hpp"

#include <chrono>
#include <exception>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace spdlog {
class logger;
}

namespace pearlite::app {

/// Rank 0's log (run.log and stderr) and its progress (stderr alone); on other ranks it is silent. Never collective.
class Reporter {
  public:
    /// Output beside the log: all of it, progress and warnings without the result, or nothing.
    enum class Screen { on, without_result, off };
    Reporter(bool speaks, const std::filesystem::path& log_file, bool append, Screen screen = Screen::on);
    ~Reporter();

    void info(const std::string& message);
    void warn(const std::string& message);
    /// For the log alone.
    void note(const std::string& message);
    /// Does `work`; if it throws, the log has the reason.
    template <class Work>
    auto watch(const Work& work) {
        try {
            return work();
        } catch (...) {
            note_failure(std::current_exception());
            throw;
        }
    }

    /// Prints the result to standard output. If that fails, logs a warning that the result is in `place`.
    void result(const std::string& text, const std::filesystem::path& place);

    /// A checkpoint was written. The log has a line a minute at first, later one whenever a tenth of the time is added.
    void checkpoint(const algorithm::Progress& progress);

    /// Offers a progress report; shown at most twice a second at a terminal. Elsewhere the first comes after ten
    /// seconds, another whenever a tenth of the time is added, no more than one in ten seconds, no less than one in ten
    /// minutes.
    void progress(const algorithm::Progress& progress, const std::string& unit);
    /// The same for a given line.
    void progress(const std::string& line);
    /// The estimate that progress() shows, for the pilot alone while in a pilot. Nothing if it is not known.
    std::optional<double> seconds_left() const { return pace_ ? pace_->seconds_left() : std::nullopt; }
    /// Wipes the progress line.
    void end_progress();

  private:
    double elapsed() const;
    bool is_time_to_show();
    void show(const std::string& line);
    void note_failure(const std::exception_ptr& error);

    bool speaks_;
    bool prints_result_;
    bool terminal_;
    bool line_open_ = false;
    std::shared_ptr<spdlog::logger> file_, screen_;
    using Clock = std::chrono::steady_clock;
    Clock::time_point started_;
    double shown_ = 0, noted_ = 0; ///< seconds from the start
    std::optional<Pace> pace_;
    Index stage_ = 0;
};

} // namespace pearlite::app
