#include "kernel/densities.hpp"
#include "kernel/density/kernel_mixture.hpp"
#include "kernel/density/random_walk.hpp"
#include "kernel/density/student_proposals.hpp"

#include <gtest/gtest.h>

namespace pearlite::kernel {
namespace {

using parallel::Communicator;

/// The numbers that a random walk and a Student mixture in turns learn from a population of 150 in two rounds on these
/// ranks.
Matrix learnt(const Communicator& ranks, Index block) {
    const auto path = path::tempered(testing::Correlated{});
    const parallel::BlockLayout layout(150, block, ranks.size(), ranks.rank());
    population::Generation generation(layout, 0, [&](Index size) { return path->make_block(size); });
    const MoveSettings moves{.number = {}, .most = 4};
    std::vector<KernelMixture::Part> parts;
    parts.push_back({std::make_unique<RandomWalk>(path, moves), 1});
    parts.push_back({std::make_unique<StudentProposals>(path, moves), 1});
    KernelMixture kernel(path, moves, nullptr, Covariance::full, std::move(parts));
    const auto streams = [&](Index b, std::uint32_t step) {
        const Index global = layout.first_local_block() + b;
        return model::BlockStreams{1, step, 0, global * block, global};
    };
    for (Index b = 0; b < generation.local_blocks(); ++b)
        path->draw_start(generation.block(b), streams(b, 0));
    for (std::size_t i = 0; i < generation.log_weights().size(); ++i)
        generation.log_weights()[i] = 0.01 * static_cast<double>(layout.first_local_item() + static_cast<Index>(i));
    std::vector<double> derivative(static_cast<std::size_t>(block));
    for (std::uint32_t step = 1; step <= 2; ++step) {
        kernel.adapt(ranks, generation, step);
        for (Index b = 0; b < generation.local_blocks(); ++b)
            kernel.move(generation.block(b), 0.5, streams(b, step),
                        std::span(derivative).first(static_cast<std::size_t>(generation.block(b).size())));
        kernel.tune({.mobility = 1}, 0.25);
    }
    return kernel.learnt();
}

TEST(LearntNumbersMpi, AreTheSameOnAnyNumberOfRanks) {
    for (const Index block : {1, 16, 64}) { // of the last, as many as three ranks
        const Matrix alone = learnt(Communicator::alone(), block);
        EXPECT_EQ(learnt(Communicator::world(), block), alone);
        const Index extra = 2 + 1 + 3 * (1 + 3 + 9);
        EXPECT_NE(alone(2, alone.cols() - extra), alone(1, alone.cols() - extra)); // the scale of the walk
    }
}

} // namespace
} // namespace pearlite::kernel
