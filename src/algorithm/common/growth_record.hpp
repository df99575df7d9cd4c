#pragma once
/// The record of a growing population at each number of variables, and the variance that follows from it by Theorem 1
/// of Fraccaro, Paquet & Winther (2016). For independent particles Var[log Z] = sum_n v_n/R_n, whose minimum at a given
/// R_tot is V_min = (sum sqrt v_n)^2/R_tot, at R_n = R_tot sqrt(v_n)/sum sqrt(v_n).

#include "pearlite/core/types.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace pearlite::algorithm {

/// One entry for each n = 1 .. N-1.
struct GrowthRecord {
    double base_particles = 0;             ///< R
    double threshold = 0;                  ///< the gamma that is wanted; 0 if any will do
    bool is_biased = false;                ///< the rule that ends the enlarging reads the weights that are averaged
    std::vector<double> particles;         ///< R_n, those that Z_{n+1}/Z_n was averaged over
    std::vector<double> moved;             ///< those of the base set and of all passes
    std::vector<double> gamma;             ///< 1/(1 + v_n), when the set was large enough
    std::vector<double> first_gamma;       ///< of the base set
    std::vector<double> mobility;          ///< of the base set's smoothing weights in the sweeps; NaN if not known
    std::vector<double> ess;               ///< of the weights to n + 1, before any resampling
    std::vector<double> relative_variance; ///< v_n
    std::vector<double> log_ratio;         ///< log Z_{n+1}/Z_n
    std::vector<std::int64_t> passes;      ///< that enlarged the set
    std::vector<std::int64_t> resampled;   ///< 0 or 1

    template <class Fields>
    void fields(Fields& f) {
        f("base_particles", base_particles);
        f("threshold", threshold);
        f("is_biased", is_biased);
        f("particles", particles);
        f("moved", moved);
        f("gamma", gamma);
        f("first_gamma", first_gamma);
        f("mobility", mobility);
        f("ess", ess);
        f("relative_variance", relative_variance);
        f("log_ratio", log_ratio);
        f("passes", passes);
        f("resampled", resampled);
    }
};

/// Theorem 1 applied to a record.
struct GrowthVariance {
    double total = 0;                      ///< R_tot, over all n
    double moved_per_step = 0;             ///< particles moved in a step, of R
    double variance = 0;                   ///< sum_n v_n/R_n: a lower bound, for particles are not independent
    double least = 0;                      ///< V_min of the same R_tot
    std::vector<double> optimal_particles; ///< R_n that would reach it
};

GrowthVariance variance_of(const GrowthRecord& record);

/// The hardest of the steps at which the base set stood still.
struct FrozenStep {
    Index variables = 0;
    double mobility = 0; ///< of its smoothing weights
    double share = 0;    ///< of the base sets' summed v_n, in all such steps

    /// A warning, as a sentence without a capital.
    std::string text() const;
};

/// The hardest step with a mobility below 0.05 and v_n of at least 0.25, if such steps make up a quarter of the summed
/// v_n. At such a step the set represents p_n only as far as earlier steps prepared it, and does not find states of
/// high weight that no particle has. Nothing otherwise, and nothing without sweeps, as in a particle filter.
std::optional<FrozenStep> frozen_step(const GrowthRecord& record);

} // namespace pearlite::algorithm
