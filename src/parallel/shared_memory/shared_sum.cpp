#include "parallel/shared_memory/shared_sum.hpp"

#include "parallel/agreement.hpp"
#include "parallel/communicator_implementation.hpp"
#include "parallel/shared_memory/machine_memory.hpp"

#include <algorithm>

namespace pearlite::parallel {

/// Shared memory has the values of all ranks, rank by rank, and then the sums.
template <class T>
struct SharedSum<T>::Implementation {
    Communicator ranks;
    Index count;
    std::vector<T> values, sums; ///< without shared memory; a rank alone has sums only
    std::unique_ptr<MachineMemory> memory;

    Index padded() const { return (count + per_line - 1) / per_line * per_line; }
    T* shared(int array) const { return reinterpret_cast<T*>(memory->bytes().data()) + array * padded(); }
    T* shared_sums() const { return shared(ranks.size()); }

    static constexpr Index line = Index{MachineMemory::line}, per_line = line / Index{sizeof(T)};
};

template <class T>
SharedSum<T>::SharedSum(const Communicator& ranks, Index count, Memory memory)
    : implementation_(std::make_unique<Implementation>(Implementation{ranks, count, {}, {}, {}})) {
    auto& here = *implementation_;
    const auto arrays = static_cast<std::size_t>(ranks.size()) + 1;
    if (memory == Memory::shared_on_one_machine)
        here.memory = MachineMemory::open(ranks, arrays * at(here.padded()) * sizeof(T));
    if (here.memory)
        return;
    together(ranks, [&] {
        here.values.resize(at(ranks.size() > 1 ? count : 0));
        here.sums.resize(at(count));
    });
}

template <class T>
SharedSum<T>::~SharedSum() = default;

template <class T>
std::span<T> SharedSum<T>::own() {
    auto& here = *implementation_;
    if (here.memory)
        return {here.shared(here.ranks.rank()), at(here.count)};
    return here.ranks.size() > 1 ? here.values : here.sums;
}

template <class T>
std::span<const T> SharedSum<T>::sum() {
    auto& here = *implementation_;
    const Index size = here.ranks.size();
    if (!here.memory) {
        if (size > 1)
            here.ranks.sum(std::span<const T>(here.values), std::span(here.sums));
        return here.sums;
    }
    detail::count_reduction(at(here.count * Index{sizeof(T)} + 7) / 8);
    here.memory->synchronise();
    const Index lines = here.padded() / here.per_line;
    const auto begin_of = [&](Index rank) { return std::min(rank * lines / size * here.per_line, here.count); };
    const Index first = begin_of(here.ranks.rank()), n = begin_of(here.ranks.rank() + 1) - first;
    T* const sums = here.shared_sums() + first;
    std::copy_n(here.shared(0) + first, n, sums);
    for (int rank = 1; rank < here.ranks.size(); ++rank) {
        const T* const values = here.shared(rank) + first;
        for (Index i = 0; i < n; ++i)
            sums[i] = static_cast<T>(sums[i] + values[i]);
    }
    here.memory->synchronise();
    return {here.shared_sums(), at(here.count)};
}

template class SharedSum<std::int16_t>;
template class SharedSum<std::int32_t>;

} // namespace pearlite::parallel
