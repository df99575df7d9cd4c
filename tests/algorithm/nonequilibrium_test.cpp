// z-scores are compared with 5 (a false alarm once in 2e6); there are about 20, on fixed seeds.
#include "algorithm/alone.hpp"
#include "algorithm/nonequilibrium/nonequilibrium.hpp"

#include "algorithm/annealed_importance/annealed_importance.hpp"
#include "algorithm/densities.hpp"
#include "algorithm/work_models.hpp"
#include "models/gaussian/autoregressive_gaussian.hpp"
#include "models/lattice/ising.hpp"
#include "population/memory_fields.hpp"

#include <cstring>
#include <gtest/gtest.h>

namespace pearlite::algorithm {
namespace {

using namespace testing;

path::Schedule toy_schedule(Index steps) {
    std::vector<double> points;
    for (Index k = 0; k <= steps; ++k)
        points.push_back((std::pow(100, static_cast<double>(k) / static_cast<double>(steps)) - 1) / 99);
    points.back() = 1;
    return path::Schedule(points);
}

template <class M>
Outcome outcome_of(const M& model, const path::Schedule& schedule, const NonequilibriumSettings& settings) {
    auto sampler = work_sampler(alone, model, schedule, settings);
    complete(sampler);
    return sampler.outcome();
}

TEST(Nonequilibrium, EveryEstimatorFindsMinusLogTen) {
    const auto outcome = outcome_of(ReversibleArGaussian(ReversibleArGaussian::Settings{}), toy_schedule(50),
                                    {.forward = 20000, .reverse = 20000, .seed = 1, .start = ReverseStart::exact});
    EXPECT_EQ(outcome.log_ratio.front().estimator, "bar");
    for (const char* name : {"bar", "histogram", "jarzynski-forward", "jarzynski-reverse"})
        EXPECT_LT(std::fabs(z_of(outcome, name, -std::log(10))), 5) << name;
    EXPECT_LT(*estimate_of(outcome, "bar").standard_error, 0.01);
    EXPECT_EQ(outcome.verdict.substr(0, 5), "agree") << outcome.verdict;
}

TEST(Nonequilibrium, UnequalNumbersOfTrajectories) {
    const auto outcome = outcome_of(ReversibleArGaussian(ReversibleArGaussian::Settings{}), toy_schedule(50),
                                    {.forward = 4000, .reverse = 1000, .seed = 2, .start = ReverseStart::exact});
    for (const char* name : {"bar", "histogram"})
        EXPECT_LT(std::fabs(z_of(outcome, name, -std::log(10))), 5) << name;
}

TEST(Nonequilibrium, ForwardTrajectoriesAreThoseOfAnnealedImportanceSampling) {
    const ReversibleArGaussian toy(ReversibleArGaussian::Settings{});
    auto sampler = work_sampler(alone, toy, toy_schedule(20),
                                {.forward = 100, .reverse = 50, .seed = 3, .start = ReverseStart::exact});
    const auto target = model::target_of(toy);
    AnnealedImportance ais(alone, target, toy_schedule(20), kernel::Native(target), {100, 16, 3});
    complete(sampler);
    complete(ais);
    EXPECT_EQ(sampler.population().generation(0).log_weights(), ais.population().generation(0).log_weights());
    EXPECT_EQ(sampler.trace().log_ratio, ais.trace().log_ratio);
    EXPECT_EQ(sampler.trace().variance_u, ais.trace().variance_u);
}

TEST(Nonequilibrium, ReverseTrajectoriesAreAPlainLoop) {
    const TighteningPair pair;
    const auto schedule = path::linear_schedule(7, 1);
    auto sampler =
        work_sampler(alone, pair, schedule, {.forward = 30, .reverse = 16, .seed = 4, .start = ReverseStart::exact});
    complete(sampler);

    auto block = pair.make_block(16);
    const auto streams = [](Index n) { return model::BlockStreams{4, static_cast<std::uint32_t>(n), 1, 0, 0}; };
    pair.draw_end(block, 1, streams(8));
    std::vector<double> work(16, 0.0), u(16);
    for (Index k = 6; k >= 0; --k) {
        for (Index i = 0; i < 16; ++i) // E_{k+1} - E_k
            work[static_cast<std::size_t>(i)] -=
                TighteningPair::log_f(schedule[k + 1], block.columns()(0, i), block.columns()(1, i)) -
                TighteningPair::log_f(schedule[k], block.columns()(0, i), block.columns()(1, i));
        if (k > 0)
            pair.move_reversed(block, schedule[k], streams(14 - k));
    }
    const auto& found = sampler.population().generation(1).log_weights();
    for (std::size_t i = 0; i < 16; ++i)
        EXPECT_NEAR(found[i], work[i], 1e-12);
}

TEST(Nonequilibrium, BarSeesAWrongOrderOfSubUpdates) {
    const auto schedule = path::linear_schedule(2, 1);
    const double exact = *TighteningPair().exact_log_ratio(1);
    const NonequilibriumSettings settings{
        .forward = 80000, .reverse = 80000, .block = 512, .seed = 5, .start = ReverseStart::exact};
    EXPECT_LT(std::fabs(z_of(outcome_of(TighteningPair(), schedule, settings), "bar", exact)), 5);
    EXPECT_GT(std::fabs(z_of(outcome_of(WronglyReversedPair(), schedule, settings), "bar", exact)), 6);
}

TEST(Nonequilibrium, ReverseStartsFromTheModeNeedEquilibration) {
    ReversibleArGaussian::Settings slow;
    slow.correlation = 0.95;
    NonequilibriumSettings settings{.forward = 4000, .reverse = 4000, .seed = 6, .start = ReverseStart::mode};
    settings.equilibration = 100;
    const auto ready = outcome_of(ReversibleArGaussian(slow), toy_schedule(20), settings);
    EXPECT_LT(std::fabs(z_of(ready, "bar", -std::log(10))), 5);
    EXPECT_EQ(ready.verdict.substr(0, 5), "agree") << ready.verdict;

    for (const Index too_few : {0, 6}) {
        settings.equilibration = too_few;
        const auto unready = outcome_of(ReversibleArGaussian(slow), toy_schedule(20), settings);
        EXPECT_EQ(unready.verdict.substr(0, 13), "reverse start") << unready.verdict;
        EXPECT_FALSE(estimate_of(unready, "bar").standard_error.has_value());
        EXPECT_LT(std::fabs(z_of(unready, "jarzynski-forward", -std::log(10))), 5); // owes nothing to the starts
    }
}

TEST(Nonequilibrium, ReverseStartsFromWeightedForwardEndStates) {
    NonequilibriumSettings settings{.forward = 4000, .reverse = 4000, .seed = 7, .start = ReverseStart::weighted};
    settings.equilibration = 10;
    const auto outcome = outcome_of(ReversibleArGaussian(ReversibleArGaussian::Settings{}), toy_schedule(50), settings);
    EXPECT_LT(std::fabs(z_of(outcome, "bar", -std::log(10))), 5);
    EXPECT_LT(std::fabs(z_of(outcome, "jarzynski-reverse", -std::log(10))), 5);
}

TEST(Nonequilibrium, AveragesAreThoseOfTheTrajectories) {
    const Index steps = 12;
    auto sampler = work_sampler(alone, ReversibleArGaussian(ReversibleArGaussian::Settings{}), toy_schedule(steps),
                                {.forward = 500, .reverse = 300, .seed = 8, .start = ReverseStart::exact});
    complete(sampler);
    const auto outcome = sampler.outcome();
    const auto array = [&](const std::string& path) {
        for (const auto& candidate : outcome.arrays)
            if (candidate.path == path)
                return candidate.values;
        throw std::out_of_range(path);
    };
    testing_support::Stored stored;
    testing_support::MemoryFields fields(alone, stored, false);
    sampler.found().sharded_results(fields);
    const auto works_of = [&](const std::string& direction) {
        const auto& bytes = stored.at("work/" + direction);
        std::vector<double> works(bytes.size() / sizeof(double));
        std::memcpy(works.data(), bytes.data(), bytes.size());
        return works;
    };
    const auto mean = [](const std::vector<double>& values) { return MeanError(values).mean; };
    const auto sd = [](const std::vector<double>& values) {
        return MeanError(values).error * std::sqrt(static_cast<double>(values.size()));
    };
    for (const std::string direction : {"forward", "reverse"}) {
        const auto works = works_of(direction);
        EXPECT_EQ(works.size(), direction == "forward" ? 500u : 300u);
        ASSERT_EQ(array("hysteresis/" + direction + "/mean_work").size(), static_cast<std::size_t>(steps + 1));
        EXPECT_EQ(array("hysteresis/" + direction + "/mean_work").front(), 0);
        EXPECT_NEAR(array("hysteresis/" + direction + "/mean_work").back(), mean(works), 1e-12);
        EXPECT_NEAR(array("hysteresis/" + direction + "/sd_work").back(), sd(works), 1e-10);
    }
    EXPECT_EQ(array("hysteresis/forward/inverse_temperature"), toy_schedule(steps).points());
    auto backwards = array("hysteresis/reverse/inverse_temperature");
    std::reverse(backwards.begin(), backwards.end());
    EXPECT_EQ(backwards, toy_schedule(steps).points());
}

TEST(Nonequilibrium, TrajectoriesThatMixAtOnceHaveTheMomentsOfEquilibrium) {
    const Index steps = 8, n = 4000;
    const models::AutoregressiveGaussian model({.dimension = 2}, 0.0);
    const auto array_of = [&](const models::AutoregressiveGaussian& toy) {
        const auto outcome = outcome_of(toy, toy_schedule(steps),
                                        {.forward = n, .reverse = n, .seed = 12, .start = ReverseStart::exact});
        return [outcome](const std::string& path) {
            for (const auto& candidate : outcome.arrays)
                if (candidate.path == "hysteresis/" + path)
                    return candidate.values;
            throw std::out_of_range(path);
        };
    };
    const auto array = array_of(model);
    EXPECT_EQ(array("equilibrium/inverse_temperature"), toy_schedule(steps).points());
    const auto exact_u = array("equilibrium/mean_u"), exact = array("equilibrium/mean_x2"),
               exact_sd = array("equilibrium/sd_x2");
    for (const std::string direction : {"forward", "reverse"}) {
        auto u = array(direction + "/mean_u"), sd_u = array(direction + "/sd_u"), mean = array(direction + "/mean_x2"),
             sd = array(direction + "/sd_x2");
        if (direction == "reverse")
            for (auto* values : {&u, &sd_u, &mean, &sd})
                std::reverse(values->begin(), values->end());
        const double root = std::sqrt(static_cast<double>(n));
        // At the last temperature of a direction nothing moves.
        for (std::size_t k = direction == "forward" ? 0 : 1;
             k < static_cast<std::size_t>(steps) + (direction == "forward" ? 0 : 1); ++k) {
            EXPECT_LT(std::fabs(u[k] - exact_u[k]), 5 * sd_u[k] / root) << direction << k;
            EXPECT_LT(std::fabs(mean[k] - exact[k]), 5 * exact_sd[k] / root) << direction << k;
            EXPECT_LT(std::fabs(sd[k] / exact_sd[k] - 1), 5 / (std::sqrt(2.0) * root)) << direction << k;
        }
    }
    // Slow steps lag behind.
    const auto lagging = array_of(models::AutoregressiveGaussian({.dimension = 2}, 0.9))("forward/mean_x1");
    EXPECT_GT(lagging[4], array("equilibrium/mean_x1")[4] + 1);
}

TEST(Nonequilibrium, IsingAgainstKaufman) {
    const models::Ising ising({.size = 8});
    const double exact = *ising.exact_log_ratio(0.44);
    auto sampler = work_sampler(alone, ising, path::linear_schedule(100, 0.44),
                                {.forward = 1000, .reverse = 1000, .block = 512, .seed = 9, .equilibration = 100});
    complete(sampler);
    EXPECT_LT(std::fabs(z_of(sampler.outcome(), "bar", exact)), 5);
}

} // namespace
} // namespace pearlite::algorithm
