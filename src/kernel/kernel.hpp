#pragma once
/// How particles move at one temperature: what samplers ask of a kernel, whatever it is.

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
    /// Proposals depend on the population: adapt() is collective.
    virtual bool adapts() const { return false; }
    /// The kernel accepts and rejects.
    virtual bool accepts() const { return false; }
    /// Trajectories can run backwards with it.
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

    /// What the kernel learnt in steps 0, 1, ... in a form that another kernel of its kind can be made with: a row for
    /// each step; empty where there is nothing to learn.
    virtual Matrix learnt() const { return {}; }
    /// What a checkpoint holds.
    virtual void fields(Fields&) {}
};

} // namespace pearlite::kernel
