#include "algorithm/common/bridge_at_end.hpp"

#include "algorithm/common/streams.hpp"
#include "core/linear_algebra/linear_algebra.hpp"
#include "estimator/evidence/bridge_sampling.hpp"
#include "parallel/agreement.hpp"
#include "pearlite/path/detail/density_path.hpp"
#include "random/student_mixture.hpp"

#include <fmt/format.h>

#include <cmath>

namespace pearlite::algorithm {

namespace {

using random::StudentMixture;

constexpr std::size_t n_halves = 2;

/// Log weights of the items of a half, log_zero for the others.
template <class HalfOf>
std::vector<double> of_half(std::size_t half, std::span<const double> log_weights, HalfOf&& half_of) {
    std::vector<double> result(log_weights.size(), log_zero);
    for (std::size_t i = 0; i < result.size(); ++i)
        if (half_of(i) == half)
            result[i] = log_weights[i];
    return result;
}

/// log f_b of the particles, or of points in place of theirs.
double log_density(double log_prior, double log_likelihood, double b) {
    const double value = log_prior + b * log_likelihood;
    return std::isfinite(value) ? value : log_zero;
}

class Halves {
  public:
    Halves(const parallel::Communicator& ranks, const path::DensityPath& path, const population::Generation& particles,
           double b, const population::Families& families)
        : ranks_(ranks), path_(path), particles_(particles), b_(b), families_(families) {
        for (std::size_t half = 0; half < n_halves; ++half)
            log_weights_[half] = of_half(half, particles.log_weights(), [&](std::size_t i) {
                return static_cast<std::size_t>(particles.eves()[i] % static_cast<std::int64_t>(n_halves));
            });
    }

    /// Collective. Why there can be no fit to a half; empty if there is nothing against it.
    std::string obstacle() const {
        const double wanted = least_families_per_coordinate * static_cast<double>(path_.dimension());
        for (const auto& log_weights : log_weights_) {
            if (population::largest_log_weight(ranks_, particles_.layout(), log_weights) == log_zero)
                return "one half of the families has no weight";
            const auto shares = population::family_weights(ranks_, particles_.layout(), log_weights, families_);
            if (const double effective = 1 / shares.squares; effective < wanted)
                return fmt::format("{:.1f} effective families in one half, fewer than {:g} for {} coordinates",
                                   effective, wanted, path_.dimension());
        }
        return {};
    }

    /// Collective. The normal distributions; none if a covariance is singular.
    std::vector<StudentMixture> fits() const {
        Matrix points(path_.dimension(), particles_.local_size());
        for (Index k = 0; k < particles_.local_blocks(); ++k) {
            const auto& block = path::points_of(particles_.block(k));
            points.middleCols(particles_.block_begin(k), block.size()) = block.points.leftCols(block.size());
        }
        std::vector<StudentMixture> fits;
        for (const auto& log_weights : log_weights_) {
            const auto log_max = population::largest_log_weight(ranks_, particles_.layout(), log_weights);
            const auto moments =
                population::weighted_moments(ranks_, particles_.layout(), log_weights, log_max, points);
            const Vector sd = moments.covariance.diagonal().cwiseMax(0.0).cwiseSqrt();
            if (!moments.covariance.allFinite() || !(sd.array() > 0).all())
                return {};
            const Vector inverse_sd = sd.cwiseInverse();
            const auto factor = cholesky_factor(inverse_sd.asDiagonal() * moments.covariance * inverse_sd.asDiagonal());
            if (!factor)
                return {};
            fits.push_back(StudentMixture({{1, moments.mean, sd.asDiagonal() * *factor}}, infinity));
        }
        return fits;
    }

    /// log f - log q: of each particle by the fit to the other half, and of a draw in each slot, by the fits in turn.
    struct LogRatios {
        std::vector<double> of_particles, of_draws;
    };
    LogRatios log_ratios(const std::vector<StudentMixture>& fits, const random::Seed& seed) const {
        LogRatios all{std::vector<double>(at(particles_.local_size())),
                      std::vector<double>(at(particles_.local_size()))};
        for (Index k = 0; k < particles_.local_blocks(); ++k)
            ratios_of_block(fits, seed, k, all);
        return all;
    }

    /// Collective. The bridge between the fit to `half` and the particles of the other one.
    std::optional<estimator::BridgeEstimate> bridge(std::size_t half, const LogRatios& ratios, double start) const {
        const std::vector<double> equal(at(particles_.local_size()), 0.0);
        const auto weights_of_draws = of_half(half, equal, [&](std::size_t i) { return half_of_draw(i); });
        return estimator::bridge_sampling(ranks_, particles_.layout(), {ratios.of_particles, log_weights_[1 - half]},
                                          families_, {ratios.of_draws, weights_of_draws}, start);
    }

