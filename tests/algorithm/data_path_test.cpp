// Evidence along the path that adds data points one by one, against the exact one and that of the tempered path.
#include "algorithm/alone.hpp"
#include "algorithm/densities.hpp"
#include "algorithm/radiata_pine.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

namespace pearlite::algorithm {
namespace {

using namespace testing;

/// The headline of 16 runs of SMC with what a pilot found.
auto estimate_along(const std::shared_ptr<const path::DensityPath>& path, random::Seed seed) {
    auto sampler =
        piloted(alone, path, 16, seed, [&](const auto& team, const auto& schedule, const auto& kernel, auto s) {
            return std::make_unique<Smc>(team, path, schedule, kernel, PopulationSettings{300, 16, s}, SmcSettings{});
        });
    complete(sampler);
    return sampler.outcome().log_ratio.front();
}

/// The twin forgets the last of the requested points, unless there is only one.
struct Forgetful : models::LinearRegression {
    using LinearRegression::LinearRegression;
    explicit Forgetful(const LinearRegression& regression) : LinearRegression(regression) {}
    void evaluate(const Matrix& points, std::span<double> log_prior, std::span<double> log_likelihood) const {
        LinearRegression::evaluate(points, log_prior, log_likelihood);
    }
    void evaluate(const Matrix& points, Index from, Index to, std::span<double> log_prior,
                  std::span<double> log_likelihood) const {
        LinearRegression::evaluate(points, from, to > from + 1 ? to - 1 : to, log_prior, log_likelihood);
    }
};

TEST(DataPath, FindsTheEvidenceOfRadiataPine) {
    const auto regressions = radiata_pine_regressions();
    if (regressions.empty())
        GTEST_SKIP() << "PEARLITE_DATA_DIR is not set: published data are not read";
    for (const auto& [regression, exact] : regressions) {
        const auto by_data = estimate_along(data_path_of(regression), 21),
                   whole = estimate_along(path_of(regression), 22);
        const double error = by_data.standard_error.value(), other = whole.standard_error.value();
        EXPECT_LT(std::fabs(by_data.value - exact), 5 * error);
        EXPECT_LT(std::fabs(by_data.value - whole.value), 5 * std::hypot(error, other));
        EXPECT_LT(error, 0.2);
        const auto wrong = estimate_along(data_path_of(Forgetful(regression)), 21);
        EXPECT_GT(std::fabs(wrong.value - exact), 5 * wrong.standard_error.value());
    }
}

/// y_l ~ N(x, 1), x ~ N(0, 4): a user-defined density with likelihoods by points.
struct NormalMean {
    std::vector<double> y{0.3, 2.1, 1.4, -0.6, 1.9, 0.8, 3.0};
    std::vector<std::string> parameter_names() const { return {"x"}; }
    void draw_prior(random::Stream& stream, std::span<double> x) const { x[0] = 2 * stream.normal(); }
    static double log_normal(double d, double variance) {
        return -0.5 * (d * d / variance + std::log(2 * M_PI * variance));
    }
    double log_prior(std::span<const double> x) const { return log_normal(x[0], 4); }
    double log_likelihood(std::span<const double> x) const { return log_likelihood(x, 0, data_points()); }
    Index data_points() const { return static_cast<Index>(y.size()); }
    double log_likelihood(std::span<const double> x, Index from, Index to) const {
        double sum = 0;
        for (Index l = from; l < to; ++l)
            sum += log_normal(y[static_cast<std::size_t>(l)] - x[0], 1);
        return sum;
    }
    /// Each point given those before.
    double exact_log_ratio() const {
        double mean = 0, variance = 4, sum = 0;
        for (const double value : y) {
            sum += log_normal(value - mean, variance + 1);
            const double gain = variance / (variance + 1);
            mean += gain * (value - mean);
            variance *= 1 - gain;
        }
        return sum;
    }
};

// A point at each step, and each in three parts and a half; SMC with resampling, and plain weights.
TEST(DataPath, FindsTheEvidenceUnderFixedSchedules) {
    const NormalMean density;
    const double exact = density.exact_log_ratio();
    for (const Index steps : {7, 25}) {
        const auto schedule = path::linear_schedule(steps, 1);
        std::vector<double> plain, resampled;
        for (std::uint64_t seed = 0; seed < 40; ++seed) {
            auto ais = ais_of(alone, data_path_of(density), schedule, 3, {400, 16, seed});
            complete(ais);
            plain.push_back(std::exp(ais.log_ratio() - exact));
            auto smc = smc_of(alone, data_path_of(density), schedule, 3, {400, 16, 1000 + seed}, {});
            complete(smc);
            resampled.push_back(std::exp(smc.log_ratio() - exact));
        }
        EXPECT_LT(std::fabs(MeanError(plain).z(1)), 5) << steps;
        EXPECT_LT(std::fabs(MeanError(resampled).z(1)), 5) << steps;
    }
}

} // namespace
} // namespace pearlite::algorithm
