/// Evidence by integration under a vague prior, a few draws of which have enormous or vanishing likelihoods.

#include "algorithm/densities.hpp"

#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <gtest/gtest.h>

namespace pearlite::algorithm {
namespace {

using namespace testing;

/// 100 draws of variance e^x, whose squares add up to 50; x ~ N(0, 4^2): log likelihoods from -1e8 upwards.
struct Variance {
    std::vector<std::string> parameter_names() const { return {"log_variance"}; }
    void draw_prior(random::Stream& stream, std::span<double> x) const { x[0] = 4 * stream.normal(); }
    double log_prior(std::span<const double> x) const {
        return -x[0] * x[0] / 32 - 0.5 * std::log(32 * std::numbers::pi);
    }
    double log_likelihood(std::span<const double> x) const { return -50 * x[0] - 25 * std::exp(-x[0]); }
    double exact_log_ratio() const {
        constexpr double peak = 10; // near the maximum of the log likelihood
        const auto f = [&](double x) {
            const std::array point{x};
            return std::exp(log_prior(point) + log_likelihood(point) - peak);
        };
        return peak + std::log(boost::math::quadrature::gauss_kronrod<double, 61>::integrate(f, -5.0, 5.0, 12, 1e-12));
    }
};

Outcome run(const path::AdaptiveSchedule& schedule, random::Seed seed) {
    auto sampler = smc_of(parallel::Communicator::alone(), path_of(Variance{}), schedule, 3, {500, 16, seed});
    complete(sampler);
    return sampler.outcome();
}

// 40 replicates, z below 4: false alarm 1e-4.
TEST(VaguePrior, ShortStepsInTheLogWeightsLetIntegrationAgree) {
    std::vector<double> errors;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        const auto outcome = run({.log_weight_sd = 0.3}, seed);
        const auto& corrected = estimate_of(outcome, "power-posterior-corrected");
        EXPECT_TRUE(estimate_of(outcome, "power-posterior").standard_error && corrected.standard_error);
        errors.push_back(corrected.value - Variance{}.exact_log_ratio());
    }
    const MeanError mean(errors);
    EXPECT_LT(std::abs(mean.z(0)), 4) << mean.mean;
    EXPECT_LT(mean.error, 0.02);
}

TEST(VaguePrior, ConditionalEssAloneDoesNot) {
    auto sampler =
        smc_of(parallel::Communicator::alone(), path_of(Variance{}), path::AdaptiveSchedule{}, 3, {500, 16, 0});
    complete(sampler);
    const auto outcome = sampler.outcome();
    const auto& corrected = estimate_of(outcome, "power-posterior-corrected");
    EXPECT_FALSE(corrected.standard_error);
    EXPECT_TRUE(std::isnan(corrected.value));
    EXPECT_NE(corrected.note.find("more temperatures"), std::string::npos);
    const auto& trace = sampler.trace();
    double unrefused = 0;
    for (std::size_t t = 1; t < trace.inverse_temperature.size(); ++t) {
        const double step = trace.inverse_temperature[t] - trace.inverse_temperature[t - 1];
        unrefused += step / 2 * (trace.mean_u[t] + trace.mean_u[t - 1]) -
                     step * step / 12 * (trace.variance_u[t] - trace.variance_u[t - 1]);
    }
    EXPECT_GT(std::abs(unrefused - Variance{}.exact_log_ratio()), 1); // the wrong twin: a number without meaning
}

TEST(VaguePrior, StepsHaveLogWeightsOfAtMostTheWantedDeviation) {
    auto sampler = smc_of(parallel::Communicator::alone(), path_of(Variance{}),
                          path::AdaptiveSchedule{.log_weight_sd = 0.3}, 3, {500, 16, 1});
    complete(sampler);
    const auto& trace = sampler.trace();
    Index bounded = 0;
    for (std::size_t t = 1; t < trace.inverse_temperature.size(); ++t) {
        const double sd =
            (trace.inverse_temperature[t] - trace.inverse_temperature[t - 1]) * std::sqrt(trace.variance_u[t - 1]);
        ASSERT_LT(sd, 0.3 * (1 + 1e-9));
        bounded += sd > 0.3 * (1 - 1e-9) ? 1 : 0;
    }
    EXPECT_GT(bounded, 3);
}

} // namespace
} // namespace pearlite::algorithm
