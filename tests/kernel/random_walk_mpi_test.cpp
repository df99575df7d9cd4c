#include "kernel/density/random_walk.hpp"

#include "kernel/densities.hpp"

#include <gtest/gtest.h>

namespace pearlite::kernel {
namespace {

using parallel::Communicator;

/// The factor that a population of 50 finds on these ranks.
Matrix adapted(const Communicator& ranks, Index block) {
    const auto path = path::tempered(testing::Correlated{});
    const parallel::BlockLayout layout(50, block, ranks.size(), ranks.rank());
    population::Generation generation(layout, 0, [&](Index size) { return path->make_block(size); });
    for (Index b = 0; b < generation.local_blocks(); ++b) {
        const Index global = layout.first_local_block() + b;
        path->draw_start(generation.block(b), {1, 0, 0, global * block, global});
    }
    for (std::size_t i = 0; i < generation.log_weights().size(); ++i)
        generation.log_weights()[i] = 0.1 * static_cast<double>(layout.first_local_item() + static_cast<Index>(i));
    RandomWalk kernel(path, 1);
    kernel.adapt(ranks, generation, 1);
    return kernel.learnt();
}

TEST(RandomWalkMpi, ScalesAreTheSameOnAnyNumberOfRanks) {
    for (const Index block : {1, 16, 32}) // of the last, fewer than ranks
        EXPECT_EQ(adapted(Communicator::world(), block), adapted(Communicator::alone(), block));
}

} // namespace
} // namespace pearlite::kernel
