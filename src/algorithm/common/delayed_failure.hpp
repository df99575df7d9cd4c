#pragma once
/// Failures of a rank between two collectives.

#include "parallel/agreement.hpp"

#include <exception>
#include <utility>

namespace pearlite::algorithm {

/// Keeps the first failure of this rank until the next collective, so that no rank waits alone in a collective; work
/// asked for after the failure is left out. A rank that is alone throws at once.
class DelayedFailure {
  public:
    template <class Work>
    void guard(const parallel::Communicator& ranks, Work&& work) {
        if (failure_)
            return;
        try {
            std::forward<Work>(work)();
        } catch (...) {
            if (ranks.size() == 1)
                throw;
            failure_ = std::current_exception();
        }
    }
    bool happened() const { return failure_ != nullptr; }
    /// Collective; parallel::agree.
    void agree(const parallel::Communicator& ranks) const { parallel::agree(ranks, failure_); }

  private:
    std::exception_ptr failure_;
};

} // namespace pearlite::algorithm
