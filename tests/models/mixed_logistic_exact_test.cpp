#include "models/mixed_logistic/mixed_logistic.hpp"
#include "pearlite/core/error.hpp"
#include "pearlite/model/density.hpp"
#include "pearlite/model/exact_likelihood.hpp"

#include "models/mixed_logistic_cases.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

namespace pearlite::models {
namespace {

using namespace testing;

using ExactMixedLogistic = model::ExactLikelihood<MixedLogistic>;
static_assert(model::Density<ExactMixedLogistic> && model::HasNaturalScale<ExactMixedLogistic>);

TEST(ExactMixedLogistic, OneEffectAgreesWithAdaptiveQuadrature) {
    const auto settings = mixed_case(20, 9, 1, 1);
    const MixedLogistic model(settings);
    for (const double deviation : {1e-6, 0.1, 1.0, 4.0, 20.0, 100.0, 1e3, 1e4})
        for (const double shift : {-6.0, 0.0, 3.0}) {
            const Vector beta{{-1 + shift, -0.3, 0.5}};
            const Vector exact =
                model.exact_log_likelihoods(std::array{beta(0), beta(1), beta(2), std::log(deviation)});
            for (Index s = 0; s < 20; ++s) {
                const auto rows = rows_of(settings, s);
                const double plain = plain_log_integral(
                    [&](double v) { return plain_log_integrand(settings, rows, beta, deviation, v); });
                ASSERT_NEAR(exact(s), plain, 1e-10) << "subject " << s << ", deviation " << deviation;
            }
        }
}

/// log of the integral, piece by piece between the ends of the steps that the rows make of the integrand.
double stepwise_log_integral(const MixedLogisticSettings& settings, const std::vector<Index>& rows, const Vector& beta,
                             double deviation) {
    using Rule = boost::math::quadrature::gauss_kronrod<double, 61>;
    const auto log_f = [&](double v) { return plain_log_integrand(settings, rows, beta, deviation, v); };
    const double mode = plain_mode(log_f), height = log_f(mode);
    std::vector<double> ends{mode - 14, mode, mode + 14};
    for (const Index row : rows) {
        const double slope = deviation * settings.effects_design(row, 0);
        const double zero = -settings.design.row(row).dot(beta) / slope;
        for (const double width : {-40.0, -10.0, -3.0, 0.0, 3.0, 10.0, 40.0})
            if (std::abs(zero + width / slope - mode) < 14)
                ends.push_back(zero + width / slope);
    }
    std::sort(ends.begin(), ends.end());
    double sum = 0;
    for (std::size_t piece = 1; piece < ends.size(); ++piece)
        sum += Rule::integrate([&](double v) { return std::exp(log_f(v) - height); }, ends[piece - 1], ends[piece], 8,
                               1e-13);
    return height + std::log(sum);
}

// Errors are relative to the largest derivative. Trajectories need no better forces: at this error the energy of a
// trajectory of length 1 changes by a hundredth of a nat.
TEST(ExactMixedLogistic, ForcesAreRoughGradients) {
    for (const Index q : {1, 2, 3}) {
        const auto settings = mixed_case(30, 6, 1, q);
        const MixedLogistic model(settings);
        double worst = 0;
        for (const double deviation : {0.01, 0.3, 1.0, 3.0, 8.0})
            for (const double shift : {-4.0, 0.0, 2.0}) {
                std::vector<double> u(model.parameter_names().size(), 0.3);
                u[0] = -1 + shift;
                std::fill_n(u.rbegin(), q, std::log(deviation));
                Vector gradient(static_cast<Index>(u.size())), force(gradient.size());
                model.exact_log_likelihood(u, {gradient.data(), u.size()});
                model.exact_force(u, {force.data(), u.size()});
                const double error = (force - gradient).cwiseAbs().maxCoeff() / (1 + gradient.cwiseAbs().maxCoeff());
                worst = std::max(worst, error);
                ASSERT_LT(error, 2e-3) << q << " effects, deviation " << deviation << ", shift " << shift;
            }
        EXPECT_GT(worst, 1e-9) << q; // another quadrature, and cheaper
    }
}

// Steps of widths and places that differ by orders of magnitude within a subject.
TEST(ExactMixedLogistic, UnevenSlopesAgreeWithStepwiseQuadrature) {
    auto settings = mixed_case(40, 9, 1, 6);
    random::Stream stream({6, random::Purpose::test, 0, 0});
    for (Index row = 0; row < settings.response.size(); ++row)
        settings.effects_design(row, 0) = (stream.bernoulli(0.5) ? 1 : -1) * std::exp(2.5 * stream.normal());
    const MixedLogistic model(settings);
    for (const double deviation : {0.01, 1.0, 30.0, 1e3})
        for (const double size : {1.0, 20.0}) {
            const Vector beta = size * Vector{{-1, -0.3, 0.5}};
            const Vector exact =
                model.exact_log_likelihoods(std::array{beta(0), beta(1), beta(2), std::log(deviation)});
            for (Index s = 0; s < 40; s += 5)
                EXPECT_NEAR(exact(s), stepwise_log_integral(settings, rows_of(settings, s), beta, deviation), 1e-9)
                    << "subject " << s << ", deviation " << deviation << ", size " << size;
        }
}

// Effects of equal columns add up to one, of variance the sum of all entries of their covariance matrix.
TEST(ExactMixedLogistic, SumsOfEffectsAreOneEffect) {
    auto settings = mixed_case(11, 4, 1, 2);
    const MixedLogistic one(settings);
    const auto with_columns = [&](Index q) {
        auto more = settings;
        more.effects_design = settings.effects_design.replicate(1, q);
        more.effect_names.assign(static_cast<std::size_t>(q), "x");
        if (q == 2)
            more.correlation_prior = model::Prior::parse("uniform(-1, 1)");
        return MixedLogistic(more);
    };
    const auto total = [](double variance) { return 0.5 * std::log(variance); };
    const MixedLogistic two = with_columns(2);
    for (const double correlation : {-0.9, 0.0, 0.6}) {
        const double u = two.parameters().unconstrained(5, correlation);
        const double variance = 4 + 0.25 + 2 * correlation * 2 * 0.5;
        EXPECT_NEAR(two.exact_log_likelihood(std::array{-1.0, -0.3, 0.5, std::log(2.0), std::log(0.5), u}),
                    one.exact_log_likelihood(std::array{-1.0, -0.3, 0.5, total(variance)}), 1e-10);
    }
    EXPECT_NEAR(with_columns(3).exact_log_likelihood(std::array{-1.0, -0.3, 0.5, 0.0, -0.5, -1.0}),
                one.exact_log_likelihood(std::array{-1.0, -0.3, 0.5, total(1 + std::exp(-1) + std::exp(-2))}), 1e-10);
}

/// log of the integral over both effects, correlated, of a subject's likelihood.
double nested_log_integral(const MixedLogisticSettings& settings, const std::vector<Index>& rows, const Vector& beta,
                           double sd1, double sd2, double correlation) {
    const double rest = 1 - correlation * correlation;
    const auto log_f = [&](double b1, double b2) {
        const double z1 = b1 / sd1, z2 = b2 / sd2;
        double sum = -0.5 * (z1 * z1 - 2 * correlation * z1 * z2 + z2 * z2) / rest -
                     std::log(2 * std::numbers::pi * sd1 * sd2 * std::sqrt(rest));
        for (const Index j : rows) {
            const double eta = settings.design.row(j).dot(beta) + b1 + b2 * settings.design(j, 1);
            sum -= settings.response(j) == 1 ? softplus(-eta) : softplus(eta);
        }
        return sum;
    };
    using Rule = boost::math::quadrature::gauss_kronrod<double, 61>;
    const auto marginal = [&](double b1) {
        return Rule::integrate([&](double b2) { return std::exp(log_f(b1, b2)); }, -9 * sd2, 9 * sd2, 12, 1e-13);
    };
    return std::log(Rule::integrate(marginal, -9 * sd1, 9 * sd1, 12, 1e-13));
}

TEST(ExactMixedLogistic, TwoEffectsAgreeWithNestedQuadrature) {
    auto settings = mixed_case(3, 5, 2, 3);
    settings.correlation_prior = model::Prior::parse("uniform(-1, 1)");
    const MixedLogistic model(settings);
    const Vector beta{{-1, -0.3, 0.5}};
    const double correlation = -0.5, u = model.parameters().unconstrained(5, correlation);
    for (const auto& [sd1, sd2] : {std::pair(3.0, 0.8), std::pair(20.0, 5.0)}) {
        const Vector exact =
            model.exact_log_likelihoods(std::array{beta(0), beta(1), beta(2), std::log(sd1), std::log(sd2), u});
        for (Index s = 0; s < 3; ++s)
            EXPECT_NEAR(exact(s), nested_log_integral(settings, rows_of(settings, s), beta, sd1, sd2, correlation),
                        1e-10)
                << s;
    }
}

TEST(ExactMixedLogistic, AsADensity) {
    const MixedLogistic model(mixed_case(5, 3, 1, 4));
    const ExactMixedLogistic exact(model);
    const std::array u{0.3, -0.2, 0.1, 0.5};
    EXPECT_EQ(exact.log_likelihood(u), model.exact_log_likelihood(u));
    EXPECT_EQ(exact.log_prior(u), model.log_prior(u));
    EXPECT_EQ(exact.natural(3, 0.5), std::exp(0.5));
    EXPECT_EQ(exact.parameter_names(), (std::vector<std::string>{"intercept", "time", "treatment", "sd_intercept"}));
}

TEST(ExactMixedLogistic, ExtremesAreNumbers) {
    const MixedLogistic one(mixed_case(8, 6, 1, 5)), two(mixed_case(4, 3, 2, 5));
    for (const double beta : {-1e300, -50.0, 700.0})
        for (const double log_sd : {-800.0, 5.0, 800.0})
            EXPECT_FALSE(std::isnan(one.exact_log_likelihood(std::array{beta, 0.1, beta, log_sd})));
    EXPECT_FALSE(std::isnan(two.exact_log_likelihood(std::array{-1e300, 0.1, 50.0, -800.0, 0.0})));
    EXPECT_FALSE(std::isnan(two.exact_log_likelihood(std::array{1.0, 0.1, 5.0, 800.0, 0.0})));
}

} // namespace
} // namespace pearlite::models
