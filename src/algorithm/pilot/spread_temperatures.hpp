#pragma once
/// Temperatures for independent trajectories, from the measurements of a pilot.

#include "algorithm/pilot/piloted.hpp"

namespace pearlite::algorithm {

/// The number of temperatures for independent trajectories.
struct Spread {
    double log_weight_variance = 1; ///< wanted variance of the final log weights
    Index most_steps = 10'000;      ///< temperatures after the first, at most
};

struct SpreadTemperatures {
    std::vector<double> inverse_temperatures;
    std::vector<Index> rows; ///< for each the pilot's next temperature, whose kernel suits it
    double wanted_steps = 0; ///< without a limit
};

/// Spreads the pilot's temperatures anew. With steps Delta b the log weights have the variance sum Delta b^2 Var_u tau,
/// where u = d log f_b/db, Var_u its variance and tau = (2 - m)/m its autocorrelation time in steps, m its mobility
/// (Neal 2001, section 4; the friction tensor of Sivak & Crooks 2012 in one dimension). The variance is least for steps
/// of equal length sqrt(Var_u tau) Delta b, and is then the whole length squared over their number. The number and the
/// places of the temperatures follow from this; there are at least as many as the pilot had.
SpreadTemperatures spread_temperatures(const Tuning& pilot, const Spread& spread);

} // namespace pearlite::algorithm
