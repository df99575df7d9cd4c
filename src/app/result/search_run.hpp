#pragma once
/// A search as a Run. Private to the sources of the layer.

#include "algorithm/searches/search.hpp"
#include "app/result/parts/search/search.hpp"
#include "app/result/run.hpp"

#include <memory>

namespace pearlite::app {

class SearchRun final : public Run {
  public:
    SearchRun(const parallel::Communicator& ranks, std::unique_ptr<algorithm::Search> search,
              const algorithm::SearchPlan& plan);

    void begin() override { search_->begin(); }
    bool finished() const override { return search_->finished(); }
    void step() override { search_->step(); }
    void settle() override { search_->flush(); }
    algorithm::Progress progress() const override;
    bool in_pilot() const override { return false; }
    Index updates_per_step() const override;
    std::string describe_ranks() const override { return search_->describe_ranks(); }

    void save(io::Writer& writer) override;
    void restore(io::Reader& reader) override;

    SoFar so_far() override;
    RunResult result() override;

  private:
    /// Collective.
    SearchResult found_so_far() const;
    /// Called on the root.
    void describe(SearchResult& result) const;
    /// Called on the root. Computes the exact masses of the regions for a finished search, if the energy offers them.
    void find_exact_masses(SearchResult& result) const;

    parallel::Communicator ranks_;
    algorithm::SearchPlan plan_;
    std::unique_ptr<algorithm::Search> search_;
};

} // namespace pearlite::app
