#include "algorithm/alone.hpp"
#include "algorithm/resample_move/resample_move.hpp"

#include "algorithm/densities.hpp"
#include "algorithm/growing_runs.hpp"
#include "models/state_space/particle_filter.hpp"
#include "parallel/agreement.hpp"
#include "population/resampling.hpp"
#include "target/grown_target.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pearlite::algorithm {
namespace {

using namespace testing;
using Allocation = ResampleMoveSettings::Allocation;

double run(const GrowingPointer& target, const std::shared_ptr<const Generator>& generator, Index particles,
           const random::Seed& seed, const ResampleMoveSettings& settings) {
    auto sampler = growing_run(alone, target, generator, {particles, 48, seed}, settings);
    complete(sampler);
    return sampler.log_ratio();
}

/// Z over its exact value, of so many runs.
std::vector<double> relative(const GrowingPointer& target, const std::shared_ptr<const Generator>& generator,
                             Index particles, Index runs, const ResampleMoveSettings& settings, std::uint64_t seed) {
    const double exact = *target->exact_log_normaliser() - target->log_normaliser_empty();
    std::vector<double> ratios;
    for (Index r = 0; r < runs; ++r)
        ratios.push_back(
            std::exp(run(target, generator, particles,
                         random::derive_seed(random::Seed(seed), static_cast<std::uint64_t>(r)), settings) -
                     exact));
    return ratios;
}

struct SpreadOfValues {
    double mean, error;
};
SpreadOfValues spread_of(const std::vector<double>& values) {
    const auto n = static_cast<double>(values.size());
    double sum = 0, squares = 0;
    for (const double value : values)
        sum += value;
    for (const double value : values)
        squares += (value - sum / n) * (value - sum / n);
    return {sum / n, std::sqrt(squares / (n - 1) / n)};
}

/// Beyond which a right mean lies once in 16 000 tests.
constexpr double limit = 4;
double z_of_one(const std::vector<double>& ratios) {
    const auto [mean, error] = spread_of(ratios);
    return (mean - 1) / error;
}

TEST(ResampleMove, IsUnbiasedHoweverFewParticlesAndSweepsThereAre) {
    const std::pair<const char*, GrowingPointer> targets[] = {
        {"orthant", growing_orthant(8, 0.8, 4)},
        {"RBM", growing_rbm(11, 5)},
        {"Ising", growing_lattice(2)},
        {"Potts", growing_lattice(4)},
        {"series", growing_series(10, false)},
        {"adapted series", growing_series(10, true)},
        {"volatility", growing_volatility(8, true, false)},
        {"volatility, the last 3", growing_volatility(8, false, true, 3)}};
    for (const auto& [name, target] : targets) {
        const auto ratios = relative(target, nullptr, 12, 4000, {.sweeps = 1}, 21);
        EXPECT_LT(std::abs(z_of_one(ratios)), limit) << name;
        std::vector<double> logs;
        for (const double ratio : ratios)
            logs.push_back(1 + std::log(ratio));
        EXPECT_GT(std::abs(z_of_one(logs)), limit) << name << ": the test cannot fail";
    }
}

// Three negative variables, and a fourth.
TEST(ResampleMove, GrowthMayEndEarly) {
    const auto all = growing_orthant(8, 0.8, 4);
    const auto first = model::first_variables(all, 3);
    EXPECT_FALSE(first->exact_log_normaliser().has_value()) << "that of all is another number";
    EXPECT_EQ(model::first_variables(all, 8), all);
    const double exact = models::log_equicorrelated_orthant(0, 3, 0.8);
    const double of_four = models::log_equicorrelated_orthant(0, 4, 0.8);
    std::vector<double> ratios, mistaken;
    for (std::uint64_t r = 0; r < 1000; ++r) {
        const double log_z = run(first, nullptr, 12, random::derive_seed(random::Seed(22), r), {.sweeps = 1});
        ratios.push_back(std::exp(log_z - exact));
        mistaken.push_back(std::exp(log_z - of_four));
    }
    EXPECT_LT(std::abs(z_of_one(ratios)), limit);
    EXPECT_GT(std::abs(z_of_one(mistaken)), limit) << "the test cannot fail";
}

/// A linear Gaussian process whose sweeps do not look at the observations.
class Blind final : public models::GrowingLinearGaussian {
  public:
    using GrowingLinearGaussian::GrowingLinearGaussian;
    void sweep(models::StateBlock& block, Index from, Index n, const model::BlockStreams& streams) const override {
        auto unseen = series_parameters;
        unseen.noise_sd = 1e6;
        GrowingLinearGaussian(unseen, series_observations(length()), false).sweep(block, from, n, streams);
    }
};

TEST(ResampleMove, SweepsThatIgnoreTheObservationsAreRejected) {
    const auto blind =
        models::growth_by_time(std::make_shared<const Blind>(series_parameters, series_observations(10), false))
            ->growing("time", 1);
    EXPECT_GT(std::abs(z_of_one(relative(blind, nullptr, 100, 1500, {.sweeps = 3}, 21))), limit);
}

/// Compares two estimates of the evidence relative to the exact one, from states that grow by time and from a particle
/// filter: the difference of their means in units of its standard error.
double z_against_filter(const std::vector<double>& grown, const std::function<double(random::Stream&)>& filter,
                        double exact) {
    std::vector<double> filtered;
    for (std::size_t r = 0; r < grown.size(); ++r) {
        random::Stream stream({31, random::Purpose::test, r, 0});
        filtered.push_back(std::exp(filter(stream) - exact));
    }
    const auto [mean, error] = spread_of(grown);
    const auto [other, its_error] = spread_of(filtered);
    return (mean - other) / std::hypot(error, its_error);
}

TEST(ResampleMove, StatesByTimeAgreeWithParticleFilters) {
    constexpr Index n = 15, particles = 50, runs = 300;
    const auto returns = volatile_returns(n);
    for (const bool plain : {true, false}) {
        const auto bootstrap = [&](random::Stream& stream) {
            return models::run_filter(models::VolatilityProcess(volatility_parameters(plain), returns),
                                      {.particles = particles}, stream)
                .log_likelihood;
        };
        const double exact = models::quadrature_log_likelihood(volatility_parameters(plain), returns);
        // Without moves it is itself a particle filter: bootstrap, or adapted.
        for (const bool adapted : {false, true})
            for (const Index sweeps : {0, 1}) {
                const auto grown = relative(growing_volatility(n, plain, adapted), nullptr, particles, runs,
                                            {.sweeps = sweeps, .resample_below = 0.5}, 29);
                EXPECT_LT(std::abs(z_of_one(grown)), limit) << plain << adapted << sweeps;
                EXPECT_LT(std::abs(z_against_filter(grown, bootstrap, exact)), limit) << plain << adapted << sweeps;
            }
        const auto other = [&](random::Stream& stream) {
            auto parameters = volatility_parameters(plain);
            parameters.mu += 1;
            return models::run_filter(models::VolatilityProcess(parameters, returns), {.particles = particles}, stream)
                .log_likelihood;
        };
        const auto grown = relative(growing_volatility(n, plain, false), nullptr, particles, runs, {}, 29);
        EXPECT_GT(std::abs(z_against_filter(grown, other, exact)), limit) << plain << ": the test cannot fail";
    }
}

TEST(ResampleMove, WithoutMovesItIsAParticleFilter) {
    constexpr Index n = 20;
    const auto observations = series_observations(n);
    const models::LinearGaussianProcess process(series_parameters, observations);
    for (const bool adapted : {false, true}) {
        const auto grown = relative(growing_series(n, adapted), nullptr, 100, 1500, {.sweeps = 0}, 30);
        EXPECT_LT(std::abs(z_of_one(grown)), limit) << adapted;
        const auto kind = adapted ? models::FilterKind::adapted : models::FilterKind::bootstrap;
        const auto filter = [&](random::Stream& stream) {
            return models::run_filter(process, {.particles = 100, .kind = kind}, stream).log_likelihood;
        };
        EXPECT_LT(std::abs(z_against_filter(grown, filter, process.log_likelihood())), limit) << adapted;
    }
}

TEST(ResampleMove, SmallOrthantsAreRight) {
    for (const Index n : {2, 3}) {
        const auto ratios = relative(growing_orthant(n, 0.6), nullptr, 200, 400, {}, 22);
        EXPECT_LT(std::abs(z_of_one(ratios)), limit) << n;
        EXPECT_LT(spread_of(ratios).error, 0.002);
    }
}

TEST(ResampleMove, IndependentVariablesAreExactWithoutANewParticle) {
    for (const auto& generator : {std::shared_ptr<const Generator>(moving_on()), std::shared_ptr<const Generator>()}) {
        auto sampler = growing_run(alone, growing_orthant(30, 0), generator, {10, 4, 5}, {});
        complete(sampler);
        EXPECT_DOUBLE_EQ(sampler.log_ratio(), -30 * std::log(2.0));
        const auto record = sampler.record();
        EXPECT_THAT(record.passes, ::testing::Each(0));
        EXPECT_THAT(record.gamma, ::testing::Each(::testing::DoubleEq(1)));
        EXPECT_EQ(*sampler.outcome().log_ratio.front().standard_error, 0);
    }
}

/// Copies as ARM-anticipate makes them, but none of a particle that will weigh little: a grave error.
class Dropping final : public Generator {
  public:
    bool looks_ahead() const override { return true; }
    Added generate(const Enlargement& pass) const override {
        auto& base = pass.population.generation(0);
        const auto& weights = base.log_weights();
        std::vector<Index> copies(weights.size());
        std::vector<double> of_copies(weights.size());
        double kept = 0;
        for (std::size_t r = 0; r < copies.size(); ++r) {
            copies[r] = static_cast<Index>(pass.next_shares[r]);
            of_copies[r] = weights[r] - std::log(static_cast<double>(std::max<Index>(copies[r], 1)));
            kept += copies[r] > 0 ? std::exp(weights[r]) : 0;
        }
        for (double& one : of_copies)
            one -= std::log(kept);
        auto& split = pass.population.append(std::accumulate(copies.begin(), copies.end(), Index{0}), pass.block);
        population::copy_offspring(pass.ranks, base, copies, split, pass.population.particle_bytes(), 0, of_copies);
        for (Index b = 0; b < split.local_blocks(); ++b)
            pass.stage.prepare(split.block(b));
        make_sweeps(pass.ranks, pass.stage, split, pass.sweeps, pass.seed, pass.tick);
        return {split, SlotsByPart({split.size()})};
    }
};

TEST(ResampleMove, GeneratorsMakeParticlesOfTheTarget) {
    // By Theorem 1 the base set chooses their number and is then left out: what it cost in bias is below the errors
    // here.
    const ResampleMoveSettings settings{
        .sweeps = 2, .gamma_threshold = 0.9, .most_passes = 3, .allocation = Allocation::theorem};
    const auto orthant = growing_orthant(8, 0.8, 4), rbm = growing_rbm(11, 5);
    EXPECT_LT(std::abs(z_of_one(relative(orthant, moving_on(), 100, 1500, settings, 23))), limit);
    EXPECT_LT(std::abs(z_of_one(relative(orthant, anticipating(), 100, 1500, settings, 24))), limit);
    EXPECT_LT(std::abs(z_of_one(relative(rbm, moving_on(), 100, 600, settings, 25))), limit);
    EXPECT_LT(std::abs(z_of_one(relative(rbm, anticipating(), 100, 600, settings, 26))), limit);
    EXPECT_LT(std::abs(z_of_one(relative(rbm, reseeding(300), 100, 300, settings, 27))), limit);
    EXPECT_GT(std::abs(z_of_one(relative(orthant, std::make_shared<const Dropping>(), 100, 1500, settings, 24))), limit)
        << "the test cannot fail";
    EXPECT_GT(std::abs(z_of_one(relative(rbm, reseeding(1), 100, 300, settings, 27))), limit) << "the test cannot fail";
}

/// ARM-anticipate whose base set stays where the step began, so that all passes split the same particles.
class WeightSums final : public Generator {
  public:
    bool looks_ahead() const override { return true; }
    Added generate(const Enlargement& pass) const override {
        auto& base = pass.population.generation(0);
        const std::size_t bytes = pass.population.particle_bytes();
        std::vector<std::byte> packed(at(base.local_size()) * bytes);
        const auto of = [&](Index slot) { return std::span(packed).subspan(at(slot) * bytes, bytes); };
        for (Index slot = 0; slot < base.local_size(); ++slot)
            base.pack(slot, of(slot));
        auto split = anticipating_->generate(pass);
        for (Index slot = 0; slot < base.local_size(); ++slot)
            base.unpack(slot, of(slot));
        for (Index b = 0; b < base.local_blocks(); ++b)
            pass.stage.prepare(base.block(b));
        return split;
    }

