#include "kernel/native.hpp"

#include "kernel/ar_gaussian.hpp"
#include "pearlite/core/error.hpp"
#include "pearlite/model/detail/target_of.hpp"

#include <gtest/gtest.h>

namespace pearlite::kernel {
namespace {

using testing::ArGaussian;
using testing::FusedArGaussian;
using testing::WronglyFusedArGaussian;

constexpr model::BlockStreams streams{.seed = 3, .step = 7, .generation = 0, .first_slot = 16, .block = 1};

struct Result {
    ArGaussian::Block block;
    std::vector<double> increments, derivative;
    bool operator==(const Result& other) const {
        return block.columns() == other.block.columns() && increments == other.increments &&
               derivative == other.derivative;
    }
};

template <class M>
Result annealed(Index sweeps) {
    const auto target = model::target_of(M{{}});
    const auto block = target->make_block(10);
    std::vector<double> increments(10, 0.5), derivative(10);
    target->draw_start(*block, streams);
    EXPECT_EQ(Native(target, sweeps).anneal(*block, 0.2, 0.4, streams, increments, derivative), 0);
    return {own_block<ArGaussian::Block>(*block), increments, derivative};
}

TEST(Native, FusedStepsHaveTheBitsOfTheirParts) {
    static_assert(model::HasFusedAnneal<FusedArGaussian> && !model::HasFusedAnneal<ArGaussian>);
    EXPECT_TRUE(annealed<FusedArGaussian>(1) == annealed<ArGaussian>(1));
    EXPECT_TRUE(annealed<FusedArGaussian>(3) == annealed<ArGaussian>(3)); // several sweeps are not fused
    EXPECT_FALSE(annealed<WronglyFusedArGaussian>(1) == annealed<ArGaussian>(1));
}

TEST(Native, AnnealingIsIncrementThenSweeps) {
    const ArGaussian model{{}};
    auto block = model.make_block(10);
    model.draw_start(block, streams);
    std::vector<double> increments(10, 0.5), derivative(10);
    model.add_log_ratio(block, 0.2, 0.4, increments);
    for (std::uint32_t sweep = 0; sweep < 3; ++sweep) {
        auto of_sweep = streams;
        of_sweep.step = 7 * 3 + sweep; // each sweep of each step has an address of its own
        model.move(block, 0.4, of_sweep);
    }
    model.path_derivative(block, 0.4, derivative);
    EXPECT_TRUE((annealed<ArGaussian>(3) == Result{block, increments, derivative}));
    EXPECT_THROW(Native(model::target_of(model), 0), ContractViolation);
}

} // namespace
} // namespace pearlite::kernel
