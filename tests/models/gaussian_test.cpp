#include "models/gaussian/gaussian.hpp"

#include "random/statistics.hpp"

#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <gtest/gtest.h>

namespace pearlite::models {
namespace {

TEST(Gaussian, RatioAndNormaliserAgreeWithQuadrature) {
    const Gaussian gaussian({.dimension = 1, .start_mean = 20, .start_sd = 10, .end_mean = 0, .end_sd = 1});
    const auto log_density = [&](double x, double b) {
        Matrix point(1, 1);
        point(0, 0) = x;
        double log_prior = 0, log_likelihood = 0;
        gaussian.evaluate(point, {&log_prior, 1}, {&log_likelihood, 1});
        return log_prior + b * log_likelihood;
    };
    using Quadrature = boost::math::quadrature::gauss_kronrod<double, 61>;
    const double z0 =
        Quadrature::integrate([&](double x) { return std::exp(log_density(x, 0)); }, -80.0, 120.0, 12, 1e-12);
    const double z1 =
        Quadrature::integrate([&](double x) { return std::exp(log_density(x, 1)); }, -40.0, 40.0, 12, 1e-12);
    EXPECT_NEAR(std::log(z0), gaussian.log_prior_normaliser(), 1e-10);
    EXPECT_NEAR(std::log(z1 / z0), *gaussian.exact_log_ratio(), 1e-10);
    EXPECT_NEAR(*gaussian.exact_log_ratio(), -std::log(10), 1e-14);
    EXPECT_NEAR(*Gaussian({.dimension = 3}).exact_log_ratio(), -3 * std::log(10), 1e-13);
}

TEST(Gaussian, DrawsFollowTheStart) {
    const Gaussian gaussian({.dimension = 3, .start_mean = -4, .start_sd = 0.5});
    std::vector<double> standardised;
    for (std::uint64_t i = 0; i < 5000; ++i) {
        random::Stream stream({11, random::Purpose::start, i, 0});
        std::array<double, 3> x{};
        gaussian.draw_prior(stream, x);
        for (const double value : x)
            standardised.push_back((value + 4) / 0.5);
    }
    EXPECT_GT(random::testing::normal_moments_p_value(standardised), random::testing::rejection_level);
    for (double& value : standardised)
        value *= 1.1; // the wrong twin: a standard deviation 10 % too large
    EXPECT_LT(random::testing::normal_moments_p_value(standardised), random::testing::rejection_level);
}

TEST(Gaussian, NamesAndFingerprint) {
    EXPECT_EQ(Gaussian({.dimension = 1}).parameter_names(), std::vector<std::string>{"x"});
    EXPECT_EQ(Gaussian({.dimension = 2}).parameter_names(), (std::vector<std::string>{"x1", "x2"}));
    const auto bytes = [](const GaussianSettings& settings) {
        std::vector<std::byte> all;
        model::Fingerprint sink(
            [&](std::span<const std::byte> part) { all.insert(all.end(), part.begin(), part.end()); });
        Gaussian(settings).fingerprint(sink);
        return all;
    };
    EXPECT_EQ(bytes({}), bytes({}));
    EXPECT_NE(bytes({}), bytes({.end_sd = 2}));
    EXPECT_NE(bytes({}), bytes({.dimension = 2}));
}

} // namespace
} // namespace pearlite::models
