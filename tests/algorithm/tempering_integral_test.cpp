// Thermodynamic integration by parallel tempering under a vague prior and much data: refused where the ladder is too
// steep near b = 0, true where it is not. z-scores are compared with 5 (a false alarm once in 2e6; five times).
#include "algorithm/densities.hpp"
#include "algorithm/parallel_tempering/parallel_tempering.hpp"

#include <gtest/gtest.h>

namespace pearlite::algorithm {
namespace {

using namespace testing;

const auto alone = parallel::Communicator::alone();

/// Two means of n observations each, of variance 1, which average 1 and -2, under N(0, 10^2) priors.
struct TwoMeans {
    double n = 10000;
    std::vector<std::string> parameter_names() const { return {"first", "second"}; }
    void draw_prior(random::Stream& stream, std::span<double> x) const {
        for (double& each : x)
            each = 10 * stream.normal();
    }
    double log_prior(std::span<const double> x) const {
        return -(x[0] * x[0] + x[1] * x[1]) / 200 - std::log(200 * std::numbers::pi);
    }
    double log_likelihood(std::span<const double> x) const {
        return -n / 2 * (std::pow(x[0] - 1, 2) + std::pow(x[1] + 2, 2));
    }
    double exact_log_ratio() const {
        const double precision = n + 0.01;
        return std::log(0.01 / precision) - 5 * 0.005 * n / precision;
    }
};

/// Tempering whose proposals come from a pilot along the same ladder.
template <class D>
Outcome tempered(const D& density, const std::variant<path::Schedule, AdaptiveSchedule>& ladder, std::uint64_t seed) {
    const auto path = path_of(density);
    Piloted sampler(alone, std::make_unique<Smc>(smc_of(alone, path, ladder, 4, {512, 16, seed + 1000})),
                    [&](const Tuning& tuning) {
                        return std::make_unique<ParallelTempering>(
                            alone, path, path::Schedule(tuning.inverse_temperatures),
                            kernel::RandomWalk(path, 4, tuning.kernel), TemperingSettings{32, 400, 80, seed});
                    });
    complete(sampler);
    return sampler.outcome();
}

const std::vector<double>& array_of(const Outcome& outcome, const std::string& path) {
    return std::ranges::find_if(outcome.arrays, [&](const auto& array) { return array.path == path; })->values;
}

/// The rule switched off: the corrected trapezoids of the same run, with the error of their means.
std::pair<double, double> unrefused(const Outcome& outcome) {
    const auto& b = array_of(outcome, "tempering/inverse_temperature");
    const auto& mean = array_of(outcome, "tempering/mean_u");
    const auto& variance = array_of(outcome, "tempering/variance_u");
    const auto& error = array_of(outcome, "tempering/mean_u_standard_error");
    double value = 0, square = 0;
    for (std::size_t t = 1; t < b.size(); ++t) {
        const double step = b[t] - b[t - 1];
        value += step / 2 * (mean[t] + mean[t - 1]) - step * step / 12 * (variance[t] - variance[t - 1]);
        square += std::pow(step / 2 * error[t], 2) + std::pow(step / 2 * error[t - 1], 2);
    }
    return {value, std::sqrt(square)};
}

double z_of(const estimator::Estimate& estimate, double exact) {
    return (estimate.value - exact) / estimate.standard_error.value();
}

TEST(TemperingIntegral, EvenStepsUnderAVaguePriorAreRefused) {
    for (const double n : {100.0, 10000.0}) {
        const auto outcome = tempered(TwoMeans{n}, path::linear_schedule(31, 1), 1);
        const auto& integral = outcome.log_ratio[1];
        EXPECT_TRUE(std::isnan(integral.value)) << n;
        EXPECT_FALSE(integral.standard_error || integral.interval95);
        EXPECT_NE(integral.note.find("curvature"), std::string::npos) << integral.note;
        EXPECT_LT(std::fabs(z_of(outcome.log_ratio[0], TwoMeans{n}.exact_log_ratio())), 5) << n;
        const auto [value, error] = unrefused(outcome);
        EXPECT_GT(std::fabs(value - TwoMeans{n}.exact_log_ratio()) / error, 5) << n;
    }
}

TEST(TemperingIntegral, AnAdaptedLadderIntegratesIt) {
    for (const double n : {100.0, 10000.0})
        for (std::uint64_t seed : {1, 2}) {
            const auto outcome = tempered(TwoMeans{n}, AdaptiveSchedule{1, 0.8}, seed);
            for (const auto& estimate : outcome.log_ratio) {
                ASSERT_TRUE(estimate.standard_error) << estimate.note;
                EXPECT_LT(std::fabs(z_of(estimate, TwoMeans{n}.exact_log_ratio())), 5) << estimate.estimator << n;
            }
        }
}

} // namespace
} // namespace pearlite::algorithm