  private:
    std::unique_ptr<Generator> anticipating_ = anticipating();
};

/// The standard deviation of log Z from 1000 runs, which is accurate to 3 %.
double sd_of_log(const std::shared_ptr<const Generator>& generator, std::uint64_t seed) {
    constexpr Index runs = 1000;
    const ResampleMoveSettings settings{
        .sweeps = 1, .gamma_threshold = 0.98, .most_passes = 20, .allocation = Allocation::theorem};
    auto logs = relative(growing_orthant(12, 0.99, 6), generator, 40, runs, settings, seed);
    for (double& ratio : logs)
        ratio = std::log(ratio);
    return spread_of(logs).error * std::sqrt(static_cast<double>(runs));
}

TEST(ResampleMove, AnAnticipatingPassBeginsWhereTheLastOneEnded) {
    const auto standing = std::make_shared<const WeightSums>();
    const double of_standing = sd_of_log(standing, 31);
    EXPECT_LT(sd_of_log(anticipating(), 31), 0.8 * of_standing);
    EXPECT_GT(sd_of_log(standing, 32), 0.8 * of_standing) << "the test cannot fail";
}

/// Few particles and a high threshold, so that the rule of the paper stops on lucky sets.
double z_of_few(const GrowingPointer& target, const std::shared_ptr<const Generator>& generator, Index runs,
                Allocation allocation, std::uint64_t seed) {
    return z_of_one(relative(target, generator, 12, runs,
                             {.sweeps = 1, .gamma_threshold = 0.9, .most_passes = 3, .allocation = allocation}, seed));
}

TEST(ResampleMove, HalvesThatDecideForEachOtherLeaveZUnbiased) {
    const std::pair<const char*, GrowingPointer> targets[] = {{"orthant", growing_orthant(8, 0.8, 4)},
                                                              {"RBM", growing_rbm(11, 5)},
                                                              {"Ising", growing_lattice(2)},
                                                              {"Potts", growing_lattice(4)},
                                                              {"series", growing_series(10, false)}};
    for (const auto& [name, target] : targets)
        for (const auto& generator : {std::shared_ptr<const Generator>(moving_on()), {anticipating()}})
            EXPECT_LT(std::abs(z_of_few(target, generator, 4000, Allocation::crossed, 41)), limit) << name;
    EXPECT_LT(std::abs(z_of_few(growing_rbm(11, 5), reseeding(100), 400, Allocation::crossed, 42)), limit);
}

TEST(ResampleMove, TheRuleOfThePaperDoesNot) {
    EXPECT_GT(z_of_few(growing_lattice(2), moving_on(), 4000, Allocation::threshold, 41), limit);
    EXPECT_GT(z_of_few(growing_series(10, false), anticipating(), 4000, Allocation::threshold, 41), limit);
    EXPECT_LT(z_of_few(growing_lattice(4), moving_on(), 4000, Allocation::threshold, 41), -limit);
}

// Each half stops at the first pass at which the other half's gamma is large enough.
TEST(ResampleMove, HalvesStandAfterTheirOwnPassesAlone) {
    bool differ = false;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        auto sampler = growing_run(alone, growing_lattice(2), moving_on(), {12, 6, seed},
                                   {.gamma_threshold = 0.9, .most_passes = 20, .allocation = Allocation::crossed});
        complete(sampler);
        const auto record = sampler.record();
        for (std::size_t k = 0; k < record.particles.size(); ++k) {
            const double passes = static_cast<double>(record.passes[k]);
            EXPECT_EQ(record.moved[k], 12 * (1 + passes));
            EXPECT_EQ(std::fmod(record.particles[k], 6), 0);
            EXPECT_GE(record.particles[k], 12);
            EXPECT_LE(record.particles[k], 12 * std::max(1.0, passes));
            differ = differ || record.particles[k] < 12 * passes;
        }
    }
    EXPECT_TRUE(differ);
}

