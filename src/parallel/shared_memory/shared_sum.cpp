#include "parallel/shared_memory/shared_sum.hpp"

#include "parallel/agreement.hpp"
#include "parallel/communicator_implementation.hpp"

#include <algorithm>
#include <exception>

namespace pearlite::parallel {

namespace {

constexpr Index line = 64; // bytes that two ranks should not write at once

bool on_one_machine(const Communicator& ranks, MPI_Comm group) {
    MPI_Comm machine = MPI_COMM_NULL;
    detail::check(MPI_Comm_split_type(group, MPI_COMM_TYPE_SHARED, ranks.rank(), MPI_INFO_NULL, &machine),
                  "MPI_Comm_split_type");
    int here = 0;
    detail::check(MPI_Comm_size(machine, &here), "MPI_Comm_size");
    MPI_Comm_free(&machine);
    return here == ranks.size();
}

} // namespace

template <class T>
struct SharedSum<T>::Implementation {
    Communicator ranks;
    Index count;
    std::vector<T> values, sums; ///< without a window; a rank alone has sums only
    MPI_Win window = MPI_WIN_NULL;
    std::vector<T*> values_of; ///< in the window: the values of each rank
    T* shared_sums = nullptr;
    int exceptions = std::uncaught_exceptions();

    explicit Implementation(const Communicator& of, Index n) : ranks(of), count(n) {}
    void open(MPI_Comm group);
    void synchronise();
};

/// The window has the values of all ranks, rank by rank, and then the sums, in the memory of rank 0.
template <class T>
void SharedSum<T>::Implementation::open(MPI_Comm group) {
    const Index per_line = line / Index{sizeof(T)}, padded = (count + per_line - 1) / per_line * per_line;
    const Index arrays = ranks.is_root() ? ranks.size() + 1 : 0;
    T* own = nullptr;
    detail::check(MPI_Win_allocate_shared(arrays * padded * Index{sizeof(T)}, sizeof(T), MPI_INFO_NULL, group,
                                          static_cast<void*>(&own), &window),
                  "MPI_Win_allocate_shared");
    MPI_Aint bytes = 0;
    int unit = 0;
    T* first = nullptr;
    detail::check(MPI_Win_shared_query(window, 0, &bytes, &unit, static_cast<void*>(&first)), "MPI_Win_shared_query");
    detail::check(MPI_Win_lock_all(MPI_MODE_NOCHECK, window), "MPI_Win_lock_all");
    for (int rank = 0; rank < ranks.size(); ++rank)
        values_of.push_back(first + rank * padded);
    shared_sums = first + ranks.size() * padded;
    std::fill_n(values_of[at(ranks.rank())], count, T{0}); // touched by the rank that writes it
}

/// What ranks wrote before, all of them see after.
template <class T>
void SharedSum<T>::Implementation::synchronise() {
    detail::check(MPI_Win_sync(window), "MPI_Win_sync");
    ranks.barrier();
    detail::check(MPI_Win_sync(window), "MPI_Win_sync");
}

template <class T>
SharedSum<T>::SharedSum(const Communicator& ranks, Index count, Memory memory)
    : implementation_(std::make_unique<Implementation>(ranks, count)) {
    auto& here = *implementation_;
    if (ranks.size() > 1 && memory == Memory::shared_on_one_machine) {
        const MPI_Comm group = *ranks.implementation_->group;
        if (on_one_machine(ranks, group)) {
            here.open(group);
            return;
        }
    }
    together(ranks, [&] {
        here.values.resize(at(ranks.size() > 1 ? count : 0));
        here.sums.resize(at(count));
    });
}

template <class T>
SharedSum<T>::~SharedSum() {
    // Ranks that throw cannot be sure that the others come here too.
    if (implementation_->window == MPI_WIN_NULL || std::uncaught_exceptions() > implementation_->exceptions)
        return;
    MPI_Win_unlock_all(implementation_->window);
    MPI_Win_free(&implementation_->window);
}

template <class T>
std::span<T> SharedSum<T>::own() {
    auto& here = *implementation_;
    if (here.window != MPI_WIN_NULL)
        return {here.values_of[at(here.ranks.rank())], at(here.count)};
    return here.ranks.size() > 1 ? here.values : here.sums;
}

template <class T>
std::span<const T> SharedSum<T>::sum() {
    auto& here = *implementation_;
    const Index size = here.ranks.size();
    if (here.window == MPI_WIN_NULL) {
        if (size > 1)
            here.ranks.sum(std::span<const T>(here.values), std::span(here.sums));
        return here.sums;
    }
    detail::count_reduction(at(here.count * Index{sizeof(T)} + 7) / 8);
    here.synchronise();
    const Index lines = (here.count * Index{sizeof(T)} + line - 1) / line, per_line = line / Index{sizeof(T)};
    const auto begin_of = [&](Index rank) { return std::min(rank * lines / size * per_line, here.count); };
    const Index first = begin_of(here.ranks.rank()), n = begin_of(here.ranks.rank() + 1) - first;
    T* const sums = here.shared_sums + first;
    std::copy_n(here.values_of[0] + first, n, sums);
    for (Index rank = 1; rank < size; ++rank) {
        const T* const values = here.values_of[at(rank)] + first;
        for (Index i = 0; i < n; ++i)
            sums[i] = static_cast<T>(sums[i] + values[i]);
    }
    here.synchronise();
    return {here.shared_sums, at(here.count)};
}

template class SharedSum<std::int16_t>;
template class SharedSum<std::int32_t>;

} // namespace pearlite::parallel
