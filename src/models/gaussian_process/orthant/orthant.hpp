#pragma once
/// The probability that a normal vector lies in an orthant, growing variable by variable:
///
///     f_n(z) = N(z; 0, Sigma_[n]) prod_{i <= n} 1(y_i z_i > 0),  Z_1 = 1/2,  W_n = Phi(y_{n+1} m/sd)
///
/// m and sd those of z_{n+1} given z. It is the evidence of Gaussian process classification with a probit link, in the
/// latent variables z of Fraccaro, Paquet & Winther (2016), appendix A, where Sigma = K + I.

#include "pearlite/core/types.hpp"
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

} // namespace pearlite::models
