#pragma once
/// A density whose likelihood is estimated, with the exact one in its place: the reference of estimates.

#include "pearlite/model/data_description.hpp"
#include "pearlite/model/estimated_likelihood.hpp"
#include "pearlite/model/fingerprint.hpp"
#include "pearlite/model/predictive.hpp"
#include "pearlite/random/stream.hpp"

#include <string>
#include <utility>
#include <vector>

namespace pearlite::model {

/// Optional: D's logs with their gradients, each into a span of d; anything where the log is -infinity.
template <class D>
concept HasExactGradient = HasExactLikelihood<D> &&
    requires(const D& density, std::span<const double> u, std::span<double> gradient) {
    { density.log_prior(u, gradient) } -> std::convertible_to<double>;
    { density.exact_log_likelihood(u, gradient) } -> std::convertible_to<double>;
};

/// Optional: the gradient of the exact log likelihood as trajectories want it (HasForce, density.hpp).
template <class D>
concept HasExactForce = HasExactGradient<D> &&
    requires(const D& density, std::span<const double> u, std::span<double> force) {
    density.exact_force(u, force);
};

/// Optional: the factors of the exact likelihood.
template <class D>
concept HasExactLogLikelihoods = requires(const D& density, std::span<const double> u) {
    { density.exact_log_likelihoods(u) } -> std::convertible_to<Vector>;
};

/// D has parameters(), log_prior() and exact_log_likelihood().
template <HasExactLikelihood D>
class ExactLikelihood {
  public:
    explicit ExactLikelihood(D density) : density_(std::move(density)) {}

    std::vector<std::string> parameter_names() const { return density_.parameter_names(); }
    double natural(Index k, double u) const { return density_.parameters().natural(k, u); }
    void draw_prior(random::Stream& stream, std::span<double> u) const { density_.draw_prior(stream, u); }
    double log_prior(std::span<const double> u) const { return density_.log_prior(u); }
    double log_likelihood(std::span<const double> u) const { return density_.exact_log_likelihood(u); }
    /// Log likelihood of each data point, or of each group of points that is independent of the others.
    Vector log_likelihoods(std::span<const double> u) const requires HasExactLogLikelihoods<D> {
        return density_.exact_log_likelihoods(u);
    }
    /// A likelihood of 0 counts as flat.
    void evaluate_with_gradient(const Matrix& points, double b, std::span<double> log_prior,
                                std::span<double> log_likelihood,
                                Eigen::Ref<Matrix> gradient) const requires HasExactGradient<D> {
        const auto d = static_cast<std::size_t>(points.rows());
        Vector of_likelihood(points.rows());
        for (std::size_t i = 0; i < log_prior.size(); ++i) {
            auto column = gradient.col(static_cast<Index>(i));
            const std::span<const double> u(points.col(static_cast<Index>(i)).data(), d);
            log_prior[i] = density_.log_prior(u, {column.data(), d});
            log_likelihood[i] = -infinity;
            if (!(log_prior[i] > -infinity))
                continue;
            log_likelihood[i] = density_.exact_log_likelihood(u, {of_likelihood.data(), d});
            if (log_likelihood[i] > -infinity)
                column += b * of_likelihood;
        }
    }
    /// 0 outside the support.
    void force(const Matrix& points, double b, Eigen::Ref<Matrix> force) const requires HasExactForce<D> {
        const auto d = static_cast<std::size_t>(points.rows());
        Vector of_likelihood(points.rows());
        for (Index i = 0; i < points.cols(); ++i) {
            const std::span<const double> u(points.col(i).data(), d);
            auto column = force.col(i);
            if (!(density_.log_prior(u, {column.data(), d}) > -infinity)) {
                column.setZero();
                continue;
            }
            density_.exact_force(u, {of_likelihood.data(), d});
            column += b * of_likelihood;
        }
    }
    DataDescription describe_data() const requires HasDataDescription<D> { return density_.describe_data(); }
    Prediction predict(std::span<const double> u, Index samples,
                       const random::Address& address) const requires HasPrediction<D> {
        return density_.predict(u, samples, address);
    }
    void fingerprint(Fingerprint& fingerprint) const { density_.fingerprint(fingerprint); }

  private:
    D density_;
};

} // namespace pearlite::model
