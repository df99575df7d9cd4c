#pragma once
/// Memory that all ranks of a job read and write, where they run on one machine.

#include "core/prefetch.hpp"
#include "parallel/communicator.hpp"

#include <cstddef>
#include <memory>
#include <span>

namespace pearlite::parallel {

/// Collective. Whether there are several ranks, all on one machine.
bool on_one_machine(const Communicator& ranks);

class MachineMemory {
  public:
    /// Collective. Opens `bytes` bytes, of any values, that begin at a cache line; null unless on_one_machine().
    static std::unique_ptr<MachineMemory> open(const Communicator& ranks, std::size_t bytes);
    /// Collective, except while an exception is in flight.
    ~MachineMemory();
    MachineMemory(const MachineMemory&) = delete;

    /// Two ranks should not write to the same of these bytes at once.
    static constexpr std::size_t line = cache_line;
    /// The same bytes on every rank.
    std::span<std::byte> bytes() const;
    /// Collective. After the call all ranks see whatever any rank wrote before it.
    void synchronise();

  private:
    struct Implementation;
    explicit MachineMemory(std::unique_ptr<Implementation> implementation);
    std::unique_ptr<Implementation> implementation_;
};

} // namespace pearlite::parallel
