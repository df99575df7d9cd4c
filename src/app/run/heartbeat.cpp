#include "app/run/heartbeat.hpp"

#include "app/run/process_time.hpp"
#include "app/run/signals.hpp"
#include "app/run/watchdog.hpp"
#include "app/written/run_directory.hpp"

namespace pearlite::app {

namespace {

/// A failure that one rank keeps to itself costs the others at most so long.
constexpr double seconds_between_settlements = 0.5;
constexpr double seconds_between_signs_of_life = 10;
/// The share of a checkpoint's cost that is still remembered after the next one.
constexpr double memory_of_costly_checkpoints = 0.9;

double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

} // namespace

std::string stop_reason(double stop) {
    if (stop == by_step_limit)
        return "the step limit";
    if (stop == by_callback)
        return "the callback";
    return stop == by_time_limit ? "the time limit" : fmt::format("signal {:.0f}", stop);
}

double best_checkpoint_interval(double cost, double between_failures) {
    const double ratio = cost / (2 * between_failures);
    if (!(ratio < 1))
        return between_failures;
    return std::sqrt(2 * cost * between_failures) * (1 + std::sqrt(ratio) / 3 + ratio / 9) - cost;
}

Heartbeat::Heartbeat(const Job& job)
    : job_(job),
      started_(Clock::now()),
      last_checkpoint_(started_),
      last_beat_(started_),
      last_settled_(started_),
      last_sign_of_life_(started_) {}

double Heartbeat::checkpoint_every() const {
    constexpr double shortest = 1; // seconds, however little a checkpoint costs
    const auto& settings = job_.plan->run();
    return settings.checkpoint_every_seconds.value_or(std::max(
        shortest, best_checkpoint_interval(costliest_checkpoint_seconds_, settings.mean_time_between_failures)));
}

Orders Heartbeat::after_step() {
    ++steps_;
    const bool at_limit = job_.step_limit && steps_ >= *job_.step_limit;
    if (--steps_to_beat_ > 0 && !at_limit)
        return {};
    const int signal = StopSignals::received();
    std::array<double, 4> wishes{signal > 0 ? signal : at_limit ? by_step_limit : wish_, 0.0, 0.0, 0.0};
    const double per_step = seconds_since(last_beat_) / static_cast<double>(steps_ - steps_at_beat_);
    Watchdog::step_took(per_step);
    if (job_.ranks.is_root()) {
        longest_step_seconds_ = std::max(per_step, memory_of_long_steps * longest_step_seconds_);
        const double margin = 2 * checkpoint_seconds_ + longest_step_seconds_ + 0.1;
        if (job_.time_limit_seconds && seconds_since_process_start() + margin >= *job_.time_limit_seconds)
            wishes[0] = std::max(wishes[0], by_time_limit);
        wishes[1] = seconds_since(last_checkpoint_) >= checkpoint_every() ? 1.0 : 0.0;
        wishes[2] = std::clamp(std::floor(0.02 / std::max(per_step, 1e-9)), 1.0, 100000.0);
        wishes[3] = seconds_since(last_settled_) >= seconds_between_settlements ? 1.0 : 0.0;
    }
    if (job_.on_beat)
        wishes[0] = std::max(wishes[0], job_.on_beat());
    job_.ranks.max(std::span(wishes));
    steps_to_beat_ = static_cast<Index>(wishes[2]);
    if (job_.step_limit)
        steps_to_beat_ = std::min(steps_to_beat_, std::max<Index>(1, *job_.step_limit - steps_));
    steps_at_beat_ = steps_;
    last_beat_ = Clock::now();
    if (wishes[3] > 0)
        last_settled_ = last_beat_;
    if (job_.ranks.is_root() && seconds_since(last_sign_of_life_) >= seconds_between_signs_of_life) {
        give_sign_of_life(job_.resumable());
        last_sign_of_life_ = last_beat_;
    }
    return {wishes[0], wishes[1] > 0, wishes[3] > 0};
}

void Heartbeat::checkpoint_took(double seconds) {
    checkpoint_seconds_ = seconds;
    costliest_checkpoint_seconds_ = std::max(seconds, memory_of_costly_checkpoints * costliest_checkpoint_seconds_);
    last_checkpoint_ = last_beat_ = Clock::now();
}

void Heartbeat::pace_changed() {
    longest_step_seconds_ = 0;
    steps_at_beat_ = steps_;
    steps_to_beat_ = 1;
    last_beat_ = Clock::now();
}

double Heartbeat::elapsed() const {
    return seconds_since(started_);
}

} // namespace pearlite::app
