#pragma once
/// The draws of a finished run, as parameters that people read.

#include "app/posterior/gather_posterior.hpp"

namespace pearlite::app {

/// Collective. The draws of all replicates on this rank: of their final populations, or recorded ones if
/// samples.are_recorded. Their log weights are left open.
void gather_samples(const parallel::Communicator& ranks, const model::Target& target, algorithm::Sampler& sampler,
                    Samples& samples);

} // namespace pearlite::app
