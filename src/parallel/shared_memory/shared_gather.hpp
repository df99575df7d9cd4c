#pragma once
/// All-gather of an array of each rank that comes again and again, as the reports of a search's chains.

#include "parallel/communicator.hpp"

#include <cstddef>
#include <memory>
#include <span>

namespace pearlite::parallel {

/// Where all ranks run on one machine they write into memory that all of them read, and nothing is sent. Else the
/// gathering is MPI's.
class SharedGather {
  public:
    enum class Memory { shared_on_one_machine, own };

    /// Collective. Arrays of this number of bytes, the same on every rank.
    SharedGather(const Communicator& ranks, std::size_t bytes, Memory memory = Memory::shared_on_one_machine);
    /// Collective, except while an exception is in flight.
    ~SharedGather();
    SharedGather(SharedGather&&) noexcept;
    SharedGather& operator=(SharedGather&&) noexcept;

    /// This rank's array, for it to write before gather(), which leaves it with anything.
    std::span<std::byte> own();
    /// Collective.
    void gather();
    /// The same, of which this rank will read this number of bytes.
    void gather(std::size_t bytes_to_read);
    /// A rank's array as it was last gathered.
    std::span<const std::byte> of(int rank) const;

  private:
    struct Implementation;
    std::unique_ptr<Implementation> implementation_;
};

} // namespace pearlite::parallel
