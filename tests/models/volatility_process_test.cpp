/// The process in double precision: its likelihood by quadrature against direct integrals, its filters against the
/// quadrature. Right means lie within 3.5 standard errors (8 comparisons with fixed seeds, false alarm 0.4 %), wrong
/// ones beyond 6.

#include "models/state_space/volatility_process.hpp"

#include "models/unbiasedness.hpp"
#include "models/volatility_cases.hpp"
#include "pearlite/core/error.hpp"

#include <gtest/gtest.h>
#include <numbers>

namespace pearlite::models {
namespace {

using testing::unbiasedness_z;
using testing::volatility_cases;

static_assert(HasAdaptedProposal<VolatilityProcess>);

double normal_density(double x, double mean, double sd) {
    return std::exp(-0.5 * (x - mean) * (x - mean) / (sd * sd)) / (sd * std::sqrt(2 * std::numbers::pi));
}

/// p(y_0) or p(y_0, y_1), normal errors, by the trapezoidal rule in one and two dimensions.
double direct_likelihood(const VolatilityParameters& p, std::span<const double> y) {
    double sum = 0;
    constexpr double step = 0.05;
    for (double h = p.mu - 12; h < p.mu + 12; h += step) {
        const double first = normal_density(h, p.mu, p.stationary_sd()) * normal_density(y[0], 0, std::exp(h / 2));
        if (y.size() == 1) {
            sum += first * step;
            continue;
        }
        const double mean = p.mu + p.phi * (h - p.mu) + p.sigma * p.rho * y[0] * std::exp(-h / 2);
        for (double next = p.mu - 12; next < p.mu + 12; next += step)
            sum += first * step * normal_density(next, mean, p.innovation_sd()) *
                   normal_density(y[1], 0, std::exp(next / 2)) * step;
    }
    return sum;
}

TEST(Quadrature, AgreesWithDirectIntegrals) {
    const std::vector<double> y{1.3, -0.4};
    for (const auto& c : {volatility_cases()[0], volatility_cases()[1]})
        for (const std::size_t n : {1u, 2u})
            EXPECT_NEAR(quadrature_log_likelihood(c.parameters, std::span(y).first(n)),
                        std::log(direct_likelihood(c.parameters, std::span(y).first(n))), 1e-8)
                << c.name;
}

/// Over the second observation the density integrates to that of the first: y = sinh(x) reaches the heavy tails.
TEST(Quadrature, IsADensityOfTheObservations) {
    for (const auto& c : volatility_cases()) {
        double sum = 0;
        constexpr double step = 0.1;
        for (double x = -11; x < 11; x += step)
            sum +=
                std::exp(quadrature_log_likelihood(c.parameters, std::vector{1.3, std::sinh(x)})) * std::cosh(x) * step;
        EXPECT_NEAR(std::log(sum), quadrature_log_likelihood(c.parameters, std::vector{1.3}), 1e-5) << c.name;
    }
}

/// The density without an observation is the integral over it. Fails for every error at a gap.
TEST(Quadrature, StepsOverGaps) {
    for (const auto& c : volatility_cases()) {
        const auto integral = [&](std::vector<double> y, std::size_t time) {
            double sum = 0;
            constexpr double step = 0.2;
            for (double x = -11; x < 11; x += step) {
                y[time] = std::sinh(x);
                sum += std::exp(quadrature_log_likelihood(c.parameters, y)) * std::cosh(x) * step;
            }
            return std::log(sum);
        };
        const std::vector<double> y{1.3, std::nan(""), -0.4};
        EXPECT_NEAR(quadrature_log_likelihood(c.parameters, y), integral(y, 1), 1e-5) << c.name;
        if (c.name != "both") { // whose integral takes seconds
            const std::vector<double> late{std::nan(""), 1.3, -0.4};
            EXPECT_NEAR(quadrature_log_likelihood(c.parameters, late), integral(late, 0), 1e-5) << c.name;
        }
        EXPECT_NEAR(quadrature_log_likelihood(c.parameters, std::vector{1.3, std::nan("")}),
                    quadrature_log_likelihood(c.parameters, std::vector{1.3}), 1e-7);
    }
}

TEST(Quadrature, DerivativesStepOverGaps) {
    for (const auto& c : volatility_cases()) {
        auto y = c.returns(8);
        y[2] = y[3] = y[7] = std::nan("");
        std::array<double, 5> slopes{};
        quadrature_log_likelihood(c.parameters, y, c.parameters.rho != 0, slopes);
        double VolatilityParameters::*const members[] = {&VolatilityParameters::mu, &VolatilityParameters::phi,
                                                         &VolatilityParameters::sigma, &VolatilityParameters::rho,
                                                         &VolatilityParameters::nu};
        constexpr double step = 1e-5;
        for (std::size_t k = 0; k < 5; ++k) {
            if ((k == 3 && c.parameters.rho == 0) || (k == 4 && !c.parameters.student()))
                continue;
            auto above = c.parameters, below = c.parameters;
            above.*members[k] += step;
            below.*members[k] -= step;
            const double difference = quadrature_log_likelihood(above, y) - quadrature_log_likelihood(below, y);
            EXPECT_NEAR(slopes[k], difference / (2 * step), 1e-5) << c.name << ", " << k;
        }
    }
}

TEST(Quadrature, OfMillionsOfDegreesOfFreedomIsTheNormalCase) {
    const auto& c = volatility_cases()[1];
    const auto y = c.returns(30);
    VolatilityParameters nearly = c.parameters;
    nearly.nu = 1e7;
    EXPECT_NEAR(quadrature_log_likelihood(nearly, y), quadrature_log_likelihood(c.parameters, y), 1e-4);
}

TEST(Simulation, HasTheMomentsOfTheProcess) {
    const VolatilityParameters p{.mu = -0.5, .phi = 0.9, .sigma = 0.5, .rho = -0.7};
    random::Stream stream({72});
    constexpr Index n = 100000;
    const auto simulated = simulate_volatility(p, n, stream);
    double cross = 0, squares = 0;
    for (std::size_t t = 0; t + 1 < n; ++t) {
        const double h = simulated.log_variances[t], e = simulated.returns[t] * std::exp(-h / 2);
        const double eta = (simulated.log_variances[t + 1] - p.mu - p.phi * (h - p.mu)) / p.sigma;
        cross += e * eta / n;
        squares += eta * eta / n;
    }
    EXPECT_NEAR(cross, -0.7, 5 * std::sqrt(1.49 / n)); // var(e eta) = 1 + rho^2; five standard errors
    EXPECT_NEAR(squares, 1, 5 * std::sqrt(2.0 / n));
}

TEST(Tangents, LieAboveTheObservationDensity) {
    random::Stream stream({73});
    for (const double nu : {std::numeric_limits<double>::infinity(), 0.7, 4.0, 100.0})
        for (int k = 0; k < 2000; ++k) {
            const VolatilityObservation y({.nu = nu}, 3 * stream.normal());
            const double mean = 5 * stream.normal(), sd = stream.exponential(), point = y.tangent_point(mean, sd);
            const double h = point + 3 * stream.normal();
            ASSERT_TRUE(std::isfinite(point));
            EXPECT_LE(y.log_density(h), y.log_density(point) + y.slope(point) * (h - point) + 1e-9);
            EXPECT_NEAR(y.slope(h), (y.log_density(h + 1e-5) - y.log_density(h - 1e-5)) / 2e-5,
                        1e-4 * (1 + std::abs(y.slope(h))));
        }
}

/// z of the estimates with one set of parameters against the likelihood of another (the same unless a twin is wrong).
double z_of(const VolatilityParameters& filtered, const VolatilityParameters& exact, std::span<const double> y,
            FilterKind kind, std::uint64_t repeats) {
    const VolatilityProcess process(filtered, y);
    const double log_likelihood = quadrature_log_likelihood(exact, y);
    std::vector<double> errors;
    for (std::uint64_t r = 0; r < repeats; ++r) {
        random::Stream stream({74, random::Purpose::test, r, 0});
        errors.push_back(run_filter(process, {.particles = 48, .kind = kind}, stream).log_likelihood - log_likelihood);
    }
    return unbiasedness_z(errors);
}

TEST(VolatilityProcess, EstimatesAreUnbiased) {
    for (const auto& c : volatility_cases())
        for (const auto kind : {FilterKind::bootstrap, FilterKind::adapted})
            EXPECT_LT(std::abs(z_of(c.parameters, c.parameters, c.returns(20), kind, 600)), 3.5) << c.name;
}

TEST(VolatilityProcess, WrongTwinsAreRejected) {
    const auto y = volatility_cases()[3].returns(25);
    const VolatilityParameters right = volatility_cases()[3].parameters;
    VolatilityParameters other_sign = right, normal = right, started_elsewhere = right;
    other_sign.rho = -right.rho;
    normal.nu = std::numeric_limits<double>::infinity();
    started_elsewhere.mu += 0.3;
    for (const auto& wrong : {other_sign, normal, started_elsewhere})
        for (const auto kind : {FilterKind::bootstrap, FilterKind::adapted})
            EXPECT_GT(std::abs(z_of(wrong, right, y, kind, 250)), 6);
}

TEST(CentredReturns, ArePercentagesOfMeanZero) {
    const auto returns = centred_returns(std::vector{1.0, 1.1, 1.21, 1.0});
    ASSERT_EQ(returns.size(), 3u);
    EXPECT_NEAR(returns[0], 100 * std::log(1.1), 1e-12); // the mean is 0 because the rate returns
    EXPECT_NEAR(returns[0] + returns[1] + returns[2], 0, 1e-12);
    EXPECT_EQ(centred(std::vector{1.0, 2.0, 6.0}), (std::vector{-2.0, -1.0, 3.0}));
    EXPECT_THROW(centred({}), InputError);
    EXPECT_THROW(centred_returns(std::vector{1.0}), InputError);
    EXPECT_THROW(centred_returns(std::vector{1.0, 0.0}), InputError);
}

} // namespace
} // namespace pearlite::models
