/// MBAR on several ranks has the bits of one.

#include "estimator/mbar/mbar.hpp"

#include "estimator/oscillators.hpp"

#include <gtest/gtest.h>

namespace pearlite::estimator {
namespace {

TEST(MbarMpi, HasTheBitsOfOneRank) {
    const auto oscillators = testing::five_oscillators(1500); // several blocks, the last of them not full
    const auto alone = mbar(oscillators.draw(3));
    const auto together = mbar(oscillators.draw(3, parallel::Communicator::world()));
    EXPECT_EQ(together.free_energies, alone.free_energies);
    EXPECT_EQ(together.covariance, alone.covariance);
    EXPECT_EQ(together.overlap, alone.overlap);
    EXPECT_EQ(together.iterations, alone.iterations);
}

} // namespace
} // namespace pearlite::estimator
