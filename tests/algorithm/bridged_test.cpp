#include "algorithm/alone.hpp"
#include "algorithm/fitted_path/bridged.hpp"

#include "algorithm/bridge_runs.hpp"
#include "models/gaussian/noisy_likelihood.hpp"
#include "models/gaussian_process/gp_latent.hpp"
#include "models/gaussian_process/orthant/orthant.hpp"
#include "pearlite/core/error.hpp"

#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pearlite::algorithm {
namespace {

using namespace testing;
using path::testing::KnownRegression;
using path::testing::log_normal;
using path::testing::TwoPeaks;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using Fit = BridgeSettings::Fit;
using Reference = BridgeSettings::Reference;

/// A reference whose normaliser is wrong by 10 %: the twin of a regression.
struct WrongByTenPercent : KnownRegression {
    using KnownRegression::KnownRegression;
    double log_likelihood(std::span<const double> x) const {
        return KnownRegression::log_likelihood(x) + std::log(1.1);
    }
};

double z_of(const auto& density, const BridgeSettings& settings, Index particles, double exact) {
    auto sampler = bridged_smc(alone, density, settings, particles, 12, 5);
    complete(sampler);
    return z_score(sampler.outcome(), exact);
}

// Errors of 12 replicates: |t| of 11 degrees of freedom above 6.5 once in 20000 tests.
TEST(Bridged, LinearRegressionsHaveTheirEvidence) {
    for (const auto& [d, particles] : {std::pair<Index, Index>{1, 200}, {10, 200}, {100, 100}}) {
        const double exact = KnownRegression(d).exact_log_ratio();
        for (const auto reference : {Reference::gaussian, Reference::student}) {
            const auto settings = bridge(Fit::laplace, reference, false);
            EXPECT_LT(std::fabs(z_of(KnownRegression(d), settings, particles, exact)), 6.5) << d;
        }
        if (d == 100)
            continue;
        const auto settings = bridge(Fit::laplace, Reference::student, false);
        EXPECT_GT(std::fabs(z_of(WrongByTenPercent(d), settings, 400, exact)), 6.5) << d << ": the twin";
    }
}

TEST(Bridged, EveryFitFindsTheEvidence) {
    const double exact = KnownRegression(4).exact_log_ratio();
    for (const auto fit : {Fit::laplace, Fit::pathfinder, Fit::smc})
        for (const auto reference : {Reference::gaussian, Reference::student, Reference::mixture})
            EXPECT_LT(std::fabs(z_of(KnownRegression(4), bridge(fit, reference, false), 150, exact)), 6.5)
                << static_cast<int>(fit) << " " << static_cast<int>(reference);
}

/// Treatment effects y_j ~ N(mu + tau eta_j, s_j^2) of eight schools, eta_j ~ N(0, 1), mu ~ N(0, 5^2), tau ~ half
/// Cauchy of scale 5 (Rubin 1981; Gelman et al., Bayesian Data Analysis). Coordinates eta, mu, log tau.
struct EightSchools {
    static constexpr std::array<double, 8> y{28, 8, -3, 7, -1, 1, 18, 12}, s{15, 10, 16, 11, 9, 11, 10, 18};
    std::vector<std::string> parameter_names() const {
        return {"eta1", "eta2", "eta3", "eta4", "eta5", "eta6", "eta7", "eta8", "mu", "log_tau"};
    }
    void draw_prior(random::Stream& stream, std::span<double> x) const {
        for (std::size_t j = 0; j < 8; ++j)
            x[j] = stream.normal();
        x[8] = 5 * stream.normal();
        x[9] = std::log(5 * std::tan(std::numbers::pi / 2 * stream.uniform()));
    }
    static double log_prior_of_tau(double tau) {
        return std::log(2 / (5 * std::numbers::pi)) - std::log1p(tau * tau / 25);
    }
    double log_prior(std::span<const double> x) const {
        double sum = log_normal(x[8], 0, 5) + log_prior_of_tau(std::exp(x[9])) + x[9];
        for (std::size_t j = 0; j < 8; ++j)
            sum += log_normal(x[j], 0, 1);
        return sum;
    }
    double log_likelihood(std::span<const double> x) const {
        double sum = 0;
        for (std::size_t j = 0; j < 8; ++j)
            sum += log_normal(y[j], x[8] + std::exp(x[9]) * x[j], s[j]);
        return sum;
    }
    /// By quadrature over mu and tau, the effects integrated out.
    static double log_evidence() {
        using Rule = boost::math::quadrature::gauss_kronrod<double, 31>;
        const auto of_tau = [](double tau) {
            return Rule::integrate(
                [tau](double mu) {
                    double sum = log_normal(mu, 0, 5) + log_prior_of_tau(tau) + 31;
                    for (std::size_t j = 0; j < 8; ++j)
                        sum += log_normal(y[j], mu, std::hypot(s[j], tau));
                    return std::exp(sum);
                },
                -40, 40, 8, 1e-9);
        };
        return std::log(Rule::integrate(of_tau, 0, std::numeric_limits<double>::infinity(), 8, 1e-9)) - 31;
    }
};

/// The same with the effects themselves as coordinates: the density grows without bound as tau vanishes.
struct CentredSchools : EightSchools {
    void draw_prior(random::Stream& stream, std::span<double> x) const {
        EightSchools::draw_prior(stream, x);
        for (std::size_t j = 0; j < 8; ++j)
            x[j] = x[8] + std::exp(x[9]) * x[j];
    }
    double log_prior(std::span<const double> x) const {
        const double tau = std::exp(x[9]);
        double sum = log_normal(x[8], 0, 5) + log_prior_of_tau(tau) + x[9];
        for (std::size_t j = 0; j < 8; ++j)
            sum += log_normal(x[j], x[8], tau);
        return sum;
    }
    double log_likelihood(std::span<const double> x) const {
        double sum = 0;
        for (std::size_t j = 0; j < 8; ++j)
            sum += log_normal(y[j], x[j], s[j]);
        return sum;
    }
    void gradient(std::span<const double> x, double b, std::span<double> gradient) const {
        const double tau = std::exp(x[9]), squares = tau * tau / 25;
        gradient[8] = -x[8] / 25;
        gradient[9] = 1 - 2 * squares / (1 + squares);
        for (std::size_t j = 0; j < 8; ++j) {
            const double z = (x[j] - x[8]) / tau;
            gradient[j] = -z / tau + b * (y[j] - x[j]) / (s[j] * s[j]);
            gradient[8] += z / tau;
            gradient[9] += z * z - 1;
        }
    }
};

// A bridge from the approximation that a model finds by itself: Gaussian process classification with six noisy
// observations of one latent value. The labels of the twin differ.
TEST(Bridged, BeginsAtTheModelsOwnApproximation) {
    const Matrix k = 9 * Matrix::Ones(6, 6) + Matrix::Identity(6, 6);
    const double rho = 9.0 / 11, exact = models::log_equicorrelated_orthant(4, 2, rho);
    const Vector signs{{-1, -1, 1, 1, 1, 1}}, others{{-1, 1, 1, 1, 1, 1}};
    for (const auto coordinates : {models::LatentCoordinates::prior, models::LatentCoordinates::posterior}) {
        const auto settings = bridge(Fit::model, Reference::gaussian, false);
        EXPECT_LT(std::fabs(z_of(models::GpLatent(k, signs, coordinates), settings, 200, exact)), 6.5);
        EXPECT_GT(std::fabs(z_of(models::GpLatent(k, others, coordinates), settings, 200, exact)), 6.5);
    }
    EXPECT_THROW(bridge(Fit::model, Reference::gaussian, false).check(model::DensityOf<EightSchools>(EightSchools{})),
                 InputError);
}

// The posterior is a funnel at small tau, which no reference covers; the path corrects that.
TEST(Bridged, EightSchools) {
    const double exact = EightSchools::log_evidence();
    EXPECT_NEAR(exact, -31.3113, 1e-4); // by another program's quadrature
    auto sampler = bridged_smc(alone, EightSchools{}, bridge(Fit::smc, Reference::student, false), 4000, 12, 3);
    complete(sampler);
    const auto headline = sampler.outcome().log_ratio.front();
    EXPECT_LT(headline.standard_error.value(), 0.01);
    EXPECT_NEAR(headline.value, exact, 0.03);
    EXPECT_LT(std::fabs(z_score(sampler.outcome(), exact)), 6.5);
}

// The mode of a regression is where its mass is; that of eight schools is in the neck of a funnel.
TEST(Bridged, AnAutomaticFitGivesWayWhereItFails) {
    const auto run = [](const auto& density, bool may_stay) {
        auto settings = bridge(Fit::automatic, Reference::student, false);
        settings.may_stay = may_stay;
        auto sampler = bridged_smc(alone, density, settings, 1000, 12, 3);
        complete(sampler);
        return sampler.outcome();
    };
    const auto has = [](const Outcome& outcome, const std::string& name) {
        return std::ranges::any_of(outcome.diagnostics, [&](const auto& each) { return each.name == name; });
    };
    for (const bool may_stay : {false, true}) {
        const auto regression = run(KnownRegression(4), may_stay);
        EXPECT_TRUE(has(regression, "reference_components"));
        EXPECT_FALSE(has(regression, "pathfinder_spread")) << "Laplace's fit is the posterior";
        EXPECT_LT(std::fabs(z_score(regression, KnownRegression(4).exact_log_ratio())), 6.5);
        const auto schools = run(EightSchools{}, may_stay);
        EXPECT_TRUE(has(schools, "pathfinder_spread"));
        EXPECT_EQ(has(schools, "reference_components"), !may_stay) << "populations fit it, or there is none";
        EXPECT_LT(std::fabs(z_score(schools, EightSchools::log_evidence())), 6.5);
    }
}

// Without the wide start populations begin at an inverse temperature of 1e-90, and do not end; without the warning an
// evidence without the neck's mass is supported.
TEST(Bridged, DescentsThatRunOffAreNoStartAndAreSaid) {
    const auto warnings_of = [](const auto& density) {
        auto settings = bridge(Fit::automatic, Reference::student, false);
        settings.has_prior = false;
        auto sampler = bridged_smc(alone, density, settings, 256, 2, 3);
        sampler.begin();
        int steps = 0;
        for (; !sampler.finished() && steps < 1000; ++steps)
            sampler.step();
        EXPECT_LT(steps, 1000);
        return sampler.outcome().warnings;
    };
    const auto speaks_of_a_funnel = ::testing::Contains(::testing::HasSubstr("neck of a funnel"));
    EXPECT_THAT(warnings_of(CentredSchools{}), speaks_of_a_funnel);
    EXPECT_THAT(warnings_of(EightSchools{}), ::testing::Not(speaks_of_a_funnel));
}

// In 100 dimensions a leg from the wider of two fits takes three times as long.
TEST(Bridged, ALegBeginsAtTheCloserFit) {
    const auto settings = bridge(Fit::automatic, Reference::student, false);
    const model::DensityOf<EightSchools> schools{EightSchools{}};
    const auto found = settings.checked(schools, 3);
    ASSERT_EQ(found.spreads.size(), 2U);
    EXPECT_LT(found.spreads[1], found.spreads[0]);
    const auto closer = path::fit_by_pathfinder(schools, {settings.starts, settings.seed(3), 7});
    const random::StudentMixture with_tails(closer.mixture.components(), 5);
    ASSERT_TRUE(found.leg_start.has_value());
    EXPECT_EQ(found.leg_start->values(), with_tails.inflated(1.5).values());
    EXPECT_FALSE(settings.checked(model::DensityOf<CentredSchools>(CentredSchools{}), 3).leg_start.has_value());
}

TEST(Bridged, EstimatedLikelihoods) {
    const models::NoisyLikelihood density({.data = Vector::Constant(2, 1.5), .data_sd = 0.4});
    const auto settings = bridge(Fit::smc, Reference::student, false);
    EXPECT_NO_THROW(settings.check(*path_of(density)->offers<model::DensityFunctions>()));
    EXPECT_LT(std::fabs(z_of(density, settings, 400, density.exact_log_ratio().value())), 6.5);
    EXPECT_THROW(
        bridge(Fit::laplace, Reference::student, false).check(*path_of(density)->offers<model::DensityFunctions>()),
        InputError);
}

// One descent sees one peak. The walk of the main run never finds the other one.
TEST(Bridged, AModeThatTheReferenceLacksIsSaid) {
    const double all = std::log(4), narrow = std::log(3);
    auto settings = bridge(Fit::laplace, Reference::gaussian, true);
    settings.starts = 1;
    settings.fit_particles = 16384; // the wide peak has a quarter of the mass
    for (const std::uint64_t seed : {1, 2, 3}) {
        settings.fit_seed = seed;
        auto sampler = bridged_smc(alone, TwoPeaks{}, settings, 300, 12, seed);
        complete(sampler);
        const auto outcome = sampler.outcome();
        const double value = outcome.log_ratio.front().value;
        EXPECT_LT(value, narrow + 0.1) << "one peak is lost";
        EXPECT_THAT(outcome.warnings, Contains(HasSubstr("the reference may lack a mode")));
        EXPECT_EQ(outcome.log_ratio.back().estimator, "prior-leg");
        EXPECT_NEAR(outcome.log_ratio.back().value, all, 6 * outcome.log_ratio.back().standard_error.value());
    }
    settings.starts = 12; // sees both
    settings.reference = Reference::mixture;
    auto sampler = bridged_smc(alone, TwoPeaks{}, settings, 300, 12, 4);
    complete(sampler);
    const auto outcome = sampler.outcome();
    EXPECT_THAT(outcome.warnings, Not(Contains(HasSubstr("leg from the prior"))));
    EXPECT_LT(std::fabs(z_score(outcome, all)), 6.5);
}

/// A likelihood that is not a number far from the posterior.
struct FailingLeg : KnownRegression {
    FailingLeg() : KnownRegression(1) {}
    double log_likelihood(std::span<const double> x) const {
        return std::fabs(x[0]) > 6 ? std::numeric_limits<double>::quiet_NaN() : KnownRegression::log_likelihood(x);
    }
};

TEST(Bridged, ALegThatFailsIsSaid) {
    auto settings = bridge(Fit::laplace, Reference::gaussian, true);
    auto sampler = bridged_smc(alone, FailingLeg{}, settings, 50, 12, 1);
    complete(sampler);
    EXPECT_THAT(sampler.outcome().warnings, Contains(HasSubstr("the leg from the prior failed")));
    EXPECT_LT(std::fabs(z_score(sampler.outcome(), FailingLeg{}.exact_log_ratio())), 6.5);
    settings.fit = Fit::smc; // which needs the leg
    auto lost = bridged_smc(alone, FailingLeg{}, settings, 50, 12, 1);
    EXPECT_THROW(complete(lost), NumericalError);
}

TEST(Bridged, CountsTheFitAmongThePilots) {
    auto sampler = bridged_smc(alone, KnownRegression(2), bridge(Fit::laplace, Reference::student, true), 50, 8, 1);
    sampler.begin();
    EXPECT_TRUE(sampler.progress().in_pilot);
    EXPECT_EQ(sampler.found().target, nullptr);
    finish(sampler);
    EXPECT_NE(sampler.found().target, nullptr);
    EXPECT_GT(sampler.progress().pilot_likelihoods.value(), 1024 * 5);
    const auto outcome = sampler.outcome();
    std::vector<std::string> names;
    for (const auto& array : outcome.arrays)
        names.push_back(array.path);
    EXPECT_THAT(names, Contains("reference/means"));
    EXPECT_THAT(outcome.warnings, IsEmpty());
}

} // namespace
} // namespace pearlite::algorithm
