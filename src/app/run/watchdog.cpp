#include "app/run/watchdog.hpp"

#include "app/program/build_info.hpp"
#include "app/run/pace.hpp"
#include "app/run/process_time.hpp"
#include "app/run/signals.hpp"
#include "io/files/posix_file.hpp"
#include "parallel/machines.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <csignal>
#include <fcntl.h>

namespace pearlite::app {

namespace {

constexpr Nanoseconds second = nanoseconds_per_second, never = std::numeric_limits<Nanoseconds>::max();
constexpr Nanoseconds lead_of_root = 2 * second;
constexpr Nanoseconds disk_pause = second / 5; ///< between two looks whether a file has been written
constexpr Nanoseconds long_silence = 45 * second;
constexpr double patience_in_steps = 2, patience_in_files = 10, silence_in_steps = 3;
constexpr int patience_with_others = 2; ///< so many times that with this rank's own work
constexpr int status_stopped = 3;
/// Messages by stage.
constexpr std::array<std::string_view, 5> not_ended{
    "the start of the run has not ended ", "the present step has not ended ", "the results are not ready ",
    "the ranks have not written their files ", "other ranks have not answered "};
constexpr std::string_view no_checkpoint = "there is none to go on from";

/// The data of the timer's handler.
struct State {
    timer_t timer = nullptr;
    bool exists = false, is_watching = false, is_root = false, is_at_terminal = false, has_others = false;
    int signal = 0; ///< the first one
    int log = -1;   ///< run.log, open for appending
    Watchdog::Stage stage = Watchdog::Stage::start;
    Nanoseconds patience = 0, watched_since = 0, signalled_at = never, limit_at = never;
    Nanoseconds longest_files = 0, next_remark = never;
    std::atomic<Nanoseconds> agreed_at = 0;
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

bool is_with_others() {
    return state.stage == Watchdog::Stage::files || state.stage == Watchdog::Stage::others;
}

Nanoseconds patience_of_stage() {
    if (!is_with_others())
        return state.patience;
    return std::max(patience_with_others * state.patience,
                    static_cast<Nanoseconds>(patience_in_files) * state.longest_files);
}

/// The time at which the patience ends. It begins with the request to stop, or later with the stage; `never` without a
/// request.
Nanoseconds end_of(Nanoseconds demanded_at, Nanoseconds patience) {
    if (demanded_at == never)
        return never;
    return std::max(demanded_at, state.watched_since) + patience + (state.is_root ? 0 : lead_of_root);
}

Nanoseconds end_after_signal() {
    const double of_steps = patience_in_steps * state.longest_step_seconds.load(std::memory_order_relaxed);
    const auto patience = std::max(patience_of_stage(), nanoseconds(of_steps));
    return end_of(state.signalled_at, patience);
}

Nanoseconds end_after_limit() {
    return end_of(state.limit_at, patience_of_stage());
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
    set_timer(std::min(end_of_watch(), state.is_watching ? state.next_remark : never));
}

Nanoseconds silence_worth_a_remark() {
    const double of_steps = silence_in_steps * state.longest_step_seconds.load(std::memory_order_relaxed);
    return std::max(long_silence, nanoseconds(of_steps));
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

/// On the root, in the timer's handler: the age of the last agreement, if it is great.
void remark_on_silence(Nanoseconds time) {
    if (time < state.next_remark)
        return;
    if (state.stage == Watchdog::Stage::others) { // whose own runs may take their time
        state.next_remark = time + long_silence;
        return;
    }
    const auto silence = time - state.agreed_at.load(std::memory_order_relaxed);
    if (silence < silence_worth_a_remark()) {
        state.next_remark = time - silence + silence_worth_a_remark();
        return;
    }
    state.next_remark = time + silence; // twice as old
    auto& message = state.message;
    message.set(state.program.view());
    message.add("warning: the last heartbeat of the ranks was ");
    message.add(silence / second);
    message.add(" s ago: a step takes long, or a rank, a disk or a link does not answer\n");
    if (state.is_at_terminal)
        write_now(STDERR_FILENO, "\r\033[K");
    write_now(STDERR_FILENO, message.view());
    if (state.log >= 0)
        write_now(state.log, message.view().substr(state.program.view().size()));
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
    const bool is_over = state.is_watching && (by_signal || time >= end_after_limit());
    if (is_over && !io::DiskWait::is_on())
        end_process(by_signal);
    if (state.is_watching && !is_over)
        remark_on_silence(time);
    if (state.exists && is_over)
        set_timer(time + disk_pause);
    else if (state.exists)
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
    state.agreed_at = state.watched_since;
    state.has_others = ranks > 1;
    state.next_remark = state.has_others && state.is_root ? state.watched_since + long_silence : never;
    state.longest_files = 0;
    state.signalled_at = state.limit_at = never;
    state.longest_step_seconds = 0;
    state.program.set(program_name() + ": ");
    state.place.set(
        rank == 0 ? "" : fmt::format(" (rank {} of {}{}, which ends the job)", rank, ranks, parallel::on_this_host()));
    state.advice.set(no_checkpoint);
    if (const int earlier = StopSignals::received()) {
        state.signal = earlier;
        state.signalled_at = state.watched_since;
    }
    set_timer();
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
    state.next_remark = state.has_others && is_root ? present_time() + long_silence : never;
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

Watchdog::Files::Files() : was_watching_(state.is_watching), stage_before_(state.stage), began_(present_time()) {
    if (was_watching_)
        watch(Stage::files);
}
Watchdog::Files::~Files() {
    {
        const Exclusive exclusive;
        const auto remembered = memory_of_long_steps * static_cast<double>(state.longest_files);
        state.longest_files = std::max(present_time() - began_, static_cast<Nanoseconds>(remembered));
    }
    if (was_watching_)
        watch(stage_before_);
}

void Watchdog::step_took(double seconds) {
    const double longest = memory_of_long_steps * state.longest_step_seconds.load(std::memory_order_relaxed);
    state.longest_step_seconds.store(std::max(seconds, longest), std::memory_order_relaxed);
    state.agreed_at.store(present_time(), std::memory_order_relaxed);
}

void Watchdog::stop_is_wanted(int signal) noexcept {
    lock();
    // The root has written its message and ended, and the launcher ends the other ranks.
    if (state.exists && !state.is_root && !io::DiskWait::is_on() && present_time() >= end_of_watch() - lead_of_root)
        _exit(status_stopped);
    if (state.exists && state.signalled_at == never) {
        state.signal = signal;
        state.signalled_at = present_time();
        set_timer();
    }
    unlock();
}

} // namespace pearlite::app
