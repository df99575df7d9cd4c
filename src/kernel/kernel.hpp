#pragma once
/// The moves of particles at one temperature: the interface of all kernels that samplers use.

#include "core/fields.hpp"
#include "parallel/communicator.hpp"
#include "pearlite/core/detail/block.hpp"
#include "pearlite/core/error.hpp"
#include "pearlite/model/detail/block_streams.hpp"
#include "population/generation.hpp"

#include <memory>
#include <span>

namespace pearlite::kernel {

/// A kernel knows its target. One virtual call serves a whole block; derivatives are d log f_b/db at the new states.
class Kernel {
  public:
    virtual ~Kernel() = default;
    /// A kernel with the same settings and state.
    virtual std::unique_ptr<Kernel> clone() const = 0;

    /// Proposals or sweeps of every particle at each temperature.
    virtual Index moves() const = 0;
    /// Whether proposals depend on the population: adapt() is then collective.
    virtual bool adapts() const { return false; }
    /// Whether the kernel accepts and rejects.
    virtual bool accepts() const { return false; }
    /// Whether trajectories can run backwards with it.
    virtual bool is_time_reversible() const { return false; }

    /// Called before the moves of step `step`; collective if adapts().
    virtual void adapt(const parallel::Communicator&, const population::Generation&, Index /*step*/) {}
    /// Leaves p_b invariant. Returns the number of accepted proposals.
    virtual Index move(Block& block, double b, const model::BlockStreams& streams,
                       std::span<double> derivative) const = 0;
    /// increments[i] += log f_to(x_i) - log f_from(x_i), then move() at `to`.
    virtual Index anneal(Block& block, double from, double to, const model::BlockStreams& streams,
                         std::span<double> increments, std::span<double> derivative) const = 0;
    /// anneal() with the time reversal of the transition: p_b(x) T(y|x) = p_b(y) T'(x|y). ContractViolation unless
    /// is_time_reversible().
    virtual Index anneal_reversed(Block&, double, double, const model::BlockStreams&, std::span<double>,
                                  std::span<double>) const {
        throw ContractViolation("a kernel that cannot run backwards was asked to");
    }

    /// The settings that the kernel learnt in steps 0, 1, ..., from which another kernel of its kind can be made: a
    /// row for each step; empty if there is nothing to learn.
    virtual Matrix learnt() const { return {}; }
    /// Fields of a checkpoint.
    virtual void fields(Fields&) {}
};

} // namespace pearlite::kernel
