#pragma once
/// The run that a plan asks for.

#include "algorithm/plans/algorithm.hpp"
#include "app/result/run.hpp"
#include "pearlite/app/catalogue.hpp"

namespace pearlite::app {

/// Collective.
std::unique_ptr<Run> make_run(const parallel::Communicator& ranks, const algorithm::Plan& plan,
                              const BuiltModel& model);

} // namespace pearlite::app
