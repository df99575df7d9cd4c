// The random errors of sharded works, the bootstrap's and the histogram's posterior, against those of gathered ones.
#include "estimator/evidence/bootstrap.hpp"
#include "estimator/plain/work.hpp"
#include "estimator/shards_of.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace pearlite::estimator {
namespace {

using estimator::testing::whole;

struct Works {
    std::vector<double> forward, reverse;
};

/// W of one quench from precision 1 to `precision` (skewed): log Z = -log(precision)/2.
Works quench_works(double precision, std::size_t n_f, std::size_t n_r, std::uint64_t replicate) {
    random::Stream stream({92, random::Purpose::test, replicate, 0});
    Works works;
    for (std::size_t i = 0; i < n_f; ++i)
        works.forward.push_back(0.5 * (precision - 1) * std::pow(stream.normal(), 2));
    for (std::size_t i = 0; i < n_r; ++i)
        works.reverse.push_back(0.5 * (precision - 1) * std::pow(stream.normal(), 2) / precision);
    return works;
}

// With 1500 replicates each, the standard deviations have errors of 2 %. They must agree within 5 of these and the 1/n
// of the bootstrap.
TEST(ShardedWork, TheBootstrapIsSpreadLikeThatOfDrawnIndices) {
    for (const auto& [n_f, n_r] : std::vector<std::pair<std::size_t, std::size_t>>{{400, 300}, {600, 60}}) {
        auto works = quench_works(5, n_f, n_r, 1);
        for (std::size_t i = 0; i < n_f; i += 9)
            works.forward[i] = std::numeric_limits<double>::infinity();
        const auto drawn = bar_bootstrap(works.forward, works.reverse, 1, 1500);
        const auto copied = bar_bootstrap(whole(works.forward), whole(works.reverse), 1, 1500);
        const double error = *drawn.standard_error;
        EXPECT_NEAR(copied.value, drawn.value, 1e-12);
        EXPECT_NEAR(*copied.standard_error / error, 1, 0.13);
        EXPECT_NEAR((copied.interval95->low - drawn.interval95->low) / error, 0, 0.4);
        EXPECT_NEAR((copied.interval95->high - drawn.interval95->high) / error, 0, 0.4);
        // The wrong twin resamples half of the works.
        works.forward.resize(n_f / 2);
        works.reverse.resize(n_r / 2);
        EXPECT_GT(*bar_bootstrap(whole(works.forward), whole(works.reverse), 1, 1500).standard_error / error, 1.2);
    }
}

/// The roots of some replicates from a simple bisection.
TEST(ShardedWork, ReplicatesSolveTheirOwnEquations) {
    const auto works = quench_works(4, 80, 50, 3);
    std::vector<double> roots;
    constexpr int R = 40;
    std::vector<std::vector<std::uint16_t>> copies(130, std::vector<std::uint16_t>(R));
    for (std::size_t j = 0; j < 130; ++j)
        draw_copies(
            {7, random::Purpose::bootstrap,
             j < 80 ? random::slot_id(0, static_cast<Index>(j)) : random::slot_id(1, static_cast<Index>(j) - 80), 3},
            copies[j]);
    for (std::size_t r = 0; r < R; ++r) {
        double n_f = 0, n_r = 0;
        for (std::size_t j = 0; j < 130; ++j)
            (j < 80 ? n_f : n_r) += copies[j][r];
        double low = -50, high = 50;
        for (int i = 0; i < 200; ++i) {
            const double middle = 0.5 * (low + high);
            double sum = 0;
            for (std::size_t j = 0; j < 130; ++j)
                sum += copies[j][r] /
                       (1 + n_f / n_r * std::exp(middle + (j < 80 ? works.forward[j] : works.reverse[j - 80])));
            (sum > n_r ? low : high) = middle;
        }
        roots.push_back(low);
    }
    std::sort(roots.begin(), roots.end());
    double mean = 0, square = 0;
    for (const double x : roots)
        mean += x / R;
    for (const double x : roots)
        square += (x - mean) * (x - mean);
    const auto estimate = bar_bootstrap(whole(works.forward), whole(works.reverse), 7, R);
    EXPECT_NEAR(*estimate.standard_error, std::sqrt(square / (R - 1)), 1e-9);
    EXPECT_NEAR(estimate.interval95->low, roots[1], 1e-9);
    EXPECT_NEAR(estimate.interval95->high, roots[38], 1e-9);
}

// Two-sample Kolmogorov-Smirnov: 2.7 is exceeded once in 1e6.
TEST(ShardedWork, ThePosteriorIsThatOfTheGatheredWorks) {
    auto works = quench_works(4, 90, 60, 5);
    works.forward[8] = std::numeric_limits<double>::infinity();
    works.reverse[3] = -std::numeric_limits<double>::infinity();
    const auto sorted = [](std::vector<double> values) {
        std::sort(values.begin(), values.end());
        return values;
    };
    const auto distance = [](const std::vector<double>& a, const std::vector<double>& b) {
        double largest = 0;
        for (std::size_t i = 0; i < a.size(); ++i) {
            const auto below = std::lower_bound(b.begin(), b.end(), a[i]) - b.begin();
            largest = std::max(largest, std::abs(static_cast<double>(i) / static_cast<double>(a.size()) -
                                                 static_cast<double>(below) / static_cast<double>(b.size())));
        }
        return largest * std::sqrt(static_cast<double>(a.size() * b.size()) / static_cast<double>(a.size() + b.size()));
    };
    const auto gathered = sorted(histogram(works.forward, works.reverse, 2, 4000).posterior);
    const auto sharded = sorted(histogram(whole(works.forward), whole(works.reverse), 2, 4000).posterior);
    EXPECT_EQ(sharded.size(), 4000u);
    EXPECT_LT(distance(gathered, sharded), 2.7);
    // The wrong twin has half of the works.
    const std::vector<double> half_f(works.forward.begin(), works.forward.begin() + 45),
        half_r(works.reverse.begin(), works.reverse.begin() + 30);
    EXPECT_GT(distance(gathered, sorted(histogram(whole(half_f), whole(half_r), 2, 4000).posterior)), 2.7);
}

// 300 replicates: the standard deviation of z is known to 4 %. The twin takes the replicates' error of twice the works.
TEST(ShardedWork, ErrorsAreCalibrated) {
    double square = 0, twin = 0;
    constexpr int replicates = 300;
    for (std::uint64_t replicate = 0; replicate < replicates; ++replicate) {
        auto works = quench_works(4, 150, 100, replicate + 10);
        const auto estimate = bar_bootstrap(whole(works.forward), whole(works.reverse), replicate, 100);
        const double error = estimate.value + 0.5 * std::log(4);
        square += std::pow(error / *estimate.standard_error, 2) / replicates;
        works.forward.insert(works.forward.end(), works.forward.begin(), works.forward.begin() + 150);
        works.reverse.insert(works.reverse.end(), works.reverse.begin(), works.reverse.begin() + 100);
        const auto doubled = bar_bootstrap(whole(works.forward), whole(works.reverse), replicate, 100);
        twin += std::pow(error / *doubled.standard_error, 2) / replicates;
    }
    EXPECT_NEAR(std::sqrt(square), 1, 0.2);
    EXPECT_GT(std::sqrt(twin), 1.25);
}

} // namespace
} // namespace pearlite::estimator
