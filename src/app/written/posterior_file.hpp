#pragma once
/// posterior.nc: a posterior as ArviZ reads it. Private to this layer.

#include "app/configured/job.hpp"
#include "app/result/parts/part.hpp"

namespace pearlite::app {

/// posterior.nc in the run's directory, a posterior as ArviZ reads it; for rank 0. Nothing if there are no draws.
/// FileError as io::write_netcdf.
void write_posterior(const Job& job, const ResultParts& parts);

} // namespace pearlite::app
