// Messages of a step: reductions of a few words for any number of particles, and reports of the chains of a search.
#include "algorithm/densities.hpp"
#include "algorithm/search_invariance.hpp"
#include "core/exact_sum.hpp"
#include "parallel/rank_costs.hpp"
#include "pearlite/kernel/box_space.hpp"

#include <gtest/gtest.h>
#include <utility>

namespace pearlite::algorithm {
namespace {

using namespace testing;
using parallel::message_count;
using parallel::MessageCount;

constexpr Index steps = 12;

/// Messages of a whole run without its start and its estimates.
template <class S>
MessageCount messages_of(S sampler) {
    sampler.begin();
    const auto before = message_count();
    finish(sampler);
    return message_count() - before;
}

MessageCount messages_of_annealing(Index particles) {
    return messages_of(ais_of(Communicator::world(), path_of(BetaBernoulli{}), path::linear_schedule(steps, 1), 2,
                              {particles, 16, 3}));
}
/// Resampled at every step, or at none.
MessageCount messages_of_smc(Index particles, double ess_threshold) {
    return messages_of(smc_of(Communicator::world(), path_of(BetaBernoulli{}), path::linear_schedule(steps, 1), 2,
                              {particles, 16, 3}, {population::Resampling::systematic, ess_threshold, false}));
}

void expect_equal_reductions(const MessageCount& few, const MessageCount& many) {
    EXPECT_EQ(few.reductions, many.reductions);
    EXPECT_EQ(few.reduced_words, many.reduced_words);
}

// A sum is exact, in ExactSum::n_words words: four of the trace, ten of the motion in one dimension, three of the
// kernel's moments.
TEST(MessageCount, TrajectoriesMeetInReductionsAlone) {
    const auto few = messages_of_annealing(256), many = messages_of_annealing(2048);
    expect_equal_reductions(few, many);
    EXPECT_LE(many.reduced_words, (steps + 1) * 18 * ExactSum::n_words);
    EXPECT_EQ(many.sends, 0);
    EXPECT_EQ(many.collected_bytes, 0);
}

// Beside reductions, ranks exchange counts and, from time to time, the cost of each block of 16 particles.
TEST(MessageCount, AStepOfSmcReducesTheSameForAnyNumberOfParticles) {
    const Index ranks = Communicator::world().size();
    for (const double ess_threshold : {0.0, 2.0}) {
        const auto few = messages_of_smc(256, ess_threshold), many = messages_of_smc(2048, ess_threshold);
        expect_equal_reductions(few, many);
        EXPECT_LE(many.reduced_words, (steps + 1) * 34 * ExactSum::n_words);
        for (const auto& [count, blocks] : {std::pair{few, Index{16}}, {many, Index{128}}})
            EXPECT_LE(count.collected_bytes, (steps + 1) * (64 * ranks + 16 * blocks));
    }
}

// No particle moves and no family leaves its owner's rank without resampling; with it, a rank sends no more than its
// particles and a term of each family (40 bytes at most, in each of three sums).
TEST(MessageCount, SmcSendsSurplusAndFamilies) {
    const Index particles = 1536, ranks = Communicator::world().size(); // whole blocks, equally many a rank
    EXPECT_EQ(messages_of_smc(particles, 0).sent_bytes, 0);
    const auto resampled = messages_of_smc(particles, 2);
    const Index particle_bytes = 64, family_bytes = 3 * 40;
    EXPECT_LE(resampled.sent_bytes, steps * (particles / ranks) * (particle_bytes + family_bytes));
    EXPECT_EQ(resampled.sends > 0, ranks > 1);
}

/// Resampled at every step; a group of ranks for each replicate.
Replicates replicates_of_smc(Index replicates) {
    return {Communicator::world(), replicates, 3, [](const Communicator& team, random::Seed seed) {
                return std::make_unique<Smc>(smc_of(team, path_of(BetaBernoulli{}), path::linear_schedule(steps, 1), 2,
                                                    {256, 16, seed}, {population::Resampling::systematic, 2, false}));
            }};
}

// If every replicate has its own rank, ranks communicate only to agree that no rank failed and that all are finished.
TEST(MessageCount, ReplicatesOnRanksOfTheirOwnSendNothing) {
    const Index ranks = Communicator::world().size();
    for (const Index replicates : {ranks, 2 * ranks + 1}) {
        auto sampler = replicates_of_smc(replicates);
        sampler.begin();
        const auto before = message_count();
        for (Index step = 0; step + 1 < steps; ++step)
            sampler.step();
        EXPECT_EQ(message_count() - before, MessageCount{});
        sampler.step();
        EXPECT_TRUE(sampler.finished());
        const auto agreement = message_count() - before;
        EXPECT_LE(agreement.reductions, 1);
        EXPECT_LE(agreement.other_collectives, 3);
        EXPECT_EQ(agreement.sends, 0);
    }
}

MessageCount messages_of_search(Index chains, Index iterations) {
    SearchSettings settings;
    settings.chains = chains;
    settings.iterations = iterations;
    settings.seed = 3;
    settings.temperature.low = 0.05;
    settings.partition = model::EnergyPartition::uniform(-2.5, 3, 30);
    settings.gain = {40, 0.6};
    auto search = begun(Communicator::world(), model::space_of(wells(kernel::BoxOperations::names())), settings);
    const auto before = message_count();
    finish_search(search);
    return message_count() - before;
}

// Each iteration shares a report of 14 bytes for every chain and, for crossovers, the children of each pair and the
// state of the partner.
TEST(MessageCount, AnIterationOfASearchSharesAReportOfEachChain) {
    const Index ranks = Communicator::world().size(), iterations = 200;
    for (const Index chains : {12, 48}) {
        const auto count = messages_of_search(chains, iterations);
        EXPECT_EQ(count.reduced_words, 0);
        EXPECT_LE(count.collected_bytes, ranks == 1 ? 0 : iterations * (chains * 64 + ranks * 8));
        EXPECT_LE(count.sent_bytes, iterations * chains * 64);
        EXPECT_LE(count.other_collectives, 3 * iterations);
    }
}

} // namespace
} // namespace pearlite::algorithm
