#include "app/run/progress.hpp"

#include <fmt/format.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <unistd.h>

namespace pearlite::app {

std::string format_duration(double seconds) {
    if (!(seconds < 1e9))
        return "?";
    if (seconds < 60)
        return fmt::format("{:.1f} s", seconds);
    const auto whole = static_cast<long>(seconds);
    return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

std::string format_rate(double per_second) {
    return per_second < 1e4 ? fmt::format("{:.0f}", per_second) : fmt::format("{:.2e}", per_second);
}

namespace {

std::string place_on_path(const algorithm::Progress& progress) {
    if (progress.variables > 0)
        return fmt::format("{:.0f} variables", progress.inverse_temperature * static_cast<double>(progress.variables));
    return fmt::format("inverse temperature {:.5g}", progress.inverse_temperature);
}

} // namespace

Reporter::Reporter(bool speaks, const std::filesystem::path& log_file, bool append, Screen screen)
    : speaks_(speaks),
      tells_result_(speaks && screen == Screen::on),
      terminal_(speaks && screen != Screen::off && isatty(STDERR_FILENO)),
      started_(Clock::now()),
      shown_(started_) {
    if (!speaks_)
        return;
    try {
        file_ = std::make_shared<spdlog::logger>(
            "file", std::make_shared<spdlog::sinks::basic_file_sink_st>(log_file.string(), !append));
        file_->set_pattern("%Y-%m-%d %H:%M:%S %l: %v");
        // A log that cannot be written (a full disk, say) must not stop a run.
        file_->set_error_handler([](const std::string&) {});
        file_->flush_on(spdlog::level::info);
    } catch (const spdlog::spdlog_ex&) {
        file_ = nullptr;
    }
    if (screen == Screen::off)
        return;
    screen_ = std::make_shared<spdlog::logger>("screen", std::make_shared<spdlog::sinks::stderr_sink_st>());
    screen_->set_pattern("%v");
}

Reporter::~Reporter() {
    end_progress();
}

void Reporter::info(const std::string& message) {
    if (!speaks_)
        return;
    end_progress();
    if (screen_)
        screen_->info(message);
    if (file_)
        file_->info(message);
}

void Reporter::warn(const std::string& message) {
    if (!speaks_)
        return;
    end_progress();
    if (screen_)
        screen_->warn("warning: " + message);
    if (file_)
        file_->warn(message);
}

void Reporter::result(const std::string& text, const std::filesystem::path& place) {
    if (!tells_result_)
        return;
    end_progress();
    errno = 0;
    if (std::fputs(text.c_str(), stdout) < 0 || std::fflush(stdout) != 0)
        warn(fmt::format("standard output cannot be written ({}); the result is in {}", std::strerror(errno),
                         place.string()));
}

void Reporter::progress(const algorithm::Progress& progress, bool in_pilot, Index stage, Index updates_per_step,
                        const std::string& unit) {
    if (!speaks_)
        return;
    const double now = std::chrono::duration<double>(Clock::now() - started_).count();
    if (!pace_ || stage != stage_) {
        pace_.emplace(progress, now);
        stage_ = stage;
        return;
    }
    pace_->add(progress, now);
    if (!is_time_to_show())
        return;

    const double rate = pace_->steps() / pace_->seconds();
    const double updates = static_cast<double>(updates_per_step) / static_cast<double>(progress.steps_at_once);
    std::string place = fmt::format("{} {}", progress.iterations_per_step == 1 ? "step" : "iteration",
                                    progress.step * progress.iterations_per_step);
    if (progress.steps > 0)
        place += fmt::format("/{}", progress.steps * progress.iterations_per_step);
    const auto seconds_left = pace_->seconds_left();
    const auto eta = seconds_left ? format_duration(*seconds_left) : "?";
    const auto where = !progress.stage.empty() ? progress.stage
                       : progress.best_energy  ? fmt::format("temperature {:.5g}  best {:.10g}", progress.temperature,
                                                             *progress.best_energy)
                                              : fmt::format("{}  ESS {:.0f}  log Z/Z_0 {:.4f}", place_on_path(progress),
                                                            progress.ess, progress.log_ratio);
    show(fmt::format("{}{}  {}  {} {}/s  ETA {}", in_pilot ? "pilot " : "", place, where, format_rate(rate * updates),
                     unit, eta));
}

void Reporter::progress(const std::string& line) {
    if (speaks_ && is_time_to_show())
        show(line);
}

bool Reporter::is_time_to_show() {
    const auto now = Clock::now();
    if (std::chrono::duration<double>(now - shown_).count() < (terminal_ ? 0.5 : 10.0))
        return false;
    shown_ = now;
    return true;
}

void Reporter::show(const std::string& line) {
    if (terminal_) {
        std::fprintf(stderr, "\r\033[K%s", line.c_str());
        std::fflush(stderr);
        line_open_ = true;
    } else if (screen_) {
        screen_->info(line);
    }
    if (file_)
        file_->info(line);
}

void Reporter::end_progress() {
    if (line_open_) {
        std::fprintf(stderr, "\r\033[K");
        std::fflush(stderr);
        line_open_ = false;
    }
}

} // namespace pearlite::app
