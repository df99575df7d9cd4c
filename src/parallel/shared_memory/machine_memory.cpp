#include "parallel/shared_memory/machine_memory.hpp"

#include "parallel/communicator_implementation.hpp"

#include <atomic>
#include <exception>
#include <thread>
#include <utility>

namespace pearlite::parallel {

namespace {

/// How often a rank looks for the others before it lets go of its core: some microseconds.
constexpr int impatient_looks = 2000;

} // namespace

bool on_one_machine(const Communicator& ranks) {
    if (ranks.size() == 1)
        return false;
    MPI_Comm machine = MPI_COMM_NULL;
    detail::check(
        MPI_Comm_split_type(*ranks.implementation_->group, MPI_COMM_TYPE_SHARED, ranks.rank(), MPI_INFO_NULL, &machine),
        "MPI_Comm_split_type");
    int here = 0;
    detail::check(MPI_Comm_size(machine, &here), "MPI_Comm_size");
    MPI_Comm_free(&machine);
    return here == ranks.size();
}

/// The window, in the memory of rank 0: a line for each rank, which counts the times that it came to synchronise(), and
/// then the bytes.
struct MachineMemory::Implementation {
    Communicator ranks;
    MPI_Comm group;
    int own_rank, n_ranks;
    std::size_t size; ///< of the bytes
    MPI_Win window = MPI_WIN_NULL;
    std::byte* first = nullptr;
    std::uint64_t times = 0;
    int exceptions = std::uncaught_exceptions();

    std::atomic_ref<std::uint64_t> times_of(int rank) const {
        return std::atomic_ref(*reinterpret_cast<std::uint64_t*>(first + static_cast<std::size_t>(rank) * line));
    }
    void wait_for(int rank) const;
};

std::unique_ptr<MachineMemory> MachineMemory::open(const Communicator& ranks, std::size_t bytes) {
    if (!on_one_machine(ranks))
        return nullptr;
    const MPI_Comm group = *ranks.implementation_->group;
    auto here = std::make_unique<Implementation>(Implementation{ranks, group, ranks.rank(), ranks.size(), bytes});
    const std::size_t lines = static_cast<std::size_t>(ranks.size()) + (bytes + line - 1) / line;
    const auto all = static_cast<MPI_Aint>(ranks.is_root() ? lines * line : 0);
    void* own = nullptr;
    detail::check(MPI_Win_allocate_shared(all, 1, MPI_INFO_NULL, group, static_cast<void*>(&own), &here->window),
                  "MPI_Win_allocate_shared");
    MPI_Aint length = 0;
    int unit = 0;
    detail::check(MPI_Win_shared_query(here->window, 0, &length, &unit, static_cast<void*>(&here->first)),
                  "MPI_Win_shared_query");
    detail::check(MPI_Win_lock_all(MPI_MODE_NOCHECK, here->window), "MPI_Win_lock_all");
    here->times_of(ranks.rank()).store(0, std::memory_order_relaxed);
    detail::check(MPI_Win_sync(here->window), "MPI_Win_sync");
    ranks.barrier();
    detail::check(MPI_Win_sync(here->window), "MPI_Win_sync");
    return std::unique_ptr<MachineMemory>(new MachineMemory(std::move(here)));
}

MachineMemory::MachineMemory(std::unique_ptr<Implementation> implementation)
    : implementation_(std::move(implementation)) {}

MachineMemory::~MachineMemory() {
    // Ranks that throw cannot be sure that the others come here too.
    if (std::uncaught_exceptions() > implementation_->exceptions)
        return;
    MPI_Win_unlock_all(implementation_->window);
    MPI_Win_free(&implementation_->window);
}

std::span<std::byte> MachineMemory::bytes() const {
    return {implementation_->first + static_cast<std::size_t>(implementation_->n_ranks) * line, implementation_->size};
}

/// A rank that waits for long yields its core, and lets MPI deliver pending messages, for which the other rank may be
/// waiting: a probe for a message that nobody sends makes MPI progress all others.
void MachineMemory::Implementation::wait_for(int rank) const {
    const auto its = times_of(rank);
    for (int looks = 0; its.load(std::memory_order_acquire) < times; ++looks)
        if (looks >= impatient_looks) {
            int has_message = 0;
            detail::check(MPI_Iprobe(rank, detail::no_message_tag, group, &has_message, MPI_STATUS_IGNORE),
                          "MPI_Iprobe");
            std::this_thread::yield();
        }
}

/// MPI's barrier takes several times as long as the caches take to pass a value from one core to another.
void MachineMemory::synchronise() {
    auto& here = *implementation_;
    ++here.times;
    here.times_of(here.own_rank).store(here.times, std::memory_order_release);
    for (int rank = 0; rank < here.n_ranks; ++rank)
        here.wait_for(rank);
}

} // namespace pearlite::parallel
