#include "parallel/shared_memory/shared_numbers.hpp"

#include "parallel/communicator_implementation.hpp"

#include <algorithm>
#include <exception>
#include <utility>

namespace pearlite::parallel {

struct SharedNumbers::Implementation {
    Index count = 0;
    std::vector<std::int64_t> own; ///< of a rank alone, which needs no window
    MPI_Win window = MPI_WIN_NULL;
    int exceptions = std::uncaught_exceptions();

    std::int64_t exchange(Index place, std::int64_t value, MPI_Op operation);
};

std::int64_t SharedNumbers::Implementation::exchange(Index place, std::int64_t value, MPI_Op operation) {
    PEARLITE_EXPECTS(place >= 0 && place < count);
    std::int64_t before = 0;
    detail::check(MPI_Fetch_and_op(&value, &before, MPI_INT64_T, 0, place, operation, window), "MPI_Fetch_and_op");
    detail::check(MPI_Win_flush(0, window), "MPI_Win_flush");
    return before;
}

SharedNumbers::SharedNumbers(const Communicator& ranks, Index count)
    : implementation_(std::make_unique<Implementation>()) {
    implementation_->count = count;
    if (ranks.size() == 1) {
        implementation_->own.assign(static_cast<std::size_t>(count), 0);
        return;
    }
    std::int64_t* numbers = nullptr;
    const auto bytes = static_cast<MPI_Aint>(ranks.is_root() ? count * Index{sizeof(std::int64_t)} : 0);
    detail::check(MPI_Win_allocate(bytes, sizeof(std::int64_t), MPI_INFO_NULL, *ranks.implementation_->group,
                                   static_cast<void*>(&numbers), &implementation_->window),
                  "MPI_Win_allocate");
    detail::check(MPI_Win_lock_all(MPI_MODE_NOCHECK, implementation_->window), "MPI_Win_lock_all");
    if (ranks.is_root()) {
        std::fill_n(numbers, count, 0);
        detail::check(MPI_Win_sync(implementation_->window), "MPI_Win_sync");
    }
    ranks.barrier();
}

SharedNumbers::~SharedNumbers() {
    // Ranks that throw cannot be sure that the others come here too.
    if (implementation_->window == MPI_WIN_NULL || std::uncaught_exceptions() > implementation_->exceptions)
        return;
    MPI_Win_unlock_all(implementation_->window);
    MPI_Win_free(&implementation_->window);
}

Index SharedNumbers::add(Index place, Index value) {
    if (!implementation_->own.empty())
        return std::exchange(implementation_->own.at(at(place)), implementation_->own.at(at(place)) + value);
    return implementation_->exchange(place, value, MPI_SUM);
}

void SharedNumbers::raise(Index place, Index value) {
    if (!implementation_->own.empty())
        implementation_->own.at(at(place)) = std::max(implementation_->own.at(at(place)), value);
    else
        implementation_->exchange(place, value, MPI_MAX);
}

Index SharedNumbers::read(Index place) {
    return add(place, 0);
}

} // namespace pearlite::parallel
