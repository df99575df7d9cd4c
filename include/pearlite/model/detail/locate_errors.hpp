#pragma once
/// Errors of a model in words that name step and particle.

#include "pearlite/core/types.hpp"
#include "pearlite/model/detail/block_streams.hpp"

#include <exception>
#include <new>

namespace pearlite::model {

/// Throws the error again with the step and the particle: that of a PointError, or all `n` particles of the block. An
/// error that says where already is passed on as it is.
[[noreturn]] void throw_located(const std::exception_ptr& error, const BlockStreams& streams, Index n);

/// Does `work` on the n particles of a block; an exception then names step and particles, except for lack of memory.
template <class Work>
decltype(auto) locate_errors(const BlockStreams& streams, Index n, const Work& work) {
    try {
        return work();
    } catch (const std::bad_alloc&) {
        throw;
    } catch (...) {
        throw_located(std::current_exception(), streams, n);
    }
}

} // namespace pearlite::model