TEST(ResampleMove, TheSetGrowsUntilItsShareIsEffective) {
    const auto target = growing_orthant(8, 0.8, 4);
    for (const auto& generator : {std::shared_ptr<const Generator>(moving_on()), {anticipating()}}) {
        auto sampler = growing_run(alone, target, generator, {100, 48, 6},
                                   {.gamma_threshold = 0.9, .most_passes = 4, .allocation = Allocation::threshold});
        complete(sampler);
        const auto record = sampler.record();
        ASSERT_EQ(std::ssize(record.gamma), 7);
        double enlarged = 0;
        for (std::size_t k = 0; k < record.gamma.size(); ++k) {
            EXPECT_NEAR(record.gamma[k], 1 / (1 + record.relative_variance[k]), 1e-12);
            EXPECT_EQ(record.passes[k] > 0, record.first_gamma[k] < 0.9);
            EXPECT_TRUE(record.gamma[k] >= 0.9 || record.passes[k] == 4);
            EXPECT_GE(record.moved[k], record.particles[k]);
            EXPECT_EQ(record.moved[k] == 100, record.passes[k] == 0);
            enlarged += record.passes[k] > 0 ? 1 : 0;
        }
        EXPECT_GT(enlarged, 0);
        const auto variance = variance_of(record);
        EXPECT_LE(variance.least, variance.variance);
        double optimal = 0;
        for (const double n : variance.optimal_particles)
            optimal += n;
        EXPECT_NEAR(optimal, variance.total, 1e-9 * variance.total);
    }
}

