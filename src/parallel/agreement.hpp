#pragma once
/// Agreement on errors: an error of one rank is thrown on all, with one message, and nobody waits for ever.
/// An error between two collectives is kept until the next.

#include "parallel/communicator.hpp"
#include "pearlite/core/error.hpp"

#include <exception>
#include <utility>

namespace pearlite::parallel {

/// Collective. If any rank passes an error, every rank throws the error of the lowest such rank: the same type and
/// message, with "(rank r of n)" added unless all ranks failed; it is marked (Error::is_agreed). With no error, one
/// 8-byte reduction.
void agree(const Communicator& ranks, const std::exception_ptr& error);
/// Collective. The same, and the largest of each of the ranks' numbers, in place and in the same reduction.
void agree(const Communicator& ranks, const std::exception_ptr& error, std::span<double> largest);

/// Runs `work`; its error, or null.
template <class Work>
std::exception_ptr failure_of(Work&& work) {
    try {
        work();
    } catch (...) {
        return std::current_exception();
    }
    return nullptr;
}

/// Runs `work` here and agrees on its outcome: the shape of every phase that may fail on one rank alone. `work` itself
/// must not call collectives.
template <class Work>
void together(const Communicator& ranks, Work&& work) {
    agree(ranks, failure_of(std::forward<Work>(work)));
}

/// Runs `work` on rank 0 only and agrees on its outcome.
template <class Work>
void on_root(const Communicator& ranks, Work&& work) {
    together(ranks, [&] {
        if (ranks.is_root())
            work();
    });
}

// Failures of a rank between two collectives.

/// Keeps the first failure of this rank until the next collective, so that no rank waits alone in a collective; later
/// work is skipped. On a single rank the failure is thrown at once. It is also thrown at once if `work` has collectives
/// of a team whose other ranks do not have the error: they wait for this rank, and the job must end.
class DelayedFailure {
  public:
    template <class Work>
    void guard(const Communicator& ranks, Work&& work, int team_size = 1) {
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
    void agree(const Communicator& ranks) const { parallel::agree(ranks, failure_); }

  private:
    std::exception_ptr failure_;
};

} // namespace pearlite::parallel
