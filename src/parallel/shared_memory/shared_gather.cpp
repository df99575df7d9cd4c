#include "parallel/shared_memory/shared_gather.hpp"

#include "parallel/agreement.hpp"
#include "parallel/communicator_implementation.hpp"
#include "parallel/shared_memory/machine_memory.hpp"

namespace pearlite::parallel {

/// Shared memory has two arrays of each rank, used in turn: a rank that writes the next array has seen all ranks arrive
/// with the last one, so that no rank still reads the array before it. A single rank has two arrays in the same way.
struct SharedGather::Implementation {
    Communicator ranks = Communicator::alone();
    std::size_t size = 1, count = 0, stride = 0; ///< ranks; bytes of an array, and from one to the next
    std::unique_ptr<MachineMemory> memory;
    std::byte* first = nullptr;       ///< of the shared arrays
    std::vector<std::byte> mine, all; ///< without shared memory
    std::size_t turn = 0;

    std::byte* shared(int rank, std::size_t at_turn) const { return first + (at_turn * size + at(rank)) * stride; }
};

SharedGather::SharedGather(const Communicator& ranks, std::size_t bytes, Memory memory)
    : implementation_(std::make_unique<Implementation>()) {
    auto& here = *implementation_;
    here.ranks = ranks;
    here.size = static_cast<std::size_t>(ranks.size());
    here.count = bytes;
    here.stride = (bytes + MachineMemory::line - 1) / MachineMemory::line * MachineMemory::line;
    if (memory == Memory::shared_on_one_machine)
        here.memory = MachineMemory::open(ranks, 2 * here.size * here.stride);
    if (here.memory)
        here.first = here.memory->bytes().data();
    else
        together(ranks, [&] {
            here.mine.resize(bytes);
            here.all.resize(here.size * bytes);
        });
}

SharedGather::~SharedGather() = default;
SharedGather::SharedGather(SharedGather&&) noexcept = default;
SharedGather& SharedGather::operator=(SharedGather&&) noexcept = default;

std::span<std::byte> SharedGather::own() {
    auto& here = *implementation_;
    if (here.memory)
        return {here.shared(here.ranks.rank(), here.turn), here.count};
    return here.mine;
}

void SharedGather::gather() {
    gather(implementation_->size * implementation_->count);
}

void SharedGather::gather(std::size_t bytes_to_read) {
    auto& here = *implementation_;
    if (here.memory) {
        detail::count_collective(bytes_to_read);
        here.memory->synchronise();
        here.turn = 1 - here.turn;
    } else if (here.size == 1) {
        here.mine.swap(here.all);
    } else {
        here.ranks.all_gather(std::span<const std::byte>(here.mine), std::span(here.all));
    }
}

std::span<const std::byte> SharedGather::of(int rank) const {
    const auto& here = *implementation_;
    if (here.memory)
        return {here.shared(rank, 1 - here.turn), here.count};
    return std::span(here.all).subspan(at(rank) * here.count, here.count);
}

} // namespace pearlite::parallel
