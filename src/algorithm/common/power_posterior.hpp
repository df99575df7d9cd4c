#pragma once
/// The evidence by thermodynamic integration along a tempered SMC run: the power posterior method (Friel & Pettitt
/// 2008) in the form of Tran, Strickland, Pitt & Kohn, eqs. 9-11.

#include "estimator/evidence/estimate.hpp"
#include "parallel/communicator.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace pearlite::algorithm {

/// log Z = sum_t (a_{t+1} - a_t) (f_{t+1} + f_t)/2, f_t = sum_i W_i u_i, with the weights at a_t (1/M after resampling)
/// and u = d log f_a/da after the move at a_t; and the same with each interval's curvature taken off, (a_{t+1} - a_t)^2
/// (V_{t+1} - V_t)/12, V the weighted variance of u (Friel, Hurn & Wyse 2014), for paths that are linear in a.
///
/// Standard errors come from families: the share of every Eve's descendants in f_t, summed over the temperatures, is
/// independent of the others'. Up to `most_particles`; beyond it, batches.
class PowerPosterior {
  public:
    static constexpr Index most_particles = 65536;

    /// Collective, after the move at a: mean_u and variance_u as traced; log weights, u and Eves of the local particles
    /// in slot order, n_particles on all ranks.
    void add(const parallel::Communicator& ranks, double a, double mean_u, double variance_u,
             std::span<const double> log_weights, std::span<const double> u, std::span<const std::int64_t> eves,
             Index n_particles);

    /// "power-posterior" and "power-posterior-corrected"; none if a start had likelihood 0. n_eves survive. Without
    /// error bars where one interval's curvature exceeds half a nat, as near a = 0 of a vague prior.
    std::vector<estimator::Estimate> estimates(Index n_eves) const;

    template <class Fields>
    void fields(Fields& f) {
        f("inverse_temperature", a_);
        f("mean_u", mean_u_);
        f("variance_u", variance_u_);
        f("plain", plain_);
        f("corrected", corrected_);
        f("largest_correction", largest_correction_);
        f("eve_mean", eve_mean_);
        f("eve_variance", eve_variance_);
        f("eve_plain", eve_plain_);
        f("eve_corrected", eve_corrected_);
    }

  private:
    void integrate(double a, double mean_u, double variance_u);

    double a_ = 0, mean_u_ = 0, variance_u_ = 0; ///< of the last temperature
    double plain_ = 0, corrected_ = 0;           ///< the integrals so far
    double largest_correction_ = 0;              ///< of one interval
    /// By Eve: influence on f_t and V_t at the last temperature, and on the integrals so far.
    std::vector<double> eve_mean_, eve_variance_, eve_plain_, eve_corrected_;
};

} // namespace pearlite::algorithm
