// Growing populations on several ranks give the bits of one rank, also after a store within a step that enlarges the
// population.
#include "algorithm/growing_chains.hpp"
#include "algorithm/same_everywhere.hpp"

#include <gtest/gtest.h>

namespace pearlite::algorithm {
namespace {

using namespace testing;
using Allocation = ResampleMoveSettings::Allocation;

TEST(ResampleMoveMpi, EachGeneratorAndTarget) {
    const std::pair<GrowingPointer, std::shared_ptr<const Generator>> cases[] = {
        {growing_orthant(9, 0.8, 4), nullptr},
        {growing_orthant(9, 0.8, 4), moving_on()},
        {growing_orthant(9, 0.8, 4), anticipating()},
        {growing_rbm(9, 5), moving_on()},
        {growing_rbm(9, 5), anticipating()},
        {growing_rbm(9, 5), reseeding(3)},
        {growing_lattice(2), moving_on()},
        {growing_lattice(5), anticipating()},
        {growing_series(9, false), nullptr},
        {growing_series(9, true), anticipating()},
        {growing_volatility(9, true, true), moving_on()},
        {growing_volatility(9, false, false), anticipating()},
        {growing_chain<WeighedChain>(9, 3, 3), moving_on()},
        {growing_chain<ProposedChain>(9, 3, 3), anticipating()}};
    const std::pair<Allocation, int> stops[] = {
        {Allocation::threshold, 5}, {Allocation::crossed, 1}, {Allocation::theorem, 9}};
    for (const auto& [target, generator] : cases)
        for (const auto& [allocation, steps] : stops)
            expect_same_everywhere(
                [&, target = target, generator = generator, allocation = allocation](const Communicator& ranks) {
                    return growing_run(ranks, target, generator, {117, 16, 7},
                                       {.gamma_threshold = 0.98, .most_passes = 3, .allocation = allocation});
                },
                generator ? steps : std::min(steps, 6));
}

TEST(ResampleMoveMpi, EachResamplingWithFewerBlocksThanRanks) {
    using population::Resampling;
    for (const auto scheme :
         {Resampling::multinomial, Resampling::stratified, Resampling::systematic, Resampling::residual})
        expect_same_everywhere(
            [&](const Communicator& ranks) {
                return growing_run(ranks, growing_orthant(7, 0.7, 3), anticipating(), {20, 16, 8},
                                   {.gamma_threshold = 0.98, .most_passes = 2, .resampling = scheme});
            },
            4);
}

} // namespace
} // namespace pearlite::algorithm
