#include "app/run/watchdog.hpp"

#include "app/program/build_info.hpp"
#include "app/run/pace.hpp"
#include "app/run/process_time.hpp"
#include "app/run/signals.hpp"

#include <fmt/format.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <fcntl.h>

namespace pearlite::app {

namespace {

constexpr Nanoseconds second = nanoseconds_per_second, never = std::numeric_limits<Nanoseconds>::max();
constexpr Nanoseconds lead_of_root = 2 * second;
constexpr double patience_in_steps = 2;
constexpr int status_stopped = 3;
/// Messages by stage.
constexpr std::array<std::string_view, 3> not_ended{"the start of the run has not ended ",
                                                    "the present step has not ended ", "the results are not ready "};
constexpr std::string_view no_checkpoint = "there is none to go on from";

/// The data of the timer's handler.
struct State {
    timer_t timer = nullptr;
    bool exists = false, is_watching = false, is_root = false, is_at_terminal = false;
    int signal = 0; ///< the first one
    int log = -1;   ///< run.log, open for appending
    Watchdog::Stage stage = Watchdog::Stage::start;
    Nanoseconds patience = 0, watched_since = 0, signalled_at = never, limit_at = never;
    std::atomic<double> longest_step_seconds = 0;
    std::atomic<bool> is_ending = false;
    std::filesystem::path directory; ///< of the run; handlers leave it alone
    SignalText program, place, advice, message;
};

State state;
std::atomic_flag state_is_in_use = ATOMIC_FLAG_INIT;

int timer_signal() {
    return SIGRTMIN + 6; // SIGALRM belongs to the libraries that models use
}

void lock() {
    while (state_is_in_use.test_and_set(std::memory_order_acquire)) {
    }
}
void unlock() {
    state_is_in_use.clear(std::memory_order_release);
}

/// Excludes signal handlers: those of this thread by blocked signals, those of a library's threads by the lock. Signals
/// are already blocked in a handler.
class Exclusive {
  public:
    Exclusive() {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_BLOCK, &all, &before_);
        lock();
    }
    ~Exclusive() {
        unlock();
        pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    }
    Exclusive(const Exclusive&) = delete;
    Exclusive& operator=(const Exclusive&) = delete;

  private:
    sigset_t before_{};
};

/// The time at which the patience ends. It begins with the request to stop, or later with the stage; `never` without a
/// request.
Nanoseconds end_of(Nanoseconds demanded_at, Nanoseconds patience) {
    if (demanded_at == never)
        return never;
    return std::max(demanded_at, state.watched_since) + patience + (state.is_root ? 0 : lead_of_root);
}

Nanoseconds end_after_signal() {
    const double of_steps = patience_in_steps * state.longest_step_seconds.load(std::memory_order_relaxed);
    const auto patience = std::max(state.patience, nanoseconds(of_steps));
    return end_of(state.signalled_at, patience);
}

Nanoseconds end_after_limit() {
    return end_of(state.limit_at, state.patience);
}

void set_timer(Nanoseconds at) {
    itimerspec when{};
    if (at != never) {
        when.it_value.tv_sec = at / second;
        when.it_value.tv_nsec = at % second;
    }
    timer_settime(state.timer, TIMER_ABSTIME, &when, nullptr);
}

Nanoseconds end_of_watch() {
    return state.is_watching ? std::min(end_after_signal(), end_after_limit()) : never;
}

void set_timer() {
    set_timer(end_of_watch());
}

void compose_message(bool by_signal) {
    auto& message = state.message;
    message.set(state.program.view());
    message.add(not_ended[static_cast<std::size_t>(state.stage)]);
    message.add((present_time() - (by_signal ? state.signalled_at : state.limit_at) + second / 2) / second);
    message.add(" s after ");
    if (by_signal) {
        message.add("signal ");
        message.add(state.signal);
    } else {
        message.add("the time limit");
    }
    message.add(": the run ends without a new checkpoint; ");
    message.add(state.advice.view());
    message.add(state.place.view());
    message.add("\n");
}

/// The root writes the message on the time limit for all ranks; after a signal, every rank writes it.
void speak(bool by_signal) {
    if (!state.is_root && !by_signal)
        return;
    compose_message(by_signal);
    if (state.is_at_terminal)
        write_now(STDERR_FILENO, "\r\033[K");
    write_now(STDERR_FILENO, state.message.view());
    if (state.log >= 0)
        write_now(state.log, state.message.view().substr(state.program.view().size()));
}

/// Ends the process within a second, even if the message cannot be written.
[[noreturn]] void end_process(bool by_signal) {
    state.is_ending.store(true);
    set_timer(present_time() + second);
    sigset_t again;
    sigemptyset(&again);
    sigaddset(&again, timer_signal());
    pthread_sigmask(SIG_UNBLOCK, &again, nullptr);
    speak(by_signal);
    _exit(status_stopped);
}

extern "C" void end_of_patience(int) {
    if (state.is_ending.load())
        _exit(status_stopped);
    const int error = errno;
    lock();
    const auto time = present_time();
    const bool by_signal = time >= end_after_signal();
    if (state.is_watching && (by_signal || time >= end_after_limit()))
        end_process(by_signal);
    if (state.exists)
        set_timer();
    unlock();
    errno = error;
}

void set_handler() {
    struct sigaction action {};
    action.sa_handler = end_of_patience;
    action.sa_flags = SA_RESTART;
    sigfillset(&action.sa_mask);
    sigaction(timer_signal(), &action, nullptr);
}

void close_file(int file) {
    if (file >= 0)
        close(file);
}

} // namespace

