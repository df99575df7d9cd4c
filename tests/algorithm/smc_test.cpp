#include "algorithm/alone.hpp"
#include "algorithm/common/bridge_at_end.hpp"
#include "algorithm/smc/smc.hpp"

#include "algorithm/densities.hpp"
#include "algorithm/radiata_pine.hpp"
#include "kernel/ar_gaussian.hpp"
#include "kernel/native.hpp"
#include "models/gaussian/gaussian.hpp"
#include "models/regression/linear_regression.hpp"
#include "pearlite/model/detail/target_of.hpp"
#include "population/column_blocks.hpp"
#include "population/weights.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pearlite::algorithm {
namespace {

using namespace testing;
using kernel::testing::ArGaussian;
using population::Resampling;

TEST(Smc, BetaBernoulliAndTheGaussianToy) {
    for (const auto scheme : {Resampling::systematic, Resampling::multinomial}) {
        const SmcSettings settings{scheme, 0.7};
        for (const auto& [a, exact] : {std::pair{1.0, -71.398962168859}, {20.0, -69.945563190586}}) {
            auto sampler = piloted_smc(alone, BetaBernoulli{a}, 300, 16, 7, settings);
            complete(sampler);
            EXPECT_LT(std::fabs(z_score(sampler.outcome(), exact)), 8) << a;
            EXPECT_LT(*sampler.outcome().log_ratio.front().standard_error, 0.05);
        }
        for (const Index d : {1, 3}) {
            auto sampler = piloted_smc(alone, models::Gaussian({.dimension = d}), 300, 16, 8, settings);
            complete(sampler);
            EXPECT_LT(std::fabs(z_score(sampler.outcome(), -static_cast<double>(d) * std::log(10))), 8) << d;
        }
    }
}

/// Precision 1 to 10 with perfect moves: every approximation left is Monte Carlo error.
Smc perfect_run(random::Seed seed, const SmcSettings& settings, Index particles,
                const path::Schedule& schedule = path::geometric_schedule(5, 1, 0.02)) {
    const auto target = model::target_of(
        ArGaussian({.start_mean = 0, .start_sd = 1, .end_mean = 0, .end_sd = std::sqrt(0.1), .correlation = 0}));
    Smc sampler(alone, target, schedule, kernel::Native(target), {particles, 16, seed}, settings);
    complete(sampler);
    return sampler;
}

// Z, not log Z, is unbiased; 400 replicates each, z below 5.
TEST(Smc, ZIsUnbiasedUnderEveryResampling) {
    for (const auto scheme :
         {Resampling::multinomial, Resampling::stratified, Resampling::systematic, Resampling::residual})
        for (const double threshold : {0.0, 0.8, 1.1}) {
            std::vector<double> z;
            for (std::uint64_t seed = 0; seed < 400; ++seed)
                z.push_back(std::exp(perfect_run(seed, {scheme, threshold}, 50).log_ratio() + 0.5 * std::log(10)));
            EXPECT_LT(std::fabs(MeanError(z).z(1)), 5) << static_cast<int>(scheme) << " " << threshold;
        }
}

// 600 replicates: the empirical variance has a relative error of 6 %, so a ratio off by 0.3 is a false alarm once in
// 1e6.
TEST(Smc, TheSingleRunErrorIsCalibrated) {
    double claimed = 0, twin = 0, conservative = 0;
    std::vector<double> values, systematic;
    constexpr double replicates = 600, m = 2000;
    const auto schedule = path::linear_schedule(3, 1);
    for (std::uint64_t seed = 0; seed < 600; ++seed) {
        const auto run = perfect_run(seed, {Resampling::multinomial, 1.1}, 2000, schedule);
        EXPECT_EQ(run.trace().resampled, (std::vector<std::int64_t>{0, 1, 1, 1}));
        const auto estimate = run.outcome().log_ratio.front();
        ASSERT_EQ(estimate.error_method, "lee-whiteley");
        values.push_back(estimate.value);
        const double variance = std::pow(estimate.standard_error.value(), 2);
        claimed += variance / replicates;
        // The wrong twin counts the resampling that follows the last weighting as well.
        twin += (1 - m / (m - 1) * (1 - variance)) / replicates;
        const auto other = perfect_run(seed, {Resampling::systematic, 1.1}, 2000, schedule);
        systematic.push_back(other.log_ratio());
        conservative += std::pow(other.outcome().log_ratio.front().standard_error.value(), 2) / replicates;
    }
    const double actual = std::pow(MeanError(values).error, 2) * replicates;
    EXPECT_NEAR(claimed / actual, 1, 0.3);
    EXPECT_LT(twin / actual, 0.5);
    EXPECT_GT(conservative, std::pow(MeanError(systematic).error, 2) * replicates);
}

TEST(Smc, TraceAndOutcomeAgree) {
    auto sampler = smc_of(alone, path_of(BetaBernoulli{}), path::linear_schedule(20, 1), 3, {200, 16, 4},
                          {Resampling::systematic, 0.9});
    complete(sampler);
    const auto& trace = sampler.trace();
    const auto product = estimate_of(sampler.outcome(), "product");
    EXPECT_NEAR(trace.log_ratio.back(), product.value, 1e-12);
    EXPECT_EQ(product.value, sampler.log_ratio());
    EXPECT_EQ(trace.ess.back(), sampler.outcome().ess);
    for (const std::size_t n :
         {trace.inverse_temperature.size(), trace.ess.size(), trace.mean_u.size(), trace.variance_u.size(),
          trace.acceptance.size(), trace.resampled.size(), trace.eves.size()})
        EXPECT_EQ(n, 21u);
    EXPECT_TRUE(std::isnan(trace.acceptance.front()));
    EXPECT_EQ(trace.inverse_temperature, path::linear_schedule(20, 1).points());
    EXPECT_GT(std::count(trace.resampled.begin(), trace.resampled.end(), 1), 0);
    for (std::size_t k = 1; k < 21; ++k) {
        EXPECT_LE(trace.eves[k], trace.eves[k - 1]);
        EXPECT_EQ(trace.resampled[k] == 1, trace.ess[k] < 0.9 * 200) << k;
        EXPECT_TRUE(trace.acceptance[k] > 0 && trace.acceptance[k] < 1);
    }
    EXPECT_LT(trace.eves.back(), 200);
}

TEST(Smc, OnTheFlyMomentsAreThoseOfTheTemperature) {
    const ArGaussian model({.start_mean = 3, .start_sd = 3, .end_mean = 0, .end_sd = 1, .correlation = 0.5});
    const auto target = model::target_of(model);
    std::vector<std::vector<double>> mean_u(11), variance_u(11);
    for (std::uint64_t seed = 0; seed < 16; ++seed) {
        Smc sampler(alone, target, path::geometric_schedule(10, 1, 0.01), kernel::Native(target, 2), {2000, 16, seed},
                    {Resampling::systematic, 0.6});
        complete(sampler);
        for (std::size_t k = 0; k < 11; ++k) {
            mean_u[k].push_back(sampler.trace().mean_u[k]);
            variance_u[k].push_back(sampler.trace().variance_u[k]);
        }
    }
    const auto schedule = path::geometric_schedule(10, 1, 0.01);
    for (std::size_t k = 0; k < 11; ++k) {
        const double b = schedule[static_cast<Index>(k)];
        EXPECT_LT(std::fabs(MeanError(mean_u[k]).z(model.mean_u(b))), 8) << b;
        EXPECT_LT(std::fabs(MeanError(variance_u[k]).z(model.variance_u(b))), 8) << b;
    }
}

TEST(Smc, AdaptiveStepsHaveTheWantedConditionalEss) {
    const auto path = path_of(BetaBernoulli{});
    auto sampler = smc_of(alone, path, path::AdaptiveSchedule{1, 0.9}, 2, {500, 16, 4});
    sampler.begin();
    while (!sampler.finished()) {
        auto& particles = sampler.population().generation(0);
        const auto log_w = particles.log_weights();
        std::vector<double> u(500);
        for (Index b = 0; b < particles.local_blocks(); ++b)
            path->path_derivative(particles.block(b), 0, particles.of_block(u, b));
        const double before = sampler.progress().inverse_temperature;
        sampler.step();
        const double step = sampler.progress().inverse_temperature - before;
        ASSERT_GT(step, 0);
        for (double& x : u)
            x *= step;
        const double ess = population::conditional_ess(alone, particles.layout(), log_w, u);
        if (sampler.finished())
            EXPECT_GE(ess, 0.9);
        else
            EXPECT_NEAR(ess, 0.9, 1e-5);
    }
    const auto& visited = sampler.trace().inverse_temperature;
    EXPECT_EQ(visited.back(), 1);
    EXPECT_GT(visited.size(), 4u);
    EXPECT_EQ(sampler.found().learnt().rows(), static_cast<Index>(visited.size()));
    // Nothing to move: one step.
    auto generous = smc_of(alone, path, path::AdaptiveSchedule{1, 1e-6}, 1, {100, 16, 4});
    complete(generous);
    EXPECT_EQ(generous.trace().inverse_temperature, (std::vector<double>{0, 1}));
}

TEST(Smc, LikelihoodsOfZeroAreDrawnAgain) {
    for (const bool adaptive : {false, true}) {
        std::vector<double> z;
        for (std::uint64_t seed = 0; seed < 16; ++seed) {
            path::Temperatures schedule = path::AdaptiveSchedule{1, 0.99};
            if (!adaptive)
                schedule = path::linear_schedule(4, 1);
            auto sampler =
                smc_of(alone, path_of(Truncated{}), schedule, 3, {400, 16, seed}, {Resampling::systematic, 0.5});
            complete(sampler);
            const auto& trace = sampler.trace();
            EXPECT_LT(std::fabs(trace.log_ratio.front() - std::log(0.6)), 0.25); // at the restricted start
            for (std::size_t k = 0; k < trace.mean_u.size(); ++k)
                EXPECT_TRUE(std::isfinite(trace.mean_u[k]) && std::isfinite(trace.variance_u[k]));
            EXPECT_GT(trace.ess[1], 350);
            z.push_back(std::exp(sampler.log_ratio() - Truncated{}.exact_log_ratio()));
        }
        EXPECT_LT(std::fabs(MeanError(z).z(1)), 8) << adaptive;
    }
}

/// A likelihood that the test chooses, on (0, 1).
struct Chosen {
    double value;
    std::vector<std::string> parameter_names() const { return {"x"}; }
    void draw_prior(random::Stream& stream, std::span<double> x) const { x[0] = stream.uniform(); }
    double log_prior(std::span<const double>) const { return 0; }
    double log_likelihood(std::span<const double>) const { return value; }
};

TEST(Smc, WithoutAnyWeightItSaysSo) {
    const auto smc = [](double value) {
        return smc_of(alone, path_of(Chosen{value}), path::linear_schedule(4, 1), 1, {32, 16, 1, 1000});
    };
    auto sampler = smc(log_zero);
    sampler.begin();
    EXPECT_THAT([&] { finish(sampler); }, ::testing::ThrowsMessage<InputError>(
                                              ::testing::HasSubstr("draws from the prior have likelihood zero")));
    EXPECT_THAT([&] { smc(std::numeric_limits<double>::quiet_NaN()).begin(); },
                ::testing::ThrowsMessage<NumericalError>(::testing::HasSubstr("at step 0, particle 0")));
}

/// NaN in the increments of a state far out, from b > 0.4.
struct Broken : ArGaussian {
    Broken() : ArGaussian(Settings{}) {}
    void add_log_ratio(const Block& block, double from, double to, std::span<double> out) const {
        ArGaussian::add_log_ratio(block, from, to, out);
        for (std::size_t i = 0; i < out.size(); ++i)
            if (from > 0.4 && block.columns()(0, static_cast<Index>(i)) < -40)
                out[i] = std::numeric_limits<double>::quiet_NaN();
    }
};

template <class S>
void expect_particle_50_named_at_step_3(S& sampler) {
    sampler.begin();
    sampler.step();
    sampler.step();
    testing_support::columns_of(sampler.population().generation(0).block(3))(0, 2) = -50;
    EXPECT_THAT([&] { sampler.step(); },
                ::testing::ThrowsMessage<NumericalError>(::testing::HasSubstr("particle 50 is NaN at step 3")));
}

TEST(Smc, NotANumberNamesStepAndParticle) {
    const auto target = model::target_of(Broken());
    const kernel::Native kernel(target);
    const path::Schedule schedule({0, 0.001, 0.5, 1});
    Smc smc(alone, target, schedule, kernel, {200, 16, 1}, {});
    expect_particle_50_named_at_step_3(smc);
    AnnealedImportance annealing(alone, target, schedule, kernel, {200, 16, 1});
    expect_particle_50_named_at_step_3(annealing);
}

TEST(Replicates, CombineIndependentRuns) {
    const auto run = [](random::Seed seed) { return perfect_run(seed, {Resampling::multinomial, 0.5}, 200); };
    const auto make = [&](const auto&, random::Seed seed) { return std::make_unique<Smc>(run(seed)); };
    const Replicates one(alone, 1, 9, make), several(alone, 3, 9, make);
    EXPECT_EQ(one.outcome().log_ratio.front().value, run(9).log_ratio());
    const auto values = several.log_ratios();
    EXPECT_EQ(several.outcome().log_ratio.front().value, log_mean_exp(values));
    EXPECT_EQ(several.outcome().log_ratio.front().error_method, "batches");
    for (std::size_t r = 0; r < 3; ++r)
        EXPECT_EQ(values[r], run(random::derive_seed(9, r)).log_ratio());
    EXPECT_THAT(several.outcome().warnings.back(), ::testing::HasSubstr("fewer than 8 replicates"));
}

// 400 populations of a normal distribution in five dimensions, which the fits have to the error of 128 particles: the
// root mean square of z is 1 +- 0.035. Without the halves' covariance it is 1.22.
TEST(BridgeAtEnd, KnowsThatItsHalvesShareTheirErrors) {
    const auto path = path_of(models::Gaussian({.dimension = 5}));
    double squares = 0;
    constexpr int sets = 400;
    for (std::uint64_t seed = 0; seed < sets; ++seed) {
        auto sampler = smc_of(alone, path, path::linear_schedule(1, 1), 1, {256, 16, seed});
        sampler.begin();
        const auto& particles = sampler.population().generation(0);
        const population::Families families(alone, particles.size(), particles.eves());
        const auto estimate = bridge_at_end(alone, *path, particles, 0, families, 0, seed);
        squares += std::pow(estimate.value / *estimate.standard_error, 2) / sets;
    }
    EXPECT_NEAR(std::sqrt(squares), 1, 0.18);
}

TEST(BridgeAtEnd, IsTheHeadlineWhereItIsMorePrecise) {
    const auto path = path_of(models::Gaussian({.dimension = 3}));
    const auto run = [&](Index particles) {
        auto sampler = smc_of(alone, path, path::geometric_schedule(20, 1, 0.01), 5, {particles, 16, 3});
        complete(sampler);
        return sampler.outcome();
    };
    const auto large = run(4096), small = run(64);
    EXPECT_EQ(large.log_ratio.front().estimator, bridge_sampling_name);
    EXPECT_EQ(large.log_ratio[1].estimator, "product");
    EXPECT_LT(std::fabs(z_score(large, -3 * std::log(10))), 5);
    EXPECT_EQ(small.log_ratio.front().estimator, "product");
    EXPECT_THAT(small.log_ratio[1].note, HasSubstr("effective families"));

    const std::vector<double> log_ratios{large.log_ratio[1].value, large.log_ratio[1].value + 0.1};
    const auto headline = [&](const Outcome& second) {
        return outcome_of_replicates({SingleOutcome(large), SingleOutcome(second)}, log_ratios, true).log_ratio.front();
    };
    EXPECT_EQ(headline(large).estimator, bridge_sampling_name);
    EXPECT_EQ(headline(large).value, large.log_ratio.front().value);
    EXPECT_EQ(headline(small).estimator, "product");
    EXPECT_EQ(headline(small).value, log_mean_exp(log_ratios));
}

/// Its log prior is not that of a normalised density, as its users promise.
struct WithoutItsConstant : BetaBernoulli {
    double log_prior(std::span<const double> x) const { return BetaBernoulli::log_prior(x) + 2; }
};

TEST(BridgeAtEnd, FindsAPriorThatIsNotNormalised) {
    auto sampler = smc_of(alone, path_of(WithoutItsConstant{}), path::linear_schedule(20, 1), 5, {2048, 16, 4});
    complete(sampler);
    const auto outcome = sampler.outcome();
    EXPECT_EQ(outcome.log_ratio.front().estimator, "product");
    EXPECT_LT(std::fabs(z_score(outcome, BetaBernoulli{}.exact_log_ratio())), 5) << "a ratio, without the constant";
    EXPECT_THAT(estimate_of(outcome, bridge_sampling_name).note, HasSubstr("constant of log_prior"));
}

TEST(Piloted, ThrowsThePilotAway) {
    auto sampler = piloted_smc(alone, BetaBernoulli{}, 100, 2, 3);
    sampler.begin();
    EXPECT_TRUE(sampler.progress().in_pilot);
    Index pilot_steps = 0;
    for (; sampler.progress().in_pilot; ++pilot_steps)
        sampler.step();
    EXPECT_FALSE(sampler.finished());
    EXPECT_EQ(sampler.progress().steps, pilot_steps);
    finish(sampler);
    const auto found = sampler.found().replicate(0);
    EXPECT_FALSE(found.kernel->adapts());
    EXPECT_EQ(found.trace->inverse_temperature.size(), static_cast<std::size_t>(pilot_steps + 1));
}

TEST(Smc, RadiataPine) {
    const auto regressions = radiata_pine_regressions();
    if (regressions.empty())
        GTEST_SKIP() << "PEARLITE_DATA_DIR is not set: published data are not read";
    for (const auto& [regression, exact] : regressions) {
        EXPECT_NEAR(*regression.exact_log_ratio(), exact, 1e-5);
        auto sampler = piloted_smc(alone, regression, 300, 16, 11);
        complete(sampler);
        EXPECT_LT(std::fabs(z_score(sampler.outcome(), exact)), 8);
        EXPECT_LT(*sampler.outcome().log_ratio.front().standard_error, 0.1);
    }
}

// Catches a wrong count of batches, and a mean that is not taken off.
TEST(Smc, BatchesOfFamiliesShowHowManyAreBehindAMean) {
    std::vector<double> sums{8, 4, 0, 8, 0, 0, 0}; // weight, unmoved, energy and its square; no points
    for (int b = 0; b < 8; ++b)
        for (const double sum : {1.0, b % 2 == 0 ? 0.1 : -0.1, b % 2 == 0 ? 1.0 : 0.0})
            sums.push_back(sum);
    const auto families = families_of_motion(sums);
    EXPECT_NEAR(families.energy, 700, 1e-9); // 1/(8/7 8 (0.1/8)^2)
    EXPECT_NEAR(families.unmoved, 7, 1e-12); // 0.25/(8/7 8 (0.5/8)^2)
    sums[1] = 0;
    for (std::size_t b = 0; b < 8; ++b)
        sums[9 + 3 * b] = 0;
    EXPECT_TRUE(std::isnan(families_of_motion(sums).unmoved)); // all have moved
}

} // namespace
} // namespace pearlite::algorithm
