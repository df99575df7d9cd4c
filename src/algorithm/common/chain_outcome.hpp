#pragma once
/// The outcome of finished Markov chains, and whether it can be trusted.

#include "algorithm/common/settings.hpp"
#include "core/sharded_field.hpp"
#include "estimator/chains.hpp"
#include "parallel/layout.hpp"

#include <cstdint>
#include <vector>

namespace pearlite::algorithm {

/// After burn-in; the same on every rank.
struct ChainOutcome {
    std::vector<estimator::ChainSummary> summaries;
    std::vector<double> acceptance;         ///< of each chain
    std::vector<std::int64_t> longest_stay; ///< of each chain: iterations in a row without an accepted proposal
    Index iterations = 0;                   ///< of each chain
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
/// 100 per chain (Vehtari et al. 2021), chains that stick. No evidence: chains have none.
Outcome judge_chains(const ChainOutcome& chains);

} // namespace pearlite::algorithm
