// Statistical tests of this layer compare z-scores with 5 (normal errors: a false alarm once in 2e6) or, where the
// error comes from 16 batches or replicates, with 8 (once in 1e6); there are about 60, on fixed seeds.
#include "algorithm/alone.hpp"
#include "algorithm/annealed_importance/annealed_importance.hpp"

#include "algorithm/densities.hpp"
#include "estimator/evidence/importance.hpp"
#include "kernel/ar_gaussian.hpp"
#include "kernel/native.hpp"
#include "models/gaussian/gaussian.hpp"
#include "models/gaussian_process/orthant/annealed_orthant.hpp"
#include "pearlite/core/error.hpp"
#include "pearlite/model/detail/target_of.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace pearlite::algorithm {
namespace {

using namespace testing;
using kernel::testing::ArGaussian;

/// b_k = (100^{k/K} - 1)/99.
path::Schedule toy_schedule(Index steps) {
    std::vector<double> points;
    for (Index k = 0; k <= steps; ++k)
        points.push_back((std::pow(100, static_cast<double>(k) / static_cast<double>(steps)) - 1) / 99);
    points.back() = 1;
    return path::Schedule(points);
}

template <class M>
AnnealedImportance toy_run(const M& model, Index steps, Index particles, random::Seed seed) {
    const auto target = model::target_of(model);
    AnnealedImportance sampler(alone, target, toy_schedule(steps), kernel::Native(target), {particles, 16, seed});
    complete(sampler);
    return sampler;
}

TEST(AnnealedImportance, GaussianToyGivesMinusLogTen) {
    const auto outcome = toy_run(ArGaussian({}), 50, 20000, 1).outcome();
    EXPECT_NEAR(*ArGaussian({}).exact_log_ratio(1), -std::log(10), 1e-14);
    EXPECT_LT(std::fabs(z_score(outcome, -std::log(10))), 5);
    ASSERT_EQ(outcome.log_ratio.size(), 2u);
    EXPECT_EQ(outcome.log_ratio[0].error_method, "delta");
    EXPECT_EQ(outcome.log_ratio[1].error_method, "bootstrap");
    EXPECT_LT(*outcome.log_ratio[0].standard_error, 0.02);
    EXPECT_NEAR(*outcome.log_ratio[1].standard_error / *outcome.log_ratio[0].standard_error, 1, 0.25);
    // The wrong twin moves before it weighs.
    const auto twin = toy_run(kernel::testing::WronglyFusedArGaussian(ArGaussian::Settings{}), 50, 20000, 1).outcome();
    EXPECT_GT(std::fabs(z_score(twin, -std::log(10))), 8);
}

// Twenty normals, eight of them negative, moved by Gibbs sweeps from independent ones. In the twin they are less
// correlated.
TEST(AnnealedImportance, OrthantsByGibbsSweeps) {
    const auto run = [](double rho) {
        Matrix covariance = Matrix::Constant(20, 20, rho);
        covariance.diagonal().setOnes();
        Vector signs = Vector::Ones(20);
        signs.head(8).setConstant(-1);
        std::vector<Index> order(20);
        std::iota(order.begin(), order.end(), Index{0});
        const auto target = models::annealed_orthant({std::move(covariance), std::move(signs), std::move(order)});
        AnnealedImportance sampler(alone, target, path::linear_schedule(200, 1), kernel::Native(target), {2000, 48, 6});
        complete(sampler);
        return sampler.outcome();
    };
    const double exact = models::log_equicorrelated_orthant(12, 8, 0.5) + 20 * std::log(2.0);
    EXPECT_LT(std::fabs(z_score(run(0.5), exact)), 5);
    EXPECT_GT(std::fabs(z_score(run(0.45), exact)), 8);
}

TEST(AnnealedImportance, FusedRunsHaveTheBitsOfUnfusedOnes) {
    auto fused = toy_run(kernel::testing::FusedArGaussian(ArGaussian::Settings{}), 20, 100, 1);
    auto plain = toy_run(ArGaussian({}), 20, 100, 1);
    EXPECT_EQ(fused.population().generation(0).log_weights(), plain.population().generation(0).log_weights());
    EXPECT_EQ(fused.trace().variance_u, plain.trace().variance_u);
}

TEST(AnnealedImportance, GaussianToyInThreeDimensionsByRandomWalk) {
    for (const Index d : {1, 3}) {
        const models::Gaussian gaussian({.dimension = d});
        auto sampler = piloted_ais(alone, gaussian, 300, 16, 5);
        complete(sampler);
        const double exact = -static_cast<double>(d) * std::log(10);
        EXPECT_NEAR(*path_of(gaussian)->exact_log_ratio(1), exact, 1e-13);
        EXPECT_LT(std::fabs(z_score(sampler.outcome(), exact)), 8) << d;
        EXPECT_GT(std::fabs(z_score(sampler.outcome(), exact + 1)), 3) << d; // the error bar says something
    }
}

TEST(AnnealedImportance, TheTraceIsThePlainSumOverTheWeights) {
    auto sampler = toy_run(ArGaussian({}), 12, 500, 3);
    const auto& log_w = sampler.population().generation(0).log_weights();
    const auto& trace = sampler.trace();
    ASSERT_EQ(trace.log_ratio.size(), 13u);
    EXPECT_EQ(trace.inverse_temperature, sampler.schedule().points());
    EXPECT_NEAR(trace.log_ratio.back(), log_mean_exp(log_w), 1e-12);
    EXPECT_NEAR(trace.log_ratio.back(), sampler.outcome().log_ratio.front().value, 1e-12);
    EXPECT_NEAR(trace.ess.back(), estimator::effective_sample_size(log_w), 1e-9);
    EXPECT_EQ(trace.log_ratio.front(), 0);
    EXPECT_DOUBLE_EQ(trace.ess.front(), 500);
    EXPECT_TRUE(trace.acceptance.empty() && trace.resampled.empty());
    EXPECT_EQ(sampler.progress().step, 12);
}

/// A plain loop over the same model and schedule: weighted mean and variance of u at each temperature, by the weights
/// after (right) or before (wrong) the increment that leads to it, with the states after the move.
struct PlainStatistics {
    std::vector<double> mean_u, variance_u;
};
PlainStatistics plain_annealing(const ArGaussian& model, const path::Schedule& schedule, Index particles,
                                random::Seed seed, bool right) {
    auto block = model.make_block(particles);
    const auto streams = [&](Index k) { return model::BlockStreams{seed, static_cast<std::uint32_t>(k), 0, 0, 0}; };
    model.draw_start(block, streams(0));
    std::vector<double> log_w(static_cast<std::size_t>(particles), 0.0), u(log_w.size());
    PlainStatistics statistics;
    for (Index k = 1; k < schedule.steps(); ++k) {
        auto before = log_w;
        model.add_log_ratio(block, schedule[k - 1], schedule[k], log_w);
        model.move(block, schedule[k], streams(k));
        model.path_derivative(block, schedule[k], u);
        const auto& weights = right ? log_w : before;
        const double log_sum = log_sum_exp(weights);
        double mean = 0, square = 0;
        for (std::size_t i = 0; i < u.size(); ++i)
            mean += std::exp(weights[i] - log_sum) * u[i];
        for (std::size_t i = 0; i < u.size(); ++i)
            square += std::exp(weights[i] - log_sum) * (u[i] - mean) * (u[i] - mean);
        statistics.mean_u.push_back(mean);
        statistics.variance_u.push_back(square);
    }
    return statistics;
}

/// The largest |z| of 16 replicates over the temperatures between the ends.
template <class Run>
double worst_z(const std::vector<Run>& runs, std::vector<double> Run::*values, const std::vector<double>& exact) {
    double worst = 0;
    for (std::size_t k = 0; k < exact.size(); ++k) {
        std::vector<double> at_k;
        for (const auto& run : runs)
            at_k.push_back((run.*values)[k]);
        worst = std::max(worst, std::fabs(MeanError(at_k).z(exact[k])));
    }
    return worst;
}

// Slow moves over wide steps, so that weights must go with the right states.
TEST(AnnealedImportance, OnTheFlyMomentsAreThoseOfTheTemperature) {
    const ArGaussian model({.start_mean = 3, .start_sd = 3, .end_mean = 0, .end_sd = 1, .correlation = 0.8});
    const auto schedule = toy_schedule(10);
    std::vector<double> mean_u, variance_u;
    for (Index k = 1; k < 10; ++k) {
        mean_u.push_back(model.mean_u(schedule[k]));
        variance_u.push_back(model.variance_u(schedule[k]));
    }
    std::vector<Trace> traces;
    std::vector<PlainStatistics> right, wrong;
    for (std::uint64_t seed = 0; seed < 16; ++seed) {
        Trace trace = toy_run(model, 10, 4000, seed).trace();
        EXPECT_LT(std::fabs(trace.mean_u.front() - model.mean_u(0)), 5 * std::sqrt(model.variance_u(0) / 4000));
        for (auto* values : {&trace.mean_u, &trace.variance_u}) { // the ends apart
            values->erase(values->begin());
            values->pop_back();
        }
        traces.push_back(trace);
        right.push_back(plain_annealing(model, schedule, 4000, seed, true));
        wrong.push_back(plain_annealing(model, schedule, 4000, seed, false));
        for (std::size_t k = 0; k < 9; ++k) {
            EXPECT_NEAR(trace.mean_u[k], right.back().mean_u[k], 1e-10);
            EXPECT_NEAR(trace.variance_u[k], right.back().variance_u[k], 1e-8);
        }
    }
    EXPECT_LT(worst_z(traces, &Trace::mean_u, mean_u), 8);
    EXPECT_LT(worst_z(traces, &Trace::variance_u, variance_u), 8);
    EXPECT_GT(worst_z(wrong, &PlainStatistics::mean_u, mean_u), 20);
    EXPECT_GT(worst_z(wrong, &PlainStatistics::variance_u, variance_u), 20);
}

// With perfect moves the increments are independent: E[w^2]/E[w]^2 is a product of closed forms.
TEST(AnnealedImportance, EssAndVarianceWithPerfectMoves) {
    const ArGaussian model({.start_mean = 0, .start_sd = 1, .end_mean = 0, .end_sd = std::sqrt(0.1), .correlation = 0});
    const auto target = model::target_of(model);
    std::vector<double> points;
    for (int k = 0; k <= 30; ++k)
        points.push_back((std::pow(10, k / 30.0) - 1) / 9);
    points.back() = 1;
    const path::Schedule schedule(points);
    double log_inverse_ess = 0, variance = 0;
    for (Index k = 1; k <= 30; ++k) {
        const double step = schedule[k] - schedule[k - 1];
        log_inverse_ess +=
            model.log_z(schedule[k] + step) + model.log_z(schedule[k - 1]) - 2 * model.log_z(schedule[k]);
        variance += step * step * model.variance_u(schedule[k - 1]);
    }
    std::vector<double> ess, variances;
    for (std::uint64_t seed = 0; seed < 16; ++seed) {
        AnnealedImportance sampler(alone, target, schedule, kernel::Native(target), {4000, 16, seed});
        complete(sampler);
        ess.push_back(4000 / sampler.trace().ess.back());
        const auto& particles = sampler.population().generation(0);
        variances.push_back(
            estimator::importance_estimate({alone, particles.layout(), particles.log_weights()}, seed, 10)
                .variance_log_weight);
    }
    EXPECT_LT(std::fabs(MeanError(ess).z(std::exp(log_inverse_ess))), 8);
    EXPECT_LT(std::fabs(MeanError(variances).z(variance)), 8);
    EXPECT_GT(std::fabs(MeanError(variances).z(1.15 * variance)), 8);
}

TEST(AnnealedImportance, BetaBernoulli) {
    for (const auto& [a, exact] : {std::pair{1.0, -71.398962168859}, {20.0, -69.945563190586}}) {
        auto sampler = piloted_ais(alone, BetaBernoulli{a}, 300, 16, 6);
        complete(sampler);
        EXPECT_NEAR(BetaBernoulli{a}.exact_log_ratio(), exact, 1e-11);
        EXPECT_LT(std::fabs(z_score(sampler.outcome(), exact)), 8);
        EXPECT_LT(*sampler.outcome().log_ratio.front().standard_error, 0.1);
    }
}

TEST(AnnealedImportance, TheLastTemperatureWeighsAndDoesNotMove) {
    auto sampler = ais_of(alone, path_of(BetaBernoulli{}), path::linear_schedule(3, 1), 2, {16, 16, 1});
    const auto points = [&] { return path::points_of(sampler.population().generation(0).block(0)).points; };
    sampler.begin();
    sampler.step();
    const Matrix after_first = points();
    sampler.step();
    const Matrix before_last = points();
    EXPECT_NE(before_last, after_first);
    sampler.step();
    EXPECT_EQ(points(), before_last);
    const auto& acceptance = sampler.trace().acceptance;
    ASSERT_EQ(acceptance.size(), 4u);
    EXPECT_TRUE(std::isnan(acceptance.front()) && std::isnan(acceptance.back()));
    EXPECT_TRUE(acceptance[1] > 0 && acceptance[1] <= 1);
}

TEST(AnnealedImportance, AStepBeyondTheLastIsAContractViolation) {
    auto sampler = toy_run(ArGaussian({}), 1, 10, 1);
    EXPECT_THROW(sampler.step(), ContractViolation);
}

} // namespace
} // namespace pearlite::algorithm
