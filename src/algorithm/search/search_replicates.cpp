#include "algorithm/search/search_replicates.hpp"

#include "parallel/states.hpp"

#include <fmt/format.h>

#include <sstream>

namespace pearlite::algorithm {

namespace {

/// Items that lie one after another in `data`, which outlives the field.
void lay_out(ShardedField& field, const std::shared_ptr<std::vector<std::byte>>& data) {
    const std::size_t bytes = field.item_bytes;
    field.pack = [data, bytes](Index first, Index count, std::span<std::byte> out) {
        if (count > 0)
            std::memcpy(out.data(), data->data() + static_cast<std::size_t>(first) * bytes,
                        static_cast<std::size_t>(count) * bytes);
    };
    field.unpack = [data, bytes](Index first, Index count, std::span<const std::byte> in) {
        if (count > 0)
            std::memcpy(data->data() + static_cast<std::size_t>(first) * bytes, in.data(),
                        static_cast<std::size_t>(count) * bytes);
    };
}

} // namespace

SearchReplicates::SearchReplicates(const parallel::Communicator& ranks, std::shared_ptr<const model::Space> space,
                                   const SearchSettings& settings, Index replicates)
    : ranks_(ranks),
      groups_(ranks, replicates),
      team_(groups_.team()),
      owned_(groups_.owned()),
      choice_(choose_crew(team_, space, settings)),
      crew_(choice_.size == team_.size() ? team_ : team_.split(is_at_work() ? 0 : 1)),
      idle_(ranks_.sum(is_at_work() ? Index{0} : Index{1})),
      replicates_(replicates),
      chains_(settings.chains),
      iterations_in_all_(SearchStages(settings).steps()),
      seed_(settings.seed),
      space_(std::move(space)) {
    for (Index r = 0; r < owned_.local_items() && is_at_work(); ++r) {
        auto own = settings;
        own.seed = seed_of(settings.seed, owned_.first_local_item() + r);
        attempt([&] { searches_.push_back(std::make_unique<StochasticApproximation>(crew_, space_, own)); });
    }
    parallel::agree(ranks_, failure_);
    count_steps();
}

void SearchReplicates::begin() {
    for (const auto& search : searches_)
        attempt([&] { search->begin(); });
    parallel::agree(ranks_, failure_);
}

random::Seed SearchReplicates::seed_of(const random::Seed& seed, Index replicate) {
    return replicate == 0 ? seed : random::derive_seed(seed, static_cast<std::uint64_t>(replicate));
}

std::string SearchReplicates::describe_ranks() const {
    const auto trials = choice_.describe();
    if (idle_ == 0 && trials.empty())
        return {};
    return fmt::format("{} of {} ranks share the chains of a replicate{}{}{}", choice_.size, team_.size(),
                       trials.empty() ? "" : ": ", trials,
                       idle_ == 0 ? "" : fmt::format("; {} of all {} ranks have no work", idle_, ranks_.size()));
}

std::vector<std::uint64_t> SearchReplicates::seeds() const {
    std::vector<std::uint64_t> seeds;
    for (Index r = 0; r < replicates_; ++r)
        seeds.push_back(seed_of(seed_, r).value);
    return seeds;
}

void SearchReplicates::step() {
    PEARLITE_EXPECTS(!finished());
    if (auto* const search = current())
        attempt([&] {
            for (Index k = 0; k < iterations_in_step && !search->finished(); ++k)
                search->iterate();
        });
    ++steps_made_;
    if (finished() || steps_left() % steps_per_agreement == 0)
        flush();
}

void SearchReplicates::flush() {
    parallel::agree(ranks_, failure_);
}

Index SearchReplicates::steps_done() const {
    Index done = steps_in_all();
    for (const Index steps : steps_to_do_)
        done -= std::max<Index>(0, steps - steps_made_);
    return done;
}

Progress SearchReplicates::progress() const {
    const auto* const best = best_search();
    const Index at_work = groups_at_work();
    Progress progress;
    progress.iterations_per_step = iterations_in_step;
    progress.step = steps_done();
    progress.steps = steps_in_all();
    progress.steps_at_once = std::max<Index>(1, at_work);
    progress.best_energy = best ? best->best_energy() : infinity;
    progress.temperature = searches_.empty() ? 0 : (current() ? *current() : *searches_.back()).temperature();
    progress.updates_per_step = chains_ * iterations_in_step * at_work;
    return progress;
}

Found SearchReplicates::found() {
    return {.has_path = false, .search = this};
}

Index SearchReplicates::groups_at_work() const {
    return std::count_if(steps_to_do_.begin(), steps_to_do_.end(), [&](Index s) { return s > steps_made_; });
}

std::vector<SearchOutcome> SearchReplicates::outcomes() const {
    std::vector<SearchOutcome> mine;
    const auto* const best = best_search();
    for (const auto& search : searches_) {
        auto& outcome = mine.emplace_back(search->outcome());
        if (search.get() != best)
            outcome.region_states.clear(); // only the states of the best replicate are of use
    }
    return parallel::gather_states(ranks_, team_.is_root(), mine);
}

void SearchReplicates::fields(Fields& f) {
    // Searches list their fields before reading, too: the ownership of items does not depend on their states.
    auto replicates = list_fields();
    value_fields(f, replicates);
    for (std::size_t k = 0; k < replicates.front().shards.size(); ++k)
        shard_fields(f, k, replicates);
    if (!f.is_reading())
        return;
    for (std::size_t r = 0; r < searches_.size(); ++r)
        attempt([&] { restore(*searches_[r], replicates[r]); });
    parallel::agree(ranks_, failure_);
    count_steps();
}

/// Ranks that wait have the shards that their group's root lists, without items.
std::vector<StoredFields> SearchReplicates::list_fields() {
    std::vector<StoredFields> replicates;
    for (const auto& search : searches_)
        replicates.push_back(store(*search));
    if (crew_.size() == team_.size())
        return replicates;
    std::string list; // a group of several ranks has one replicate
    if (team_.is_root())
        for (const auto& shard : replicates.front().shards)
            list += fmt::format("{} {} {}\n", shard.name, static_cast<int>(shard.type), shard.items);
    std::istringstream lines(team_.broadcast(list));
    if (is_at_work())
        return replicates;
    auto& empty = replicates.emplace_back();
    int type = 0;
    for (StoredFields::Shard shard; lines >> shard.name >> type >> shard.items;) {
        shard.type = static_cast<ItemType>(type);
        shard.first_local = shard.items;
        empty.shards.push_back(shard);
    }
    return replicates;
}

/// The root of a group owns the data that all ranks of the group know alike; other members own no items.
void SearchReplicates::value_fields(Fields& f, std::vector<StoredFields>& replicates) {
    std::vector<std::vector<std::byte>> values(replicates.size());
    Index longest = 0;
    for (std::size_t r = 0; r < values.size() && !f.is_reading(); ++r) {
        append_piece(values[r], replicates[r].values);
        longest = std::max(longest, static_cast<Index>(values[r].size()));
    }
    longest = ranks_.max((longest + 7) / 8 * 8);
    f("replicate_bytes", longest);
    const auto bytes = static_cast<std::size_t>(longest);
    const auto data = std::make_shared<std::vector<std::byte>>(values.size() * bytes);
    for (std::size_t r = 0; r < values.size(); ++r)
        std::copy(values[r].begin(), values[r].end(), data->begin() + static_cast<std::ptrdiff_t>(r * bytes));
    const Index local = team_.is_root() ? owned_.local_items() : 0;
    const Index first = owned_.first_local_item() + owned_.local_items() - (team_.is_root() ? local : 0);
    ShardedField field{ItemType::bytes, bytes, replicates_, first, local, {}, {}};
    lay_out(field, data);
    f.sharded("replicates", field);
    if (!f.is_reading())
        return;
    team_.broadcast(std::span(*data));
    for (std::size_t r = 0; r < replicates.size(); ++r) {
        auto rest = std::span<const std::byte>(*data).subspan(r * bytes, bytes);
        const auto own = take_piece(rest);
        replicates[r].values.assign(own.begin(), own.end());
    }
}

/// The k-th sharded field of every replicate, one replicate after another. A group of several ranks has one replicate,
/// so that the items of a rank are a contiguous run. Items are padded to the longest.
void SearchReplicates::shard_fields(Fields& f, std::size_t k, std::vector<StoredFields>& replicates) {
    const auto& first = replicates.front().shards[k];
    Index longest = 0;
    for (const auto& replicate : replicates)
        longest = std::max(longest, static_cast<Index>(replicate.shards[k].item_bytes));
    longest = ranks_.max(longest);
    f(first.name + "_bytes", longest);
    if (longest == 0)
        return;
    PEARLITE_EXPECTS(replicates.size() == 1 || first.local == first.items);
    const auto bytes = static_cast<std::size_t>(longest), n = static_cast<std::size_t>(first.local);
    const auto data = std::make_shared<std::vector<std::byte>>(replicates.size() * n * bytes);
    ShardedField field{first.type,
                       bytes,
                       replicates_ * first.items,
                       owned_.first_local_item() * first.items + first.first_local,
                       owned_.local_items() * first.local,
                       {},
                       {}};
    lay_out(field, data);
    if (!f.is_reading())
        for (std::size_t r = 0; r < replicates.size(); ++r) {
            const auto& shard = replicates[r].shards[k];
            for (std::size_t i = 0; i < n && shard.item_bytes > 0; ++i)
                std::memcpy(data->data() + (r * n + i) * bytes, shard.data.data() + i * shard.item_bytes,
                            shard.item_bytes);
        }
    f.sharded(first.name, field);
    for (std::size_t r = 0; r < replicates.size() && f.is_reading(); ++r) {
        auto& shard = replicates[r].shards[k];
        shard.item_bytes = bytes;
        shard.data.assign(data->begin() + static_cast<std::ptrdiff_t>(r * n * bytes),
                          data->begin() + static_cast<std::ptrdiff_t>((r + 1) * n * bytes));
    }
}

const StochasticApproximation* SearchReplicates::best_search() const {
    const StochasticApproximation* best = nullptr;
    for (const auto& search : searches_)
        if (!best || search->best_energy() < best->best_energy())
            best = search.get();
    return best;
}

StochasticApproximation* SearchReplicates::current() const {
    for (const auto& search : searches_)
        if (!search->finished())
            return search.get();
    return nullptr;
}

void SearchReplicates::count_steps() {
    Index mine = 0;
    for (const auto& search : searches_)
        mine += steps_of(search->iterations_in_all() - search->iterations_done());
    steps_to_do_ = ranks_.all_gather(team_.is_root() ? mine : Index{0});
    steps_made_ = 0;
}

Index SearchReplicates::steps_left() const {
    return *std::max_element(steps_to_do_.begin(), steps_to_do_.end()) - steps_made_;
}

template <class Work>
void SearchReplicates::attempt(Work&& work) {
    if (failure_)
        return;
    try {
        work();
    } catch (...) {
        const auto error = std::current_exception();
        if (crew_.size() > 1 && !is_agreed(error)) // the others of the crew wait for this rank
            throw;
        failure_ = error;
    }
}

} // namespace pearlite::algorithm
