#pragma once
/// posterior.nc: a posterior as ArviZ reads it. Private to this layer.

#include "app/result/run.hpp"
#include "app/run/run_loop.hpp"
#include "io/files/netcdf.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace pearlite::app {

/// Groups posterior, sample_stats, posterior_predictive, predictions, observed_data and constant_data, as far as the
/// result has them; none without draws. Parameters called name[0], name[1], ... one after another become one array.
std::vector<io::NetcdfGroup> posterior_groups(const RunResult& result);

/// posterior.nc in the run's directory, for rank 0; nothing if there are no draws. FileError as io::write_netcdf.
void write_posterior(const Job& job, const RunResult& result);

} // namespace pearlite::app
