#include "parallel/shared_memory/meeting.hpp"

#include "core/prefetch.hpp"
#include "pearlite/core/detail/contract.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <linux/futex.h>
#include <new>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace pearlite::parallel {

namespace {

constexpr long shortest_sleep = 1'000'000, longest_sleep = 16'000'000; ///< nanoseconds between two looks

long futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value, const timespec* timeout) {
    return ::syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), operation, value, timeout, nullptr, 0);
}

[[noreturn]] void fail(const char* what) {
    throw std::system_error(errno, std::generic_category(), what);
}

} // namespace

/// The head of the shared memory; the places follow.
struct Meeting::Shared {
    alignas(cache_line) std::atomic<std::uint32_t> arrived; ///< at the present meeting
    alignas(cache_line) std::atomic<std::uint32_t> round;   ///< of meetings that have ended
};

Meeting::Meeting(const std::string& name, bool makes_it, int rank, int ranks, std::function<void()> look)
    : size_(sizeof(Shared) + 2 * static_cast<std::size_t>(ranks) * most_bytes),
      rank_(rank),
      ranks_(ranks),
      look_(std::move(look)) {
    static_assert(std::atomic<std::uint32_t>::is_always_lock_free);
    const int file = ::shm_open(name.c_str(), O_RDWR | O_CLOEXEC | (makes_it ? O_CREAT | O_EXCL : 0), 0600);
    if (file < 0)
        fail("shm_open");
    // Space that is not there would end the program when it is first written.
    const int full = makes_it ? ::posix_fallocate(file, 0, static_cast<off_t>(size_)) : 0;
    void* const memory = full == 0 ? ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
    const int error = full != 0 ? full : errno;
    ::close(file);
    if (memory == MAP_FAILED) {
        errno = error;
        fail("shared memory");
    }
    shared_ = makes_it ? new (memory) Shared{{0}, {0}} : std::launder(static_cast<Shared*>(memory));
}

Meeting::~Meeting() {
    ::munmap(shared_, size_);
}

void Meeting::remove_name(const std::string& name) {
    ::shm_unlink(name.c_str());
}

std::byte* Meeting::place(int rank) const {
    const auto number = static_cast<std::size_t>(2 * rank) + round_ % 2;
    return reinterpret_cast<std::byte*>(shared_ + 1) + number * most_bytes;
}

const std::byte* Meeting::brought(int rank) const {
    return place(rank);
}

void Meeting::meet(std::span<const std::byte> own) {
    PEARLITE_EXPECTS(own.size() <= most_bytes);
    ++round_;
    if (!own.empty())
        std::memcpy(place(rank_), own.data(), own.size());
    if (shared_->arrived.fetch_add(1, std::memory_order_acq_rel) + 1 < static_cast<std::uint32_t>(ranks_)) {
        wait_for(round_);
        return;
    }
    // The last one: nobody comes to the next meeting before this one has ended.
    shared_->arrived.store(0, std::memory_order_relaxed);
    shared_->round.store(round_, std::memory_order_release);
    futex(shared_->round, FUTEX_WAKE, INT_MAX, nullptr);
}

void Meeting::wait_for(std::uint32_t round) {
    long sleep = shortest_sleep;
    for (std::uint32_t seen = 0; (seen = shared_->round.load(std::memory_order_acquire)) != round;) {
        const timespec timeout{0, sleep};
        if (futex(shared_->round, FUTEX_WAIT, seen, &timeout) != 0 && errno == ETIMEDOUT) {
            look_();
            sleep = std::min(2 * sleep, longest_sleep);
        }
    }
}

} // namespace pearlite::parallel
