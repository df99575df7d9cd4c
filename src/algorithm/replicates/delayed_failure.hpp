#pragma once
/// Failures of a rank between two collectives.

#include "parallel/agreement.hpp"

#include <exception>
#include <utility>

namespace pearlite::algorithm {

/// Keeps the first failure of this rank until the next collective, so that no rank waits alone in a collective; later
/// work is skipped. On a single rank the failure is thrown at once. It is also thrown at once if `work` has collectives
/// of a team whose other ranks do not have the error: they wait for this rank, and the job must end.
class DelayedFailure {
  public:
    template <class Work>
    void guard(const parallel::Communicator& ranks, Work&& work, int team_size = 1) {
        if (failure_)
            return;
        try {
            std::forward<Work>(work)();
        } catch (...) {
            const auto error = std::current_exception();
            if (ranks.size() == 1 || (team_size > 1 && !is_agreed(error)))
                throw;
            failure_ = error;
        }
    }
    bool happened() const { return failure_ != nullptr; }
    /// Collective; parallel::agree.
    void agree(const parallel::Communicator& ranks) const { parallel::agree(ranks, failure_); }

  private:
    std::exception_ptr failure_;
};

} // namespace pearlite::algorithm
