// Replicates in groups of ranks against all on one rank, bit for bit, also after a restart on other numbers of ranks;
// groups that wait for others, failures of one group, and a pilot of replicates.
#include "algorithm/parallel_tempering/parallel_tempering.hpp"
#include "algorithm/replicates/enlarged.hpp"
#include "algorithm/same_everywhere.hpp"
#include "algorithm/work_models.hpp"
#include "kernel/ar_gaussian.hpp"
#include "kernel/native.hpp"
#include "models/gaussian/gaussian.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace pearlite::algorithm {
namespace {

using namespace testing;

constexpr Index numbers_of_replicates[] = {2, 3, 5};

/// R replicates that make_one(ranks, seed) returns.
template <class MakeOne>
Replicates replicates_of(const Communicator& ranks, Index n, MakeOne make_one) {
    return {ranks, n, 7, [=](const Communicator& team, random::Seed seed) {
                using One = decltype(make_one(team, seed));
                return std::make_unique<One>(make_one(team, seed));
            }};
}

/// At all numbers of replicates, saved after `steps` of its steps.
template <class MakeOne>
void expect_replicates_same_everywhere(MakeOne make_one, std::initializer_list<int> steps) {
    for (const Index n : numbers_of_replicates)
        for (const int saved_at : steps)
            expect_same_everywhere([=](const Communicator& ranks) { return replicates_of(ranks, n, make_one); },
                                   saved_at);
}

/// Adaptive temperatures: replicates differ in their number.
Smc adaptive_smc(const Communicator& ranks, random::Seed seed) {
    return smc_of(ranks, path_of(models::Gaussian({.dimension = 3})), path::AdaptiveSchedule{1, 0.95}, 1, {44, 8, seed},
                  {population::Resampling::systematic, 0.8});
}

TEST(ReplicatesMpi, OfSmcWithTemperaturesOfTheirOwn) {
    auto all = replicates_of(Communicator::world(), 5, adaptive_smc);
    complete(all);
    std::set<std::size_t> lengths;
    for (const auto& trace : traces_of(Communicator::world(), all.found()))
        lengths.insert(trace.inverse_temperature.size());
    if (Communicator::world().is_root()) {
        EXPECT_GT(lengths.size(), 1u);
    }
    const int last = static_cast<int>(Communicator::world().max(lengths.empty() ? 0 : Index(*lengths.rbegin()))) - 1;
    expect_replicates_same_everywhere(adaptive_smc, {0, 3, 17, last - 1, last + 2});
}

/// Checkpoints are numbered by the step. Where the first replicate ends before others it has fewer steps than they
/// have.
TEST(ReplicatesMpi, StepsNeverFall) {
    for (const Index n : {2, 5, 9}) {
        auto all = replicates_of(Communicator::world(), n, adaptive_smc);
        all.begin();
        Index before = 0;
        while (!all.finished()) {
            all.step();
            all.flush();
            EXPECT_GE(all.progress().step, before) << n;
            before = all.progress().step;
        }
    }
}

TEST(ReplicatesMpi, OfAnnealedImportance) {
    expect_replicates_same_everywhere(
        [](const Communicator& ranks, random::Seed seed) {
            return ais_of(ranks, path_of(BetaBernoulli{}), path::linear_schedule(40, 1), 2, {60, 16, seed});
        },
        {1, 33});
}

TEST(ReplicatesMpi, OfNonequilibriumTrajectories) {
    expect_replicates_same_everywhere(
        [](const Communicator& ranks, random::Seed seed) {
            return work_sampler(ranks, ReversibleArGaussian(ReversibleArGaussian::Settings{}),
                                path::linear_schedule(30, 1),
                                {.forward = 50,
                                 .reverse = 40,
                                 .block = 16,
                                 .seed = seed,
                                 .start = ReverseStart::weighted,
                                 .equilibration = 10},
                                2);
        },
        {20, 47, 80});
}

TEST(ReplicatesMpi, OfParallelTempering) {
    expect_replicates_same_everywhere(
        [](const Communicator& ranks, random::Seed seed) {
            const auto target = model::target_of(ReversibleArGaussian(ReversibleArGaussian::Settings{}));
            return ParallelTempering(ranks, target, path::linear_schedule(5, 0.7), kernel::Native(target),
                                     {8, 60, 15, seed});
        },
        {23});
}

TEST(ReplicatesMpi, SaysTheSameOfAllOnEveryRank) {
    const auto world = Communicator::world();
    auto everywhere = replicates_of(world, 3, adaptive_smc),
         here = replicates_of(Communicator::alone(), 3, adaptive_smc);
    complete(everywhere);
    complete(here);
    everywhere.flush();
    EXPECT_EQ(everywhere.log_ratios(), here.log_ratios());
    EXPECT_EQ(everywhere.progress().step, here.progress().step);
    EXPECT_EQ(everywhere.progress().likelihoods, here.progress().likelihoods);
    const auto found = everywhere.found(), found_here = here.found();
    EXPECT_EQ(found.prediction_seed, found_here.prediction_seed);
    const auto traces = traces_of(world, found), traces_here = traces_of(Communicator::alone(), found_here);
    EXPECT_EQ(traces.size(), world.is_root() ? 3u : 0u);
    for (std::size_t r = 0; r < traces.size(); ++r)
        EXPECT_EQ(traces[r].log_ratio, traces_here[r].log_ratio);
    for (Index r = 0; r < 3; ++r) { // one share after another covers all slots
        const auto share = shares_of(world, found, r).front(),
                   whole = shares_of(Communicator::alone(), found_here, r).front();
        EXPECT_EQ(share.size(), whole.size());
        EXPECT_EQ(share.local_size() > 0, everywhere.has_replicate(r) && share.local_blocks() > 0);
        const auto weights = world.all_gather(share.log_weights());
        EXPECT_TRUE(std::ranges::equal(weights, whole.log_weights()));
    }
}

TEST(ReplicatesMpi, MayBeAPilot) {
    const auto world = Communicator::world();
    auto pilot = replicates_of(world, 3, adaptive_smc), alone = replicates_of(Communicator::alone(), 3, adaptive_smc);
    complete(pilot);
    complete(alone);
    const auto found = tuning_of(world, pilot, PilotReference::wanted);
    const auto expected = tuning_of(Communicator::alone(), alone, PilotReference::wanted);
    EXPECT_EQ(found.inverse_temperatures, expected.inverse_temperatures);
    EXPECT_EQ(found.kernel, expected.kernel);
    EXPECT_EQ(found.reference.points, expected.reference.points);
    EXPECT_EQ(found.reference.log_weights, expected.reference.log_weights);
}

/// Fails in one replicate alone.
TEST(ReplicatesMpi, AFailureOfOneGroupIsTheSameErrorOnAll) {
    const auto ranks = Communicator::world();
    for (const std::uint64_t failing : {0, 2}) {
        const auto message = failure_of([&] {
            return Replicates(ranks, 3, 7, [=](const Communicator& team, random::Seed seed) {
                const Index slot = seed == random::derive_seed(7, failing) ? 48 : 1000;
                const auto target = model::target_of(kernel::testing::FailingArGaussian(slot));
                return std::make_unique<Smc>(team, target, path::linear_schedule(300, 1), kernel::Native(target),
                                             PopulationSettings{100, 16, seed}, SmcSettings{});
            });
        });
        EXPECT_THAT(message, ::testing::HasSubstr("slot 48 failed at step 5"));
        EXPECT_EQ(ranks.broadcast(message), message);
    }
}

/// From 256 particles on; the first of them of another normal distribution if `first_is_wrong`.
Enlarged enlarged_smc(const Communicator& ranks, TargetError wanted, bool first_is_wrong = false) {
    return {ranks, wanted, 256, 32, [=](Index particles, Index stage) {
                models::GaussianSettings settings{.dimension = 3, .start_mean = 1, .start_sd = 2};
                if (first_is_wrong && stage == 0)
                    settings.end_sd = 0.7;
                return std::make_unique<Smc>(smc_of(ranks, path_of(models::Gaussian(settings)),
                                                    path::AdaptiveSchedule{1, 0.9}, 2,
                                                    {particles, 64, random::derive_seed(7, std::uint64_t(stage))},
                                                    {population::Resampling::systematic, 0.8}));
            }};
}

TEST(EnlargedMpi, IsTheSameEverywhere) {
    for (const int steps : {0, 3, 10}) // in both populations
        expect_same_everywhere([](const Communicator& ranks) { return enlarged_smc(ranks, {.error = 0.004}); }, steps);
}

TEST(EnlargedMpi, IsAsLargeAsTheErrorOfTheFirstAsksFor) {
    const auto world = Communicator::world();
    auto first = enlarged_smc(world, {.error = 1e9}), all = enlarged_smc(world, {.error = 0.004});
    complete(first);
    complete(all);
    EXPECT_EQ(first.sizes(), (std::vector<Index>{256}));
    const auto found = first.outcome(), enlarged = all.outcome();
    if (world.is_root()) {
        EXPECT_GT(found.log_ratio.front().standard_error.value(), 0.004);
        const auto wanted = enlarged_particles(256, found.log_ratio, 0.004);
        EXPECT_EQ(all.sizes(), (std::vector<Index>{256, (wanted + 31) / 32 * 32}));
        EXPECT_LE(enlarged.log_ratio.front().standard_error.value(), 0.004);
        EXPECT_TRUE(enlarged.warnings.empty());
    }
    EXPECT_GT(all.progress().likelihoods.value(), first.progress().likelihoods.value());
}

TEST(EnlargedMpi, WarnsAtItsLargestSizeAndWherePopulationsDiffer) {
    auto limited = enlarged_smc(Communicator::world(), {.error = 1e-3, .most_particles = 600});
    auto wrong = enlarged_smc(Communicator::world(), {.error = 0.004}, true);
    complete(limited);
    complete(wrong);
    EXPECT_EQ(limited.sizes(), (std::vector<Index>{256, 576}));
    const auto warnings = limited.outcome().warnings, of_wrong = wrong.outcome().warnings;
    if (Communicator::world().is_root()) {
        EXPECT_THAT(warnings, ::testing::Contains(::testing::HasSubstr("not the wanted 0.001 with 576 particles")));
        EXPECT_THAT(of_wrong, ::testing::Contains(::testing::HasSubstr("joint errors away")));
    }
}

} // namespace
} // namespace pearlite::algorithm
