#pragma once
/// Clusters of weighted points by k-means (Lloyd 1982, "Least squares quantization in PCM"), from centres that are
/// chosen one after another where they lower the sum of squared distances most, as greedy k-means++ does (Arthur &
/// Vassilvitskii 2007, "k-means++: the advantages of careful seeding"), but among candidates without randomness.

#include "pearlite/core/types.hpp"

#include <span>
#include <vector>

namespace pearlite::random {

struct WeightedClusters {
    Matrix means;                ///< d x clusters
    std::vector<double> weights; ///< of the clusters, all positive; their sum is that of the points
    Matrix covariance;           ///< d x d, of the points about the mean of their cluster
};

/// At most n clusters of points (d x m) whose weights need not be normalised. Distances are those of coordinates over
/// their standard deviations. The same points and weights give the same bits.
WeightedClusters clusters_of(const Matrix& points, std::span<const double> weights, Index n);

} // namespace pearlite::random
