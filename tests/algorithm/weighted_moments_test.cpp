/// Weighted sums of chains: weights in any order, chains cut anywhere, weights beyond the range of doubles.

#include "algorithm/search/bias/weighted_moments.hpp"

#include "algorithm/search_cases.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace pearlite::algorithm {
namespace {

TEST(WeightedMoments, AreThoseOfTheWeights) {
    WeightedMoments moments(2, 2);
    const std::vector<std::vector<double>> states{{1, 10}, {2, 30}, {4, 20}, {3, 0}};
    const std::vector<double> weights{0.5, 2, 1, 4};
    for (const double shift : {0.0, 5000.0, -5000.0}) {
        WeightedMoments shifted(2, 2);
        for (std::size_t i = 0; i < 4; ++i)
            shifted.add(static_cast<Index>(i % 2), std::log(weights[i]) + shift,
                        [&](Index k) { return states[i][static_cast<std::size_t>(k)]; });
        const auto averages = shifted.combined(shifted.sums());
        EXPECT_NEAR(averages.means[0], 20.5 / 7.5, 1e-11);
        EXPECT_NEAR(averages.means[1], 85 / 7.5, 1e-11);
        EXPECT_NEAR(averages.deviations[0], std::sqrt(60.5 / 7.5 - std::pow(20.5 / 7.5, 2)), 1e-11);
        EXPECT_NEAR(averages.effective_states, 7.5 * 7.5 / 21.25, 1e-11);
    }
    EXPECT_TRUE(moments.combined(moments.sums()).means.empty());
}

TEST(WeightedMoments, AChainsSumsDoNotDependOnItsNeighbours) {
    WeightedMoments both(2, 1), one(1, 1);
    for (const double w : {0.1, 3.0, 0.7}) {
        both.add(0, 1, [](Index) { return 5; });
        both.add(1, w, [&](Index) { return w; });
        one.add(0, w, [&](Index) { return w; });
    }
    const auto width = static_cast<std::ptrdiff_t>(one.width());
    EXPECT_EQ(std::vector<double>(both.sums().begin() + width, both.sums().end()),
              std::vector<double>(one.sums().begin(), one.sums().end()));
}

TEST(WeightedMoments, OfFeaturesHaveErrorsFromTheChains) {
    WeightedMoments moments(3, 2, WeightedMoments::Of::features);
    const auto add = [&](Index chain, double weight, std::vector<Index> features) {
        moments.add_features(chain, std::log(weight), features);
    };
    add(0, 1, {0});
    add(0, 3, {0, 1});
    add(1, 2, {});
    add(2, 4, {1});
    const auto averages = moments.combined(moments.sums());
    EXPECT_NEAR(averages.means[0], 0.4, 1e-12);
    EXPECT_NEAR(averages.means[1], 0.7, 1e-12);
    EXPECT_NEAR(averages.deviations[1], std::sqrt(0.21), 1e-12);
    // Residuals, by chain: of the first 4 - 0.4 x 4, -0.4 x 2, -0.4 x 4; of the second 3 - 0.7 x 4, -0.7 x 2, 4 - 0.7
    // x 4.
    EXPECT_NEAR(averages.errors[0], std::sqrt(1.5 * (2.4 * 2.4 + 0.8 * 0.8 + 1.6 * 1.6)) / 10, 1e-12);
    EXPECT_NEAR(averages.errors[1], std::sqrt(1.5 * (0.2 * 0.2 + 1.4 * 1.4 + 1.2 * 1.2)) / 10, 1e-12);
    EXPECT_NEAR(averages.effective_states, 100.0 / 30, 1e-12);
    EXPECT_NEAR(averages.effective_chains, 100.0 / 36, 1e-12);
    const WeightedMoments one(1, 2, WeightedMoments::Of::features);
    EXPECT_TRUE(one.combined(moments.sums().first(one.width())).errors.empty());
}

/// E x under exp(-U / tau - theta) of the wells.
double exact_mean(const testing::SearchTarget& target) {
    double sum = 0, total = 0;
    testing::over_wells(600, [&](double x, double y, double area) {
        const double weight = area * std::exp(target.log_density(testing::Wells{}.energy(std::array{x, y})));
        sum += weight * x;
        total += weight;
    });
    return sum / total;
}

/// 24 searches; a right mean is off by 4.8 standard errors or more once in 1e4 (Student's t).
TEST(WeightedMoments, OfASearchAreThoseOfTheDensity) {
    const testing::SearchTarget target{2, model::EnergyPartition({-0.5, 0, 1, 3}),
                                       std::vector<double>{0.4, -0.8, 0.5, -0.3, 0.9}};
    const testing::SearchTarget plain{1, target.partition, std::vector<double>(5, 0)};
    auto settings = testing::frozen(target, 16, 3000, 1);
    settings.average_from = 300;
    const auto space = model::space_of(kernel::BoxSpace<testing::Wells>(testing::Wells{}));
    double sum = 0, squares = 0;
    constexpr int n = 24;
    for (int r = 0; r < n; ++r) {
        settings.seed = static_cast<std::uint64_t>(100 + r);
        auto search = testing::begun(parallel::Communicator::alone(), space, settings);
        while (!search.finished())
            search.iterate();
        const double mean = search.outcome().averages.means[0];
        sum += mean;
        squares += mean * mean;
    }
    const double mean = sum / n, error = std::sqrt((squares / n - mean * mean) / (n - 1));
    EXPECT_LT(std::abs(mean - exact_mean(plain)), 4.8 * error) << mean << " +- " << error;
    EXPECT_GT(std::abs(mean - exact_mean(target)), 4.8 * error) << "the density that the chains sample";
}

} // namespace
} // namespace pearlite::algorithm
