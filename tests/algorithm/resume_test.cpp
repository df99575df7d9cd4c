// A sampler that is read from a checkpoint draws no start and gives the results of an uninterrupted one.
#include "algorithm/alone.hpp"
#include "algorithm/densities.hpp"
#include "algorithm/importance_squared/importance_squared.hpp"
#include "algorithm/nonequilibrium/nonequilibrium.hpp"
#include "algorithm/parallel_tempering/parallel_tempering.hpp"
#include "algorithm/pseudo_marginal/pseudo_marginal.hpp"
#include "algorithm/smc/waste_free.hpp"
#include "algorithm/work_models.hpp"
#include "pearlite/model/detail/target_of.hpp"
#include "population/memory_fields.hpp"

#include <functional>
#include <gtest/gtest.h>

namespace pearlite::algorithm {
namespace {

using namespace testing;
using testing_support::restore;
using testing_support::store;

Index starts = 0;      ///< calls of draw_start
Index evaluations = 0; ///< of a density, by point

struct CountingToy : ReversibleArGaussian {
    CountingToy() : ReversibleArGaussian(Settings{}) {}
    void draw_start(Block& block, const model::BlockStreams& streams) const {
        ++starts;
        ArGaussian::draw_start(block, streams);
    }
    void draw_end(Block& block, double b, const model::BlockStreams& streams) const {
        ++starts;
        ReversibleArGaussian::draw_end(block, b, streams);
    }
};

struct CountingCoin : BetaBernoulli {
    void draw_prior(random::Stream& stream, std::span<double> x) const {
        ++starts;
        BetaBernoulli::draw_prior(stream, x);
    }
    double log_likelihood(std::span<const double> x) const {
        ++evaluations;
        return BetaBernoulli::log_likelihood(x);
    }
};

using Make = std::function<std::unique_ptr<Sampler>()>;

/// Stored after so many steps; `draws` says whether the algorithm draws anything when it begins.
void expect_resume_without_starts(const Make& make, int steps, bool draws = true) {
    const auto whole = make(), stopped = make(), resumed = make();
    complete(*whole);
    whole->flush();

    starts = evaluations = 0;
    stopped->begin();
    EXPECT_EQ(starts + evaluations > 0, draws);
    for (int step = 0; step < steps; ++step)
        stopped->step();
    stopped->flush();
    auto saved = store(alone, *stopped);

    starts = evaluations = 0;
    restore(alone, saved, *resumed);
    EXPECT_EQ(starts, 0);
    EXPECT_EQ(evaluations, 0);
    EXPECT_EQ(resumed->progress().step, stopped->progress().step);
    EXPECT_EQ(store(alone, *resumed), saved);
    finish(*resumed);
    resumed->flush();
    EXPECT_EQ(store(alone, *resumed), store(alone, *whole));
}

TEST(Resume, ModelsWithTransitionsDrawNoStart) {
    const auto target = model::target_of(CountingToy());
    const kernel::Native kernel(target);
    const auto schedule = path::linear_schedule(20, 1);
    const PopulationSettings population{50, 16, 3};
    for (const int steps : {0, 1, 12}) {
        expect_resume_without_starts(
            [&] { return std::make_unique<AnnealedImportance>(alone, target, schedule, kernel, population); }, steps);
        expect_resume_without_starts(
            [&] { return std::make_unique<Smc>(alone, target, schedule, kernel, population, SmcSettings{}); }, steps);
        expect_resume_without_starts(
            [&] {
                return std::make_unique<WasteFree>(alone, target, schedule, kernel, population, WasteFreeSettings{5});
            },
            steps);
        expect_resume_without_starts(
            [&] {
                return std::make_unique<ParallelTempering>(alone, target, path::linear_schedule(5, 1), kernel,
                                                           TemperingSettings{8, 20, 4, 3});
            },
            steps);
        expect_resume_without_starts(
            [&] {
                return std::make_unique<Replicates>(alone, 3, 7, [&](const auto&, random::Seed seed) {
                    return std::make_unique<AnnealedImportance>(alone, target, schedule, kernel,
                                                                PopulationSettings{50, 16, seed});
                });
            },
            steps);
    }
}

TEST(Resume, TrajectoriesThatRunBackwardsDrawNoStart) {
    const auto target = model::target_of(CountingToy());
    for (const auto start : {ReverseStart::exact, ReverseStart::mode, ReverseStart::weighted})
        for (const int steps : {0, 9, 20, 24, 35}) // forward, a pool or equilibration, backwards
            expect_resume_without_starts(
                [&] {
                    return std::make_unique<Nonequilibrium>(
                        alone, target, path::linear_schedule(15, 1), kernel::Native(target),
                        NonequilibriumSettings{
                            .forward = 40, .reverse = 30, .seed = 5, .start = start, .equilibration = 10});
                },
                steps);
}

TEST(Resume, DensitiesAreNeitherDrawnFromNorEvaluated) {
    const auto path = path_of(CountingCoin());
    const random::StudentMixture first({{1, Vector::Constant(1, 0.5), Matrix::Constant(1, 1, 0.01)}}, 5);
    for (const int steps : {0, 2}) {
        expect_resume_without_starts(
            [&] {
                return std::make_unique<Smc>(
                    smc_of(alone, path, path::AdaptiveSchedule{1, 0.8}, 2, {100, 16, 2}, {.ess_threshold = 0.9}));
            },
            steps);
        expect_resume_without_starts(
            [&] {
                return std::make_unique<WasteFree>(alone, path, path::AdaptiveSchedule{1, 0.8},
                                                   kernel::RandomWalk(path, 1), PopulationSettings{100, 16, 2},
                                                   WasteFreeSettings{10});
            },
            steps);
        expect_resume_without_starts(
            [&] {
                return std::make_unique<PseudoMarginal>(alone, path, Matrix::Constant(1, 6, 0.5),
                                                        Matrix::Constant(1, 1, 0.05), PopulationSettings{6, 2, 3},
                                                        ChainSettings{300, 60, 2});
            },
            steps);
        expect_resume_without_starts(
            [&] {
                return std::make_unique<ImportanceSquared>(alone, path, first, PopulationSettings{600, 16, 3},
                                                           ImportanceSettings{200, 2, 0.1});
            },
            steps, false);
    }
}

TEST(Resume, InThePilotAndAfterItNothingIsDrawn) {
    for (const int steps : {0, 2, 30})
        expect_resume_without_starts(
            [&] { return std::make_unique<Piloted>(piloted_smc(alone, CountingCoin(), 60, 2, 4)); }, steps);
}

} // namespace
} // namespace pearlite::algorithm
