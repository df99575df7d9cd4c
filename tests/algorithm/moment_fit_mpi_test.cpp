// Runs along paths of averaged moments on several ranks give the bits of one rank, also after a store and a restore in
// each of their parts.
#include "algorithm/moment_runs.hpp"
#include "algorithm/same_everywhere.hpp"

#include <gtest/gtest.h>

namespace pearlite::algorithm {
namespace {

using namespace testing;

TEST(MomentAveragedMpi, IsTheSameEverywhere) {
    const auto target = small_rbm(37, 11);
    for (const Index chains : {16, 90})        // of the first, a piece for one rank alone
        for (const int stop : {7, 30, 60, 95}) // at the path's end, at its first and second knot, and in the run
            expect_same_everywhere(
                [=](const Communicator& ranks) {
                    return MomentAveraged(ranks, target,
                                          {.knots = 2, .chains = chains, .end_sweeps = 20, .updates = 30}, 3,
                                          [=](std::shared_ptr<const model::Target> path) {
                                              return annealed_along(ranks, std::move(path), 25, 1, {40, 16, 4});
                                          });
                },
                stop);
}

} // namespace
} // namespace pearlite::algorithm
