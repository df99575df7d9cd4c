#pragma once
/// Models that run backwards, rightly and wrongly, for tests of nonequilibrium annealing.

#include "algorithm/densities.hpp"
#include "algorithm/nonequilibrium/nonequilibrium.hpp"
#include "kernel/native.hpp"
#include "kernel/reversible_models.hpp"
#include "pearlite/model/detail/target_of.hpp"

namespace pearlite::algorithm::testing {

using kernel::testing::ReversibleArGaussian;
using kernel::testing::TighteningPair;

/// Fails in the backward run, at one slot, hence on one rank.
struct FailingBackwards : ReversibleArGaussian {
    explicit FailingBackwards(Index slot) : ReversibleArGaussian(Settings{}), failing_slot(slot) {}
    void move(Block& block, double b, const model::BlockStreams& streams) const {
        if (streams.generation == 1 && streams.first_slot == failing_slot)
            throw NumericalError("slot " + std::to_string(failing_slot) + " failed backwards");
        ArGaussian::move(block, b, streams);
    }
    Index failing_slot;
};

/// The wrong twin goes backwards with its sub-updates in forward order.
struct WronglyReversedPair : TighteningPair {
    void move_reversed(Block& block, double b, const model::BlockStreams& streams) const { move(block, b, streams); }
};

template <class M>
Nonequilibrium work_sampler(const parallel::Communicator& ranks, const M& model, const path::Schedule& schedule,
                            const NonequilibriumSettings& settings, Index moves = 1) {
    const auto target = model::target_of(model);
    return {ranks, target, schedule, kernel::Native(target, moves), settings};
}

inline double z_of(const Outcome& outcome, const std::string& name, double exact) {
    const auto& estimate = estimate_of(outcome, name);
    return (estimate.value - exact) / estimate.standard_error.value();
}

} // namespace pearlite::algorithm::testing
