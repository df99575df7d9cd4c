/// Particle numbers chosen at each point from its variance: estimates are still unbiased, and equally noisy everywhere.

#include "models/mixed_logistic_cases.hpp"
#include "models/state_space/linear_gaussian.hpp"
#include "models/unbiasedness.hpp"
#include "pearlite/core/error.hpp"
#include "pearlite/model/estimated_likelihood.hpp"

#include <gtest/gtest.h>

namespace pearlite::models {
namespace {

using testing::MeanError;
using testing::mixed_case;
using testing::unbiasedness_z;

/// Log estimates of one point, less the exact log likelihood, at many addresses.
template <class D>
std::vector<double> errors_at(const D& density, const std::vector<double>& u, Index repeats) {
    const Matrix points = Eigen::Map<const Vector>(u.data(), static_cast<Index>(u.size())).replicate(1, repeats);
    std::vector<double> prior(static_cast<std::size_t>(repeats)), errors(prior.size());
    density.estimate(points, {.seed = 71}, prior, errors);
    const double exact = density.exact_log_likelihood(u);
    for (double& error : errors)
        error -= exact;
    return errors;
}
double variance_of(const std::vector<double>& values) {
    const auto [mean, error] = MeanError(values);
    return error * error * static_cast<double>(values.size());
}

MixedLogistic mixed(Index subjects, Index q, double variance, Index largest = 4096) {
    auto settings = mixed_case(subjects, 6, q, 72);
    settings.constant_variance = ConstantVarianceOfSubjects{.variance = variance, .largest = largest};
    return MixedLogistic(std::move(settings));
}
/// Coefficients (-1, -0.3, 0.5) and all deviations alike; u of MixedLogistic.
std::vector<double> mixed_point(Index q, double deviation) {
    std::vector<double> u{-1, -0.3, 0.5};
    u.insert(u.end(), static_cast<std::size_t>(q), std::log(deviation));
    return u;
}

TEST(ParticlesByPoint, MixedLogisticIsUnbiasedAndEquallyNoisyEverywhere) {
    for (const Index q : {Index{1}, Index{2}})
        for (const double deviation : {0.5, 2.0, 6.0}) {
            const auto density = mixed(60, q, 0.4);
            const auto errors = errors_at(density, mixed_point(q, deviation), 3000);
            EXPECT_LT(std::abs(unbiasedness_z(errors)), 3.5) << q << " " << deviation;
            const double goal = 0.4, found = variance_of(errors);
            // N is rounded up to fours, and the pilot's estimate is noisy.
            EXPECT_LT(found, 1.4 * goal) << q << " " << deviation;
            EXPECT_GT(found, 0.5 * goal) << q << " " << deviation;
        }
}

TEST(ParticlesByPoint, OneNumberForAllPointsIsNotEquallyNoisy) {
    auto density = mixed(60, 1, 0.4);
    density.set_particles(16);
    const double here = variance_of(errors_at(density, mixed_point(1, 0.5), 2000)),
                 there = variance_of(errors_at(density, mixed_point(1, 6), 2000));
    EXPECT_GT(here, 2.5 * there);
}

/// The wrong twin: samples whose spread chose N are no independent estimate. Here N is chosen by the estimate itself,
/// the larger of two.
TEST(ParticlesByPoint, ChoosingByTheEstimateIsRejected) {
    const auto density = mixed(60, 1, 0.4);
    auto errors = errors_at(density, mixed_point(1, 2), 6000);
    for (std::size_t i = 0; 2 * i < errors.size(); ++i)
        errors[i] = std::max(errors[2 * i], errors[2 * i + 1]);
    errors.resize(errors.size() / 2);
    EXPECT_GT(unbiasedness_z(errors), 6);
}

TEST(ParticlesByPoint, TheEstimateIsThatOfSoManySamplesAtTheSameAddress) {
    const auto density = mixed(41, 2, 0.3);
    const auto u = mixed_point(2, 1.5);
    for (Index i = 0; i < 5; ++i) {
        const auto address = model::BlockStreams{.seed = 73}.at(model::likelihood_draws, i);
        auto fixed = density;
        fixed.set_particles(density.particles_at(u, address));
        EXPECT_EQ(fixed.log_estimates(u, address), density.log_estimates(u, address));
    }
}

TEST(ParticlesByPoint, SamplesStayWithinTheirLimits) {
    const auto u = mixed_point(1, 2);
    const random::Address address{74};
    EXPECT_EQ(mixed(60, 1, 1e-9, 100).particles_at(u, address), 100);
    EXPECT_EQ(mixed(60, 1, 1e9).particles_at(u, address), 4);
    auto density = mixed(60, 1, 0.1);
    EXPECT_EQ(density.particles_at(u, address) % 4, 0);
    density.set_particles(20);
    EXPECT_EQ(density.particles_at(u, address), 20);
    auto settings = mixed_case(5, 3, 1, 1);
    for (const ConstantVarianceOfSubjects wrong :
         {ConstantVarianceOfSubjects{.variance = 0}, ConstantVarianceOfSubjects{.variance = 1, .smallest = 0},
          ConstantVarianceOfSubjects{.variance = 1, .smallest = 8, .largest = 4}}) {
        settings.constant_variance = wrong;
        EXPECT_THROW(MixedLogistic{settings}, InputError);
    }
}

LinearGaussian filtered(double variance) {
    random::Stream stream({75});
    return LinearGaussian({.observations = simulate_linear_gaussian({0.3, 0.8, 0.7, 0.6}, 25, stream),
                           .constant_variance = ConstantVariance{.variance = variance, .smallest = 32}});
}

TEST(ParticlesByPoint, FilteredLinearGaussianIsUnbiasedAndEquallyNoisyEverywhere) {
    const auto density = filtered(0.4);
    double particles[2] = {};
    for (const bool is_hard : {false, true}) {
        std::vector<double> u;
        const std::vector<double> natural{0.3, 0.8, 0.7, is_hard ? 0.5 : 1.2};
        for (std::size_t k = 0; k < natural.size(); ++k)
            u.push_back(density.parameters().unconstrained(static_cast<Index>(k), natural[k]));
        const auto errors = errors_at(density, u, 1000);
        EXPECT_LT(std::abs(unbiasedness_z(errors)), 3.5) << is_hard;
        // Eight pilots are a rough guess: 1/N averages to 7/5 of 1/gamma^2.
        EXPECT_LT(variance_of(errors), 0.8);
        EXPECT_GT(variance_of(errors), 0.2);
        for (Index i = 0; i < 50; ++i)
            particles[is_hard] += static_cast<double>(
                density.particles_at(u, model::BlockStreams{.seed = 71}.at(model::likelihood_draws, i)));
    }
    EXPECT_GT(particles[1], 2 * particles[0]);
    auto fixed = filtered(0.3);
    fixed.set_particles(50);
    EXPECT_EQ(fixed.particles_at(std::vector<double>{0, 1, 0, 0}, {}), 50);
}

} // namespace
} // namespace pearlite::models
