#pragma once
/// Independent replicates of a search, spread over the ranks, by which such methods are judged.

#include "algorithm/common/sampler.hpp"
#include "algorithm/search/search.hpp"
#include "algorithm/search/search_crew.hpp"
#include "algorithm/search/stochastic_approximation.hpp"
#include "core/stored_fields.hpp"
#include "parallel/rank_groups.hpp"

#include <exception>
#include <memory>
#include <string>
#include <vector>

namespace pearlite::algorithm {

/// R searches with seeds derived from one. The ranks form min(R, ranks) groups; a group runs its replicates one after
/// the other, each with its chains cut among the group's crew: its first ranks, as many as pay (search_crew.hpp). The
/// other ranks of the group wait, and own nothing. A replicate's result depends on its seed alone.
class SearchReplicates final : public Sampler, public Search {
  public:
    static constexpr Index iterations_in_step = SearchChains::iterations_remembered;

    /// Collective.
    SearchReplicates(const parallel::Communicator& ranks, std::shared_ptr<const model::Space> space,
                     const SearchSettings& settings, Index replicates);

    /// Replicate 0 has the seed itself, so that a single search is replicate 0 of many.
    static random::Seed seed_of(const random::Seed& seed, Index replicate);

    void begin() override;
    bool finished() const override { return steps_left() == 0; }
    void step() override;
    void flush() override;
    /// Data that all ranks of a replicate know, for each replicate, as bytes padded to the longest; and data that only
    /// a chain's owner holds, for each chain of each replicate.
    void fields(Fields& f) override;

    /// Steps are those of all replicates: the same on every rank, whatever the number of ranks of this or an earlier
    /// session.
    Progress progress() const override;
    /// The search is the sampler itself.
    Found found() override;
    const model::Space& space() const override { return *space_; }

    std::string describe_ranks() const override;

    std::vector<std::uint64_t> seeds() const override;
    std::vector<SearchOutcome> outcomes() const override;

  private:
    static constexpr Index steps_per_agreement = 256;

    Index steps_in_all() const { return replicates_ * steps_of(iterations_in_all_); }
    Index steps_done() const;
    /// Groups of ranks that still have a replicate to work on.
    Index groups_at_work() const;
    /// The search of this group with the best energy.
    const StochasticApproximation* best_search() const;
    StochasticApproximation* current() const;
    /// A replicate's last step may be short.
    static Index steps_of(Index iterations) { return (iterations + iterations_in_step - 1) / iterations_in_step; }
    void count_steps();
    /// The steps left for the group that has the most to do.
    Index steps_left() const;

    bool is_at_work() const { return team_.rank() < choice_.size; }
    /// The fields that this group's replicates list.
    std::vector<StoredFields> list_fields();
    void value_fields(Fields& f, std::vector<StoredFields>& replicates);
    void shard_fields(Fields& f, std::size_t k, std::vector<StoredFields>& replicates);

    template <class Work>
    void attempt(Work&& work);

    parallel::Communicator ranks_;
    parallel::RankGroups groups_;
    parallel::Communicator team_; ///< this rank's group
    parallel::BlockLayout owned_; ///< replicates among groups
    SearchCrew choice_;           ///< of this group
    parallel::Communicator crew_; ///< this group's working ranks; waiting ranks form another
    Index idle_ = 0;              ///< ranks of all groups that wait
    Index replicates_, chains_, iterations_in_all_;
    random::Seed seed_;
    std::shared_ptr<const model::Space> space_;
    std::vector<std::unique_ptr<StochasticApproximation>> searches_; ///< of this group; none on ranks that wait
    std::vector<Index> steps_to_do_;                                 ///< of each group, at the place of its first rank
    Index steps_made_ = 0;                                           ///< since that count
    std::exception_ptr failure_;
};

} // namespace pearlite::algorithm
