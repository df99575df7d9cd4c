#include "pearlite/sampler/first_draws.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace pearlite::sampler {

std::vector<double> FirstDraws::weights() const {
    const double log_max = *std::max_element(log_weights.begin(), log_weights.end());
    std::vector<double> weights;
    weights.reserve(log_weights.size());
    for (const double log_weight : log_weights)
        weights.push_back(std::exp(log_weight - log_max));
    return weights;
}

kernel::StudentMixture FirstDraws::mixture(Index components, double df) const {
    constexpr int iterations = 10;
    return kernel::StudentMixture::fit(points, weights(), components, df, iterations);
}

Matrix FirstDraws::walk_factor() const {
    const auto all = weights();
    const Vector w = Eigen::Map<const Vector>(all.data(), points.cols()); // sums of a map depend on its alignment
    const Vector mean = points * w / w.sum();
    const Matrix centred = points.colwise() - mean;
    const Matrix covariance = centred * w.asDiagonal() * centred.transpose() / w.sum();
    return kernel::random_walk_factor(covariance, Matrix::Identity(points.rows(), points.rows()));
}

Matrix FirstDraws::starts(Index n, std::uint64_t seed) const {
    auto cumulated = weights();
    std::partial_sum(cumulated.begin(), cumulated.end(), cumulated.begin());
    Matrix starts(points.rows(), n);
    for (Index i = 0; i < n; ++i) {
        random::Stream stream({seed, random::Purpose::resample, static_cast<std::uint64_t>(i), 0});
        const auto place = std::upper_bound(cumulated.begin(), cumulated.end(), stream.uniform() * cumulated.back());
        starts.col(i) = points.col(std::min<Index>(place - cumulated.begin(), points.cols() - 1));
    }
    return starts;
}

FirstDraws draws_of(const parallel::Communicator& ranks, population::Population<model::DensityBlock>& population,
                    Index dimension) {
    const auto& particles = population.generation(0);
    std::vector<double> local;
    for (Index b = 0; b < particles.local_blocks(); ++b) {
        const auto& block = particles.block(b);
        local.insert(local.end(), block.points.data(), block.points.data() + dimension * block.size());
    }
    const auto points = ranks.all_gather(std::span<const double>(local));
    FirstDraws draws;
    draws.log_weights = ranks.all_gather(std::span<const double>(particles.log_weights()));
    draws.points = Eigen::Map<const Matrix>(points.data(), dimension, static_cast<Index>(draws.log_weights.size()));
    return draws;
}

} // namespace pearlite::sampler
