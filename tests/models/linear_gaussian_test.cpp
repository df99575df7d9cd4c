/// Estimates by particle filters against the Kalman filter. Means of estimates are compared in units of their standard
/// errors: 3 for what is right (9 + 3 comparisons with fixed seeds, false alarm 3 % in all), 6 for wrong twins.

#include "models/state_space/linear_gaussian.hpp"

#include "models/unbiasedness.hpp"
#include "pearlite/core/error.hpp"
#include "pearlite/model/density.hpp"
#include "pearlite/model/estimated_likelihood.hpp"
#include "support/decompositions.hpp"

#include <gtest/gtest.h>
#include <numbers>

namespace pearlite::models {
namespace {

using testing::MeanError;
using testing::unbiasedness_z;

static_assert(HasLookAhead<LinearGaussianProcess> && HasAdaptedProposal<LinearGaussianProcess>);
static_assert(model::HasEstimatedLikelihood<LinearGaussian> && model::HasExactLikelihood<LinearGaussian> &&
              model::HasEstimatorSize<LinearGaussian> && model::HasParameterNames<LinearGaussian> &&
              model::HasPriorSampler<LinearGaussian> && model::HasFingerprint<LinearGaussian>);

constexpr LinearGaussianParameters theta{.mean = 0.5, .persistence = 0.8, .state_sd = 0.7, .noise_sd = 0.9};

random::Stream stream_of(std::uint64_t id, std::uint32_t step = 0) {
    return random::Stream({11, random::Purpose::test, id, step});
}

std::vector<double> observations(Index n = 20) {
    auto stream = stream_of(0, 99);
    return simulate_linear_gaussian(theta, n, stream);
}

TEST(LinearGaussian, KalmanFilterIsTheMultivariateNormalDensity) {
    const auto y = observations(12);
    const auto n = static_cast<Index>(y.size());
    const double stationary = 0.49 / (1 - 0.64);
    const Matrix covariance = Matrix::NullaryExpr(n, n, [&](Index i, Index j) {
        return stationary * std::pow(0.8, std::abs(static_cast<double>(i - j))) + (i == j ? 0.81 : 0);
    });
    const Matrix factor = decompositions::cholesky_factor(covariance);
    const Vector residual = Eigen::Map<const Vector>(y.data(), n).array() - 0.5;
    const double log_determinant = 2 * factor.diagonal().array().log().sum();
    const double expected = -0.5 * (static_cast<double>(n) * std::log(2 * std::numbers::pi) + log_determinant +
                                    residual.dot(decompositions::solution(covariance, residual)));
    EXPECT_NEAR(LinearGaussianProcess(theta, y).log_likelihood(), expected, 1e-11);
}

/// A Kalman filter that steps over gaps is the normal density of the observations that are there; closing the gaps
/// gives another number. With derivatives by differences.
TEST(LinearGaussian, KalmanFilterStepsOverGaps) {
    auto y = observations(12);
    for (const std::size_t t : {0u, 3u, 4u, 8u, 11u})
        y[t] = std::nan("");
    std::vector<double> there;
    std::vector<double> times;
    for (std::size_t t = 0; t < y.size(); ++t)
        if (!is_missing(y[t])) {
            there.push_back(y[t]);
            times.push_back(static_cast<double>(t));
        }
    const auto n = static_cast<Index>(there.size());
    EXPECT_EQ(missing_times(y), (std::vector<Index>{0, 3, 4, 8, 11}));
    const auto expected = [&](const LinearGaussianParameters& p) {
        const double stationary = p.state_sd * p.state_sd / (1 - p.persistence * p.persistence);
        const Matrix covariance = Matrix::NullaryExpr(n, n, [&](Index i, Index j) {
            return stationary * std::pow(p.persistence, std::abs(times[at(i)] - times[at(j)])) +
                   (i == j ? p.noise_sd * p.noise_sd : 0);
        });
        const Matrix factor = decompositions::cholesky_factor(covariance);
        const Vector residual = Eigen::Map<const Vector>(there.data(), n).array() - p.mean;
        const double log_determinant = 2 * factor.diagonal().array().log().sum();
        return -0.5 * (static_cast<double>(n) * std::log(2 * std::numbers::pi) + log_determinant +
                       residual.dot(decompositions::solution(covariance, residual)));
    };
    std::array<double, 4> slopes{};
    EXPECT_NEAR(LinearGaussianProcess(theta, y).log_likelihood(), expected(theta), 1e-11);
    EXPECT_NEAR(LinearGaussianProcess(theta, y).log_likelihood(slopes), expected(theta), 1e-11);
    EXPECT_GT(std::abs(LinearGaussianProcess(theta, there).log_likelihood() - expected(theta)), 0.01);
    constexpr double step = 1e-5;
    for (std::size_t k = 0; k < 4; ++k) {
        auto above = theta, below = theta;
        double* const members[2][4] = {{&above.mean, &above.persistence, &above.state_sd, &above.noise_sd},
                                       {&below.mean, &below.persistence, &below.state_sd, &below.noise_sd}};
        *members[0][k] += step;
        *members[1][k] -= step;
        EXPECT_NEAR(slopes[k], (expected(above) - expected(below)) / (2 * step), 1e-7) << k;
    }
}

class Unbiased : public ::testing::TestWithParam<std::tuple<FilterKind, Index>> {};

TEST_P(Unbiased, EstimatesOfTheLikelihood) {
    const auto [kind, particles] = GetParam();
    const auto y = observations();
    const LinearGaussianProcess process(theta, y);
    const double exact = process.log_likelihood();
    std::vector<double> errors;
    Index resamplings = 0;
    for (Index r = 0; r < 60000 / particles + 200; ++r) {
        auto stream = stream_of(static_cast<std::uint64_t>(r), static_cast<std::uint32_t>(particles));
        const auto outcome = run_filter(process, {.particles = particles, .kind = kind}, stream);
        errors.push_back(outcome.log_likelihood - exact);
        resamplings += outcome.resamplings;
    }
    EXPECT_LT(std::abs(unbiasedness_z(errors)), 3);
    const double steps = static_cast<double>(y.size()) * static_cast<double>(errors.size());
    EXPECT_GT(static_cast<double>(resamplings), 0.05 * steps); // or the test would say nothing about resampling
    EXPECT_LT(static_cast<double>(resamplings), 0.95 * steps);
}

INSTANTIATE_TEST_SUITE_P(LinearGaussian, Unbiased,
                         ::testing::Combine(::testing::Values(FilterKind::bootstrap, FilterKind::auxiliary,
                                                              FilterKind::adapted),
                                            ::testing::Values(10, 100, 1000)));

enum class Mistake { none, keeps_old_weights, mean_of_logs, forgets_weights, ignores_look_ahead };

/// A filter written down once more, plainly, with one mistake or none.
double filter_with(Mistake mistake, const LinearGaussianProcess& process, Index n, random::Stream& stream) {
    const auto size = static_cast<std::size_t>(n);
    std::vector<double> x(size), w(size, 1.0 / static_cast<double>(n)), next(size);
    std::vector<Index> ancestors(size);
    double log_likelihood = 0;
    for (Index t = 0; t < process.length(); ++t) {
        double squares = 0;
        for (const double weight : w)
            squares += weight * weight;
        const bool resample = t > 0 && 1 / squares < 0.5 * static_cast<double>(n);
        if (resample) {
            systematic_ancestors(w, stream.uniform(), ancestors);
            for (std::size_t i = 0; i < size; ++i)
                next[i] = x[static_cast<std::size_t>(ancestors[i])];
            std::swap(x, next);
            const std::vector<double> old = w;
            std::fill(w.begin(), w.end(), 1.0 / static_cast<double>(n));
            if (mistake == Mistake::keeps_old_weights)
                for (std::size_t i = 0; i < size; ++i)
                    w[i] = old[static_cast<std::size_t>(ancestors[i])];
        }
        double sum = 0, of_logs = 0, plain = 0, ahead = 0;
        for (std::size_t i = 0; i < size; ++i) {
            const double before = x[i];
            x[i] = process.draw_next(t, x[i], stream);
            const double log_factor = process.log_observation(t, x[i]);
            of_logs += w[i] * log_factor;
            plain += std::exp(log_factor) / static_cast<double>(n);
            ahead += w[i] * std::exp(process.log_look_ahead(t, before));
            w[i] *= std::exp(log_factor);
            sum += w[i];
        }
        for (double& weight : w)
            weight /= sum;
        const double factor = mistake == Mistake::mean_of_logs         ? std::exp(of_logs)
                              : mistake == Mistake::forgets_weights    ? plain
                              : mistake == Mistake::ignores_look_ahead ? ahead
                                                                       : sum;
        log_likelihood += std::log(factor);
    }
    return log_likelihood;
}

double z_of(Mistake mistake) {
    const auto y = observations();
    const LinearGaussianProcess process(theta, y);
    std::vector<double> errors;
    for (std::uint64_t r = 0; r < 3000; ++r) {
        auto stream = stream_of(r, 7);
        errors.push_back(filter_with(mistake, process, 50, stream) - process.log_likelihood());
    }
    return unbiasedness_z(errors);
}

TEST(LinearGaussian, WrongTwinsAreRejected) {
    EXPECT_LT(std::abs(z_of(Mistake::none)), 3);
    EXPECT_GT(std::abs(z_of(Mistake::keeps_old_weights)), 6);
    EXPECT_GT(std::abs(z_of(Mistake::mean_of_logs)), 6);
    EXPECT_GT(std::abs(z_of(Mistake::forgets_weights)), 6);
    EXPECT_GT(std::abs(z_of(Mistake::ignores_look_ahead)), 6);
}

/// Better filters have smaller variances.
TEST(LinearGaussian, AdaptedFilterVariesLess) {
    const auto y = observations(50);
    const LinearGaussianProcess process(theta, y);
    const auto variance = [&](FilterKind kind) {
        std::vector<double> logs;
        for (std::uint64_t r = 0; r < 200; ++r) {
            auto stream = stream_of(r, 8);
            logs.push_back(run_filter(process, {.particles = 100, .kind = kind}, stream).log_likelihood);
        }
        const auto [mean, error] = MeanError(logs);
        return error * error * 200;
    };
    EXPECT_LT(variance(FilterKind::adapted), 0.5 * variance(FilterKind::bootstrap)); // 2000 runs: 0.087 and 0.36
}

TEST(LinearGaussian, FilteredMeansAreThoseOfKalman) {
    const auto y = observations(15);
    const LinearGaussianProcess process(theta, y);
    double mean = theta.mean, variance = 0.49 / 0.36;
    std::vector<double> exact;
    for (const double value : y) {
        const double gain = variance / (variance + 0.81);
        exact.push_back(mean + gain * (value - mean));
        mean = 0.5 + 0.8 * (exact.back() - 0.5);
        variance = 0.64 * gain * 0.81 + 0.49;
    }
    for (const auto kind : {FilterKind::bootstrap, FilterKind::auxiliary, FilterKind::adapted}) {
        std::vector<std::vector<double>> means(y.size());
        for (std::uint64_t r = 0; r < 100; ++r) {
            auto stream = stream_of(r, 9);
            run_filter(process, {.particles = 2000, .kind = kind}, stream,
                       [&](Index t, std::span<const double> x, std::span<const double> log_weights) {
                           double sum = 0;
                           for (std::size_t i = 0; i < x.size(); ++i)
                               sum += std::exp(log_weights[i]) * x[i];
                           means[static_cast<std::size_t>(t)].push_back(sum);
                       });
        }
        for (std::size_t t = 0; t < y.size(); ++t) {
            const auto [estimate, error] = MeanError(means[t]);
            EXPECT_LT(std::abs(estimate - exact[t]), 4 * error) << t; // 45 comparisons: false alarm 0.3 %
        }
    }
}

TEST(LinearGaussian, EstimatesDoNotDependOnNeighbours) {
    const LinearGaussian density({.observations = observations()});
    Matrix points(4, 16);
    auto stream = stream_of(1);
    for (Index i = 0; i < points.cols(); ++i)
        density.draw_prior(stream, {points.col(i).data(), 4});
    const model::BlockStreams streams{.seed = 5, .step = 3, .first_slot = 32, .block = 2};
    std::vector<double> prior(16), likelihood(16), one_prior(1), one(1);
    density.estimate(points, streams, prior, likelihood);
    for (Index i = 0; i < 16; ++i) {
        const auto k = static_cast<std::size_t>(i);
        model::BlockStreams moved = streams;
        moved.first_slot += i;
        density.estimate(points.col(i), moved, one_prior, one);
        EXPECT_EQ(one[0], likelihood[k]);
        EXPECT_EQ(one_prior[0], prior[k]);
        EXPECT_EQ(prior[k], density.log_prior({points.col(i).data(), 4}));
    }
}

TEST(LinearGaussian, PointsAtTheEndOfTheirRangeHaveNoLikelihood) {
    const LinearGaussian density(
        {.observations = observations(), .persistence = model::Prior::parse("uniform(-1, 1)")});
    Matrix points(4, 2);
    points << 0, 0, 60, 0, 0, -800, 0, 0;
    std::vector<double> prior(2), likelihood(2);
    density.estimate(points, {}, prior, likelihood);
    for (const Index i : {0, 1}) {
        EXPECT_EQ(likelihood[static_cast<std::size_t>(i)], log_zero);
        EXPECT_EQ(density.exact_log_likelihood({points.col(i).data(), 4}), log_zero);
    }
}

TEST(LinearGaussian, RefusesWhatIsOutOfRange) {
    const auto y = observations();
    EXPECT_THROW(LinearGaussian({.observations = {}}), InputError);
    EXPECT_THROW(LinearGaussian({.observations = {1, INFINITY}}), InputError);
    EXPECT_THROW(LinearGaussian({.observations = {NAN, NAN}}), InputError);
    EXPECT_THROW(LinearGaussian({.observations = y, .persistence = model::Prior::parse("normal(0, 1)")}), InputError);
    EXPECT_THROW(LinearGaussian({.observations = y, .state_sd = model::Prior::parse("normal(0, 1)")}), InputError);
    EXPECT_THROW(LinearGaussian({.observations = y, .filter = {.particles = 0}}), InputError);
    EXPECT_THROW(LinearGaussianProcess({.persistence = 1}, y), ContractViolation);
}

} // namespace
} // namespace pearlite::models