  private:
    std::size_t half_of_draw(std::size_t local) const {
        return (static_cast<std::size_t>(particles_.layout().first_local_item()) + local) % n_halves;
    }

    void ratios_of_block(const std::vector<StudentMixture>& fits, const random::Seed& seed, Index k,
                         LogRatios& all) const {
        const auto& block = path::points_of(particles_.block(k));
        const auto streams = block_streams(particles_, k, seed, 0);
        const Index begin = particles_.block_begin(k), n = block.size();
        Matrix draws = block.points;
        for (Index i = 0; i < n; ++i) {
            random::Stream stream(streams.at(random::Purpose::bridge, i));
            fits[half_of_draw(at(begin + i))].draw(stream, {draws.col(i).data(), at(draws.rows())});
        }
        Vector log_prior(draws.cols()), log_likelihood(draws.cols()), log_q(n);
        path_.evaluate(block, draws, b_, log_prior, log_likelihood, streams);
        for (std::size_t half = 0; half < n_halves; ++half) {
            fits[half].log_densities(block.points.leftCols(n), {log_q.data(), at(n)});
            for (Index i = 0; i < n; ++i)
                if (log_weights_[1 - half][at(begin + i)] > log_zero)
                    all.of_particles[at(begin + i)] =
                        log_density(block.log_prior(i), block.log_likelihood(i), b_) - log_q(i);
            fits[half].log_densities(draws.leftCols(n), {log_q.data(), at(n)});
            for (Index i = 0; i < n; ++i)
                if (half_of_draw(at(begin + i)) == half)
                    all.of_draws[at(begin + i)] = log_density(log_prior(i), log_likelihood(i), b_) - log_q(i);
        }
    }

    const parallel::Communicator& ranks_;
    const path::DensityPath& path_;
    const population::Generation& particles_;
    double b_;
    const population::Families& families_;
    std::array<std::vector<double>, n_halves> log_weights_;
};

} // namespace

bool can_bridge_at_end(const model::Target& target) {
    const auto* path = target.offers<path::DensityPath>();
    return path && !path->is_estimated() && target.path_is_linear() && target.log_normaliser_start();
}

estimator::Estimate bridge_at_end(const parallel::Communicator& ranks, const model::Target& target,
                                  const population::Generation& particles, double b,
                                  const population::Families& families, double log_ratio, const random::Seed& seed) {
    estimator::Estimate estimate{bridge_sampling_name, 0, {}, {}, "families"};
    const double log_start = *target.log_normaliser_start();
    const Halves halves(ranks, *target.offers<path::DensityPath>(), particles, b, families);
    if (const auto obstacle = halves.obstacle(); !obstacle.empty()) {
        estimate.refuse(obstacle);
        return estimate;
    }
    const auto fits = halves.fits();
    if (fits.empty()) {
        estimate.refuse("the covariance of the particles is singular");
        return estimate;
    }
    Halves::LogRatios ratios;
    try {
        parallel::together(ranks, [&] { ratios = halves.log_ratios(fits, seed); });
    } catch (const NumericalError& error) { // at a draw of the fit, where no particle has been
        estimate.refuse(error.what());
        return estimate;
    }
    const auto d = static_cast<double>(target.offers<path::DensityPath>()->dimension());
    double variance = 0, covariance = d * (d + 3) / 2, most = 1;
    for (std::size_t half = 0; half < n_halves; ++half) {
        const auto one = halves.bridge(half, ratios, log_ratio + log_start);
        if (!one || std::min(one->effective_draws, one->effective_families) < least_bridged) {
            estimate.refuse("the posterior is too far from a normal distribution in the coordinates that are sampled");
            return estimate;
        }
        estimate.value += (one->log_integral - log_start) / n_halves;
        variance += one->variance() / (n_halves * n_halves);
        covariance /= one->n_families + one->n_draws;
        most *= std::sqrt(one->variance_of_families);
    }
    estimate.standard_error = std::sqrt(variance + std::min(covariance, most) / n_halves);
    estimate.interval95 = estimator::normal_interval(estimate.value, *estimate.standard_error);
    return estimate;
}

void add_bridge(std::vector<estimator::Estimate>& estimates, const estimator::Estimate& bridge) {
    const auto& product = estimates.front();
    const bool is_apart = estimator::are_apart(bridge, product);
    const bool is_better = bridge.standard_error && product.standard_error && !is_apart &&
                           *bridge.standard_error < least_gain_of_bridge * *product.standard_error;
    const auto added = estimates.insert(estimates.begin() + (is_better ? 0 : 1), bridge);
    if (is_apart)
        added->note = "apart from the product, which needs no normalised prior: look at the constant of log_prior";
}

} // namespace pearlite::algorithm
