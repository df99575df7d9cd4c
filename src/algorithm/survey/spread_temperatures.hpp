#pragma once
/// Temperatures for independent trajectories, by the measure of a pilot.

#include "algorithm/common/piloted.hpp"

namespace pearlite::algorithm {

/// How many temperatures independent trajectories shall have.
struct Spread {
    double log_weight_variance = 1; ///< wanted variance of the final log weights
    Index most_steps = 10'000;      ///< temperatures after the first, at most
};

struct SpreadTemperatures {
    std::vector<double> inverse_temperatures;
    std::vector<Index> rows; ///< for each the pilot's next temperature, whose kernel suits it
};

/// The pilot's temperatures, spread anew. With steps Delta b the log weights have the variance sum Delta b^2 Var_u tau,
/// where u = d log f_b/db, Var_u its variance and tau = (2 - m)/m its autocorrelation time in steps, m its mobility
/// (Neal 2001, section 4; the friction tensor of Sivak & Crooks 2012 in one dimension). It is least where steps have
/// equal lengths, sqrt(Var_u tau) Delta b, and is then the whole length squared over their number: from this follow
/// number and places. At least as many temperatures remain as the pilot had.
SpreadTemperatures spread_temperatures(const Tuning& pilot, const Spread& spread);

} // namespace pearlite::algorithm
