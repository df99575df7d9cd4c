// The temperatures that parallel tempering takes where the configuration gives none, or some.
#include "app/configured/prepare.hpp"
#include "io/configuration/key_reader.hpp"

#include <gtest/gtest.h>

namespace pearlite::app {
namespace {

/// The fixed temperatures of a plan; none if a pilot places them.
std::vector<double> ladder(bool is_density, const std::string& keys) {
    ModelTraits traits;
    traits.continuous = is_density;
    auto configuration =
        io::Configuration::parse("[algorithm]\nscans = 100\n" + keys, "run.toml", "/configurations", {"run.seed=5"});
    const auto plan = algorithm_of_name("parallel-tempering").plan(traits);
    io::KeyReader reader(configuration, "algorithm");
    plan->keys(reader);
    configuration.check();
    return plan->schedule() ? plan->schedule()->points() : std::vector<double>();
}

TEST(TemperingPlan, APilotPlacesTheTemperaturesOfDensities) {
    EXPECT_TRUE(ladder(true, "").empty());
    EXPECT_EQ(ladder(false, ""), path::linear_schedule(31, 1).points());
}

TEST(TemperingPlan, TemperaturesThatAreGivenAreKept) {
    for (const bool is_density : {false, true}) {
        EXPECT_EQ(ladder(is_density, "[schedule]\nsteps = 7\n"), path::linear_schedule(7, 1).points());
        EXPECT_EQ(ladder(is_density, "[schedule]\nkind = \"linear\"\n"), path::linear_schedule(31, 1).points());
        EXPECT_EQ(ladder(is_density, "[schedule]\nkind = \"geometric\"\nsteps = 9\nepsilon = 0.01\n"),
                  path::geometric_schedule(9, 1, 0.01).points());
    }
}

TEST(TemperingPlan, AnAdaptiveLadderHasWorkForRanks) {
    ModelTraits traits;
    traits.continuous = true;
    const auto plan = algorithm_of_name("parallel-tempering").plan(traits);
    EXPECT_EQ(plan->idle_ranks(4), ""); // how many temperatures there will be is not known
}

} // namespace
} // namespace pearlite::app
