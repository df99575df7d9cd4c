#include "pearlite/core/error.hpp"
#include "pearlite/model/parameters.hpp"
#include "random/statistics.hpp"

#include <boost/math/distributions/beta.hpp>
#include <boost/math/distributions/cauchy.hpp>
#include <boost/math/distributions/exponential.hpp>
#include <boost/math/distributions/gamma.hpp>
#include <boost/math/distributions/inverse_gamma.hpp>
#include <boost/math/distributions/lognormal.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/quadrature/exp_sinh.hpp>
#include <boost/math/quadrature/sinh_sinh.hpp>
#include <boost/math/quadrature/tanh_sinh.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

namespace pearlite::model {
namespace {

namespace bm = boost::math;
using ::testing::HasSubstr;

struct Case {
    std::string text;
    std::function<double(double)> density, cdf;
};

/// Boost's distributions on the same scale.
std::vector<Case> cases() {
    const auto of = [](std::string text, auto distribution) {
        return Case{std::move(text), [=](double x) { return bm::pdf(distribution, x); },
                    [=](double x) { return bm::cdf(distribution, x); }};
    };
    const auto half = [](std::string text, auto distribution, double scale) {
        return Case{std::move(text), [=](double x) { return 2 * bm::pdf(distribution, x / scale) / scale; },
                    [=](double x) { return 2 * bm::cdf(distribution, x / scale) - 1; }};
    };
    const bm::inverse_gamma inverse_gamma(2.5, 0.025);
    const bm::beta_distribution<> beta(20, 1.5);
    return {
        of("normal(0.5, 2)", bm::normal(0.5, 2)),
        half("half-normal(2)", bm::normal(0, 1), 2),
        {"student-t(3, 1, 2)", [](double x) { return bm::pdf(bm::students_t(3), (x - 1) / 2) / 2; },
         [](double x) { return bm::cdf(bm::students_t(3), (x - 1) / 2); }},
        half("half-student-t(4, 3)", bm::students_t(4), 3),
        of("cauchy(1, 2.5)", bm::cauchy(1, 2.5)),
        half("half-cauchy(2.5)", bm::cauchy(0, 1), 2.5),
        of("log-normal(0.5, 0.7)", bm::lognormal(0.5, 0.7)),
        of("exponential(2)", bm::exponential(2)),
        of("gamma(0.8, 3)", bm::gamma_distribution<>(0.8, 1.0 / 3)),
        of("gamma(2.5, 0.5)", bm::gamma_distribution<>(2.5, 2)),
        of("inverse-gamma(2.5, 0.025)", inverse_gamma),
        {"root-inverse-gamma(2.5, 0.025)", [=](double x) { return 2 * x * bm::pdf(inverse_gamma, x * x); },
         [=](double x) { return bm::cdf(inverse_gamma, x * x); }},
        of("beta(20, 1.5)", beta),
        {"beta(20, 1.5, -1, 1)", [=](double x) { return 0.5 * bm::pdf(beta, 0.5 * (x + 1)); },
         [=](double x) { return bm::cdf(beta, 0.5 * (x + 1)); }},
        {"uniform(-3, 5)", [](double) { return 0.125; }, [](double x) { return (x + 3) / 8; }},
    };
}

std::vector<double> draws(const Prior& prior, std::size_t n) {
    random::Stream stream({5, random::Purpose::test, 0, 0});
    std::vector<double> x(n);
    for (double& value : x)
        value = prior.draw(stream);
    return x;
}

TEST(Prior, SlopeIsThatOfItsDensity) {
    for (const auto& [text, density, cdf] : cases()) {
        const auto prior = Prior::parse(text);
        for (const double x : draws(prior, 100)) {
            const double room = std::min({1.0, x - prior.lower(), prior.upper() - x}), step = 1e-3 * room;
            const auto at = [&](double k) { return prior.log_density(x + k * step); };
            const double difference = (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * step);
            EXPECT_NEAR(prior.log_density_slope(x), difference, 1e-8 * (1 / room + std::abs(difference)))
                << text << " at " << x;
        }
    }
}

TEST(Prior, DensityIsThatOfItsName) {
    for (const auto& [text, density, cdf] : cases()) {
        const auto prior = Prior::parse(text);
        for (const double x : draws(prior, 100))
            EXPECT_NEAR(prior.log_density(x), std::log(density(x)), 1e-11 * (1 + std::abs(std::log(density(x)))))
                << text << " at " << x;
    }
}

TEST(Prior, DrawsHaveTheDistributionOfItsName) {
    for (const auto& [text, density, cdf] : cases()) {
        EXPECT_GT(random::testing::kolmogorov_p_value(draws(Prior::parse(text), 20000), cdf),
                  random::testing::rejection_level)
            << text;
        // the wrong twin: a scale ten percent off
        auto wrong = draws(Prior::parse(text), 20000);
        for (double& x : wrong)
            x *= 0.9;
        EXPECT_LT(random::testing::kolmogorov_p_value(wrong, cdf), random::testing::rejection_level) << text;
    }
}

TEST(Prior, IsZeroOutsideItsSupport) {
    EXPECT_EQ(Prior::parse("gamma(2, 1)").log_density(-1e-9), -INFINITY);
    EXPECT_EQ(Prior::parse("inverse-gamma(2, 1)").log_density(0), -INFINITY);
    EXPECT_EQ(Prior::parse("beta(2, 2)").log_density(1.0000001), -INFINITY);
    EXPECT_EQ(Prior::parse("beta(1, 1)").log_density(0), 0);
    EXPECT_EQ(Prior::parse("uniform(0, 2)").log_density(2.5), -INFINITY);
    EXPECT_TRUE(std::isnan(Prior::parse("normal(0, 1)").log_density(NAN)));
}

TEST(Prior, TextReadsBack) {
    for (const auto& one : cases())
        EXPECT_EQ(Prior::parse(one.text).text(), one.text);
    EXPECT_EQ(Prior::parse("  normal( 0 ,1e1 ) ").text(), "normal(0, 10)");
}

TEST(Prior, MistakesAreExplained) {
    const auto complaint = [](const std::string& text) -> std::string {
        try {
            Prior::parse(text);
            return "nothing";
        } catch (const InputError& error) {
            return error.what();
        }
    };
    EXPECT_THAT(complaint("normal"), HasSubstr("names: normal, half-normal"));
    EXPECT_THAT(complaint("normal 0 1)"), HasSubstr("such as normal(0, 10)"));
    EXPECT_THAT(complaint("gaussian(0, 1)"), HasSubstr("one of normal"));
    EXPECT_THAT(complaint("normal(0)"), HasSubstr("normal(mean, sd)"));
    EXPECT_THAT(complaint("normal(0, x)"), HasSubstr("normal(mean, sd)"));
    EXPECT_THAT(complaint("normal(0, -1)"), HasSubstr("above 0"));
    EXPECT_THAT(complaint("normal(0, inf)"), HasSubstr("normal(mean, sd)"));
    EXPECT_THAT(complaint("normal()"), HasSubstr("normal(mean, sd)"));
    EXPECT_THAT(complaint("beta(1, 2, 3)"), HasSubstr("(a, b, low, high)"));
    EXPECT_THAT(complaint("beta(1, 2, 3, 3)"), HasSubstr("low < high"));
    EXPECT_THAT(complaint("uniform(2, 1)"), HasSubstr("low < high"));
    EXPECT_THAT(complaint(""), HasSubstr("a name with its arguments"));
}

/// The integral of exp(log_prior) over the line of u.
double mass(const Parameters& parameters) {
    bm::quadrature::sinh_sinh<double> rule;
    return rule.integrate([&](double u) { return std::exp(parameters.log_prior(std::vector<double>{u})); });
}

TEST(Parameters, JacobianMakesThePriorADensityOfTheUnconstrainedParameter) {
    for (const std::string text : {"normal(0.5, 2)", "gamma(2.5, 0.5)", "inverse-gamma(2.5, 0.025)",
                                   "root-inverse-gamma(2.5, 0.025)", "beta(20, 1.5, -1, 1)", "uniform(-3, 5)"}) {
        Parameters parameters;
        parameters.add("x", Prior::parse(text));
        EXPECT_NEAR(mass(parameters), 1, 1e-8) << text;
    }
}

TEST(Parameters, MapsAreInverse) {
    Parameters parameters;
    parameters.add("mu", Prior::parse("normal(0, 10)"));
    parameters.add("sigma", Prior::parse("half-cauchy(1)"));
    parameters.add("phi", Prior::parse("uniform(-1, 1)"));
    EXPECT_THAT(parameters.names(), ::testing::ElementsAre("mu", "sigma", "phi"));
    for (Index k = 0; k < 3; ++k)
        for (const double u : {-7.0, -0.3, 0.0, 2.0, 11.0}) {
            EXPECT_NEAR(parameters.unconstrained(k, parameters.natural(k, u)), u, 1e-10) << k;
            const double h = 1e-6;
            const SupportMap map(parameters.prior(k).lower(), parameters.prior(k).upper());
            EXPECT_NEAR(std::exp(map.log_jacobian(u)), (map.natural(u + h) - map.natural(u - h)) / (2 * h),
                        1e-8 * std::exp(std::abs(u)));
        }
}

TEST(Parameters, DrawsAreThePriorsDraws) {
    Parameters parameters;
    parameters.add("sigma", Prior::parse("gamma(2.5, 0.5)"));
    parameters.add("phi", Prior::parse("beta(20, 1.5, -1, 1)"));
    random::Stream stream({6, random::Purpose::test, 0, 0});
    std::vector<double> sigma, u(2);
    for (int i = 0; i < 20000; ++i) {
        parameters.draw(stream, u);
        ASSERT_TRUE(std::isfinite(u[1]) && std::isfinite(parameters.log_prior(u)));
        sigma.push_back(parameters.natural(0, u[0]));
    }
    const bm::gamma_distribution<> gamma(2.5, 2);
    EXPECT_GT(random::testing::kolmogorov_p_value(sigma, [&](double x) { return bm::cdf(gamma, x); }),
              random::testing::rejection_level);
}

TEST(Parameters, FarOutIsNotNaN) {
    Parameters parameters;
    parameters.add("sigma", Prior::parse("inverse-gamma(2.5, 0.025)"));
    parameters.add("phi", Prior::parse("beta(20, 1.5, -1, 1)"));
    for (const double u : {-800.0, 800.0}) {
        EXPECT_FALSE(std::isnan(parameters.log_prior(std::vector<double>{u, 0})));
        EXPECT_FALSE(std::isnan(parameters.log_prior(std::vector<double>{0, u})));
    }
}

// Every prior's family, on the scale on which samplers move.
TEST(Parameters, GradientOfTheLogPriorIsThatOfDifferences) {
    Parameters parameters;
    for (const auto& [text, density, cdf] : cases())
        parameters.add(text, Prior::parse(text));
    const auto d = static_cast<std::size_t>(parameters.size());
    std::vector<double> u(d), gradient(d);
    for (std::uint64_t id = 0; id < 50; ++id) {
        random::Stream stream({6, random::Purpose::test, id, 0});
        parameters.draw(stream, u);
        EXPECT_EQ(parameters.log_prior(u, gradient), parameters.log_prior(u));
        for (std::size_t k = 0; k < d; ++k) {
            const double step = 1e-3;
            const auto at = [&](double factor) {
                auto moved = u;
                moved[k] += factor * step;
                return parameters.log_prior(moved);
            };
            const double difference = (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * step);
            EXPECT_NEAR(gradient[k], difference, 1e-8 * (1 + std::abs(gradient[k]))) << parameters.names()[k];
        }
    }
}

} // namespace
} // namespace pearlite::model
