#include "pearlite/app/search_plan.hpp"

#include "pearlite/app/plan.hpp"

#include <gtest/gtest.h>

#include <map>

namespace pearlite::app {
namespace {

using Bias = sampler::SearchSettings::Bias;
using Crossover = sampler::SearchSettings::Crossover;
using Kind = sampler::TemperatureLadder::Kind;

SearchTraits traits() {
    SearchTraits traits;
    traits.operations = traits.default_operations = {"shift", "meeting"};
    traits.crossovers = {"meeting"};
    return traits;
}

Algorithm algorithm_of(const std::string& name) {
    const auto& names = algorithm_names();
    return static_cast<Algorithm>(std::find(names.begin(), names.end(), name) - names.begin());
}

SearchPlan plan_of(const std::string& name, const std::string& keys = "") {
    auto configuration =
        io::Configuration::parse("[algorithm]\niterations = 2000\n" + keys, "run.toml", "/configurations", {});
    auto plan = read_search_plan(configuration, algorithm_of(name), traits(), 5);
    configuration.check();
    return plan;
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
        EXPECT_TRUE(is_search(algorithm_of(name))) << name;
    }
    for (const std::string name : {"smc", "annealed-importance", "nonequilibrium", "parallel-tempering"})
        EXPECT_FALSE(is_search(algorithm_of(name))) << name;
    // As the paper has them: 10^4 regions, aleph 10, temperature 1.
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

} // namespace
} // namespace pearlite::app
