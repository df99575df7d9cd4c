#pragma once
/// The transition that a model brings itself: lattice sweeps, block Gibbs.

#include "kernel/kernel.hpp"
#include "pearlite/model/target.hpp"

#include <vector>

namespace pearlite::kernel {

/// Sweeps of the model's transition at each temperature: a given number, or as many as the mobility takes, chosen
/// online or by a pilot.
class Native final : public Kernel {
  public:
    /// ContractViolation unless the target offers a Transition. `learnt` as learnt() of such a kernel; null: none.
    explicit Native(std::shared_ptr<const model::Target> target, const MoveSettings& sweeps,
                    const Matrix* learnt = nullptr);
    explicit Native(std::shared_ptr<const model::Target> target, Index sweeps = 1)
        : Native(std::move(target), MoveSettings{.number = sweeps}) {}
    std::unique_ptr<Kernel> clone() const override { return std::make_unique<Native>(*this); }

    Index moves() const override { return count_.total(); }
    bool is_time_reversible() const override { return reversed_ != nullptr; }
    void adapt(const parallel::Communicator& ranks, const population::Generation& generation, Index step,
               const population::WeightSummary* weights = nullptr) override;
    bool tunes() const override { return count_.is_automatic() && !is_given_; }
    bool tune(const Motion& motion, double log_weight_sd) override;
    Index move(Block& block, double b, const model::BlockStreams& streams, std::span<double> derivative) const override;
    Index anneal(Block& block, double from, double to, const model::BlockStreams& streams, std::span<double> increments,
                 std::span<double> derivative) const override;
    Index anneal_reversed(Block& block, double from, double to, const model::BlockStreams& streams,
                          std::span<double> increments, std::span<double> derivative) const override;

    /// The number of sweeps at each step, in one column; empty if it is given.
    Matrix learnt() const override;
    void fields(Fields& f) override;

  private:
    /// Each sweep of a step has its own address.
    model::BlockStreams of_sweep(model::BlockStreams streams, Index sweep) const;
    bool is_one_sweep() const { return count_.made() == 0 && count_.round() == 1; }

    std::shared_ptr<const model::Target> target_;
    const model::Transition* transition_;
    const model::ReversedTransition* reversed_; ///< null if the transition cannot be reversed
    MoveCount count_;
    bool is_given_; ///< the numbers below are a pilot's
    Index step_ = 0;
    std::vector<double> sweeps_; ///< at each step, if their number is automatic
};

} // namespace pearlite::kernel
