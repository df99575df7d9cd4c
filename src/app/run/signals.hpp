#pragma once
/// Requests to stop from outside: SIGTERM, SIGINT, SIGUSR1, SIGUSR2, SIGXCPU.

namespace pearlite::app {

/// While it lives, the signals only set a flag and wake the watchdog, if there is one. SIGXFSZ (a limit of file sizes)
/// and SIGPIPE (nobody reads stderr any more) are ignored from then on: the writes fail. One at a time in a process: a
/// signal handler can only reach process state.
class StopSignals {
  public:
    StopSignals();
    ~StopSignals();
    StopSignals(const StopSignals&) = delete;
    StopSignals& operator=(const StopSignals&) = delete;

    /// The signal that came last, or 0.
    static int received();
};

} // namespace pearlite::app
