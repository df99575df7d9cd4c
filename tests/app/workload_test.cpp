// A wrong number of useful ranks would distribute sweeps badly, and `check` would advise ranks that have no work.
#include "app/configured/prepare.hpp"
#include "pearlite/app/command_line.hpp"

#include <gtest/gtest.h>

#include <string>

namespace pearlite::app {
namespace {

Index useful_ranks(const std::string& model, const std::string& algorithm, const std::string& keys) {
    const auto text =
        "[run]\nblock = 16\n[model]\nname = '" + model + "'\n[algorithm]\nname = '" + algorithm + "'\n" + keys;
    const auto ready = prepare(built_in_models(), io::Configuration::parse(text, "test.toml", "."));
    return ready.plan->workload(*ready.model).useful_ranks;
}

TEST(Workload, UsefulRanksAreTheBlocksOfAllReplicates) {
    EXPECT_EQ(useful_ranks("orthant", "resample-move", "particles = 100\nreplicates = 3\n"), 7 * 3);
    EXPECT_EQ(useful_ranks("gaussian", "smc", "particles = 100\nreplicates = 3\n"), 7 * 3);
    EXPECT_EQ(useful_ranks("gaussian", "annealed-importance", "trajectories = 64\n"), 4);
}

} // namespace
} // namespace pearlite::app