TEST(ResampleMove, ReseededChainsJoinTheBaseSet) {
    const auto target = growing_rbm(11, 5);
    auto sampler = growing_run(alone, target, reseeding(30), {150, 48, 6}, {.gamma_threshold = 0.98, .most_passes = 2});
    complete(sampler);
    const auto record = sampler.record();
    double joined = 0;
    for (std::size_t k = 0; k < record.passes.size(); ++k) {
        EXPECT_EQ(record.particles[k], record.moved[k]); // all that were moved stand for p_n
        EXPECT_GE(record.particles[k], 150 + 100 * static_cast<double>(record.passes[k]));
        joined += record.passes[k] > 0 ? 1 : 0;
    }
    EXPECT_GT(joined, 0);
    const double exact = *target->exact_log_normaliser() - target->log_normaliser_empty();
    EXPECT_NEAR(sampler.log_ratio(), exact, 5 * std::sqrt(variance_of(record).variance));
}

TEST(ResampleMove, ALimitOfMovesEndsTheEnlarging) {
    const auto moved = [](std::optional<double> most) {
        auto sampler = growing_run(alone, growing_orthant(12, 0.9, 6), moving_on(), {100, 48, 6},
                                   {.gamma_threshold = 0.95, .most_passes = 20, .most_moved = most});
        complete(sampler);
        return variance_of(sampler.record()).moved_per_step;
    };
    EXPECT_GT(moved({}), 4);
    EXPECT_LT(moved(2), 3.1); // the first pass of a step replaces the base set, and is always made
}

} // namespace
} // namespace pearlite::algorithm
