#pragma once
/// Whole numbers that every rank of a job reads and changes when it likes, without a call by the others.

#include "parallel/communicator.hpp"

#include <memory>

namespace pearlite::parallel {

/// They stand in the memory of rank 0 (one-sided communication of MPI). Within a machine an access is one of shared
/// memory; between machines it may have to wait until rank 0 calls MPI.
class SharedNumbers {
  public:
    /// Collective. `count` numbers, all 0.
    SharedNumbers(const Communicator& ranks, Index count);
    /// Collective, except while an exception is in flight.
    ~SharedNumbers();
    SharedNumbers(const SharedNumbers&) = delete;

    /// Adds `value` to the number at `place`; returns the number before.
    Index add(Index place, Index value);
    /// Raises the number at `place` to `value` if it is lower.
    void raise(Index place, Index value);
    Index read(Index place);

  private:
    struct Implementation;
    std::unique_ptr<Implementation> implementation_;
};

} // namespace pearlite::parallel
