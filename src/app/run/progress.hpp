#pragma once
/// Progress of a running job for people: one line that renews itself at a terminal, plain log lines elsewhere.

#include "app/run/pace.hpp"

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace spdlog {
class logger;
}

namespace pearlite::app {

/// Rank 0's log (run.log and stderr) and progress; on other ranks it is silent. Never collective.
class Reporter {
  public:
    /// What is said beside the log: all, progress and warnings alone, or nothing.
    enum class Screen { on, without_result, off };
    Reporter(bool speaks, const std::filesystem::path& log_file, bool append, Screen screen = Screen::on);
    ~Reporter();

    void info(const std::string& message);
    void warn(const std::string& message);

    /// Writes what was found to standard output. If that cannot be written, a warning says so and that it is in
    /// `place`.
    void result(const std::string& text, const std::filesystem::path& place);

    /// Offers a progress report; shown at most twice a second at a terminal, every ten seconds otherwise.
    /// `stage`: Sampler::stage.
    void progress(const algorithm::Progress& progress, bool in_pilot, Index stage, Index updates_per_step,
                  const std::string& unit);
    /// The same for a line that is ready made.
    void progress(const std::string& line);
    /// Wipes the progress line.
    void end_progress();

  private:
    bool is_time_to_show();
    void show(const std::string& line);

    bool speaks_;
    bool tells_result_;
    bool terminal_;
    bool line_open_ = false;
    std::shared_ptr<spdlog::logger> file_, screen_;
    using Clock = std::chrono::steady_clock;
    Clock::time_point started_, shown_;
    std::optional<Pace> pace_;
    Index stage_ = 0;
};

/// "1:02:03" or "4.2 s".
std::string format_duration(double seconds);
/// "5.3e+09", "812".
std::string format_rate(double per_second);

} // namespace pearlite::app
