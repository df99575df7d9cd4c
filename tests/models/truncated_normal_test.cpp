#include "models/gaussian_process/orthant/truncated_normal.hpp"

#include "random/statistics.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <vector>

namespace pearlite::models {
namespace {

using namespace random::testing;

TEST(TruncatedNormal, TheLogOfItsDistributionFunctionEqualsKnownValues) {
    const double known[][2] = {{3, -0.0013508099647481923}, {1, -0.17275377902344985},  {0, -0.69314718055994529},
                               {-1, -1.8410216450092640},   {-5, -15.064998393988725},  {-10, -53.231285150512470},
                               {-40, -804.60844201375391},  {-1e4, -50000010.129278915}};
    for (const auto& [x, value] : known)
        EXPECT_NEAR(log_normal_cdf(x) / value, 1, 1e-13) << x;
}

TEST(TruncatedNormal, TheInverseMillsRatioIsItsDerivative) {
    for (const double x : {-50.0, -8.0, -5.0 - 1e-6, -5.0 + 1e-6, -2.0, 0.0, 1.5, 6.0}) {
        const double step = 1e-4;
        const double slope = (log_normal_cdf(x + step) - log_normal_cdf(x - step)) / (2 * step);
        EXPECT_NEAR(inverse_mills_ratio(x), slope, 1e-7 * (1 + std::abs(slope))) << x;
    }
}

/// Smallest p-value of draws on the half line of `sign`, of which `claimed` is the mean.
double p_value(double mean, double sign, double claimed_mean) {
    const double sd = 1.5;
    std::vector<double> draws;
    for (std::uint64_t i = 0; i < 20'000; ++i) {
        random::Stream stream({8, random::Purpose::test, i, 0});
        draws.push_back(truncated_normal(mean, sd, sign, stream));
        if (sign * draws.back() < 0)
            return 0;
    }
    const double below = std::exp(log_normal_cdf(sign * claimed_mean / sd));
    return kolmogorov_p_value(draws, [&](double z) {
        const double under = std::exp(log_normal_cdf((z - claimed_mean) / sd));
        return sign > 0 ? (under - (1 - below)) / below : under / below;
    });
}

TEST(TruncatedNormal, DrawsHaveTheirDistribution) {
    for (const double mean : {4.0, 0.3, -0.5, -0.7, -1.2, -3.0})
        for (const double sign : {1.0, -1.0}) {
            EXPECT_GT(p_value(sign * mean, sign, sign * mean), rejection_level) << mean << " " << sign;
            EXPECT_LT(p_value(sign * mean, sign, sign * mean + 0.5), rejection_level) << "the test cannot fail";
        }
}

} // namespace
} // namespace pearlite::models
