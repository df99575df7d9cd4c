#include "random/weighted_clusters.hpp"

#include "core/moments.hpp"
#include "pearlite/core/detail/contract.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace pearlite::random {

namespace {

constexpr Index candidates = 32;
constexpr Index most_for_centres = 4096;
constexpr int most_rounds = 20; ///< of Lloyd's iterations
/// Of the weight, in a cluster: a few far points are left to their neighbours.
constexpr double smallest_cluster = 0.02;

/// Points with coordinates over their standard deviations, and the weights.
class Cloud {
  public:
    Cloud(const Matrix& points, std::span<const double> weights, const Moments& moments)
        : points_(points),
          weights_(weights.begin(), weights.end()),
          total_(std::accumulate(weights.begin(), weights.end(), 0.0)) {
        for (Index k = 0; k < points.rows(); ++k)
            if (const double variance = moments.covariance(k, k); variance > 0)
                points_.row(k) /= std::sqrt(variance);
    }

    /// Points at a constant stride, at most `most` of them; all points if the chosen ones have no weight.
    Cloud thinned(Index most) const;

    Index size() const { return points_.cols(); }
    double weight(Index i) const { return weights_[at(i)]; }

    Vector mean() const {
        Vector mean = Vector::Zero(points_.rows());
        for (Index i = 0; i < size(); ++i)
            mean += weight(i) / total_ * points_.col(i);
        return mean;
    }
    /// Squared distances of all points from one place.
    std::vector<double> distances(const Vector& from) const {
        std::vector<double> all;
        for (Index i = 0; i < size(); ++i)
            all.push_back((points_.col(i) - from).squaredNorm());
        return all;
    }
    /// Points at equal steps of the cumulated weight times squared distance.
    std::vector<Index> far_points(const std::vector<double>& distances) const;
    /// The mean of the points about point i that have this share of the weight: one far point attracts no centre.
    Vector mean_about(Index i, double share) const;
    /// Weighted sum of the smaller of two squared distances.
    double potential(const std::vector<double>& first, const std::vector<double>& second) const {
        double sum = 0;
        for (std::size_t i = 0; i < first.size(); ++i)
            sum += weights_[i] * std::min(first[i], second[i]);
        return sum;
    }
    /// The nearest centre of each point, the first of equals.
    std::vector<std::size_t> nearest(const std::vector<Vector>& centres) const;
    /// The means of the points of each centre; centres with less than this share of the weight are left out.
    std::vector<Vector> means(const std::vector<std::size_t>& owners, std::size_t n, double share) const;

  private:
    Cloud() = default;

