#pragma once
/// The evidence by thermodynamic integration along a tempered run of weighted particles: the power posterior method
/// (Friel & Pettitt 2008) in the form of Tran, Strickland, Pitt & Kohn, eqs. 9-11.

#include "core/fields.hpp"
#include "estimator/evidence/estimate.hpp"
#include "population/families.hpp"

#include <optional>
#include <span>
#include <vector>

namespace pearlite::estimator {

/// log Z = sum_t (a_{t+1} - a_t) (f_{t+1} + f_t)/2, f_t = sum_i W_i u_i, with the weights at a_t (1/M after resampling)
/// and u = d log f_a/da after the move at a_t; and the same with each interval's curvature taken off, (a_{t+1} - a_t)^2
/// (V_{t+1} - V_t)/12, V the weighted variance of u (Friel, Hurn & Wyse 2014), for paths that are linear in a.
///
/// Standard errors come from families: the share of every Eve's descendants in f_t, summed over the temperatures, is
/// independent of the others'. A family's shares live with the rank that owns its Eve.
class PowerPosterior {
  public:
    /// Begins without a temperature; n_particles are on all ranks.
    PowerPosterior(const parallel::Communicator& ranks, Index n_particles);

    /// After the move at a: mean_u and variance_u as traced; log weights, log_sum of all of them, and u of the same
    /// particles. They wait for settle().
    void add(double a, double mean_u, double variance_u, std::span<const double> log_weights, double log_sum,
             std::span<const double> u);
    bool waits() const { return next_.has_value(); }
    /// The magnitudes of the terms here that wait, of two kinds.
    std::vector<double> magnitudes() const { return population::Families::magnitudes(next_->terms); }
    /// Families get the terms that wait. `magnitudes`: the largest of all ranks; `families`: of the particles that were
    /// added. Ranks wait for messages of each other, but for no reduction.
    void settle(std::span<const double> magnitudes, const population::Families& families);

    /// Collective; settled. "power-posterior", whose error is not shown, and "power-posterior-corrected"; the first
    /// alone, and refused, if a start had likelihood 0. n_eves survive. Refused if one interval's curvature exceeds
    /// half a nat, as near a = 0 for a vague prior.
    std::vector<Estimate> estimates(const parallel::Communicator& ranks, Index n_eves) const;

    /// Fields of a checkpoint, settled; the families' shares are sharded, in order of Eve.
    template <class Fields>
    void fields(Fields& f) {
        PEARLITE_EXPECTS(!waits());
        f("inverse_temperature", a_);
        f("mean_u", mean_u_);
        f("variance_u", variance_u_);
        f("plain", plain_);
        f("corrected", corrected_);
        f("largest_correction", largest_correction_);
        f.sharded("eve_shares", shares_field());
    }

  private:
    /// One Eve's family: its shares of f_t and V_t at the last temperature, and of the integrals so far.
    struct Shares {
        double mean = 0, variance = 0, plain = 0, corrected = 0;
    };

    /// A temperature that waits.
    struct Next {
        double a, mean_u, variance_u;
        Matrix terms; ///< 2 x particles here: of f_t and of V_t
    };

    void integrate(double a, double mean_u, double variance_u);
    ShardedField shares_field();
    Estimate estimate_of(const parallel::Communicator& ranks, const char* name, double value, double Shares::*share,
                         Index n_eves) const;

    parallel::BlockLayout slots_;                ///< the Eves', as Families cuts them
    double a_ = 0, mean_u_ = 0, variance_u_ = 0; ///< of the last temperature
    double plain_ = 0, corrected_ = 0;           ///< the integrals so far
    double largest_correction_ = 0;              ///< of one interval
    std::vector<Shares> shares_;                 ///< of the Eves that belong to this rank
    std::optional<Next> next_;
};

} // namespace pearlite::estimator
