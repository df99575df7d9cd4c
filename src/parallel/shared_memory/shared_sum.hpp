#pragma once
/// Sums over ranks of whole arrays that come again and again, as the counts of a gradient in every update.

#include "parallel/communicator.hpp"

#include <memory>
#include <span>

namespace pearlite::parallel {

/// Where all ranks run on one machine they write into memory that all of them read: a rank adds up its part of the sums
/// and no array is sent. Else the sums are MPI's. T: std::int16_t or std::int32_t.
template <class T>
class SharedSum {
  public:
    enum class Memory { shared_on_one_machine, own };

    /// Collective. Arrays of `count` numbers.
    SharedSum(const Communicator& ranks, Index count, Memory memory = Memory::shared_on_one_machine);
    /// Collective, except while an exception is in flight.
    ~SharedSum();
    SharedSum(const SharedSum&) = delete;

    /// The terms of this rank, to be written anew before each sum().
    std::span<T> own();
    /// Collective. The sums, which stay until the next call.
    std::span<const T> sum();

  private:
    struct Implementation;
    std::unique_ptr<Implementation> implementation_;
};

} // namespace pearlite::parallel
