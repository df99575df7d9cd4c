#include "algorithm/search/search.hpp"
#include "app/configured/prepare.hpp"
#include "io/configuration/key_reader.hpp"
#include "pearlite/core/error.hpp"

#include <gtest/gtest.h>

#include <map>

namespace pearlite::app {
namespace {

using Bias = algorithm::SearchSettings::Bias;
using Crossover = algorithm::SearchSettings::Crossover;
using Kind = algorithm::TemperatureLadder::Kind;

SearchTraits traits() {
    SearchTraits traits;
    traits.operations = traits.default_operations = {"shift", "meeting"};
    traits.crossovers = {"meeting"};
    return traits;
}

using algorithm::SearchPlan;

/// The plan of a member of the family, with seed 5.
std::unique_ptr<Plan> read_plan(io::Configuration& configuration, const std::string& name, const SearchTraits& space) {
    ModelTraits of_model;
    of_model.search = space;
    auto plan = algorithm_of_name(name).plan(of_model);
    io::KeyReader reader(configuration, "algorithm");
    plan->keys(reader);
    return plan;
}

SearchPlan plan_of(const std::string& name, const std::string& keys = "") {
    auto configuration = io::Configuration::parse("[algorithm]\niterations = 2000\n" + keys, "run.toml",
                                                  "/configurations", {"run.seed=5"});
    const auto plan = read_plan(configuration, name, traits());
    configuration.check();
    return *plan->search();
}

TEST(SearchPlan, EachMemberIsSwitchedAsThePaperSays) {
    struct Member {
        Bias bias;
        Index chains;
        bool crosses;
        Kind ladder;
        bool shrinks;
    };
    const std::map<std::string, Member> family{{"sa", {Bias::none, 1, false, Kind::geometric, false}},
                                               {"vfsa", {Bias::none, 10, true, Kind::square_root, false}},
                                               {"saa", {Bias::shared, 1, false, Kind::square_root, false}},
                                               {"psaa", {Bias::own, 10, false, Kind::square_root, false}},
                                               {"pisaa", {Bias::shared, 10, true, Kind::square_root, false}},
                                               {"asamc", {Bias::shared, 1, false, Kind::constant, true}},
                                               {"aesamc", {Bias::shared, 10, true, Kind::constant, true}}};
    for (const auto& [name, member] : family) {
        const auto plan = plan_of(name);
        EXPECT_EQ(plan.settings.bias, member.bias) << name;
        EXPECT_EQ(plan.settings.chains, member.chains) << name;
        EXPECT_EQ(plan.operations.operations.size(), member.crosses ? 2u : 1u) << name;
        EXPECT_EQ(plan.settings.temperature.kind, member.ladder) << name;
        EXPECT_EQ(plan.settings.aleph.has_value(), member.shrinks) << name;
        EXPECT_EQ(plan.settings.seed, 5u) << name;
        EXPECT_EQ(algorithm_of_name(name).task, model::Task::search) << name;
    }
    for (const std::string name : {"smc", "annealed-importance", "nonequilibrium", "parallel-tempering"})
        EXPECT_NE(algorithm_of_name(name).task, model::Task::search) << name;
    // The settings of the paper: 10^4 regions, aleph 10, temperature 1.
    const auto aesamc = plan_of("aesamc");
    EXPECT_EQ(*aesamc.settings.aleph, 10);
    EXPECT_EQ(aesamc.settings.range_points, 10000);
    EXPECT_EQ(aesamc.settings.temperature(1), 1);
    EXPECT_EQ(aesamc.settings.temperature(2000), 1);
}

TEST(SearchPlan, RegionsAreGivenOrFound) {
    const auto given = plan_of("pisaa", "energy_low = 1.0\nenergy_high = 3.0\nregions = 5\n").settings;
    ASSERT_TRUE(given.partition.has_value());
    EXPECT_EQ(std::vector<double>(given.partition->points().begin(), given.partition->points().end()),
              (std::vector<double>{1, 1.5, 2, 2.5, 3}));
    EXPECT_EQ(given.range_iterations, 0);
    const auto found = plan_of("pisaa", "regions = 5\n").settings;
    EXPECT_FALSE(found.partition.has_value());
    EXPECT_EQ(found.range_points, 5);
    EXPECT_EQ(found.range_iterations, 100);
}

TEST(SearchPlan, LaddersAndGains) {
    const auto settings = plan_of("pisaa", "gain_start = 50\ngain_power = 0.75\nlambda = 0.2\nsync_every = 4\n"
                                           "crossover = 'single'\nselection_temperature = 0.3\n"
                                           "[schedule]\ntemperature_start = 4.0\ntemperature_end = 0.5\n"
                                           "temperature_steps = 10\n")
                              .settings;
    EXPECT_DOUBLE_EQ(settings.temperature(10), 4.5);
    EXPECT_DOUBLE_EQ(settings.temperature(160), 1.5);
    EXPECT_EQ(settings.gain.n, 50);
    EXPECT_EQ(settings.gain.beta, 0.75);
    EXPECT_EQ(settings.lambda, 0.2);
    EXPECT_EQ(settings.sync_every, 4);
    EXPECT_EQ(settings.crossover, Crossover::single);
    EXPECT_EQ(settings.selection_temperature, 0.3);
    // Simulated annealing reaches its end in its last iteration.
    const auto sa = plan_of("sa", "[schedule]\ntemperature_start = 4.0\ntemperature_end = 0.5\n").settings;
    EXPECT_DOUBLE_EQ(sa.temperature(1), 4);
    EXPECT_DOUBLE_EQ(sa.temperature(2000), 0.5);
    EXPECT_GT(sa.temperature(1999), 0.5);
}

/// A job for boxes: operations with their keys.
SearchTraits box() {
    SearchTraits traits;
    traits.operations = traits.default_operations = {"metropolis", "k-point", "k-point-crossover", "snooker"};
    traits.crossovers = {"k-point-crossover", "snooker"};
    traits.is_box = true;
    return traits;
}

const std::vector<std::string> family{"sa", "vfsa", "saa", "psaa", "pisaa", "asamc", "aesamc"};

/// A configuration as a member of the family reads it: the plan, the resolved configuration, the unused keys.
struct Read {
    SearchPlan plan;
    std::string resolved;
    std::vector<std::string> unused;
};
Read read_by(const std::string& name, const std::string& text) {
    auto configuration =
        io::Configuration::parse(text, "run.toml", "/configurations", {"algorithm.name=" + name, "run.seed=5"});
    configuration.section("algorithm").text("name");
    Read read{*read_plan(configuration, name, box())->search(), {}, {}};
    configuration.check();
    read.resolved = configuration.resolved();
    read.unused = configuration.unused();
    return read;
}

/// Every key that a member knows is legal for all others, so that one job compares the family.
TEST(SearchPlan, EachMemberReadsTheConfigurationsOfAllOthers) {
    for (const auto& author : family) {
        const auto own = read_by(author, "[algorithm]\niterations = 2000\n");
        EXPECT_TRUE(own.unused.empty()) << author;
        for (const auto& reader : family) {
            const auto read = read_by(reader, own.resolved);
            EXPECT_TRUE(reader != author || read.unused.empty()) << author;
            // The resolved configuration is complete: reading it again changes nothing.
            EXPECT_EQ(read_by(reader, read.resolved).resolved, read.resolved) << author << " by " << reader;
        }
    }
}

TEST(SearchPlan, WhatAMemberHasNoUseForIsNamed) {
    const std::string job = "[algorithm]\niterations = 2000\nchains = 7\nlambda = 0.2\naverage_from = 5\n"
                            "[schedule]\nkind = 'geometric'\ntemperature_end = 0.5\n"
                            "[kernel]\noperations = ['snooker', 'metropolis', 'k-point-crossover', 'k-point']\n"
                            "rates = [1.0, 2.0, 3.0, 4.0]\ncrossover_points = 3\n";
    EXPECT_TRUE(read_by("pisaa", job).unused.empty());
    EXPECT_EQ(read_by("vfsa", job).unused, std::vector<std::string>{"algorithm.lambda"});
    const auto psaa = read_by("psaa", job);
    EXPECT_EQ(psaa.unused,
              (std::vector<std::string>{"algorithm.average_from", "kernel.operations (snooker, k-point-crossover)",
                                        "kernel.crossover_points"}));
    EXPECT_EQ(psaa.plan.operations.operations, (std::vector<std::string>{"metropolis", "k-point"}));
    EXPECT_EQ(psaa.plan.settings.rates, (std::vector<double>{2, 4}));
    EXPECT_FALSE(psaa.plan.settings.average_from.has_value());
    const auto aesamc = read_by("aesamc", job);
    EXPECT_EQ(aesamc.unused,
              (std::vector<std::string>{"schedule.kind", "schedule.temperature_end", "algorithm.average_from"}));
    EXPECT_EQ(aesamc.plan.settings.temperature(2000), 1);
}

TEST(SearchPlan, MisspeltAndForeignKeysStayMistakes) {
    for (const auto& name : family)
        for (const std::string wrong :
             {"[algorithm]\nchans = 7\n", "[algorithm]\nparticles = 7\n", "[algorithm]\ngain_strat = 7\n",
              "[kernel]\nmutation_sites = 1\n", "[schedule]\nsteps = 5\n",
              "[kernel]\noperations = ['metropolis', 'snoker']\n", "[kernel]\noperations = ['snooker']\n"})
            EXPECT_THROW(read_by(name, wrong), InputError) << name << ": " << wrong;
    // Without another member of the family, a key that has no meaning for the others is a mistake, too.
    EXPECT_THROW(read_by("pisaa", "[schedule]\nkind = 'constant'\ntemperature_end = 0.5\n"), InputError);
    EXPECT_THROW(read_by("pisaa", "[kernel]\noperations = ['metropolis']\ncrossover_points = 2\n"), InputError);
}

} // namespace
} // namespace pearlite::app
