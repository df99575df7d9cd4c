#pragma once
/// What a running job tells people: messages and results, and progress, one line that renews itself at a terminal.

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
    /// What is said beside the log: all, progress and warnings alone, or nothing.
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

    /// Writes what was found to standard output. If that cannot be written, a warning says so and that it is in
    /// `place`.
    void result(const std::string& text, const std::filesystem::path& place);

    /// A checkpoint was written. The log has a line a minute at first, later one whenever a tenth of the time is added.
    void checkpoint(const algorithm::Progress& progress, bool in_pilot);

    /// Offers a progress report; shown at most twice a second at a terminal. Elsewhere the first comes after ten
    /// seconds, another whenever a tenth of the time is added, no more than one in ten seconds, no less than one in ten
    /// minutes. `stage`: Sampler::stage.
    void progress(const algorithm::Progress& progress, bool in_pilot, Index stage, Index updates_per_step,
                  const std::string& unit);
    /// The same for a line that is ready made.
    void progress(const std::string& line);
    /// As progress() would tell it; of the pilot, in one. Nothing if it is not known.
    std::optional<double> seconds_left() const { return pace_ ? pace_->seconds_left() : std::nullopt; }
    /// Wipes the progress line.
    void end_progress();

  private:
    double elapsed() const;
    bool is_time_to_show();
    void show(const std::string& line);
    void note_failure(const std::exception_ptr& error);

    bool speaks_;
    bool tells_result_;
    bool terminal_;
    bool line_open_ = false;
    std::shared_ptr<spdlog::logger> file_, screen_;
    using Clock = std::chrono::steady_clock;
    Clock::time_point started_;
    double shown_ = 0, noted_ = 0; ///< seconds from the start
    std::optional<Pace> pace_;
    Index stage_ = 0;
};

/// "1:02:03" or "4.2 s".
std::string format_duration(double seconds);
/// "5.3e+09", "812".
std::string format_rate(double per_second);

} // namespace pearlite::app
