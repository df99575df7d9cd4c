#pragma once
/// The arrays of posterior.nc. Private to this layer.

#include "app/posterior/gather_posterior.hpp"
#include "io/files/netcdf.hpp"

#include <vector>

namespace pearlite::app {

/// Contributions of the parts to posterior.nc; there is no file without draws.
struct PosteriorArrays {
    std::vector<LabelledArray> draws;                      ///< group posterior: chain x draw
    std::vector<LabelledArray> of_draws, of_steps, of_run; ///< group sample_stats: of each draw, temperature, run
    std::vector<LabelledArray> log_likelihood;             ///< the group: chain x draw x data point
    std::vector<io::NetcdfGroup> further;                  ///< other groups, some perhaps empty
};

/// Parameters, log densities and weights of equally weighted draws. Parameters called name[0], name[1], ... or
/// name[1,1], name[2,1], ... one after another become one array, in whatever order, if all its elements are there. Log
/// likelihoods of the data points, if there are any. Nothing without draws.
void add_draws(const Posterior& posterior, PosteriorArrays& arrays);

} // namespace pearlite::app
