// Kernels that run backwards: which kernels can, their transitions, and the messages of the others.
#include "kernel/densities.hpp"
#include "kernel/density/random_walk.hpp"
#include "kernel/native.hpp"
#include "kernel/reversible_models.hpp"
#include "pearlite/core/error.hpp"
#include "pearlite/model/detail/target_of.hpp"

#include <gtest/gtest.h>

namespace pearlite::kernel {
namespace {

using testing::ArGaussian;
using testing::ReversibleArGaussian;
using testing::TighteningPair;

constexpr model::BlockStreams streams{.seed = 3, .step = 7, .generation = 1, .first_slot = 16, .block = 1};

/// States, increments and derivatives of 10 particles that went from b = 0.6 to 0.4.
struct Result {
    Matrix states;
    std::vector<double> increments, derivative;
    bool operator==(const Result& other) const {
        return states == other.states && increments == other.increments && derivative == other.derivative;
    }
};

template <class M, class Anneal>
Result from_start(const M& model, const Anneal& anneal) {
    auto block = std::make_unique<BlockOf<typename M::Block>>(model.make_block(10));
    model.draw_start(block->own(), streams);
    Result result{{}, std::vector<double>(10, 0.5), std::vector<double>(10)};
    anneal(*block, result.increments, result.derivative);
    result.states = block->own().columns();
    return result;
}

template <class M>
Result backwards(const M& model, Index sweeps) {
    const Native kernel(model::target_of(model), sweeps);
    EXPECT_TRUE(kernel.is_time_reversible());
    return from_start(model, [&](Block& block, auto& increments, auto& derivative) {
        EXPECT_EQ(kernel.anneal_reversed(block, 0.6, 0.4, streams, increments, derivative), 0);
    });
}

/// The increment, then these sweeps, each with its own address of random numbers.
template <class M, class Sweep>
Result by_hand(const M& model, Index sweeps, const Sweep& one_sweep) {
    return from_start(model, [&](auto& block, auto& increments, auto& derivative) {
        model.add_log_ratio(block.own(), 0.6, 0.4, increments);
        for (Index sweep = 0; sweep < sweeps; ++sweep) {
            auto of_sweep = streams;
            of_sweep.step = static_cast<std::uint32_t>(7 * sweeps + sweep);
            one_sweep(block.own(), of_sweep);
        }
        model.path_derivative(block.own(), 0.4, derivative);
    });
}

TEST(Reversal, OfAModelsSweepsIsTheModelsOwn) {
    const TighteningPair pair;
    for (const Index sweeps : {1, 3}) {
        const auto right =
            by_hand(pair, sweeps, [&](auto& block, const auto& of) { pair.move_reversed(block, 0.4, of); });
        const auto wrong = by_hand(pair, sweeps, [&](auto& block, const auto& of) { pair.move(block, 0.4, of); });
        EXPECT_TRUE(backwards(pair, sweeps) == right) << sweeps;
        EXPECT_FALSE(right == wrong);
    }
}

TEST(Reversal, OfAReversibleMoveIsTheMove) {
    const ReversibleArGaussian toy(ReversibleArGaussian::Settings{});
    for (const Index sweeps : {1, 3})
        EXPECT_TRUE(backwards(toy, sweeps) ==
                    by_hand(toy, sweeps, [&](auto& block, const auto& of) { toy.move(block, 0.4, of); }))
            << sweeps;
}

TEST(Reversal, OfARandomWalkIsTheWalk) {
    const auto path = path::tempered(testing::Correlated{});
    const auto kernel = RandomWalk::constant(path, 2, 0.5 * Matrix::Identity(3, 3));
    EXPECT_TRUE(kernel.is_time_reversible());
    model::DensityBlock forward(3, 10), backward(3, 10);
    std::vector<double> increments(10), derivative(10), increments_back(10), derivative_back(10);
    path->draw_start(forward, streams);
    path->draw_start(backward, streams);
    EXPECT_EQ(kernel.anneal(forward, 0.6, 0.4, streams, increments, derivative),
              kernel.anneal_reversed(backward, 0.6, 0.4, streams, increments_back, derivative_back));
    EXPECT_EQ(forward.points, backward.points);
    EXPECT_EQ(increments, increments_back);
    EXPECT_EQ(derivative, derivative_back);
}

/// Runs forward only, and does nothing.
class OneWay final : public Kernel {
  public:
    std::unique_ptr<Kernel> clone() const override { return std::make_unique<OneWay>(*this); }
    Index moves() const override { return 1; }
    Index move(Block&, double, const model::BlockStreams&, std::span<double>) const override { return 0; }
    Index anneal(Block&, double, double, const model::BlockStreams&, std::span<double>,
                 std::span<double>) const override {
        return 0;
    }
};

TEST(Reversal, IsRefusedByKernelsWithoutOne) {
    ArGaussian::Block columns(1, 4);
    BlockOf<ArGaussian::Block> block(columns);
    std::vector<double> out(4);
    const Native irreversible(model::target_of(ArGaussian(ArGaussian::Settings{})));
    const OneWay one_way;
    for (const Kernel* kernel : {static_cast<const Kernel*>(&irreversible), static_cast<const Kernel*>(&one_way)}) {
        EXPECT_FALSE(kernel->is_time_reversible());
        EXPECT_THROW(kernel->anneal_reversed(block, 1, 0, streams, out, out), ContractViolation);
    }
}

TEST(Native, NeedsATransition) {
    const auto path = path::tempered(testing::Normal{}); // brings none
    EXPECT_THROW(Native{path}, ContractViolation);
}

TEST(Kernel, ClonesHaveTheirOwnState) {
    const auto path = path::tempered(testing::Normal{});
    RandomWalk kernel(path, 3);
    const auto clone = kernel.clone();
    population::Generation generation(parallel::BlockLayout(16, 16, 1, 0), 0,
                                      [&](Index size) { return path->make_block(size); });
    path->draw_start(generation.block(0), streams);
    kernel.adapt(parallel::Communicator::alone(), generation, 1);
    EXPECT_EQ(kernel.learnt().rows(), 2);
    EXPECT_EQ(clone->learnt().size(), 0);
    EXPECT_TRUE(clone->adapts());
    EXPECT_EQ(clone->moves(), 3);
    EXPECT_EQ(kernel.clone()->learnt(), kernel.learnt());
}

} // namespace
} // namespace pearlite::kernel
