// Searches on several ranks: neither their number nor an interruption changes a bit.
#include "pearlite/core/byte_archive.hpp"
#include "pearlite/sampler/search_replicates.hpp"
#include "sampler/search_invariance.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pearlite::sampler {
namespace {

using namespace testing;
using Crossover = SearchSettings::Crossover;

template <class Engine>
std::vector<std::byte> state_of(Engine& engine) {
    ByteWriter writer;
    engine.fields(writer);
    return writer.bytes();
}
template <class Engine>
void restore(Engine& engine, const std::vector<std::byte>& state) {
    ByteReader reader(state);
    engine.fields(reader);
    EXPECT_EQ(reader.left(), 0u);
}

/// What was found, as numbers.
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
    using Engine = StochasticApproximation<Space>;
    const auto world = Communicator::world(), alone = Communicator::alone();
    const auto shared_space = std::make_shared<const Space>(space);
    Engine here(alone, shared_space, settings), everywhere(world, shared_space, settings);
    for (Index t = 0; t < stop; ++t) {
        here.iterate();
        everywhere.iterate();
    }
    const auto saved = state_of(everywhere), saved_here = state_of(here);
    EXPECT_EQ(saved, saved_here) << name;
    const auto expected = numbers_of(finish_search(here).outcome());
    const auto expected_state = state_of(here);
    EXPECT_EQ(numbers_of(finish_search(everywhere).outcome()), expected) << name;
    EXPECT_EQ(state_of(everywhere), expected_state) << name;

    Engine on_one(alone, shared_space, settings), on_all(world, shared_space, settings);
    restore(on_one, saved);
    restore(on_all, saved_here);
    EXPECT_EQ(on_all.iterations_done(), stop) << name;
    EXPECT_EQ(numbers_of(finish_search(on_one).outcome()), expected) << name;
    EXPECT_EQ(numbers_of(finish_search(on_all).outcome()), expected) << name;
    EXPECT_EQ(state_of(on_all), expected_state) << name;
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
    const auto space = std::make_shared<const FromTarget<WellsCase>>(wells(kernel::BoxOperations::names()));
    auto settings = search(5);
    StochasticApproximation<FromTarget<WellsCase>> one(Communicator::world(), space, settings);
    settings.seed = 4;
    StochasticApproximation<FromTarget<WellsCase>> other(Communicator::world(), space, settings);
    EXPECT_NE(finish_search(one).outcome().best.energy, finish_search(other).outcome().best.energy);
}

TEST(SearchMpi, ReplicatesAreSearchesOfTheirOwn) {
    using Space = FromTarget<WellsCase>;
    const auto world = Communicator::world(), alone = Communicator::alone();
    const auto space = std::make_shared<const Space>(wells(kernel::BoxOperations::names()));
    for (const Index n : {1, 3, 5}) {
        SearchReplicates<Space> replicates(world, space, search(4), n);
        while (!replicates.finished())
            replicates.step();
        const auto outcomes = replicates.outcomes();
        ASSERT_EQ(outcomes.size(), world.is_root() ? static_cast<std::size_t>(n) : 0u);
        for (std::size_t r = 0; r < outcomes.size(); ++r) {
            auto settings = search(4);
            settings.seed = SearchReplicates<Space>::seed_of(settings.seed, static_cast<Index>(r));
            StochasticApproximation<Space> engine(alone, space, settings);
            EXPECT_EQ(numbers_of(finish_search(engine).outcome()), numbers_of(outcomes[r])) << r;
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
            StochasticApproximation<Space> engine(world, std::make_shared<const Space>(NotANumberInACorner{}, box),
                                                  settings);
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
} // namespace pearlite::sampler
