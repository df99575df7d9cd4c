// Samplers on several ranks give the same points, weights, traces and errors as on one, bit for bit, also after a store
// and a restore.
#include "algorithm/densities.hpp"
#include "algorithm/likelihood_constrained/likelihood_constrained.hpp"
#include "algorithm/same_everywhere.hpp"
#include "algorithm/smc/waste_free.hpp"
#include "algorithm/spot_check/spot_check.hpp"
#include "kernel/ar_gaussian.hpp"
#include "kernel/native.hpp"
#include "models/gaussian/gaussian.hpp"
#include "models/regression/logistic_regression.hpp"
#include "pearlite/model/detail/target_of.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pearlite::algorithm {
namespace {

using namespace testing;
using kernel::testing::ArGaussian;
using kernel::testing::FailingArGaussian;
using parallel::Communicator;
using population::Resampling;

models::LogisticRegression logistic() {
    models::LogisticRegressionData data;
    random::Stream stream({1, random::Purpose::test, 1, 0});
    data.design = Matrix::NullaryExpr(37, 3, [&](Index, Index) { return stream.normal(); });
    data.response = Vector::NullaryExpr(37, [&](Index) { return stream.bernoulli(0.5) ? 1.0 : 0.0; });
    data.names = {"a", "b", "c"};
    return models::LogisticRegression(data);
}

/// Uniform on (0, 1); a likelihood of 1, and of e^3 on a tenth of it.
struct TwoPlateaus {
    std::vector<std::string> parameter_names() const { return {"x"}; }
    void draw_prior(random::Stream& stream, std::span<double> x) const { x[0] = stream.uniform(); }
    double log_prior(std::span<const double> x) const { return x[0] > 0 && x[0] < 1 ? 0 : log_zero; }
    double log_likelihood(std::span<const double> x) const { return x[0] < 0.9 ? 0 : 3; }
};

TEST(SamplerMpi, AnnealedImportanceWithItsModelsMoves) {
    for (const Index block : {1, 16, 64}) // of the last, fewer than ranks
        expect_same_everywhere(
            [=](const Communicator& ranks) {
                const auto target = model::target_of(ArGaussian(ArGaussian::Settings{}));
                return AnnealedImportance(ranks, target, path::linear_schedule(150, 1), kernel::Native(target, 2),
                                          {100, block, 5});
            },
            70);
}

TEST(SamplerMpi, AnnealedImportanceThatAdapts) {
    expect_same_everywhere(
        [](const Communicator& ranks) {
            return ais_of(ranks, path_of(logistic()), path::linear_schedule(20, 1), 2, {115, 16, 5});
        },
        11);
}

TEST(SamplerMpi, ThePathThatAddsDataPoints) {
    expect_same_everywhere(
        [](const Communicator& ranks) {
            return ais_of(ranks, data_path_of(logistic()), path::linear_schedule(20, 1), 2, {115, 16, 5});
        },
        11);
    expect_same_everywhere(
        [](const Communicator& ranks) {
            return smc_of(ranks, data_path_of(logistic()), path::AdaptiveSchedule{1, 0.8}, 2, {115, 16, 6});
        },
        6);
}

TEST(SamplerMpi, SmcUnderEveryResampling) {
    for (const auto scheme :
         {Resampling::multinomial, Resampling::stratified, Resampling::systematic, Resampling::residual})
        for (const Index block : {4, 64})
            expect_same_everywhere(
                [=](const Communicator& ranks) {
                    return smc_of(ranks, path_of(models::Gaussian({.dimension = 3})), path::AdaptiveSchedule{1, 0.8}, 2,
                                  {115, block, 6}, {scheme, 0.8});
                },
                6);
}

TEST(SamplerMpi, SmcWithLikelihoodsOfZero) {
    for (const int steps : {0, 1}) // within the prior stage
        expect_same_everywhere(
            [](const Communicator& ranks) {
                return ais_of(ranks, path_of(Truncated{}), path::linear_schedule(5, 1), 2, {70, 4, 6});
            },
            steps);
    expect_same_everywhere(
        [](const Communicator& ranks) {
            return smc_of(ranks, path_of(Truncated{}), path::linear_schedule(5, 1), 2, {70, 4, 6},
                          {Resampling::systematic, 0.8});
        },
        2);
}

/// Levels that are chosen online, or as many given ones.
LikelihoodConstrained constrained(const Communicator& ranks, const std::shared_ptr<const path::DensityPath>& path,
                                  std::optional<Levels> levels, Index block) {
    return {ranks,
            path,
            std::move(levels),
            [](const std::shared_ptr<const path::DensityPath>& prior) {
                return std::make_unique<kernel::RandomWalk>(prior, kernel::MoveSettings{.number = {}, .most = 20},
                                                            nullptr);
            },
            {70, block, 6},
            {.remainder = 1e-3}};
}

TEST(SamplerMpi, LikelihoodConstrainedSmc) {
    const auto gaussian = path_of(models::Gaussian({.dimension = 3}));
    for (const Index block : {4, 64})
        expect_same_everywhere(
            [=](const Communicator& ranks) { return constrained(ranks, gaussian, std::nullopt, block); }, 3);
    const auto truncated = path_of(Truncated{}); // within the prior stage, and after it
    const Levels levels{{-2.4, 0}, {-1.8, 0}, {-1.4, 0}};
    for (const int steps : {0, 1, 2})
        expect_same_everywhere([=](const Communicator& ranks) { return constrained(ranks, truncated, levels, 4); },
                               steps);
    const auto plateaus = path_of(TwoPlateaus{});
    expect_same_everywhere([=](const Communicator& ranks) { return constrained(ranks, plateaus, std::nullopt, 4); }, 2);
}

TEST(SamplerMpi, WasteFreeSmcUnderEveryResampling) {
    const auto path = path_of(models::Gaussian({.dimension = 3}));
    for (const auto scheme :
         {Resampling::multinomial, Resampling::stratified, Resampling::systematic, Resampling::residual})
        for (const Index block : {1, 4, 64}) // of 23 chains
            expect_same_everywhere(
                [=](const Communicator& ranks) {
                    return WasteFree(ranks, path, path::AdaptiveSchedule{1, 0.8}, kernel::RandomWalk(path, 2),
                                     {115, block, 6}, {5, scheme});
                },
                6);
}

TEST(SamplerMpi, WasteFreeSmcOfOtherPathsAndMoves) {
    const auto data = data_path_of(logistic());
    expect_same_everywhere(
        [=](const Communicator& ranks) {
            return WasteFree(ranks, data, path::linear_schedule(9, 1), kernel::RandomWalk(data, 1), {120, 4, 5}, {6});
        },
        4);
    const auto truncated = path_of(Truncated{}); // likelihoods of zero
    expect_same_everywhere(
        [=](const Communicator& ranks) {
            return WasteFree(ranks, truncated, path::linear_schedule(5, 1), kernel::RandomWalk(truncated, 1),
                             {70, 4, 6}, {2});
        },
        2);
    expect_same_everywhere(
        [](const Communicator& ranks) {
            const auto target = model::target_of(ArGaussian(ArGaussian::Settings{}));
            return WasteFree(ranks, target, path::linear_schedule(30, 1), kernel::Native(target, 2), {300, 16, 5},
                             {100});
        },
        7);
}

TEST(SamplerMpi, PilotsAndReplicates) {
    for (const int steps : {3, 30}) // saved in the pilot, and in the main run
        expect_same_everywhere([](const Communicator& ranks) { return piloted_smc(ranks, BetaBernoulli{}, 60, 3, 2); },
                               steps);
    expect_same_everywhere([](const Communicator& ranks) { return piloted_ais(ranks, BetaBernoulli{}, 60, 3, 2); }, 30);
}

TEST(SamplerMpi, AFailureOnOneRankIsTheSameErrorOnAll) {
    const auto ranks = Communicator::world();
    for (const Index slot : {0, 96}) { // on the first rank, or the last
        const auto target = model::target_of(FailingArGaussian(slot));
        const kernel::Native kernel(target);
        const auto schedule = path::linear_schedule(300, 1);
        const PopulationSettings settings{100, 16, 1};
        const std::string messages[] = {
            failure_of([&] { return AnnealedImportance(ranks, target, schedule, kernel, settings); }),
            failure_of([&] { return Smc(ranks, target, schedule, kernel, settings, {}); })};
        for (const auto& message : messages) {
            EXPECT_THAT(message, ::testing::HasSubstr("slot " + std::to_string(slot) + " failed at step 5"));
            EXPECT_EQ(ranks.broadcast(message), message);
            if (ranks.size() > 1) {
                EXPECT_THAT(message,
                            ::testing::HasSubstr(slot == 0 ? "rank 0" : "rank " + std::to_string(ranks.size() - 1)));
            }
        }
    }
}

/// NaN at one point of the prior's draws, hence on one rank.
struct NotANumberSomewhere {
    std::vector<std::string> parameter_names() const { return {"x"}; }
    void draw_prior(random::Stream& stream, std::span<double> x) const { x[0] = stream.uniform(); }
    double log_prior(std::span<const double>) const { return 0; }
    double log_likelihood(std::span<const double> x) const { return std::sqrt(x[0] - 0.01); }
};

TEST(SamplerMpi, ADensityThatIsNotANumberOnOneRankIsAnErrorOnAll) {
    const auto ranks = Communicator::world();
    const auto message = failure_of([&] {
        return smc_of(ranks, path_of(NotANumberSomewhere{}), path::linear_schedule(5, 1), 1, {100, 4, 3});
    });
    EXPECT_THAT(message, ::testing::HasSubstr("at step 0, particle "));
    EXPECT_EQ(ranks.broadcast(message), message);
}

std::vector<double> numbers_of(const SpotCheck& check) {
    std::vector<double> numbers{static_cast<double>(check.densities)};
    for (const auto& spot : check.spots)
        for (const double number : {spot.comparison.share, spot.comparison.share_error, spot.comparison.wanted,
                                    spot.comparison.wanted_error, spot.families})
            numbers.push_back(number);
    return numbers;
}

/// The check of a run on these ranks, which it finishes.
std::vector<double> checked(const Communicator& ranks, const model::Target& target, Sampler& run) {
    run.begin();
    while (!run.finished())
        run.step();
    run.flush();
    return numbers_of(spot_check(ranks, target, run.found(), run.outcome(), {2000, 3}));
}

// Catches draws, descents or families that depend on ranks, and replicates of other groups that are left out.
TEST(SamplerMpi, ASpotCheckFindsTheSameOnAnyNumberOfRanks) {
    const auto path = path_of(SlopedPedestal{{.d = 3, .sd = 0.3}});
    const auto smc = [&](const Communicator& ranks, const random::Seed& seed) {
        return std::make_unique<Smc>(ranks, path, path::AdaptiveSchedule{1, 0.8}, kernel::RandomWalk(path, 2),
                                     PopulationSettings{115, 4, seed}, SmcSettings{Resampling::systematic, 0.8});
    };
    for (const Index replicates : {1, 3}) {
        Replicates here(Communicator::alone(), replicates, 5, smc),
            everywhere(Communicator::world(), replicates, 5, smc);
        const auto expected = checked(Communicator::alone(), *path, here);
        EXPECT_GT(expected.size(), 1U);
        EXPECT_EQ(checked(Communicator::world(), *path, everywhere), expected);
    }
}

} // namespace
} // namespace pearlite::algorithm
