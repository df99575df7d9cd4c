#pragma once
/// The run that a plan asks for.

#include "pearlite/app/algorithm.hpp"
#include "pearlite/app/catalogue.hpp"
#include "pearlite/app/run.hpp"

namespace pearlite::app {

/// Collective.
std::unique_ptr<Run> make_run(const parallel::Communicator& ranks, const Plan& plan, const BuiltModel& model);

} // namespace pearlite::app
