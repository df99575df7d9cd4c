#include "models/gaussian/noisy_likelihood.hpp"

#include "pearlite/core/error.hpp"
#include "pearlite/model/estimated_likelihood.hpp"

#include "models/unbiasedness.hpp"
#include "random/statistics.hpp"

#include <algorithm>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <cmath>
#include <functional>
#include <gtest/gtest.h>

namespace pearlite::models {
namespace {

using namespace testing;
using random::testing::rejection_level;

/// Fixed seeds may reach this; about ten comparisons.
constexpr double largest_z = 3.5;

NoisyLikelihoodSettings case_of(double noise_variance) {
    return {.data = Vector{{1.3, -0.4}}, .prior_sd = 2, .data_sd = 0.5, .noise_variance = noise_variance};
}

TEST(NoisyLikelihood, NormalisersAndPosteriorAgreeWithQuadrature) {
    const NoisyLikelihood model({.data = Vector{{1.3}}, .prior_sd = 2, .data_sd = 0.5});
    using Rule = boost::math::quadrature::gauss_kronrod<double, 61>;
    for (const double b : {0.0, 0.01, 0.4, 1.0, 1.2}) {
        const auto moment = [&](int power) {
            return Rule::integrate(
                [&](double x) {
                    const std::array point{x};
                    return std::pow(x, power) *
                           std::exp(model.log_prior(point) + b * model.exact_log_likelihood(point));
                },
                -30.0, 30.0, 12, 1e-13);
        };
        const double z = moment(0), mean = moment(1) / z;
        EXPECT_NEAR(model.log_normaliser(b), std::log(z), 1e-10);
        EXPECT_NEAR(model.tempered_mean(0, b), mean, 1e-10);
        EXPECT_NEAR(model.tempered_sd(b), std::sqrt(moment(2) / z - mean * mean), 1e-9);
    }
    EXPECT_NEAR(*model.exact_log_ratio(), -0.5 * std::log(2 * std::numbers::pi * 4.25) - 0.5 * 1.3 * 1.3 / 4.25, 1e-12);
}

TEST(NoisyLikelihood, NoiseIsUnbiasedAndOfItsVariance) {
    NoisyLikelihood model(case_of(2));
    for (const Index samples : {1, 4}) {
        model.set_particles(samples);
        EXPECT_EQ(model.log_variance(), 2.0 / static_cast<double>(samples));
        const std::size_t n = 20000;
        Matrix points(2, static_cast<Index>(n));
        points.colwise() = Vector{{0.3, 1.0}};
        std::vector<double> prior(n), errors(n);
        model.estimate(points, {.seed = 5}, prior, errors);
        std::vector<double> standardised;
        for (double& error : errors) {
            error -= model.exact_log_likelihood(std::array{0.3, 1.0});
            standardised.push_back((error + 0.5 * model.log_variance()) / std::sqrt(model.log_variance()));
        }
        EXPECT_GT(random::testing::normal_moments_p_value(standardised), rejection_level);
        EXPECT_LT(std::fabs(unbiasedness_z(errors)), largest_z);
        EXPECT_EQ(prior[7], model.log_prior(std::array{0.3, 1.0}));
        for (double& error : errors)
            error += 0.5 * model.log_variance(); // the wrong twin: unbiased in the log
        EXPECT_GT(unbiasedness_z(errors), 2 * largest_z);
    }
}

/// log weights of M particles along the schedule, weighted before each move.
using Move = std::function<void(const NoisyAnnealing&, model::DensityBlock&, double, const model::BlockStreams&)>;
void perfect(const NoisyAnnealing& model, model::DensityBlock& block, double b, const model::BlockStreams& streams) {
    model.move(block, b, streams);
}
std::vector<double> annealed(const NoisyAnnealing& model, const std::vector<double>& schedule, Index particles,
                             const Move& move) {
    auto block = model.make_block(particles);
    model.draw_start(block, {.seed = 11});
    std::vector<double> log_weights(static_cast<std::size_t>(particles), 0);
    for (std::size_t t = 1; t < schedule.size(); ++t) {
        model.add_log_ratio(block, schedule[t - 1], schedule[t], log_weights);
        move(model, block, schedule[t], {.seed = 11, .step = static_cast<std::uint32_t>(t)});
    }
    return log_weights;
}

std::vector<double> linear(int steps) {
    std::vector<double> schedule;
    for (int t = 0; t <= steps; ++t)
        schedule.push_back(static_cast<double>(t) / steps);
    return schedule;
}

/// (measured log ESS/M - expected) / standard error, by the delta method for (mean w)^2 / mean w^2.
double z_of_log_ess(std::vector<double> log_weights, double expected) {
    const double height = *std::max_element(log_weights.begin(), log_weights.end());
    const auto n = static_cast<double>(log_weights.size());
    double first = 0, second = 0;
    for (double& w : log_weights) {
        w = std::exp(w - height);
        first += w / n;
        second += w * w / n;
    }
    double variance = 0;
    for (const double w : log_weights) {
        const double influence = 2 * w / first - w * w / second - 1;
        variance += influence * influence / n;
    }
    return (std::log(first * first / second) - expected) / std::sqrt(variance / n);
}

// Theorem 1 of Tran, Strickland, Pitt & Kohn, for regular and irregular schedules.
TEST(NoisyAnnealing, NoiseTakesItsShareOfTheEffectiveSampleSize) {
    for (const auto& schedule : {linear(10), std::vector{0.0, 0.02, 0.1, 0.25, 0.5, 0.8, 1.0}}) {
        double tau = 0;
        for (std::size_t t = 1; t < schedule.size(); ++t)
            tau += (schedule[t] - schedule[t - 1]) * (schedule[t] - schedule[t - 1]);
        const double exact = NoisyLikelihood(case_of(0)).log_relative_ess(schedule);
        for (const double s2 : {0.0, 0.5, 2.0}) {
            const NoisyAnnealing model{NoisyLikelihood(case_of(s2))};
            const double expected = model.density().log_relative_ess(schedule);
            EXPECT_NEAR(expected, exact - tau * s2, 1e-10);
            const auto log_weights = annealed(model, schedule, 40000, perfect);
            EXPECT_LT(std::fabs(z_of_log_ess(log_weights, expected)), largest_z) << s2;
            if (s2 == 2) { // without the theorem's share the comparison fails
                EXPECT_GT(std::fabs(z_of_log_ess(log_weights, exact)), 2 * largest_z);
            }
        }
    }
}

TEST(NoisyAnnealing, TheEvidenceIsUnbiased) {
    const auto schedule = linear(10);
    const NoisyAnnealing model{NoisyLikelihood(case_of(2))};
    const auto errors = [&](const Move& move) {
        auto log_weights = annealed(model, schedule, 20000, move);
        for (double& w : log_weights)
            w -= *model.exact_log_ratio(1);
        return log_weights;
    };
    EXPECT_NEAR(*model.exact_log_ratio(1), *model.density().exact_log_ratio(), 1e-12);
    EXPECT_LT(std::fabs(unbiasedness_z(errors(perfect))), largest_z);
    // The wrong twin estimates the likelihood of the state anew in each move: its noise is not tempered.
    const auto forgets = [](const NoisyAnnealing& annealing, model::DensityBlock& block, double b,
                            const model::BlockStreams& streams) {
        annealing.move(block, b, streams);
        for (Index i = 0; i < block.size(); ++i)
            block.log_likelihood(i) -= b * annealing.density().log_variance();
    };
    EXPECT_GT(std::fabs(unbiasedness_z(errors(forgets))), 2 * largest_z);
}

TEST(NoisyAnnealing, MovesDrawFromTheTemperedPosterior) {
    const NoisyAnnealing model{NoisyLikelihood(case_of(3))};
    auto block = model.make_block(5000);
    for (const double b : {0.0, 0.3, 1.0}) {
        const auto check = [&] {
            std::vector<double> theta, z, log_likelihood(5000);
            for (Index i = 0; i < block.size(); ++i) {
                const std::span<const double> x(block.points.col(i).data(), 2);
                for (Index k = 0; k < 2; ++k)
                    theta.push_back((x[static_cast<std::size_t>(k)] - model.density().tempered_mean(k, b)) /
                                    model.density().tempered_sd(b));
                z.push_back((block.log_likelihood(i) - model.density().exact_log_likelihood(x) + 1.5 - 3 * b) /
                            std::sqrt(3));
                EXPECT_EQ(block.log_prior(i), model.density().log_prior(x));
            }
            EXPECT_GT(random::testing::normal_moments_p_value(theta), rejection_level);
            EXPECT_GT(random::testing::normal_moments_p_value(z), rejection_level);
            std::vector<double> first;
            for (std::size_t i = 0; i < theta.size(); i += 2)
                first.push_back(theta[i]);
            EXPECT_GT(random::testing::correlation_p_value(first, z), rejection_level);
            model.path_derivative(block, b, log_likelihood);
            EXPECT_EQ(log_likelihood[9], block.log_likelihood(9));
        };
        model.move(block, b, {.seed = 21, .step = 3});
        check();
        model.draw_end(block, b, {.seed = 22});
        check();
    }
    model.draw_start(block, {.seed = 23});
    EXPECT_GT(random::testing::p_value_of_z(random::testing::z_of_mean({block.points.data(), 10000}, 0, 4)),
              rejection_level);
}

// Ranks of the truth among draws from its posterior are uniform; with data of another scale they are not.
TEST(NoisyAnnealing, CalibratedBySimulation) {
    const auto ranks = [](double assumed_sd) {
        std::vector<double> counts(10, 0);
        for (std::uint64_t id = 0; id < 2000; ++id) {
            random::Stream stream({31, random::Purpose::synthetic_data, id, 0});
            const auto truth = simulate(1, 2, 0.5, stream);
            const NoisyAnnealing model{NoisyLikelihood({.data = truth.data, .prior_sd = 2, .data_sd = assumed_sd})};
            auto block = model.make_block(9);
            model.draw_end(block, 1, {.seed = 32, .step = static_cast<std::uint32_t>(id)});
            Index below = 0;
            for (Index i = 0; i < 9; ++i)
                below += block.points(0, i) < truth.parameters(0) ? 1 : 0;
            ++counts[static_cast<std::size_t>(below)];
        }
        return random::testing::chi_squared_p_value(counts, std::vector<double>(10, 0.1));
    };
    EXPECT_GT(ranks(0.5), rejection_level);
    EXPECT_LT(ranks(0.7), rejection_level);
}

TEST(NoisyLikelihood, NamesFingerprintAndMistakes) {
    EXPECT_EQ(NoisyLikelihood(case_of(1)).parameter_names(), (std::vector<std::string>{"theta1", "theta2"}));
    EXPECT_EQ(NoisyLikelihood({.data = Vector::Zero(1)}).parameter_names(), std::vector<std::string>{"theta"});
    const auto bytes = [](const NoisyLikelihoodSettings& settings) {
        std::vector<std::byte> all;
        model::Fingerprint sink(
            [&](std::span<const std::byte> part) { all.insert(all.end(), part.begin(), part.end()); });
        NoisyLikelihood(settings).fingerprint(sink);
        return all;
    };
    EXPECT_EQ(bytes(case_of(1)), bytes(case_of(1)));
    EXPECT_NE(bytes(case_of(1)), bytes(case_of(2)));
    EXPECT_THROW(NoisyLikelihood({.data = Vector(0)}), InputError);
    EXPECT_THROW(NoisyLikelihood({.data = Vector::Zero(1), .data_sd = 0}), InputError);
    EXPECT_THROW(NoisyLikelihood(case_of(-1)), InputError);
    EXPECT_THROW(NoisyLikelihood({.data = Vector::Zero(1), .samples = 0}), InputError);
}

} // namespace
} // namespace pearlite::models
