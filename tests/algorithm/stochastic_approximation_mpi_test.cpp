// Searches on several ranks: neither their number nor an interruption changes a bit.
#include "algorithm/search/search_replicates.hpp"
#include "algorithm/search_invariance.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace pearlite::algorithm {
namespace {

using namespace testing;
using Crossover = SearchSettings::Crossover;

/// The fields of a state with the shards of all ranks joined. They do not depend on the number of ranks.
template <class State>
StoredFields state_of(const Communicator& ranks, State& state) {
    auto stored = store(state);
    for (auto& shard : stored.shards) {
        shard.data = ranks.all_gather(std::span<const std::byte>(shard.data));
        EXPECT_EQ(shard.data.size(), static_cast<std::size_t>(shard.items) * shard.item_bytes) << shard.name;
        shard.first_local = 0;
        shard.local = shard.items;
    }
    return stored;
}
/// Each rank takes its own items: those that it has of as many in the state that is to be replaced.
template <class State>
void restore_on(State& state, StoredFields stored) {
    const auto own = store(state);
    for (auto& shard : stored.shards) {
        const auto like = std::find_if(own.shards.begin(), own.shards.end(),
                                       [&](const auto& other) { return other.items == shard.items; });
        ASSERT_NE(like, own.shards.end());
        shard.first_local = like->first_local;
        shard.local = like->local;
        const auto bytes = static_cast<Index>(shard.item_bytes);
        const auto first = shard.data.begin() + shard.first_local * bytes;
        shard.data = {first, first + shard.local * bytes};
    }
    restore(state, stored);
}
void expect_equal(const StoredFields& a, const StoredFields& b, const std::string& name) {
    EXPECT_EQ(a.values, b.values) << name;
    ASSERT_EQ(a.shards.size(), b.shards.size()) << name;
    for (std::size_t k = 0; k < a.shards.size(); ++k) {
        EXPECT_EQ(a.shards[k].name, b.shards[k].name) << name;
        EXPECT_EQ(a.shards[k].data, b.shards[k].data) << name << " " << a.shards[k].name;
    }
}

/// The results of a search as one list of numbers.
std::vector<double> numbers_of(const SearchOutcome& outcome) {
    std::vector<double> numbers{outcome.best.energy,
                                static_cast<double>(outcome.best.iteration),
                                static_cast<double>(outcome.best.chain),
                                static_cast<double>(outcome.best_evaluations),
                                static_cast<double>(outcome.evaluations),
                                static_cast<double>(outcome.outside)};
    const auto add = [&](const auto& values) {
        for (const auto value : values)
            numbers.push_back(std::isnan(static_cast<double>(value)) ? -1 : static_cast<double>(value));
    };
    for (const std::byte byte : outcome.best.state)
        numbers.push_back(std::to_integer<int>(byte));
    for (const auto& count : outcome.counts)
        add(std::array{count.proposed, count.accepted});
    add(outcome.scales);
    add(outcome.points);
    add(outcome.theta);
    add(outcome.visits);
    add(outcome.region_best);
    add(outcome.final_energies);
    add(outcome.final_log_weights);
    add(outcome.curve.iterations());
    add(outcome.curve.evaluations());
    add(outcome.curve.best());
    add(outcome.averages.means);
    add(outcome.averages.deviations);
    return numbers;
}

/// On all ranks, on one, and stopped after `stop` iterations and resumed on one by what all saved, and the other way
/// round.
template <class Space>
void expect_same_everywhere(const Space& space, const SearchSettings& settings, Index stop, const std::string& name) {
    using Engine = StochasticApproximation;
    const auto world = Communicator::world(), alone = Communicator::alone();
    const auto shared_space = model::space_of(space);
    auto here = begun(alone, shared_space, settings), everywhere = begun(world, shared_space, settings);
    for (Index t = 0; t < stop; ++t) {
        here.iterate();
        everywhere.iterate();
    }
    const auto saved = state_of(world, everywhere), saved_here = state_of(alone, here);
    expect_equal(saved, saved_here, name);
    const auto expected = numbers_of(finish_search(here).outcome());
    const auto expected_state = state_of(alone, here);
    EXPECT_EQ(numbers_of(finish_search(everywhere).outcome()), expected) << name;
    expect_equal(state_of(world, everywhere), expected_state, name);

    Engine on_one(alone, shared_space, settings), on_all(world, shared_space, settings);
    restore_on(on_one, saved);
    restore_on(on_all, saved_here);
    EXPECT_EQ(on_all.iterations_done(), stop) << name;
    EXPECT_EQ(numbers_of(finish_search(on_one).outcome()), expected) << name;
    EXPECT_EQ(numbers_of(finish_search(on_all).outcome()), expected) << name;
    expect_equal(state_of(world, on_all), expected_state, name);
}

SearchSettings search(Index chains) {
    SearchSettings settings;
    settings.chains = chains;
    settings.iterations = 160;
    settings.seed = 3;
    settings.temperature.low = 0.05;
    settings.partition = model::EnergyPartition::uniform(-2.5, 3, 30);
    settings.gain = {40, 0.6};
    return settings;
}

/// Sizes of a search's crew: as measured, and given.
std::vector<std::optional<Index>> crews() {
    return {std::nullopt, 1, 2, 1000};
}

/// Settings that differ in what they have to keep, by name.
std::vector<std::pair<std::string, SearchSettings>> all_kinds_of_searches() {
    std::vector<std::pair<std::string, SearchSettings>> all;
    const auto add = [&](const std::string& name, const SearchSettings& settings) { all.emplace_back(name, settings); };
    auto settings = search(7);
    add("shared bias", settings);
    settings.crossover = Crossover::single;
    add("single crossovers", settings);
    settings.average_from = 40;
    add("averages", settings);
    settings = search(2); // fewer than ranks
    settings.scale_by_region = true;
    add("two chains", settings);
    add("one chain", search(1));
    settings = search(7);
    settings.resample_below = 0.9;
    add("resampling", settings);
    settings.bias = SearchSettings::Bias::none;
    settings.resample_below = 1;
    settings.partition.reset();
    settings.range_iterations = 60;
    add("resampling in every iteration, without a bias, regions unknown", settings);
    settings = search(5);
    settings.bias = SearchSettings::Bias::own;
    settings.pilot_iterations = 100;
    add("own biases and a pilot", settings);
    settings.bias = SearchSettings::Bias::none;
    settings.sync_every = 7; // the stop at 80 is in the midst of a window
    add("no bias, rare collectives", settings);
    settings = search(9);
    settings.sync_every = 7;
    settings.aleph = 0.5;
    settings.temperature.kind = TemperatureLadder::Kind::constant;
    add("a space that shrinks, rare collectives", settings);
    settings = search(6);
    settings.partition.reset();
    settings.range_iterations = 110; // the stop is before its end
    add("regions unknown", settings);
    settings.sync_every = 3;
    settings.range_iterations = 60;
    add("regions unknown, rare collectives", settings);
    return all;
}

TEST(SearchMpi, SameOnAnyNumberOfRanksAndAcrossInterruptions) {
    for (const auto& [name, settings] : all_kinds_of_searches()) {
        expect_same_everywhere(wells(kernel::BoxOperations::names()), settings, 80, name);
        expect_same_everywhere(rows(kernel::CategoricalOperations::names()), settings, 80, name);
    }
}

TEST(SearchMpi, AStopInAnyPlaceOfAWindow) {
    auto settings = search(5);
    settings.iterations = 30;
    settings.sync_every = 4;
    for (const Index stop : {0, 1, 2, 3, 4, 29, 30})
        expect_same_everywhere(wells(kernel::BoxOperations::names()), settings, stop, std::to_string(stop));
}

TEST(SearchMpi, AnotherSeedFindsOtherStates) {
    const auto space = model::space_of(wells(kernel::BoxOperations::names()));
    auto settings = search(5);
    auto one = begun(Communicator::world(), space, settings);
    settings.seed = 4;
    auto other = begun(Communicator::world(), space, settings);
    EXPECT_NE(finish_search(one).outcome().best.energy, finish_search(other).outcome().best.energy);
}

TEST(SearchMpi, ReplicatesAreSearchesOfTheirOwn) {
    const auto world = Communicator::world(), alone = Communicator::alone();
    const auto space = model::space_of(wells(kernel::BoxOperations::names()));
    for (const Index n : {1, 3, 5})
        for (const auto& ranks : crews()) {
            auto settings = search(4);
            settings.ranks = ranks;
            SearchReplicates replicates(world, space, settings, n);
            replicates.begin();
            while (!replicates.finished())
                replicates.step();
            const auto outcomes = replicates.outcomes();
            ASSERT_EQ(outcomes.size(), world.is_root() ? static_cast<std::size_t>(n) : 0u);
            for (std::size_t r = 0; r < outcomes.size(); ++r) {
                settings.seed = SearchReplicates::seed_of(search(4).seed, static_cast<Index>(r));
                auto engine = begun(alone, space, settings);
                EXPECT_EQ(numbers_of(finish_search(engine).outcome()), numbers_of(outcomes[r])) << r;
            }
        }
}

/// An energy that takes its time.
struct SlowWells : Wells {
    static constexpr std::chrono::microseconds pause{400};
    double energy(std::span<const double> x) const {
        std::this_thread::sleep_for(pause);
        return Wells::energy(x);
    }
};

TEST(SearchMpi, RanksShareASearchWhereThatIsFaster) {
    const auto world = Communicator::world();
    auto settings = search(8);
    const auto quick = model::space_of(wells(kernel::BoxOperations::names()));
    const auto slow = model::space_of(kernel::BoxSpace<SlowWells>(SlowWells{}));
    const int most = std::min(world.size(), 8);
    const auto chosen = choose_crew(world, slow, settings);
    EXPECT_EQ(chosen.size, most) << chosen.describe();
    const auto measured = choose_crew(world, quick, settings);
    EXPECT_EQ(measured.trials.empty(), world.size() == 1);
    EXPECT_EQ(world.max(static_cast<Index>(measured.size)), measured.size) << "all ranks have to agree";
    settings.iterations = 1;
    EXPECT_LE(choose_crew(world, quick, settings).size, most);
    for (const Index ranks : {1, 2, 100}) {
        settings.ranks = ranks;
        const auto given = choose_crew(world, slow, settings);
        EXPECT_EQ(given.size, static_cast<int>(std::min<Index>(ranks, most)));
        EXPECT_TRUE(given.trials.empty());
    }
}

TEST(SearchMpi, AFailedTrialIsLeftToTheSearch) {
    const auto world = Communicator::world();
    struct NoNumber : Wells {
        double energy(std::span<const double>) const { return std::numeric_limits<double>::quiet_NaN(); }
    };
    const auto space = model::space_of(kernel::BoxSpace<NoNumber>(NoNumber{}));
    const auto settings = search(8);
    EXPECT_EQ(choose_crew(world, space, settings).size, std::min(world.size(), 8));
    SearchReplicates replicates(world, space, settings, 1);
    EXPECT_THROW(replicates.begin(), NumericalError);
}

/// Stopped on all ranks and resumed on one, and the other way round, within windows.
TEST(SearchMpi, ReplicatesGoOnWhereTheyStopped) {
    const auto world = Communicator::world(), alone = Communicator::alone();
    const auto space = model::space_of(wells(kernel::BoxOperations::names()));
    auto averaged = search(4), rare = search(4);
    averaged.average_from = 40;
    rare.sync_every = 7;
    for (auto settings : {averaged, rare})
        for (const auto& [n, ranks] :
             std::vector<std::pair<Index, Index>>{{1, 1000}, {1, 2}, {1, 1}, {2, 1000}, {2, 1}, {5, 1000}}) {
            settings.ranks = ranks;
            SearchReplicates whole(alone, space, settings, n), here(alone, space, settings, n),
                everywhere(world, space, settings, n), on_one(alone, space, settings, n),
                on_all(world, space, settings, n);
            for (auto* replicates : {&whole, &here, &everywhere})
                replicates->begin();
            for (int step = 0; step < 2; ++step) {
                here.step();
                everywhere.step();
            }
            restore_on(on_all, state_of(alone, here));
            restore_on(on_one, state_of(world, everywhere));
            for (auto* replicates : {&whole, &on_one, &on_all})
                while (!replicates->finished())
                    replicates->step();
            const auto expected = whole.outcomes(), one = on_one.outcomes(), all = on_all.outcomes();
            ASSERT_EQ(one.size(), expected.size());
            ASSERT_EQ(all.size(), world.is_root() ? expected.size() : 0u);
            for (std::size_t r = 0; r < expected.size(); ++r) {
                EXPECT_EQ(numbers_of(one[r]), numbers_of(expected[r])) << n << " " << r;
                if (world.is_root()) {
                    EXPECT_EQ(numbers_of(all[r]), numbers_of(expected[r])) << n << " " << r;
                }
            }
        }
}

/// NaN in a corner of the box.
struct NotANumberInACorner : Wells {
    double energy(std::span<const double> x) const {
        return x[0] > 2.2 && x[1] > 1.7 ? std::numeric_limits<double>::quiet_NaN() : Wells::energy(x);
    }
};

TEST(SearchMpi, AnEnergyThatIsNotANumberOnOneRankIsAnErrorOnAll) {
    const auto world = Communicator::world();
    using Space = kernel::BoxSpace<NotANumberInACorner>;
    for (const std::string operation : {"metropolis", "k-point-crossover", "snooker"}) {
        kernel::BoxOperationSettings box;
        box.operations = {operation};
        if (operation != "metropolis")
            box.operations.emplace_back("metropolis");
        box.first_scale = 1;
        auto settings = search(8);
        settings.iterations = 5000;
        settings.temperature.low = 50;
        settings.seed = 12;
        std::string message = "none";
        try {
            auto engine = begun(world, model::space_of(Space(NotANumberInACorner{}, box)), settings);
            finish_search(engine);
        } catch (const NumericalError& error) {
            message = error.what();
        }
        EXPECT_THAT(message, ::testing::HasSubstr("is not a number in iteration "));
        EXPECT_THAT(message, ::testing::Not(::testing::HasSubstr("iteration 0")));
        EXPECT_EQ(world.broadcast(message), message);
    }
}

} // namespace
} // namespace pearlite::algorithm
