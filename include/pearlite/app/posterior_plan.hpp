#pragma once
/// What a configuration asks of the algorithms that work at the posterior itself, without a path to it.

#include "pearlite/app/algorithm.hpp"
#include "pearlite/io/configuration.hpp"
#include "pearlite/sampler/importance_squared.hpp"
#include "pearlite/sampler/pseudo_marginal.hpp"

namespace pearlite::app {

struct PosteriorPlan {
    Index particles = 0;    ///< final draws; chains
    bool from_pilot = true; ///< the first proposal and the starts: from a tempered pilot, or from the prior
    Index pilot_block = 16; ///< of the pilot's population
    Index components = 1;   ///< of the Student mixture
    double df = 5;          ///< its degrees of freedom
    sampler::ImportanceSettings importance;
    sampler::ChainSettings chains;
};

/// Reads [algorithm] but its name. Mistakes are recorded in the configuration.
PosteriorPlan read_posterior_plan(io::Section& section, Algorithm algorithm);

} // namespace pearlite::app
