#pragma once
/// Agreement on errors: an error of one rank is thrown on all, with one message, and nobody waits for ever.

#include "parallel/communicator.hpp"
#include "pearlite/core/error.hpp"

#include <exception>

namespace pearlite::parallel {

/// Collective. If any rank passes an error, every rank throws the error of the lowest such rank: the same type and
/// message, with "(rank r of n)" added unless all ranks failed; it is marked (Error::is_agreed). With no error, one
/// 8-byte reduction.
void agree(const Communicator& ranks, const std::exception_ptr& error);

/// Runs `work` here and agrees on its outcome: the shape of every phase that may fail on one rank alone. `work` itself
/// must not call collectives.
template <class Work>
void together(const Communicator& ranks, Work&& work) {
    std::exception_ptr error;
    try {
        work();
    } catch (...) {
        error = std::current_exception();
    }
    agree(ranks, error);
}

/// Runs `work` on rank 0 only and agrees on its outcome.
template <class Work>
void on_root(const Communicator& ranks, Work&& work) {
    together(ranks, [&] {
        if (ranks.is_root())
            work();
    });
}

} // namespace pearlite::parallel
