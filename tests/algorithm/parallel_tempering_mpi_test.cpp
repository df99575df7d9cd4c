// Temperatures on several ranks against all on one, bit for bit, also after a restart and with more ranks than
// temperatures.
#include "algorithm/densities.hpp"
#include "algorithm/parallel_tempering/parallel_tempering.hpp"
#include "algorithm/same_everywhere.hpp"
#include "algorithm/work_models.hpp"
#include "kernel/native.hpp"
#include "models/gaussian/autoregressive_gaussian.hpp"
#include "models/lattice/ising.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pearlite::algorithm {
namespace {

using namespace testing;

template <class M>
auto tempering(const Communicator& ranks, const M& model, Index temperatures, Index replicas, Index scans) {
    const auto target = model::target_of(model);
    return ParallelTempering(ranks, target, path::linear_schedule(temperatures - 1, 0.7), kernel::Native(target),
                             {replicas, scans, scans / 4, 5});
}

TEST(ParallelTemperingMpi, StatesThatSwap) {
    for (const Index temperatures : {3, 7, 9})
        expect_same_everywhere(
            [=](const Communicator& ranks) {
                return tempering(ranks, models::Ising({.size = 4}), temperatures, 40, 60);
            },
            23);
}

TEST(ParallelTemperingMpi, StatesThatArePacked) {
    expect_same_everywhere(
        [](const Communicator& ranks) {
            return tempering(ranks, ReversibleArGaussian(ReversibleArGaussian::Settings{}), 8, 12, 400);
        },
        301);
}

TEST(ParallelTemperingMpi, StatesThatAreRecorded) {
    for (const std::size_t most_bytes : {std::size_t{1} << 20, std::size_t{1} << 12}) // all scans, or some
        expect_same_everywhere(
            [=](const Communicator& ranks) {
                const auto path = path_of(BetaBernoulli{});
                return ParallelTempering(ranks, path, path::linear_schedule(5, 1),
                                         kernel::RandomWalk::constant(path, 2, Matrix::Constant(1, 1, 0.2)),
                                         TemperingSettings{12, 60, 10, 5, false, {}, most_bytes});
            },
            31);
}

TEST(ParallelTemperingMpi, AFailureOnOneRankIsTheSameErrorOnAll) {
    const auto ranks = Communicator::world();
    for (const Index slot : {16, 7 * 16}) { // on the first rank, or the last
        const auto message = failure_of([&] {
            const auto target = model::target_of(kernel::testing::FailingArGaussian(slot));
            return ParallelTempering(ranks, target, path::linear_schedule(7, 1), kernel::Native(target),
                                     {16, 50, 10, 5});
        });
        EXPECT_THAT(message, ::testing::HasSubstr("slot " + std::to_string(slot) + " failed at step 5"));
        EXPECT_EQ(ranks.broadcast(message), message);
    }
}

} // namespace
} // namespace pearlite::algorithm
