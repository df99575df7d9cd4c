#include "random/weighted_clusters.hpp"

#include "pearlite/random/stream.hpp"
#include "random/student_mixture.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace pearlite::random {
namespace {

/// n normal points, of which about a tenth is about (-6, ..., -6)/sqrt(d) and the rest about the opposite place.
Matrix two_peaks(Index d, Index n, std::uint64_t seed) {
    Stream stream({seed, Purpose::test, 0, 0});
    Matrix points(d, n);
    for (Index i = 0; i < n; ++i) {
        const double centre = (stream.bernoulli(0.1) ? -6 : 6) / std::sqrt(static_cast<double>(d));
        for (double& value : points.col(i))
            value = centre + stream.normal();
    }
    return points;
}

std::vector<double> ones(Index n) {
    return std::vector<double>(static_cast<std::size_t>(n), 1.0);
}

TEST(WeightedClusters, APeakOfATenthHasClustersOfItsOwn) {
    for (const Index d : {1, 4, 10})
        for (Index n = 2; n <= 6; ++n) {
            const Matrix points = two_peaks(d, 256, static_cast<std::uint64_t>(d));
            const auto found = clusters_of(points, ones(256), n);
            const double small = (points.colwise().sum().array() < 0).cast<double>().sum();
            double weight = 0;
            for (Index k = 0; k < found.means.cols(); ++k)
                weight += found.means.col(k).sum() < 0 ? found.weights[at(k)] : 0;
            EXPECT_NEAR(weight, small, 1e-9) << d << " dimensions, " << n << " clusters";
            EXPECT_NEAR(std::accumulate(found.weights.begin(), found.weights.end(), 0.0), 256, 1e-9);
        }
}

TEST(WeightedClusters, ALonePointHasNone) {
    Matrix points = two_peaks(4, 1000, 1);
    points.col(500).setConstant(100);
    const auto found = clusters_of(points, ones(1000), 3);
    for (const double weight : found.weights)
        EXPECT_GT(weight, 20);
}

TEST(WeightedClusters, WeightsAndUnitsCount) {
    Matrix points = two_peaks(2, 400, 2);
    auto weights = ones(400);
    for (Index i = 0; i < 400; ++i)
        if (points.col(i).sum() < 0)
            weights[at(i)] = 0;
    const auto of_large = clusters_of(points, weights, 2);
    for (Index k = 0; k < of_large.means.cols(); ++k)
        EXPECT_GT(of_large.means.col(k).sum(), 0);
    const auto metres = clusters_of(points, ones(400), 3);
    points.row(0) *= 1024; // exact
    const auto millimetres = clusters_of(points, ones(400), 3);
    EXPECT_EQ(metres.weights, millimetres.weights);
}

TEST(WeightedClusters, EqualPointsAreOneCluster) {
    const auto found = clusters_of(Matrix::Constant(2, 10, 3.0), ones(10), 3);
    EXPECT_EQ(found.weights, std::vector<double>{10});
    EXPECT_EQ(found.covariance, Matrix::Zero(2, 2));
}

// A fit of few steps from components along the cumulated weight would share one between both peaks.
TEST(WeightedClusters, TheFittedMixtureKeepsThePeak) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const Matrix points = two_peaks(4, 256, seed);
        const auto mixture = StudentMixture::fit(points, ones(256), 3, 5, 10);
        double share = 0;
        for (const auto& component : mixture.components()) {
            share += component.mean.sum() < 0 ? component.weight : 0;
            EXPECT_GT(std::abs(component.mean.mean()), 2) << "between the peaks, seed " << seed;
        }
        EXPECT_NEAR(share, (points.colwise().sum().array() < 0).cast<double>().mean(), 0.005) << seed;
    }
}

} // namespace
} // namespace pearlite::random
