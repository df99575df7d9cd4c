#pragma once
/// The probability that a normal vector lies in an orthant, growing variable by variable:
///
///     f_n(z) = N(z; 0, Sigma_[n]) prod_{i <= n} 1(y_i z_i > 0),  Z_1 = 1/2,  W_n = Phi(y_{n+1} m/sd)
///
/// m and sd those of z_{n+1} given z. It is the evidence of Gaussian process classification with a probit link, in the
/// latent variables z of Fraccaro, Paquet & Winther (2016), appendix A, where Sigma = K + I.

#include "pearlite/model/detail/growing_target.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace pearlite::models {

struct OrthantSettings {
    Matrix covariance;        ///< Sigma, N x N, positive definite
    Vector signs;             ///< y, each 1 or -1
    std::vector<Index> order; ///< in which variables are added: a permutation of 0 .. N-1
    bool is_double = false;   ///< states and sweeps in double precision
    std::optional<double> exact_log_probability = {};
};

class Orthant : public model::GrowingTarget {
  public:
    /// ContractViolation if the shapes do not agree.
    explicit Orthant(OrthantSettings settings);

    Index n_variables() const override { return settings_.signs.size(); }
    std::unique_ptr<model::GrowingStage> first_stage() const override;
    double log_normaliser_first() const override;
    /// That of the settings, or in closed form of up to three variables or of independent ones.
    std::optional<double> exact_log_normaliser() const override;
    void fingerprint(model::Fingerprint& fingerprint) const override;

  private:
    OrthantSettings settings_;
};

/// The states of a block of an orthant: variables in the order in which they were added, N' x size.
Matrix orthant_states(const Block& block);

/// log of the probability that n_positive variables are positive and n_negative negative, of N(0, (1 - rho) I + rho 1
/// 1'), 0 <= rho < 1; by quadrature, to 1e-12.
double log_equicorrelated_orthant(Index n_positive, Index n_negative, double rho);

// The inverse of a covariance matrix as variables are added to it one by one.

/// S = Sigma_[n]^{-1} in the order of the variables, grown in O(n^2) by the block inverse
///
///     c = 1/(Sigma_{n+1,n+1} - s'S s), s = Sigma_{[n],n+1};   S <- (S + c (S s)(S s)', -c S s; ., c)
class GrowingPrecision {
  public:
    /// `covariance` must outlive it. `order`: a permutation of its rows; n = 1 at first.
    GrowingPrecision(const Matrix& covariance, std::vector<Index> order);

    Index n() const { return n_; }
    /// n x n, S.
    auto matrix() const { return precision_.topLeftCorner(n_, n_); }
    /// The next variable given those present has mean coefficients()'z, as Sigma is the covariance, and variance
    /// next_variance(). For n < N.
    const Vector& coefficients() const { return coefficients_; }
    double next_variance() const { return next_variance_; }
    /// n -> n + 1; n < N. NumericalError if the covariance is not positive definite.
    void grow();

  private:
    void find_next();

    const Matrix& covariance_;
    std::vector<Index> order_;
    Index n_ = 1;
    Matrix precision_; ///< N x N, of which n x n are in use
    Vector coefficients_;
    double next_variance_ = 0;
};

} // namespace pearlite::models
