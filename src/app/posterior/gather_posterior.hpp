#pragma once
/// The posterior of a finished run: its draws where they are, their summary, and what they predict.

#include "algorithm/common/sampler.hpp"
#include "app/result/run.hpp"
#include "io/container/container.hpp"
#include "parallel/layout.hpp"
#include "pearlite/model/target.hpp"

#include <cstdint>
#include <vector>

namespace pearlite::app {

/// Draws of one population, or of all Markov chains, one chain after another; of these the rank has `layout`'s.
struct SamplesPart {
    parallel::BlockLayout layout;
    Matrix parameters;              ///< of each draw here, a column each
    std::vector<double> log_weight; ///< comparable across parts
    std::vector<double> log_prior, log_likelihood;
};

/// All draws of a run.
struct Samples {
    std::vector<SamplesPart> parts; ///< of each replicate
    Index n_parameters = 0;
    Index n_chains = 1;         ///< Markov chains, or replicates
    bool has_densities = false; ///< whether the draws have these
    bool are_markov_chains = false;

    /// Adds them to a results file, which every rank writes its own to. They must live until the file is written.
    void write(io::Writer& writer) const;
};

/// Collective. The posterior by a final population: the summary of every replicate's weighted draws, and on rank 0 some
/// of them with equal weights, drawn with `seed`. result.batch_log_ratios are those of the replicates, if there is more
/// than one.
Samples gather_posterior(const parallel::Communicator& ranks, const model::Target& target, algorithm::Sampler& sampler,
                         std::uint64_t seed, RunResult& result);

/// Collective. The posterior by Markov chains, whose draws stay where they are; some of them are on rank 0 as well.
Samples gather_chains(const parallel::Communicator& ranks, const model::Target& target,
                      const algorithm::Sampler& sampler, RunResult& result);

/// Collective, after gather_posterior or gather_chains and with the data in `result`. What a few hundred draws of the
/// parameters predict, whatever the number of particles; on rank 0.
void gather_predictions(const parallel::Communicator& ranks, const model::Target& target, algorithm::Sampler& sampler,
                        const Samples& samples, RunResult& result);

} // namespace pearlite::app
