#pragma once
/// The times at which the ranks agree between steps of the run loop. Private to this layer.

#include "app/run/run_loop.hpp"

#include <chrono>

namespace pearlite::app {

/// The agreement of all ranks after a step.
struct Orders {
    double stop = 0; ///< why: 0 not at all, a signal's number, or a limit; see stop_reason
    bool checkpoint = false;
    bool settle = false; ///< the ranks shall agree on failures that are still local
};

// Below any signal's number: if ranks stop for different reasons, the greatest one is reported.
inline constexpr double by_step_limit = 0.25, by_time_limit = 0.5, by_callback = 0.75;

/// Seconds of work between two checkpoints that lose least to checkpoints and to the work since the last one, where a
/// checkpoint takes `cost` and failures come once in `between_failures` (seconds): Daly (2006), Future Generation
/// Computer Systems 22, 303, equation 37; with small costs Young's sqrt(2 cost between_failures).
double best_checkpoint_interval(double cost, double between_failures);

/// Why a run stops, in words.
std::string stop_reason(double stop);

/// Agreement among ranks between steps, about every 20 ms: often enough for signals, rarely enough to take no
/// noticeable time.
class Heartbeat {
  public:
    explicit Heartbeat(const Job& job);

    /// Collective, with the same number of steps on every rank.
    Orders after_step();
    void checkpoint_took(double seconds);
    /// The ranks agree to stop after the next agreement at the latest.
    void wish_to_stop() { wish_ = by_callback; }
    /// The cost of steps has changed: forget the measured cost when choosing the time of the next agreement.
    void pace_changed();

    double elapsed() const; ///< seconds
    /// Whether the ranks agreed after the last step.
    bool beat_now() const { return steps_ == steps_at_beat_; }

  private:
    double checkpoint_every() const;

    using Clock = std::chrono::steady_clock;

    const Job& job_;
    Clock::time_point started_, last_checkpoint_, last_beat_, last_settled_, last_sign_of_life_;
    Index steps_ = 0, steps_at_beat_ = 0, steps_to_beat_ = 1;
    double wish_ = 0; ///< of this rank, to stop
    double checkpoint_seconds_ = 0, costliest_checkpoint_seconds_ = 0, longest_step_seconds_ = 0;
};

} // namespace pearlite::app
