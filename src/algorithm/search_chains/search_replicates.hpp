#pragma once
/// Independent realisations of a search, spread over the ranks, by which such methods are judged.

#include "algorithm/replicates/rank_groups.hpp"
#include "algorithm/stochastic_approximation/stochastic_approximation.hpp"
#include "core/stored_fields.hpp"

#include <exception>
#include <memory>
#include <vector>

namespace pearlite::algorithm {

/// R searches with seeds derived from one. The ranks form min(R, ranks) groups; a group runs its replicates one after
/// the other, each with its chains cut among the group's ranks. A replicate's result depends on its seed alone.
class SearchReplicates {
  public:
    static constexpr Index iterations_per_step = SearchChains::iterations_remembered;

    /// Collective.
    SearchReplicates(const parallel::Communicator& ranks, std::shared_ptr<const model::Space> space,
                     const SearchSettings& settings, Index replicates);

    /// Replicate 0 has the seed itself, so that a single search is replicate 0 of many.
    static std::uint64_t seed_of(std::uint64_t seed, Index replicate);

    /// Collective. Draws the first states; replicates that are read from a checkpoint do without.
    void begin();
    bool finished() const { return steps_left() == 0; }
    /// Collective. Some iterations of every group's present replicate.
    void step();
    /// Collective.
    void flush();

    /// Steps of all replicates: the same on every rank, whatever the number of ranks of this or an earlier session.
    Index steps_in_all() const { return replicates_ * steps_of(searches_.front()->iterations_in_all()); }
    Index steps_done() const;
    double best_energy() const;
    double temperature() const;
    Index replicates() const { return replicates_; }
    /// Groups of ranks that still have a replicate to work on.
    Index groups_at_work() const;
    const model::Space& space() const { return *space_; }

    /// Collective; finished(). The outcomes in the order of the replicates, on the root; elsewhere empty.
    std::vector<SearchOutcome> outcomes() const;

    /// Fields of a checkpoint: of each replicate the data that all its ranks know, as bytes padded to the longest; and
    /// of each chain of each replicate the data that its owner alone holds.
    void fields(Fields& f);

  private:
    using Search = StochasticApproximation;
    static constexpr Index steps_per_agreement = 256;

    /// The search of this group with the best energy.
    const Search* best_search() const;
    Search* current() const;
    /// A replicate's last step may be short.
    static Index steps_of(Index iterations) { return (iterations + iterations_per_step - 1) / iterations_per_step; }
    void count_steps();
    /// The steps left for the group that has the most to do.
    Index steps_left() const;

    void value_fields(Fields& f, std::vector<StoredFields>& replicates);
    void shard_fields(Fields& f, std::size_t k, std::vector<StoredFields>& replicates);

    template <class Work>
    void attempt(Work&& work);

    parallel::Communicator ranks_;
    RankGroups groups_;
    parallel::Communicator team_; ///< this rank's group
    parallel::BlockLayout owned_; ///< replicates among groups
    Index replicates_;
    std::shared_ptr<const model::Space> space_;
    std::vector<std::unique_ptr<Search>> searches_; ///< of this group
    std::vector<Index> steps_to_do_;                ///< of each group, at the place of its first rank
    Index steps_made_ = 0;                          ///< since that count
    std::exception_ptr failure_;
};

} // namespace pearlite::algorithm
