// Forward and backward trajectories at several ranks against one, bit for bit, stopped in every phase.
#include "algorithm/same_everywhere.hpp"
#include "algorithm/work_models.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pearlite::algorithm {
namespace {

using namespace testing;

TEST(NonequilibriumMpi, TheSameEverywhereAndWhereverItStopped) {
    for (const auto start : {ReverseStart::exact, ReverseStart::mode, ReverseStart::weighted})
        for (const int steps : {20, 70, 78, 95, 120}) { // forward; pool or equilibration or backwards
            const Index all = 2 * 50 + (start == ReverseStart::weighted ? 50 : 0) + 10;
            if (steps < all)
                expect_same_everywhere(
                    [=](const Communicator& ranks) {
                        return work_sampler(ranks, ReversibleArGaussian(ReversibleArGaussian::Settings{}),
                                            path::linear_schedule(50, 1),
                                            {.forward = 100,
                                             .reverse = 70,
                                             .block = 16,
                                             .seed = 5,
                                             .start = start,
                                             .equilibration = 10},
                                            2);
                    },
                    steps);
        }
}

TEST(NonequilibriumMpi, FewerBlocksThanRanks) {
    expect_same_everywhere(
        [](const Communicator& ranks) {
            return work_sampler(ranks, TighteningPair(), path::linear_schedule(30, 1),
                                {.forward = 100, .reverse = 20, .block = 64, .seed = 6, .start = ReverseStart::exact});
        },
        45);
}

TEST(NonequilibriumMpi, AFailureOnOneRankIsTheSameErrorOnAll) {
    const auto ranks = Communicator::world();
    for (const Index slot : {0, 96}) { // on the first rank, or the last
        const auto message = failure_of([&] {
            return work_sampler(ranks, FailingBackwards(slot), path::linear_schedule(30, 1),
                                {.forward = 50, .reverse = 100, .seed = 1, .start = ReverseStart::exact});
        });
        EXPECT_THAT(message, ::testing::HasSubstr("slot " + std::to_string(slot) + " failed backwards"));
        EXPECT_EQ(ranks.broadcast(message), message);
    }
}

} // namespace
} // namespace pearlite::algorithm
