#pragma once
/// posterior.nc: a posterior as ArviZ reads it. Private to this layer.

#include "app/posterior/gather_posterior.hpp"
#include "app/result/parts/part.hpp"
#include "app/run/run_loop.hpp"
#include "io/files/netcdf.hpp"
#include "pearlite/core/labelled_array.hpp"

#include <vector>

namespace pearlite::app {

/// Contributions of the parts to posterior.nc; there is no file without draws.
struct PosteriorArrays {
    std::vector<LabelledArray> draws;                      ///< group posterior: chain x draw
    std::vector<LabelledArray> of_draws, of_steps, of_run; ///< group sample_stats: of each draw, temperature, run
    std::vector<LabelledArray> log_likelihood;             ///< the group: chain x draw x data point
    std::vector<io::NetcdfGroup> further;                  ///< other groups, some perhaps empty
};

/// Parameters, log densities and weights of equally weighted draws. Parameters called name[0], name[1], ... one after
/// another become one array. Log likelihoods of the data points, if there are any. Nothing without draws.
void add_draws(const Posterior& posterior, PosteriorArrays& arrays);

/// posterior.nc in the run's directory, a posterior as ArviZ reads it; for rank 0. Nothing if there are no draws.
/// FileError as io::write_netcdf.
void write_posterior(const Job& job, const ResultParts& parts);

} // namespace pearlite::app
