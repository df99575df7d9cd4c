#pragma once
/// The posterior of a finished run: its draws from all ranks, their summary, and what they predict.

#include "algorithm/common/sampler.hpp"
#include "app/result/run.hpp"
#include "pearlite/model/target.hpp"

namespace pearlite::app {

/// Collective. The posterior by a final population: every replicate's weighted draws of the parameters, and their
/// summary on rank 0. result.batch_log_ratios are those of the replicates, if there is more than one.
void gather_posterior(const parallel::Communicator& ranks, const model::Target& target, algorithm::Sampler& sampler,
                      RunResult& result);

/// Collective. The posterior by Markov chains.
void gather_chains(const model::Target& target, const algorithm::Sampler& sampler, RunResult& result);

/// Collective, after gather_posterior or gather_chains and with the data in `result`. What a few hundred draws of the
/// parameters predict, whatever the number of particles; on rank 0.
void gather_predictions(const parallel::Communicator& ranks, const model::Target& target, algorithm::Sampler& sampler,
                        RunResult& result);

} // namespace pearlite::app
