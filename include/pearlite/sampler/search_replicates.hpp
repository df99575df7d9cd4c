#pragma once
/// Independent realisations of a search, spread over the ranks: how such methods are judged.

#include "pearlite/core/byte_archive.hpp"
#include "pearlite/core/sharded_field.hpp"
#include "pearlite/sampler/stochastic_approximation.hpp"

#include <algorithm>
#include <exception>
#include <memory>
#include <vector>

namespace pearlite::sampler {

/// R searches with seeds derived from one. The ranks form min(R, ranks) groups; a group runs its replicates one after
/// the other, each with its chains cut among the group's ranks. What a replicate finds depends on its seed alone.
template <model::SearchSpace Space>
class SearchReplicates {
  public:
    using Search = StochasticApproximation<Space>;
    static constexpr Index iterations_per_step = SearchChains<Space>::iterations_remembered;

    /// Collective.
    SearchReplicates(const parallel::Communicator& ranks, std::shared_ptr<const Space> space, SearchSettings settings,
                     Index replicates)
        : ranks_(ranks),
          groups_(static_cast<int>(std::min<Index>(replicates, ranks.size()))),
          group_(static_cast<int>(static_cast<Index>(ranks.rank()) * groups_ / ranks.size())),
          team_(groups_ == ranks.size() ? parallel::Communicator::alone() : ranks.split(group_)),
          owned_(replicates, 1, groups_, group_),
          replicates_(replicates),
          space_(space) {
        for (Index r = 0; r < owned_.local_items(); ++r) {
            auto own = settings;
            own.seed = seed_of(settings.seed, owned_.first_local_item() + r);
            attempt([&] { searches_.push_back(std::make_unique<Search>(team_, space, own)); });
        }
        parallel::agree(ranks_, failure_);
        count_steps();
    }

    /// Replicate 0 has the seed itself, so that a single search is replicate 0 of many.
    static std::uint64_t seed_of(std::uint64_t seed, Index replicate) {
        return replicate == 0 ? seed : random::derive_seed(seed, static_cast<std::uint64_t>(replicate));
    }

    bool finished() const { return steps_left() == 0; }
    /// Collective. Some iterations of every group's present replicate.
    void step() {
        PEARLITE_EXPECTS(!finished());
        if (Search* const search = current())
            attempt([&] {
                for (Index k = 0; k < iterations_per_step && !search->finished(); ++k)
                    search->iterate();
            });
        ++steps_made_;
        if (finished() || steps_left() % steps_per_agreement == 0)
            flush();
    }
    /// Collective.
    void flush() { parallel::agree(ranks_, failure_); }

    /// Steps of all replicates: the same on every rank, and as many for what was done on other numbers of ranks.
    Index steps_in_all() const { return replicates_ * steps_of(searches_.front()->iterations_in_all()); }
    Index steps_done() const {
        Index done = steps_in_all();
        for (const Index steps : steps_to_do_)
            done -= std::max<Index>(0, steps - steps_made_);
        return done;
    }
    double best_energy() const {
        double best = std::numeric_limits<double>::infinity();
        for (const auto& search : searches_)
            best = std::min(best, search->best_energy());
        return best;
    }
    double temperature() const {
        return searches_.empty() ? 0 : (current() ? *current() : *searches_.back()).temperature();
    }
    Index replicates() const { return replicates_; }
    /// Groups of ranks that still have a replicate to work on.
    Index groups_at_work() const {
        return std::count_if(steps_to_do_.begin(), steps_to_do_.end(), [&](Index s) { return s > steps_made_; });
    }
    const Space& space() const { return *space_; }

    /// Collective; finished(). In the order of the replicates, on the root; elsewhere empty.
    std::vector<SearchOutcome> outcomes() const {
        std::vector<std::byte> mine;
        const Search* const best = best_search();
        for (const auto& search : searches_) {
            auto outcome = search->outcome();
            if (search.get() != best)
                outcome.region_states.clear(); // only those of the best replicate are of use
            if (!team_.is_root())
                continue;
            ByteWriter writer;
            outcome_fields(writer, outcome);
            append(mine, writer.bytes());
        }
        const auto all = ranks_.gather(std::span<const std::byte>(mine));
        std::vector<SearchOutcome> outcomes;
        if (!ranks_.is_root())
            return outcomes;
        for (std::span<const std::byte> rest(all); !rest.empty();) {
            ByteReader reader(take(rest));
            outcome_fields(reader, outcomes.emplace_back());
            for (const auto& operation : space_->operations())
                outcomes.back().operations.push_back(operation.name);
        }
        return outcomes;
    }

