#pragma once
/// The moves of particles at one temperature: the interface of all kernels that samplers use.

#include "kernel/moves.hpp"
#include "pearlite/core/error.hpp"
#include "pearlite/model/detail/block_streams.hpp"
#include "population/generation.hpp"
#include "population/weights.hpp"

#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace pearlite::kernel {

class Shape;

/// A kernel knows its target. One virtual call serves a whole block; derivatives are d log f_b/db at the new states.
class Kernel {
  public:
    virtual ~Kernel() = default;
    /// A kernel with the same settings and state.
    virtual std::unique_ptr<Kernel> clone() const = 0;

    /// Proposals or sweeps of every particle at the present temperature.
    virtual Index moves() const = 0;
    /// Densities or gradients that a move computes for each particle, in the mean.
    virtual double evaluations_per_move() const { return 1; }
    /// Whether proposals depend on the population: adapt() is then collective.
    virtual bool adapts() const { return false; }
    /// Whether the kernel accepts and rejects.
    virtual bool accepts() const { return false; }
    /// Whether trajectories can run backwards with it.
    virtual bool is_time_reversible() const { return false; }

    /// Called before the moves of step `step`; collective if adapts(). `weights`: the summary of the generation's log
    /// weights if it is known, which saves the kernel's own.
    virtual void adapt(const parallel::Communicator&, const population::Generation&, Index /*step*/,
                       const population::WeightSummary* /*weights*/ = nullptr) {}
    /// The kernel's estimate of the population's shape at the present temperature; null if it has none.
    virtual const Shape* shape() const { return nullptr; }
    /// Whether the kernel chooses moves or proposals by the motion of the particles: each move() is then a round, after
    /// which all ranks call tune().
    virtual bool tunes() const { return false; }
    /// The motion since adapt(), and the standard deviation of the log weights of the step between temperatures (NaN
    /// if not known). Returns whether another round shall follow at this temperature.
    virtual bool tune(const Motion&, double /*log_weight_sd*/) { return false; }
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
    /// The row of the learnt settings that each step uses, where a run has other temperatures than the kernel learnt
    /// at; empty: the row with its number.
    void use_rows(std::vector<Index> rows) { rows_of_steps_ = std::move(rows); }
    /// Fields of a checkpoint.
    virtual void fields(Fields&) {}

  protected:
    Index learnt_row(Index step) const {
        return rows_of_steps_.empty() ? step : rows_of_steps_[static_cast<std::size_t>(step)];
    }

  private:
    std::vector<Index> rows_of_steps_;
};

} // namespace pearlite::kernel
