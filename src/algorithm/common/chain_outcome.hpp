#pragma once
/// The outcome of finished Markov chains, and whether it can be trusted.

#include "algorithm/common/settings.hpp"
#include "estimator/chains.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace pearlite::algorithm {

/// The draws of all chains in a peak that a pilot has found.
struct PeakOfChains {
    std::string description;
    double pilot_share = 0, pilot_error = 0; ///< of the pilot's weight, and its standard error
    double share = 0, error = 0;             ///< of the draws; the error is NaN if all are there, or none
    Index visitors = 0;                      ///< chains that have draws there
};

/// After burn-in; the same on every rank.
struct ChainOutcome {
    std::vector<estimator::ChainSummary> summaries;
    std::vector<double> acceptance;         ///< of each chain
    std::vector<std::int64_t> longest_stay; ///< of each chain: iterations in a row without an accepted proposal
    Index iterations = 0;                   ///< of each chain
    std::vector<PeakOfChains> peaks = {};   ///< of the pilot, if it has found several
    double pilot_families = 0;              ///< FirstDraws::families; 0 for starts from the prior
};

/// A sampler's draws, if the sampler runs Markov chains.
class MarkovChains {
  public:
    virtual ~MarkovChains() = default;
    virtual Index n_chains() const = 0;
    /// Collective; the sampler has finished.
    virtual ChainOutcome chain_outcome() const = 0;
    /// Recorded draws after burn-in of the chains that this rank owns, chain after chain, unconstrained: d x draws.
    virtual Matrix points() const = 0;
    /// The place of these draws among the recorded draws of all chains: a block is a chain.
    virtual parallel::BlockLayout draw_layout() const = 0;
    /// The recorded draws of every chain, one item per chain.
    virtual ShardedField record_field() const = 0;
};

/// Verdict, diagnostics (the largest R-hat, the smallest ESS) and warnings: R-hat above 1.01, a bulk or tail ESS below
/// 100 per chain (Vehtari et al. 2021), chains that stick, a peak with more than 0.05 of the pilot's weight that no
/// chain has visited, or whose share of the draws is more than 4 joint standard errors from the pilot's, and few
/// families of the pilot, of which very few take the error bars' support (few_families.hpp). Chains give no evidence.
Outcome judge_chains(const ChainOutcome& chains);

} // namespace pearlite::algorithm
