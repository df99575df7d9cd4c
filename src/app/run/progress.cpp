#include "app/run/progress.hpp"

#include "app/program/amounts.hpp"

#include <fmt/format.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <unistd.h>

namespace pearlite::app {

namespace {

std::string place_on_path(const algorithm::Progress& progress) {
    if (progress.variables > 0)
        return fmt::format("{:.0f} variables", progress.inverse_temperature * static_cast<double>(progress.variables));
    return fmt::format("inverse temperature {:.5g}", progress.inverse_temperature);
}

/// "step 12/100  inverse temperature 0.3  ESS 812  log Z/Z_0 12.3000".
std::string describe_place(const algorithm::Progress& progress) {
    auto text = fmt::format("{}{} {}", progress.in_pilot ? "pilot " : "",
                            progress.iterations_per_step == 1 ? "step" : "iteration",
                            progress.step * progress.iterations_per_step);
    if (progress.steps > 0)
        text += fmt::format("/{}", progress.steps * progress.iterations_per_step);
    if (!progress.stage.empty())
        return text + "  " + progress.stage;
    if (progress.best_energy)
        return text + fmt::format("  temperature {:.5g}  best {:.10g}", progress.temperature, *progress.best_energy);
    return text +
           fmt::format("  {}  ESS {:.0f}  log Z/Z_0 {:.4f}", place_on_path(progress), progress.ess, progress.log_ratio);
}

} // namespace

Reporter::Reporter(bool speaks, const std::filesystem::path& log_file, bool append, Screen screen)
    : speaks_(speaks),
      prints_result_(speaks && screen == Screen::on),
      terminal_(speaks && screen != Screen::off && isatty(STDERR_FILENO)),
      started_(Clock::now()) {
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

void Reporter::note(const std::string& message) {
    if (file_)
        file_->info(message);
}

void Reporter::note_failure(const std::exception_ptr& error) {
    if (file_)
        file_->error(describe(error).message);
}

void Reporter::checkpoint(const algorithm::Progress& progress) {
    const double now = elapsed();
    if (noted_ > 0 && now - noted_ < std::clamp(now / 10, 60.0, 3600.0))
        return;
    noted_ = now;
    note("checkpoint at " + describe_place(progress));
}

void Reporter::result(const std::string& text, const std::filesystem::path& place) {
    if (!prints_result_)
        return;
    end_progress();
    errno = 0;
    if (std::fputs(text.c_str(), stdout) < 0 || std::fflush(stdout) != 0)
        warn(fmt::format("standard output cannot be written ({}); the result is in {}", std::strerror(errno),
                         place.string()));
}

void Reporter::progress(const algorithm::Progress& progress, const std::string& unit) {
    if (!speaks_)
        return;
    const double now = elapsed();
    if (!pace_ || progress.stages_before != stage_) {
        pace_.emplace(progress, now);
        stage_ = progress.stages_before;
        return;
    }
    pace_->add(progress, now);
    if (!is_time_to_show())
        return;

    const double rate = pace_->steps() / pace_->seconds();
    const double updates = static_cast<double>(progress.updates_per_step) / static_cast<double>(progress.steps_at_once);
    const auto seconds_left = pace_->seconds_left();
    // The number of an adaptive schedule's steps is extrapolated; the ETA of a pilot does not include the run after it.
    show(fmt::format("{}  {} {}/s  {} {}{}", describe_place(progress), format_rate(rate * updates), unit,
                     progress.in_pilot ? "ETA of the pilot" : "ETA",
                     pace_->is_adaptive() && seconds_left ? "about " : "",
                     seconds_left ? format_duration(*seconds_left) : "?"));
}

void Reporter::progress(const std::string& line) {
    if (speaks_ && is_time_to_show())
        show(line);
}

double Reporter::elapsed() const {
    return std::chrono::duration<double>(Clock::now() - started_).count();
}

bool Reporter::is_time_to_show() {
    const double now = elapsed();
    if (now - shown_ < (terminal_ ? 0.5 : std::clamp(now / 10, 10.0, 600.0)))
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
}

void Reporter::end_progress() {
    if (line_open_) {
        std::fprintf(stderr, "\r\033[K");
        std::fflush(stderr);
        line_open_ = false;
    }
}

} // namespace pearlite::app