    Matrix points_;
    std::vector<double> weights_;
    double total_ = 0;
};

Cloud Cloud::thinned(Index most) const {
    const Index stride = (size() + most - 1) / most, n = (size() + stride - 1) / stride;
    Cloud few;
    few.points_.resize(points_.rows(), n);
    for (Index i = 0; i < n; ++i) {
        few.points_.col(i) = points_.col(i * stride);
        few.weights_.push_back(weight(i * stride));
        few.total_ += weight(i * stride);
    }
    return few.total_ > 0 ? few : *this;
}

std::vector<Index> Cloud::far_points(const std::vector<double>& distances) const {
    double total = 0, passed = 0;
    for (Index i = 0; i < size(); ++i)
        total += weight(i) * distances[at(i)];
    std::vector<Index> chosen;
    Index next = 0; // of the steps
    for (Index i = 0; i < size() && total > 0; ++i) {
        passed += weight(i) * distances[at(i)];
        if (const auto reached = static_cast<Index>(std::lround(passed / total * static_cast<double>(candidates)));
            reached > next) {
            chosen.push_back(i);
            next = reached;
        }
    }
    return chosen;
}

Vector Cloud::mean_about(Index i, double share) const {
    const auto from = distances(points_.col(i));
    std::vector<Index> order;
    for (Index j = 0; j < size(); ++j)
        if (weight(j) > 0)
            order.push_back(j);
    std::sort(order.begin(), order.end(),
              [&](Index a, Index b) { return from[at(a)] != from[at(b)] ? from[at(a)] < from[at(b)] : a < b; });
    Vector sum = Vector::Zero(points_.rows());
    double passed = 0;
    for (auto j = order.begin(); j != order.end() && passed < share * total_; ++j) {
        sum += weight(*j) * points_.col(*j);
        passed += weight(*j);
    }
    return sum / passed;
}

std::vector<std::size_t> Cloud::nearest(const std::vector<Vector>& centres) const {
    std::vector<std::size_t> owners;
    for (Index i = 0; i < size(); ++i) {
        std::size_t best = 0;
        double least = infinity;
        for (std::size_t k = 0; k < centres.size(); ++k)
            if (const double distance = (points_.col(i) - centres[k]).squaredNorm(); distance < least) {
                least = distance;
                best = k;
            }
        owners.push_back(best);
    }
    return owners;
}

std::vector<Vector> Cloud::means(const std::vector<std::size_t>& owners, std::size_t n, double share) const {
    std::vector<Vector> sums(n, Vector::Zero(points_.rows()));
    std::vector<double> weights(n, 0.0);
    for (Index i = 0; i < size(); ++i) {
        sums[owners[at(i)]] += weight(i) * points_.col(i);
        weights[owners[at(i)]] += weight(i);
    }
    std::vector<Vector> means;
    for (std::size_t k = 0; k < n; ++k)
        if (weights[k] > share * total_)
            means.emplace_back(sums[k] / weights[k]);
    return means;
}

/// The first at the mean, each further one where it lowers the potential most; fewer where none lowers it.
std::vector<Vector> spread_centres(const Cloud& cloud, Index n) {
    std::vector<Vector> centres{cloud.mean()};
    auto distances = cloud.distances(centres.front());
    const double share = 1 / static_cast<double>(4 * n);
    while (static_cast<Index>(centres.size()) < n) {
        double least = cloud.potential(distances, distances);
        Vector best;
        std::vector<double> best_distances;
        for (const Index i : cloud.far_points(distances)) {
            const Vector centre = cloud.mean_about(i, share);
            auto from = cloud.distances(centre);
            if (const double potential = cloud.potential(distances, from); potential < least) {
                least = potential;
                best = centre;
                best_distances = std::move(from);
            }
        }
        if (best.size() == 0)
            break;
        centres.push_back(best);
        for (std::size_t i = 0; i < distances.size(); ++i)
            distances[i] = std::min(distances[i], best_distances[i]);
    }
    return centres;
}

} // namespace

WeightedClusters clusters_of(const Matrix& points, std::span<const double> weights, Index n) {
    PEARLITE_EXPECTS(points.cols() == static_cast<Index>(weights.size()) && points.cols() >= 1 && n >= 1);
    const Cloud cloud(points, weights, weighted_moments(points, weights));
    auto centres = spread_centres(cloud.thinned(most_for_centres), n);
    auto owners = cloud.nearest(centres);
    const double least = std::min(smallest_cluster, 1 / static_cast<double>(8 * n));
    for (int round = 0; round < most_rounds; ++round) {
        centres = cloud.means(owners, centres.size(), least);
        auto next = cloud.nearest(centres);
        if (next == owners)
            break;
        owners = std::move(next);
    }
    const Index d = points.rows();
    WeightedClusters found{Matrix(d, 0), {}, Matrix::Zero(d, d)};
    double total = 0;
    for (std::size_t k = 0; k < centres.size(); ++k) {
        std::vector<double> own(weights.size(), 0.0);
        for (std::size_t i = 0; i < own.size(); ++i)
            own[i] = owners[i] == k ? weights[i] : 0;
        const double weight = std::accumulate(own.begin(), own.end(), 0.0);
        if (!(weight > 0))
            continue;
        const auto moments = weighted_moments(points, own);
        found.means.conservativeResize(d, found.means.cols() + 1);
        found.means.col(found.means.cols() - 1) = moments.mean;
        found.weights.push_back(weight);
        found.covariance += weight * moments.covariance;
        total += weight;
    }
    found.covariance /= total;
    return found;
}

} // namespace pearlite::random
