#pragma once
/// The posterior of parameters: summaries and draws, weighted or of Markov chains.

#include "app/posterior/gather_posterior.hpp"
#include "app/result/parts/part.hpp"

namespace pearlite::app {

class PosteriorPart final : public ResultPart {
  public:
    /// `chains`: the outcome of Markov chains for the same parameters; null for weighted draws.
    PosteriorPart(const parallel::Communicator& ranks, std::shared_ptr<const Posterior> posterior,
                  const algorithm::ChainOutcome* chains);

    void digest(io::Sha256& hash) override;

    void write_fields(io::Writer& writer) override;
    void write_summary(SummaryParts& summary) const override;
    void write_posterior(PosteriorArrays& posterior) const override;

    const Posterior& posterior() const { return *posterior_; }
    /// The convergence of each parameter over chains, or over the systems of a run; empty for weighted draws.
    const std::vector<estimator::ChainSummary>& convergence() const { return convergence_; }

  private:
    parallel::Communicator ranks_;
    std::shared_ptr<const Posterior> posterior_;
    std::vector<estimator::ChainSummary> convergence_;
};

} // namespace pearlite::app