    /// What a checkpoint holds: each replicate's state as bytes, all padded to the longest.
    template <class Fields>
    void fields(Fields& f) {
        std::vector<std::vector<std::byte>> states;
        Index longest = 0;
        if constexpr (!Fields::reading) {
            for (const auto& search : searches_) {
                ByteWriter writer;
                search->fields(writer);
                states.emplace_back();
                append(states.back(), writer.bytes());
                longest = std::max(longest, static_cast<Index>(states.back().size()));
            }
            longest = ranks_.max((longest + 7) / 8 * 8);
        }
        f("replicate_bytes", longest);
        const auto bytes = static_cast<std::size_t>(longest);
        states.resize(static_cast<std::size_t>(owned_.local_items()));
        for (auto& state : states)
            state.resize(bytes);
        // A group's states are in its root's hands; other members own no items.
        ShardedField field{ItemType::bytes,
                           bytes,
                           replicates_,
                           first_item_of_rank(),
                           team_.is_root() ? owned_.local_items() : 0,
                           {},
                           {}};
        field.pack = [states, bytes](Index first, Index count, std::span<std::byte> out) {
            for (Index r = 0; r < count; ++r)
                std::copy_n(states[static_cast<std::size_t>(first + r)].begin(), bytes,
                            out.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(r) * bytes));
        };
        field.unpack = [&states, bytes](Index first, Index count, std::span<const std::byte> in) {
            for (Index r = 0; r < count; ++r)
                std::copy_n(in.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(r) * bytes), bytes,
                            states[static_cast<std::size_t>(first + r)].begin());
        };
        f.sharded("replicates", field);
        if constexpr (Fields::reading) {
            for (auto& state : states)
                team_.broadcast(std::span<std::byte>(state));
            for (std::size_t r = 0; r < states.size(); ++r)
                attempt([&] {
                    std::span<const std::byte> rest(states[r]);
                    ByteReader reader(take(rest));
                    searches_[r]->fields(reader);
                });
            parallel::agree(ranks_, failure_);
            count_steps();
        }
    }

  private:
    static constexpr Index steps_per_agreement = 256;

    /// Of this group.
    const Search* best_search() const {
        const Search* best = nullptr;
        for (const auto& search : searches_)
            if (!best || search->best_energy() < best->best_energy())
                best = search.get();
        return best;
    }
    Search* current() const {
        for (const auto& search : searches_)
            if (!search->finished())
                return search.get();
        return nullptr;
    }
    /// A replicate's last step may be short.
    static Index steps_of(Index iterations) { return (iterations + iterations_per_step - 1) / iterations_per_step; }
    void count_steps() {
        Index mine = 0;
        for (const auto& search : searches_)
            mine += steps_of(search->iterations_in_all() - search->iterations_done());
        steps_to_do_ = ranks_.all_gather(team_.is_root() ? mine : Index{0});
        steps_made_ = 0;
    }
    /// As many as the group with the most to do needs.
    Index steps_left() const { return *std::max_element(steps_to_do_.begin(), steps_to_do_.end()) - steps_made_; }
    Index first_item_of_rank() const {
        return team_.is_root() ? owned_.first_local_item() : owned_.first_local_item() + owned_.local_items();
    }

    /// Length and bytes.
    static void append(std::vector<std::byte>& to, std::span<const std::byte> bytes) {
        const std::uint64_t size = bytes.size();
        const auto head = std::as_bytes(std::span(&size, 1));
        to.insert(to.end(), head.begin(), head.end());
        to.insert(to.end(), bytes.begin(), bytes.end());
    }
    static std::span<const std::byte> take(std::span<const std::byte>& rest) {
        std::uint64_t size = 0;
        ByteReader head(rest);
        head("size", size);
        PEARLITE_EXPECTS(size <= rest.size() - sizeof size);
        const auto bytes = rest.subspan(sizeof size, size);
        rest = rest.subspan(sizeof size + size);
        return bytes;
    }

    /// All but the operations' names.
    template <class Fields, class O>
    static void outcome_fields(Fields& f, O& outcome) {
        f("energy", outcome.best.energy);
        f("iteration", outcome.best.iteration);
        f("chain", outcome.best.chain);
        f("state", outcome.best.state);
        f("best_evaluations", outcome.best_evaluations);
        f("iterations", outcome.iterations);
        f("evaluations", outcome.evaluations);
        outcome.curve.fields(f);
        f("counts", outcome.counts);
        f("scales", outcome.scales);
        f("points", outcome.points);
        f("theta", outcome.theta);
        f("desired", outcome.desired);
        f("visits", outcome.visits);
        f("first_visits", outcome.first_visits);
        f("late_regions", outcome.late_regions);
        f("region_best", outcome.region_best);
        f("region_states", outcome.region_states);
        f("final_energies", outcome.final_energies);
        f("final_log_weights", outcome.final_log_weights);
        f("means", outcome.averages.means);
        f("deviations", outcome.averages.deviations);
        f("effective_states", outcome.averages.effective_states);
        f("truncations", outcome.truncations);
        f("outside", outcome.outside);
    }

    template <class Work>
    void attempt(Work&& work) {
        if (failure_)
            return;
        try {
            work();
        } catch (...) {
            failure_ = std::current_exception();
        }
    }

    parallel::Communicator ranks_;
    int groups_, group_;
    parallel::Communicator team_; ///< this rank's group
    parallel::BlockLayout owned_; ///< replicates among groups
    Index replicates_;
    std::shared_ptr<const Space> space_;
    std::vector<std::unique_ptr<Search>> searches_; ///< of this group
    std::vector<Index> steps_to_do_;                ///< of each group, at the place of its first rank
    Index steps_made_ = 0;                          ///< since then
    std::exception_ptr failure_;
};

} // namespace pearlite::sampler
