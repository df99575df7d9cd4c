#pragma once
/// A search as the run loop sees it. Private to the sources of the layer.

#include "algorithm/search_chains/search_replicates.hpp"
#include "algorithm/stochastic_approximation/search_plan.hpp"
#include "app/result/parts/search.hpp"
#include "app/result/run.hpp"

#include <memory>

namespace pearlite::app {

class SearchRun final : public Run {
  public:
    SearchRun(const parallel::Communicator& ranks, std::shared_ptr<const model::Space> space,
              const algorithm::SearchPlan& plan);

    void begin() override { replicates_.begin(); }
    bool finished() const override { return replicates_.finished(); }
    void step() override { replicates_.step(); }
    algorithm::Progress progress() const override;
    bool in_pilot() const override { return false; }
    Index updates_per_step() const override;

    void save(io::Writer& writer) override;
    void restore(io::Reader& reader) override;

    RunResult result() override;

  private:
    /// Called on the root.
    void describe(SearchResult& search) const;

    parallel::Communicator ranks_;
    algorithm::SearchPlan plan_;
    algorithm::SearchReplicates replicates_;
};

} // namespace pearlite::app
