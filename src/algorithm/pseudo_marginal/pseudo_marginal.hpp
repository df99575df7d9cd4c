#pragma once
/// Pseudo-marginal Metropolis-Hastings (Beaumont 2003; Andrieu & Roberts 2009): chains at the posterior, sharded over
/// ranks, each with the estimate of the likelihood with which its state was accepted. With an exact likelihood it is
/// random-walk Metropolis.

#include "algorithm/common/chain_outcome.hpp"
#include "algorithm/common/sampler.hpp"
#include "algorithm/pilot/peaks.hpp"
#include "kernel/density/random_walk.hpp"
#include "parallel/agreement.hpp"

#include <functional>
#include <vector>

namespace pearlite::algorithm {

struct ChainSettings {
    Index iterations = 10000; ///< of each chain, burn-in included
    Index burn_in = 2000;     ///< not used for estimates; the proposal adapts there, and is frozen afterwards
    Index thin = 1;           ///< iterations from one recorded state to the next
};

class PseudoMarginal final : public Sampler, public MarkovChains {
  public:
    /// starts: d x chains, on every rank; factor: the first proposal's (x' = x + L z). settings.particles
    /// is the number of chains. peaks: of the pilot, with which the chains are compared at the end; null for starts
    /// from the prior, in place of which others are drawn where their likelihood is zero (prior_stage.hpp).
    PseudoMarginal(const parallel::Communicator& ranks, std::shared_ptr<const path::DensityPath> target,
                   const Matrix& starts, const Matrix& factor, const PopulationSettings& settings,
                   const ChainSettings& chains, std::shared_ptr<const Peaks> peaks = nullptr);

    void begin() override;

    bool finished() const override { return iteration_ == chains_.iterations; }

    /// Collective. One iteration of every chain.
    void step() override;
    void flush() override { failure_.agree(ranks_); }

    Progress progress() const override;
    /// Recorded draws of one chain, after burn-in.
    Index draws_per_chain() const { return n_recorded() - chains_.burn_in / chains_.thin; }
    Matrix points() const override;
    parallel::BlockLayout draw_layout() const override;
    /// Parameter k of this rank's chains after burn-in, on its natural scale, draws x chains.
    std::vector<Matrix> draws() const;
    /// Collective. The share of the draws in each peak of the pilot; empty if the pilot has found one only.
    std::vector<PeakOfChains> peaks_of_chains() const;
    /// Collective; finished().
    Outcome outcome() const override { return judge_chains(chain_outcome()); }
    /// The chains are the sampler itself.
    Found found() override;
    ChainOutcome chain_outcome() const override;
    Index n_chains() const override { return settings_.particles; }
    /// The recorded draws of every chain.
    ShardedField record_field() const override;

    void fields(Fields& f) override;

  private:
    static constexpr Index iterations_per_agreement = 64;
    Index n_recorded() const { return chains_.iterations / chains_.thin; }
    Index width() const { return target_->dimension(); }

    /// A chain whose point has not changed stayed.
    void count_stays(const model::DensityBlock& block, Index first);

    double* record_of(Index local_chain, Index draw);
    void record(const population::Generation& particles, Index b);

    /// The proposal from the second half of all chains' draws so far.
    void adapt();
    /// use(points) with the draws first .. last-1 of each local chain, d x draws.
    using UsePoints = std::function<void(const Eigen::Map<const Matrix>&)>;
    void for_blocks(const UsePoints& use, Index first, Index last);

    parallel::Communicator ranks_;
    std::shared_ptr<const path::DensityPath> target_;
    kernel::RandomWalk kernel_;
    PopulationSettings settings_;
    ChainSettings chains_;
    std::shared_ptr<const Peaks> peaks_;
    population::Population population_;
    Matrix starts_;                                            ///< d x chains
    mutable std::vector<double> record_;                       ///< local chains x recorded draws x d
    std::vector<std::int64_t> accepted_, stay_, longest_stay_; ///< of each local chain after burn-in
    Matrix before_;                                            ///< scratch: a block's points before their move
    Index iteration_ = 0, next_adaptation_ = 100;
    Trace trace_;                      ///< empty: there is no path
    parallel::DelayedFailure failure_; ///< ranks communicate only in adaptations: kept until the next agreement
};

} // namespace pearlite::algorithm