Watchdog::Watchdog(int rank, int ranks, double patience_seconds) {
    const Exclusive exclusive;
    sigevent event{};
    event.sigev_notify = SIGEV_SIGNAL;
    event.sigev_signo = timer_signal();
    if (timer_create(CLOCK_MONOTONIC, &event, &state.timer) != 0)
        throw Error(ErrorKind::other, fmt::format("cannot make a timer: {}", std::strerror(errno)));
    set_handler();
    state.exists = state.is_watching = true;
    state.is_root = rank == 0;
    state.is_at_terminal = isatty(STDERR_FILENO) == 1;
    state.stage = Stage::start;
    state.patience = nanoseconds(patience_seconds);
    state.watched_since = present_time();
    state.signalled_at = state.limit_at = never;
    state.longest_step_seconds = 0;
    state.program.set(program_name() + ": ");
    state.place.set(rank == 0 ? "" : fmt::format(" (rank {} of {}, which ends the job)", rank, ranks));
    state.advice.set(no_checkpoint);
    if (const int earlier = StopSignals::received()) {
        state.signal = earlier;
        state.signalled_at = state.watched_since;
        set_timer();
    }
}

Watchdog::~Watchdog() {
    const Exclusive exclusive;
    state.exists = state.is_watching = false;
    timer_delete(state.timer);
    close_file(std::exchange(state.log, -1));
    state.directory.clear();
}

void Watchdog::follow(const std::filesystem::path& directory, bool is_root, std::optional<double> time_limit_seconds) {
    if (!state.exists)
        return;
    const int log = is_root ? open((directory / "run.log").c_str(), O_WRONLY | O_APPEND | O_CLOEXEC) : -1;
    const Exclusive exclusive;
    close_file(std::exchange(state.log, log));
    if (directory != state.directory)
        state.advice.set(no_checkpoint);
    state.directory = directory;
    state.is_root = is_root;
    state.limit_at = time_limit_seconds ? process_start + nanoseconds(*time_limit_seconds) : never;
    set_timer();
}

void Watchdog::advise(const std::string& advice) {
    const Exclusive exclusive;
    state.advice.set(advice);
}

void Watchdog::watch(Stage stage) {
    const Exclusive exclusive;
    if (!state.exists)
        return;
    state.is_watching = true;
    state.stage = stage;
    state.watched_since = present_time();
    set_timer();
}

void Watchdog::rest() {
    const Exclusive exclusive;
    state.is_watching = false;
    if (state.exists)
        set_timer();
}

Watchdog::Rest::Rest() : was_watching_(state.is_watching) {
    rest();
}
Watchdog::Rest::~Rest() {
    if (was_watching_)
        watch(state.stage);
}

void Watchdog::step_took(double seconds) {
    const double longest = memory_of_long_steps * state.longest_step_seconds.load(std::memory_order_relaxed);
    state.longest_step_seconds.store(std::max(seconds, longest), std::memory_order_relaxed);
}

void Watchdog::stop_is_wanted(int signal) noexcept {
    lock();
    // The root has written its message and ended, and the launcher ends the other ranks.
    if (state.exists && !state.is_root && present_time() >= end_of_watch() - lead_of_root)
        _exit(status_stopped);
    if (state.exists && state.signalled_at == never) {
        state.signal = signal;
        state.signalled_at = present_time();
        set_timer();
    }
    unlock();
}

} // namespace pearlite::app
