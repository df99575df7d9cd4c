#include "models/state_space/stochastic_volatility.hpp"

#include "models/unbiasedness.hpp"
#include "models/volatility_cases.hpp"
#include "pearlite/core/error.hpp"
#include "pearlite/model/density.hpp"
#include "pearlite/model/estimated_likelihood.hpp"

#include <algorithm>
#include <gtest/gtest.h>

namespace pearlite::models {
namespace {

using testing::unbiasedness_z;
using testing::volatility_cases;

static_assert(model::HasEstimatedLikelihood<StochasticVolatility> && model::HasExactLikelihood<StochasticVolatility> &&
              model::HasEstimatorSize<StochasticVolatility> && model::HasParameterNames<StochasticVolatility> &&
              model::HasPriorSampler<StochasticVolatility> && model::HasFingerprint<StochasticVolatility> &&
              model::HasLogPrior<StochasticVolatility>);

StochasticVolatilitySettings settings(Index n = 30) {
    return {
        .returns = volatility_cases()[3].returns(n), .leverage = true, .student = true, .filter = {.particles = 64}};
}

std::vector<double> unconstrained(const StochasticVolatility& density, const VolatilityParameters& p) {
    const std::vector<double> all{p.mu, p.phi, p.sigma, p.rho, p.nu};
    std::vector<double> u;
    for (Index k = 0; k < density.parameters().size(); ++k)
        u.push_back(density.parameters().unconstrained(k, all[static_cast<std::size_t>(k)]));
    return u;
}

struct Estimates {
    std::vector<double> prior, likelihood;
};
Estimates estimate(const StochasticVolatility& density, const Matrix& points, const model::BlockStreams& streams) {
    const auto n = static_cast<std::size_t>(points.cols());
    Estimates estimates{std::vector<double>(n), std::vector<double>(n)};
    density.estimate(points, streams, estimates.prior, estimates.likelihood);
    return estimates;
}

TEST(StochasticVolatility, ParametersAreThoseOfItsVariant) {
    const auto names = [](bool leverage, bool student) {
        return StochasticVolatility({.returns = {1}, .leverage = leverage, .student = student}).parameter_names();
    };
    using Names = std::vector<std::string>;
    EXPECT_EQ(names(false, false), (Names{"mu", "phi", "sigma"}));
    EXPECT_EQ(names(true, false), (Names{"mu", "phi", "sigma", "rho"}));
    EXPECT_EQ(names(false, true), (Names{"mu", "phi", "sigma", "nu"}));
    EXPECT_EQ(names(true, true), (Names{"mu", "phi", "sigma", "rho", "nu"}));
    const StochasticVolatility density(settings());
    const auto p = density.natural(unconstrained(density, volatility_cases()[3].parameters));
    EXPECT_NEAR(p.mu, -0.5, 1e-12);
    EXPECT_NEAR(p.phi, 0.9, 1e-12);
    EXPECT_NEAR(p.sigma, 0.5, 1e-12);
    EXPECT_NEAR(p.rho, -0.7, 1e-12);
    EXPECT_NEAR(p.nu, 4, 1e-12);
}

TEST(StochasticVolatility, EstimatesDoNotDependOnNeighbours) {
    StochasticVolatilitySettings by_point = settings();
    by_point.constant_variance = ConstantVariance{.variance = 0.3};
    for (const auto& density : {StochasticVolatility(settings()), StochasticVolatility(by_point)}) {
        Matrix points(5, 16);
        random::Stream stream({91});
        for (Index i = 0; i < 16; ++i)
            density.draw_prior(stream, {points.col(i).data(), 5});
        const model::BlockStreams streams{.seed = 5, .step = 3, .first_slot = 32, .block = 2};
        const auto together = estimate(density, points, streams);
        for (Index i = 0; i < 16; ++i) {
            model::BlockStreams moved = streams;
            moved.first_slot += i;
            const auto alone = estimate(density, points.col(i), moved);
            EXPECT_EQ(alone.likelihood[0], together.likelihood[static_cast<std::size_t>(i)]);
            EXPECT_EQ(alone.prior[0], density.log_prior({points.col(i).data(), 5}));
            EXPECT_TRUE(std::isfinite(alone.likelihood[0]));
        }
    }
}

/// Estimates of one point at many addresses, 3.5 standard errors.
std::vector<double> errors_at(const StochasticVolatility& density, std::span<const double> u, Index repeats) {
    const Matrix points = Eigen::Map<const Vector>(u.data(), static_cast<Index>(u.size())).replicate(1, repeats);
    auto errors = estimate(density, points, {.seed = 92}).likelihood;
    const double exact = density.exact_log_likelihood(u);
    for (double& error : errors)
        error -= exact;
    return errors;
}

TEST(StochasticVolatility, ConstantVarianceIsKeptAndUnbiased) {
    auto by_point = settings(60);
    by_point.constant_variance = ConstantVariance{.variance = 0.2, .smallest = 1};
    const StochasticVolatility density(by_point);
    VolatilityParameters easy = volatility_cases()[3].parameters, hard = easy;
    easy.sigma = 0.2;
    easy.rho = 0;
    hard.mu = -3;
    double particles[2] = {0, 0};
    for (const bool is_hard : {false, true}) {
        const auto u = unconstrained(density, is_hard ? hard : easy);
        const auto errors = errors_at(density, u, 800);
        EXPECT_LT(std::abs(unbiasedness_z(errors)), 3.5);
        const auto [mean, error] = testing::MeanError(errors);
        EXPECT_NEAR(error * error * 800, 0.2, 0.1); // N(theta) of eight pilots is a rough guess
        for (Index i = 0; i < 100; ++i)
            particles[is_hard] += static_cast<double>(
                density.particles_at(u, model::BlockStreams{.seed = 92}.at(model::likelihood_draws, i)));
    }
    EXPECT_GT(particles[1], 2 * particles[0]);
}

/// The wrong twin of a pilot: the better of two estimates is biased. An estimate that shares its random numbers with
/// the pilot has a bias like this.
TEST(StochasticVolatility, ChoosingByTheEstimateIsRejected) {
    const StochasticVolatility density(settings(60));
    auto errors = errors_at(density, unconstrained(density, volatility_cases()[3].parameters), 2000);
    EXPECT_LT(std::abs(unbiasedness_z(errors)), 3.5);
    for (std::size_t i = 0; 2 * i < errors.size(); ++i)
        errors[i] = std::max(errors[2 * i], errors[2 * i + 1]);
    errors.resize(errors.size() / 2);
    EXPECT_GT(unbiasedness_z(errors), 6);
}

TEST(StochasticVolatility, ParticlesByPointStayWithinTheirLimits) {
    auto by_point = settings();
    by_point.constant_variance = ConstantVariance{.variance = 1e-6, .smallest = 32, .largest = 320};
    const auto u = unconstrained(StochasticVolatility(by_point), volatility_cases()[3].parameters);
    const random::Address address{1};
    EXPECT_EQ(StochasticVolatility(by_point).particles_at(u, address), 320);
    by_point.constant_variance->variance = 1e6;
    StochasticVolatility density(by_point);
    EXPECT_EQ(density.particles_at(u, address), 32);
    density.set_particles(100);
    EXPECT_EQ(density.particles_at(u, address), 100);
    EXPECT_EQ(density.particles(), 100);
    EXPECT_EQ(estimate(density, Eigen::Map<const Vector>(u.data(), 5), {}).likelihood.size(), 1u);
}

TEST(StochasticVolatility, PointsAtTheEndOfTheirRangeHaveNoLikelihood) {
    auto uniform = settings();
    uniform.phi = model::Prior::parse("uniform(-1, 1)");
    const StochasticVolatility density(uniform);
    Matrix points = Matrix::Zero(5, 3);
    points(1, 0) = 60;
    points(2, 1) = -800;
    points(3, 2) = 60;
    const auto estimates = estimate(density, points, {});
    for (Index i = 0; i < 3; ++i) {
        EXPECT_EQ(estimates.likelihood[static_cast<std::size_t>(i)], log_zero);
        EXPECT_EQ(density.exact_log_likelihood({points.col(i).data(), 5}), log_zero);
    }
}

TEST(StochasticVolatility, FingerprintDistinguishesDataPriorsAndVariants) {
    const auto print = [](const StochasticVolatilitySettings& s) {
        std::vector<std::byte> bytes;
        model::Fingerprint sink(
            [&](std::span<const std::byte> more) { bytes.insert(bytes.end(), more.begin(), more.end()); });
        StochasticVolatility(s).fingerprint(sink);
        return bytes;
    };
    const auto base = settings();
    auto data = base, prior = base, variant = base, particles = base;
    data.returns[3] += 1e-9;
    prior.mu = model::Prior::parse("normal(0, 1)");
    variant.leverage = false;
    particles.filter.particles = 999;
    for (const auto& other : {data, prior, variant})
        EXPECT_NE(print(base), print(other));
    EXPECT_EQ(print(base), print(particles)); // how precisely it is estimated is not the model
}

TEST(StochasticVolatility, RefusesWhatIsOutOfRange) {
    const auto refused = [](auto change) {
        auto s = settings();
        change(s);
        EXPECT_THROW(StochasticVolatility{s}, InputError);
    };
    refused([](auto& s) { s.returns.clear(); });
    refused([](auto& s) { s.returns[2] = INFINITY; });
    refused([](auto& s) { s.returns.assign(3, NAN); });
    refused([](auto& s) { s.phi = model::Prior::parse("normal(0, 1)"); });
    refused([](auto& s) { s.sigma = model::Prior::parse("normal(0, 1)"); });
    refused([](auto& s) { s.rho = model::Prior::parse("uniform(-2, 1)"); });
    refused([](auto& s) { s.nu = model::Prior::parse("normal(10, 1)"); });
    refused([](auto& s) { s.filter.particles = 0; });
    refused([](auto& s) { s.filter.particles = Index{1} << 30; });
    refused([](auto& s) { s.filter.kind = FilterKind::auxiliary; });
    refused([](auto& s) { s.constant_variance = ConstantVariance{.variance = 0}; });
    refused([](auto& s) { s.constant_variance = ConstantVariance{.pilot_runs = 1}; });
    refused([](auto& s) { s.constant_variance = ConstantVariance{.smallest = 10, .largest = 9}; });
}

} // namespace
} // namespace pearlite::models
