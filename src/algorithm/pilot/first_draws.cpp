#include "algorithm/pilot/first_draws.hpp"

#include "core/moments.hpp"
#include "kernel/density/random_walk.hpp"

#include <cmath>
#include <map>
#include <numeric>

namespace pearlite::algorithm {

namespace {

double effective_families(const std::vector<double>& weights, const std::vector<std::int64_t>& eves) {
    std::map<std::int64_t, double> of_family;
    double sum = 0, squares = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        of_family[eves[i]] += weights[i];
        sum += weights[i];
    }
    for (const auto& [eve, weight] : of_family)
        squares += weight / sum * (weight / sum);
    return 1 / squares;
}

} // namespace

std::vector<double> FirstDraws::weights() const {
    const double log_max = *std::max_element(log_weights.begin(), log_weights.end());
    std::vector<double> weights;
    weights.reserve(log_weights.size());
    for (const double log_weight : log_weights)
        weights.push_back(std::exp(log_weight - log_max));
    return weights;
}

Index FirstDraws::supported_components(Index wanted) const {
    // A mean, and each column of a covariance, takes draws_of_a_mean draws. The covariance that n draws estimate costs
    // a proposal about d^2/4n of its log weights' mean: no more than half.
    constexpr double draws_of_a_mean = 10, largest_loss = 0.5;
    const auto d = static_cast<double>(points.rows());
    const double draws_of_a_component = std::max(draws_of_a_mean * (d + 1), d * d / (4 * largest_loss));
    double sum = 0, squares = 0;
    for (const double w : weights()) {
        sum += w;
        squares += w * w;
    }
    const auto supported = sum * sum / squares / draws_of_a_component;
    return std::clamp<Index>(static_cast<Index>(supported), 1, wanted);
}

random::StudentMixture FirstDraws::mixture(Index components, double df) const {
    constexpr int iterations = 10;
    return random::StudentMixture::fit(points, weights(), components, df, iterations);
}

Matrix FirstDraws::walk_factor() const {
    return kernel::random_walk_factor(weighted_moments(points, weights()).covariance,
                                      Matrix::Identity(points.rows(), points.rows()));
}

Matrix FirstDraws::starts(Index n, const random::Seed& seed) const {
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

FirstDraws draws_of(const parallel::Communicator& ranks, const population::Share& particles) {
    std::vector<double> local, log_priors, log_likelihoods;
    std::vector<std::int64_t> eves;
    Index dimension = 0;
    for (Index b = 0; b < particles.local_blocks(); ++b) {
        const auto& block = path::points_of(particles.block(b));
        dimension = block.dimension();
        local.insert(local.end(), block.points.data(), block.points.data() + dimension * block.size());
        log_priors.insert(log_priors.end(), block.log_prior.data(), block.log_prior.data() + block.size());
        log_likelihoods.insert(log_likelihoods.end(), block.log_likelihood.data(),
                               block.log_likelihood.data() + block.size());
    }
    if (particles.here())
        eves = particles.here()->eves();
    dimension = ranks.max(dimension); // a rank may hold no block
    const auto points = ranks.all_gather(std::span<const double>(local));
    FirstDraws draws;
    draws.log_weights = ranks.all_gather(particles.log_weights());
    draws.log_priors = ranks.all_gather(std::span<const double>(log_priors));
    draws.log_likelihoods = ranks.all_gather(std::span<const double>(log_likelihoods));
    draws.families = effective_families(draws.weights(), ranks.all_gather(std::span<const std::int64_t>(eves)));
    draws.points = Eigen::Map<const Matrix>(points.data(), dimension, static_cast<Index>(draws.log_weights.size()));
    return draws;
}

FirstDraws draws_from_prior(const path::DensityPath& path, Index n, const random::Seed& seed) {
    FirstDraws draws{Matrix(path.dimension(), n), std::vector<double>(static_cast<std::size_t>(n), 0.0)};
    for (Index i = 0; i < n; ++i) {
        random::Stream stream({seed, random::Purpose::start, static_cast<std::uint64_t>(i), 0});
        path.draw_prior(stream, {draws.points.col(i).data(), static_cast<std::size_t>(path.dimension())});
    }
    return draws;
}

} // namespace pearlite::algorithm
