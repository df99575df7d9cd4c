#pragma once
/// The transition that a model brings itself: lattice sweeps, block Gibbs.

#include "kernel/kernel.hpp"
#include "pearlite/model/target.hpp"

namespace pearlite::kernel {

/// `sweeps` applications of the model's transition at each temperature. Nothing to adapt.
class Native final : public Kernel {
  public:
    /// ContractViolation unless the target offers a Transition and sweeps >= 1.
    explicit Native(std::shared_ptr<const model::Target> target, Index sweeps = 1);
    std::unique_ptr<Kernel> clone() const override { return std::make_unique<Native>(*this); }

    Index moves() const override { return sweeps_; }
    bool is_time_reversible() const override { return reversed_ != nullptr; }
    Index move(Block& block, double b, const model::BlockStreams& streams, std::span<double> derivative) const override;
    Index anneal(Block& block, double from, double to, const model::BlockStreams& streams, std::span<double> increments,
                 std::span<double> derivative) const override;
    Index anneal_reversed(Block& block, double from, double to, const model::BlockStreams& streams,
                          std::span<double> increments, std::span<double> derivative) const override;

  private:
    /// Each sweep of a step has its own address.
    model::BlockStreams of_sweep(model::BlockStreams streams, Index sweep) const;

    std::shared_ptr<const model::Target> target_;
    const model::Transition* transition_;
    const model::ReversedTransition* reversed_; ///< null if the transition cannot be reversed
    Index sweeps_;
};

} // namespace pearlite::kernel
