#pragma once
/// Fits of a reference distribution to a density by its modes.

#include "pearlite/model/detail/density_functions.hpp"
#include "random/student_mixture.hpp"

namespace pearlite::path {

struct FitSettings {
    Index starts = 8;       ///< draws from the prior at which descents begin
    random::Seed seed = {}; ///< of those draws
    double df = 7;          ///< of the components; infinity: normal
};

struct FittedReference {
    random::StudentMixture mixture;
    Index evaluations = 0; ///< of the density
};

/// Laplace's method: a component at each mode that descents by L-BFGS and then by Newton's method find, its scale
/// matrix C the inverse of -d2 log p/dx2 there (eigenvalues below 1e-8 of the largest are raised to that, in units in
/// which the diagonal is 1), its weight proportional to p(mode) |C|^(1/2). Modes within a standard deviation of a
/// higher one are that mode; the end of a descent where the curvature is negative in some direction counts only where
/// there is no other. Deterministic. The likelihood must be exact. NumericalError if no start has a finite log p, or no
/// mode a finite curvature.
FittedReference fit_by_laplace(const model::DensityFunctions& density, const FitSettings& settings);

/// Pathfinder (Zhang, Carpenter, Gelman & Vehtari 2022, algorithm 1): every iterate of a descent by L-BFGS gives a
/// normal distribution, N(x + C d log p/dx, C) with C the quasi-Newton inverse of -d2 log p/dx2, and the one with the
/// largest mean of log p - log q over 20 draws is kept. The components are those of all descents. Their weights are the
/// shares of 200 draws from each, weighted by p over the density of all, where weights above n^(1/2) of the mean are
/// cut (in place of the Pareto smoothing of the paper). Otherwise as above.
FittedReference fit_by_pathfinder(const model::DensityFunctions& density, const FitSettings& settings);

/// A fit of larger spread, in nats, is no reference.
double largest_spread(Index dimension);

/// Whether a spread is that of descents that have run off to where the density grows without bound, as down the neck of
/// a funnel (hundreds of powers of ten), and not that of a mode beside the mass (hundreds of nats).
bool has_run_off(double spread);

/// The standard deviation of log p - log q over 1000 draws of q, a mixture of normal distributions at the components of
/// a fit: 0 where the fit is p. It grows with the root of the dimension: 0.2 to 3 for regressions of 8 to 61
/// coefficients, from whose fits the path is short; 5 for a curved ridge in four dimensions, whose ends such a path
/// misses; hundreds and more where a mode is not where the mass is. (The index of a Pareto tail of the weights
/// separates these in few dimensions only.) Infinite if p is zero at more than one draw in a hundred.
double spread_of(const model::DensityFunctions& density, const random::StudentMixture& fit, const random::Seed& seed);

} // namespace pearlite::path
