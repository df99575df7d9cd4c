#include "app/run/signals.hpp"

#include "app/run/watchdog.hpp"

#include <cerrno>
#include <csignal>

namespace pearlite::app {

namespace {

constexpr std::array stop_signals{SIGTERM, SIGINT, SIGUSR1, SIGUSR2, SIGXCPU};
volatile std::sig_atomic_t last_signal = 0;

extern "C" void remember_signal(int signal) {
    last_signal = signal;
    const int error = errno;
    Watchdog::stop_is_wanted(signal);
    errno = error;
}

/// The process's earlier handlers of these signals: a host process of another language has installed its own.
std::array<struct sigaction, stop_signals.size()> earlier_handlers{};

/// Makes a write fail, instead of ending the program, past the limit of a file's size, or to a closed terminal or pipe.
void leave_failed_writes_to_their_callers() {
    struct sigaction action {};
    action.sa_handler = SIG_IGN;
    sigemptyset(&action.sa_mask);
    for (const int signal : {SIGXFSZ, SIGPIPE})
        sigaction(signal, &action, nullptr);
}

} // namespace

StopSignals::StopSignals() {
    last_signal = 0;
    struct sigaction action {};
    action.sa_handler = remember_signal;
    action.sa_flags = SA_RESTART;
    sigfillset(&action.sa_mask);
    for (std::size_t i = 0; i < stop_signals.size(); ++i)
        sigaction(stop_signals[i], &action, &earlier_handlers[i]);
    leave_failed_writes_to_their_callers();
}
StopSignals::~StopSignals() {
    for (std::size_t i = 0; i < stop_signals.size(); ++i)
        sigaction(stop_signals[i], &earlier_handlers[i], nullptr);
}
int StopSignals::received() {
    return last_signal;
}

} // namespace pearlite::app
