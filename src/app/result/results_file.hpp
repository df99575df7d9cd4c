#pragma once
/// results.h5 of a finished run. Private to this layer.

#include "app/run/run_loop.hpp"

namespace pearlite::app {

/// Collective. Configuration, build, trace, samples, predictions, batches, images and what else the run has found.
/// FileError if it cannot be written.
void write_results(const Job& job, Run& run, const RunResult& result);

} // namespace pearlite::app
