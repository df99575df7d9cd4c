#pragma once
/// Studies of estimated likelihoods. All are collective; each prints its table on rank 0 and returns true if every
/// figure met its limits and every wrong twin missed them. Results do not depend on the number of ranks.

#include "parallel/communicator.hpp"

namespace pearlite::calibration {

/// Theorem 1 of Tran, Strickland, Pitt & Kohn: noise of variance s2 in the log likelihood takes the factor exp(-tau s2)
/// of the effective sample size, tau = 1/T on a linear schedule of T steps, under perfect moves. CSV.
bool noise_study(const parallel::Communicator& ranks, Index replicates);

/// Calibration by simulation (Talts, Betancourt, Simpson, Vehtari & Gelman 2018): ranks of parameters drawn from the
/// prior among draws of the posterior given data simulated from them are uniform. CSV.
bool rank_study(const parallel::Communicator& ranks, Index replicates);

/// Likelihoods by bootstrap, auxiliary and adapted particle filters against the Kalman filter's. `effort`: about as
/// many particles move per case and time step, over all repetitions.
bool filter_study(const parallel::Communicator& ranks, Index effort);

} // namespace pearlite::calibration
