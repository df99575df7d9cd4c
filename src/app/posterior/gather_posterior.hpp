#pragma once
/// The posterior of a finished run: its draws on their ranks, their summary, and their predictions.

#include "algorithm/common/chain_outcome.hpp"
#include "algorithm/common/found.hpp"
#include "algorithm/common/recorded_draws.hpp"
#include "app/posterior/predictions.hpp"
#include "io/container/container.hpp"
#include "io/files/digest.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace pearlite::app {

/// Draws of one population, or of all Markov chains, one chain after another; the rank holds the draws of `layout`.
struct SamplesPart {
    parallel::BlockLayout layout;
    Matrix parameters;              ///< a column for each draw here
    std::vector<double> log_weight; ///< comparable across parts
    std::vector<double> log_prior, log_likelihood;
};

/// All draws of a run.
struct Samples {
    std::vector<SamplesPart> parts; ///< of each replicate
    Index n_parameters = 0;
    Index n_chains = 1;         ///< Markov chains, or replicates
    bool has_densities = false; ///< whether the draws have log_prior and log_likelihood
    bool are_markov_chains = false;
    bool are_recorded = false; ///< during the run, in place of the final population

    /// Adds the draws to a results file; every rank writes its own draws, which must live until the file is written.
    void write(io::Writer& writer) const;
    /// Collective. Adds the parameters of all draws to the digest of a run.
    void digest(const parallel::Communicator& ranks, io::Sha256& hash) const;
};

/// Complete on rank 0; elsewhere without summaries and draws.
struct Posterior {
    std::vector<std::string> parameter_names;
    std::vector<estimator::PosteriorSummary> summaries; ///< of each parameter
    std::vector<estimator::ChainSummary> convergence;   ///< of each parameter, of the systems of a single run; or empty
    Index chains = 1;                                   ///< Markov chains, or replicates
    Index draws_of_a_chain = 0;                         ///< number of draws in the results file
    bool draws_are_weighted = true;                     ///< false for Markov chains, whose draws count equally
    bool has_densities = false;                         ///< replicated: whether the draws have the two densities
    /// Draws with equal weights, equally many of each chain, chain after chain: d x draws, few enough for one rank.
    /// `drawn`: the index of each draw in its chain.
    Matrix draws;
    std::vector<Index> drawn;
    std::vector<double> draw_log_prior, draw_log_likelihood; ///< on the scale samplers move on, as accepted
    /// Log likelihoods of each data point at every `log_likelihoods_every`-th draw of each chain, from the first one
    /// on: data points x draws; empty if the model does not offer them.
    Matrix log_likelihoods;
    Index log_likelihoods_every = 1;
    std::vector<double> draw_log_weights; ///< of all weighted draws, comparable across chains; empty if there are many
    Samples samples;
};

/// Collective. The posterior of a final population, or of the draws that the sampler recorded in its place: the summary
/// of every replicate's weighted draws, and on rank 0 some of them with equal weights, drawn with `seed`. `log_ratios`
/// are those of the replicates, if there is more than one.
Posterior posterior_of_particles(const parallel::Communicator& ranks, const model::Target& target,
                                 const algorithm::Found& found, const random::Seed& seed,
                                 const std::vector<double>& log_ratios);

/// Collective. The posterior of Markov chains, whose draws stay on their ranks; some of them are on rank 0 as well.
Posterior posterior_of_chains(const parallel::Communicator& ranks, const model::Target& target,
                              const algorithm::MarkovChains& chains, const algorithm::ChainOutcome& outcome);

/// The draws of a chain that are on this rank.
struct LocalDraws {
    std::vector<Index> places;
    Index begin = 0; ///< the number, in the chain, of the first of them
    /// Copies the draw at a place into a slot of the block and leaves the other slots as they are.
    std::function<void(Index place, Block& block, Index slot)> copy;
};
/// Collective. Sets result.log_likelihoods. `chains_are_whole`: each chain is on one rank, in the order of the ranks,
/// and `draws` has those of this rank; else all ranks have parts of all chains.
void gather_log_likelihoods(const parallel::Communicator& ranks, const model::Target& target,
                            const std::vector<LocalDraws>& draws, bool chains_are_whole, Posterior& result);

/// The draws of a replicate at these places: of its final population, or recorded ones.
LocalDraws draws_of_replicate(const parallel::Communicator& ranks, const algorithm::Found& found, Index replicate,
                              const SamplesPart& part, bool are_recorded, std::vector<Index> places);

/// Collective. Predictions of a few hundred draws of the parameters, whatever the number of particles; on rank 0.
/// `data`: the observed data.
Predictions predictions_of(const parallel::Communicator& ranks, const model::Target& target,
                           const algorithm::Found& found, const Samples& samples, const model::DataDescription& data);

/// Collective. The draws of all replicates on this rank: from their final populations, or recorded draws if
/// samples.are_recorded. Does not set their log weights.
void gather_samples(const parallel::Communicator& ranks, const model::Target& target, const algorithm::Found& found,
                    Samples& samples);

/// Collective. n systematic draws, with the number at (seed, posterior_draw, id), from the weights of all parts one
/// after another; within a part, rank after rank. Returns, for each part, the places drawn here, in ascending order, as
/// often as they are drawn. A weight is positive somewhere; weights count in units of 2^-(62 - log2 M) of the largest.
std::vector<std::vector<Index>> systematic_draws(const parallel::Communicator& ranks,
                                                 std::span<const std::span<const double>> log_weights, Index n,
                                                 const random::Seed& seed, std::uint64_t id);

} // namespace pearlite::app
