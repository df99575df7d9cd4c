#pragma once
/// Gaussian process classification as a density of its latent values x ~ N(0, K), with the likelihood prod_n Phi(y_n
/// x_n), which is annealed (Fraccaro, Paquet & Winther 2016, section 4.1, equations 11 and 12).
///
/// Coordinates u are whitened: x = L (m + A u), with L L' = (1 + e) K + e I. LatentCoordinates::prior sets m = 0 and A
/// = I: the prior of u is N(0, I), and no equation is solved with K. LatentCoordinates::posterior chooses m and A so
/// that the approximation N(mu, Sig) of x by expectation propagation becomes N(0, I) in u. The jitter e adds no error:
/// the evidence is the probability of an orthant of N(0, Sigma), Sigma = (1 + e) (K + I), and does not depend on the
/// scale of Sigma.

#include "pearlite/model/fingerprint.hpp"
#include "pearlite/model/normal_approximation.hpp"
#include "pearlite/random/stream.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace pearlite::models {

enum class LatentCoordinates { prior, posterior };

class GpLatent {
  public:
    /// e is 1e-6, or as much as a Cholesky factor takes. covariance: K, N x N; signs: y, each 1 or -1. NumericalError
    /// if a Cholesky factor does not exist.
    GpLatent(const Matrix& covariance, Vector signs, LatentCoordinates coordinates = LatentCoordinates::prior);

    std::vector<std::string> parameter_names() const;
    void draw_prior(random::Stream& stream, std::span<double> u) const;
    static constexpr bool evaluates_padding = true;
    /// points: N x (a multiple of block_padding).
    void evaluate(const Matrix& points, std::span<double> log_prior, std::span<double> log_likelihood) const;
    void evaluate_with_gradient(const Matrix& points, double b, std::span<double> log_prior,
                                std::span<double> log_likelihood, Eigen::Ref<Matrix> gradient) const;
    /// One for each observation.
    Vector log_likelihoods(std::span<const double> u) const;
    /// The Fisher information of the likelihood times b plus the precision of the prior: A'A + b J' diag(Lam) J,
    /// J = L A, Lam = r(x) r(-x), r = phi/Phi.
    void metric(std::span<const double> u, double b, Eigen::Ref<Matrix> metric) const;
    const Matrix& predictors() const { return factor_; }
    void metric_weights(std::span<const double> u, double b, Vector& weights, Vector& slopes) const;
    /// The latent values x.
    std::vector<std::string> quantity_names() const;
    void quantities(std::span<const double> u, std::span<double> out) const;
    /// In closed form of up to three observations.
    std::optional<double> exact_log_ratio() const;
    void fingerprint(model::Fingerprint& fingerprint) const;

    /// By expectation propagation.
    model::NormalApproximation approximation() const;
    /// (1 + e) K + e I, N x N.
    const Matrix& covariance() const { return covariance_; }
    /// e.
    double jitter() const { return jitter_; }

  private:
    Vector latent(std::span<const double> u) const;
    /// Numbers of sixteen points.
    struct Scratch {
        Matrix w, x;
    };
    /// w = m + A u and x = L w of sixteen points, and their log prior.
    void transform(const Matrix& points, Index first, Scratch& scratch, std::span<double> log_prior) const;

    double jitter_ = 0; ///< e
    Matrix covariance_; ///< (1 + e) K + e I
    Vector signs_;
    LatentCoordinates coordinates_;
    Matrix prior_factor_;        ///< L
    Matrix factor_;              ///< J = L A
    Vector shift_;               ///< L m
    Vector whitened_mean_;       ///< m
    Matrix whitening_;           ///< A
    Matrix prior_precision_;     ///< A'A
    double log_determinant_ = 0; ///< log |A|
};

} // namespace pearlite::models
