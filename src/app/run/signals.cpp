#include "app/run/signals.hpp"

#include "app/run/watchdog.hpp"

#include <array>
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

void set_handlers(void (*handler)(int)) {
    struct sigaction action {};
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    sigfillset(&action.sa_mask);
    for (const int signal : stop_signals)
        sigaction(signal, &action, nullptr);
}

/// A write past the limit of a file's size, or to a terminal or pipe that has gone, shall fail and not end the program.
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
    set_handlers(remember_signal);
    leave_failed_writes_to_their_callers();
}
StopSignals::~StopSignals() {
    set_handlers(SIG_DFL);
}
int StopSignals::received() {
    return last_signal;
}

} // namespace pearlite::app
