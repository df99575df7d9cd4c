#include "app/result/parts/search/search.hpp"
#include "app/written/summary.hpp"
#include "pearlite/core/error.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

namespace pearlite::app {
namespace {

using nlohmann::json;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// A directory that is removed with the test.
class SearchSummary : public ::testing::Test {
  protected:
    SearchSummary() { std::filesystem::create_directories(place_); }
    ~SearchSummary() override { std::filesystem::remove_all(place_); }

    json summary_of(const SearchResult& search) const {
        RunFacts facts;
        facts.model = "energy";
        facts.algorithm = "pisaa";
        RunResult result;
        result.parts.push_back(std::make_unique<SearchPart>(parallel::Communicator::alone(), search));
        write_summary(place_, summary_text(facts, result));
        std::ifstream file(place_ / "summary.json");
        return json::parse(file);
    }
    std::string text() const { return describe_summary(place_); }
    std::vector<std::string> warnings_of(const SearchResult& search) const {
        return summary_of(search)["diagnostics"]["warnings"].get<std::vector<std::string>>();
    }

    const std::filesystem::path& place() const { return place_; }

  private:
    std::filesystem::path place_ =
        std::filesystem::temp_directory_path() /
        ("search_summary-" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
};

/// Regions cut at 0, 1, 2, 3, and no warning.
algorithm::SearchOutcome outcome_with(double best) {
    algorithm::SearchOutcome outcome;
    outcome.best.energy = best;
    outcome.best.iteration = 70;
    outcome.best_evaluations = 700;
    outcome.evaluations = 1000;
    outcome.operations = {"walk", "jump"};
    outcome.counts = {{2000, 500}, {2000, 2}};
    outcome.points = {0, 1, 2, 3};
    outcome.theta = {-1, -2, -3, -4, -5};
    outcome.desired.assign(5, 0.2);
    outcome.visits = {10, 10, 10, 10, 10};
    return outcome;
}

SearchResult search_with(const std::vector<double>& energies) {
    SearchResult search;
    for (const double energy : energies) {
        search.replicates.push_back(outcome_with(energy));
        search.seeds.push_back(search.seeds.size() + 1);
        if (energy < search.replicates[search.best_replicate].best.energy)
            search.best_replicate = search.replicates.size() - 1;
    }
    search.best.values = {1, 2};
    return search;
}

TEST_F(SearchSummary, NumbersThatAreTooLargeOrNoneAreHandled) {
    auto search = search_with({0.5});
    search.replicates[0].best.iteration = 3'000'000'000;
    auto summary = summary_of(search);
    EXPECT_THAT(text(), HasSubstr("iteration 3000000000,"));
    const auto rewritten = [&](const json& value) {
        summary["best"]["iteration"] = value;
        std::ofstream(place() / "summary.json") << summary;
        return text();
    };
    EXPECT_THAT(rewritten(1e30), HasSubstr("iteration 0,"));
    summary["model"] = 3;
    EXPECT_THROW(rewritten(1), InputError);
}

TEST_F(SearchSummary, ASoundSearchHasNoWarnings) {
    auto search = search_with({0.5, -0.5, 0.7});
    search.success_below = 0.6;
    const auto summary = summary_of(search);
    EXPECT_EQ(summary["diagnostics"]["warnings"], json::array());
    EXPECT_EQ(summary["best"]["energy"], -0.5);
    EXPECT_EQ(summary["best"]["replicate"], 1);
    EXPECT_EQ(summary["best"]["state"], json({1.0, 2.0}));
    EXPECT_EQ(summary["replicates"][2]["best"], 0.7);
    EXPECT_NEAR(summary["diagnostics"]["mean_best"], 0.7 / 3, 1e-12);
    EXPECT_NEAR(summary["diagnostics"]["sd_best"], 0.6429100507, 1e-9);
    EXPECT_NEAR(summary["diagnostics"]["success_rate"], 2.0 / 3, 1e-12);
    EXPECT_NEAR(summary["diagnostics"]["acceptance"]["walk"], 0.25, 1e-12);
    EXPECT_EQ(summary["verdict"], "1 of 3 replicates found the best energy (to 1e-6); the worst is 1.2 above it");
    EXPECT_THAT(text(), HasSubstr("3 replicates, best: mean 0.233333  sd 0.6429  success rate 0.667"));
}

TEST_F(SearchSummary, AKnownMinimumThatWasFoundIsSupportedInSpiteOfWarnings) {
    auto search = search_with({0.25, 0.25});
    EXPECT_EQ(summary_of(search)["headline"]["support"]["word"], "supported");
    search.replicates[0].counts = {{2000, 0}, {2000, 0}}; // nothing was accepted
    EXPECT_FALSE(warnings_of(search).empty());
    EXPECT_EQ(summary_of(search)["headline"]["support"]["word"], "doubtful");
    search.known_minimum = 0.25;
    EXPECT_EQ(summary_of(search)["headline"]["support"]["word"], "supported");
    search.known_minimum = 0.2;
    EXPECT_EQ(summary_of(search)["headline"]["support"]["word"], "doubtful");
    search.known_minimum = 0.3;
    EXPECT_NE(summary_of(search)["headline"]["support"]["word"], "supported");
}

TEST_F(SearchSummary, WithoutAKnownMinimumTwoReplicatesMustAgree) {
    EXPECT_EQ(summary_of(search_with({0.25, 0.25, 0.5}))["headline"]["support"]["word"], "supported");
    EXPECT_EQ(summary_of(search_with({0.25, 0.26, 0.5}))["headline"]["support"]["word"], "doubtful");
    EXPECT_EQ(summary_of(search_with({0.25}))["headline"]["support"]["word"], "doubtful");
    auto search = search_with({0.25});
    search.known_minimum = 0.25;
    EXPECT_EQ(summary_of(search)["headline"]["support"]["word"], "supported");
}

/// theta is up to log(pi_j + pi_e) the log mass: here pi_e is that of the last region over the four others.
TEST_F(SearchSummary, LearntMassesAreComparedWithExactOnes) {
    auto search = search_with({0.5, 0.25});
    auto& outcome = search.replicates[0];
    outcome.theta = {-1, -2, -3, -4, -std::numeric_limits<double>::infinity()};
    outcome.desired = {0.4, 0.2, 0.1, 0.1, 0.2};
    const std::vector<double> masses{0.45 * std::exp(-1), 0.25 * std::exp(-2), 0.15 * std::exp(-3),
                                     0.15 * std::exp(-4)};
    const double sum = masses[0] + masses[1] + masses[2] + masses[3];
    const auto learnt = learnt_log_masses(outcome);
    ASSERT_EQ(learnt.size(), 5u);
    for (std::size_t j = 0; j < 4; ++j)
        EXPECT_NEAR(learnt[j], std::log(masses[j] / sum), 1e-14);
    EXPECT_EQ(learnt[4], -std::numeric_limits<double>::infinity());

    EXPECT_FALSE(summary_of(search).contains("theta"));
    auto exact = learnt;
    exact[0] += 0.3;
    exact[2] -= 0.4;
    exact[4] = -20; // never proposed to: left out
    search.exact_log_masses = {exact, {}};
    const auto theta = summary_of(search)["theta"];
    EXPECT_NEAR(theta["mean_squared_error"], 0.25, 1e-12);
    EXPECT_NEAR(theta["largest_error"], 0.4, 1e-12);
    search.exact_log_masses[1] = learnt_log_masses(search.replicates[1]);
    EXPECT_NEAR(summary_of(search)["theta"]["mean_squared_error"], 0.125, 1e-12);
    outcome.theta.clear();
    EXPECT_TRUE(learnt_log_masses(outcome).empty());
}

TEST_F(SearchSummary, TheVerdictComparesWithTheKnownMinimum) {
    auto search = search_with({0.25});
    EXPECT_THAT(summary_of(search)["verdict"], HasSubstr("one replicate"));
    search.known_minimum = 0.25 + 5e-7;
    EXPECT_EQ(summary_of(search)["verdict"], "the known minimum was found (to 1e-6)");
    search.known_minimum = 0;
    EXPECT_EQ(summary_of(search)["verdict"], "the known minimum is 0; the best energy is 0.25 above it");
    search.known_minimum = 1;
    EXPECT_EQ(summary_of(search)["verdict"], "the known minimum is 1; the best energy is 0.75 below it");
}

// Energies of points of a box agree only by chance: the verdict has their range and names the key that polishes them.
TEST_F(SearchSummary, TheVerdictOfABoxSaysWhetherItWasPolished) {
    auto search = search_with({0.5, -0.5, 0.7});
    search.can_polish = true;
    EXPECT_EQ(summary_of(search)["verdict"], "the best energies of 3 replicates differ by up to 1.2; not polished: "
                                             "algorithm.polish descends to the minima");
    search = search_with({0.5, 0.5});
    search.can_polish = true;
    EXPECT_THAT(summary_of(search)["verdict"], HasSubstr("2 of 2 replicates found the best energy (to 1e-6); not pol"));
    search = search_with({0.5});
    search.can_polish = true;
    EXPECT_THAT(summary_of(search)["verdict"], HasSubstr("algorithm.replicates makes more; not polished"));
}

TEST_F(SearchSummary, LateRegionsMatterUnlessTheMinimumWasFound) {
    auto search = search_with({0.5, 0.25});
    for (auto& replicate : search.replicates)
        replicate.late_regions = {0, 1};
    EXPECT_THAT(warnings_of(search), ElementsAre(HasSubstr("in 2 of 2 replicates up to 2 regions were first visited")));
    search.known_minimum = 0.25;
    EXPECT_THAT(warnings_of(search), ElementsAre(HasSubstr("in 1 of 2 replicates up to 2 regions")));
    search.can_polish = true; // in a box masses are of interest near the minimum
    EXPECT_THAT(warnings_of(search), ElementsAre(HasSubstr("in 2 of 2 replicates")));
    search = search_with({0.25});
    search.replicates[0].late_regions = {0};
    search.known_minimum = 0.25;
    EXPECT_THAT(warnings_of(search), ElementsAre());
}

TEST_F(SearchSummary, PolishedEnergiesStandBesideTheOthers) {
    auto search = search_with({0.5, 0.25});
    search.can_polish = true;
    search.polish.emplace();
    search.polish->replicates = {{0.125, 10, 8, 0, {0.1, 0.2}}, {0.1875, 20, 0, 0, {0.3, 0.4}}};
    search.polish->best_replicate = 0;
    search.success_below = 0.15;
    search.known_minimum = 0.125;
    const auto summary = summary_of(search);
    EXPECT_EQ(summary["best"]["energy"], 0.25);
    EXPECT_EQ(summary["polished"],
              json({{"energy", 0.125}, {"replicate", 0}, {"energies", 10}, {"gradients", 8}, {"state", {0.1, 0.2}}}));
    EXPECT_EQ(summary["replicates"][0]["polish_evaluations"], 18);
    EXPECT_EQ(summary["replicates"][1]["polished"], 0.1875);
    EXPECT_EQ(summary["replicates"][1]["evaluations"], 1000); // apart
    EXPECT_EQ(summary["diagnostics"]["success_rate"], 0);
    EXPECT_EQ(summary["diagnostics"]["success_rate_polished"], 0.5);
    EXPECT_EQ(summary["verdict"], "the known minimum was found (to 1e-6); 1 of 2 replicates found the best energy (to "
                                  "1e-6); the worst is 0.0625 above it; polished");
    EXPECT_THAT(text(), HasSubstr("polished    0.125   (by 10 energies and 8 gradients more, replicate 0)"));
}

TEST_F(SearchSummary, WarnsWhereRegionsDoNotFit) {
    EXPECT_THAT(warnings_of(search_with({-0.9})), ElementsAre());
    EXPECT_THAT(warnings_of(search_with({-1.1})),
                ElementsAre("the best energy, -1.1, is below the regions, which begin at 0: all that lies below is one "
                            "region; lower algorithm.energy_low, or raise algorithm.range_iterations"));
    // The numbers are from a replicate for which the warning holds.
    EXPECT_THAT(warnings_of(search_with({-1.05, -3, 0.5})),
                ElementsAre(HasSubstr("in 2 of 3 replicates the best energy, -1.05, is below")));
    EXPECT_THAT(
        warnings_of(search_with({2.1, 0.1})),
        ElementsAre(HasSubstr("in 1 of 2 replicates the best energy, 2.1, is in the upper half of the regions")));
    auto search = search_with({0.1});
    search.replicates[0].visits = {1, 1, 1, 1, 5};
    EXPECT_THAT(warnings_of(search), ElementsAre(HasSubstr("chains were above the regions, which end at 3")));
    // Without a bias regions only count visits.
    search.replicates[0].theta.clear();
    EXPECT_THAT(warnings_of(search), ElementsAre());
}

TEST_F(SearchSummary, WarnsOfChainsThatMeetHardlyARegion) {
    auto search = search_with({0.1});
    auto& replicate = search.replicates[0];
    replicate.points = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    replicate.theta.assign(10, 0.0);
    replicate.visits.assign(10, 0);
    replicate.visits[0] = 90;
    replicate.visits[3] = 10;
    EXPECT_THAT(warnings_of(search),
                ElementsAre(HasSubstr("chains met 2 of 10 regions, from 0 to 8: theta says nothing")));
    replicate.visits[7] = 1;
    EXPECT_THAT(warnings_of(search), ElementsAre());
    // Chains above all regions have only that warning.
    replicate.visits = {0, 0, 0, 0, 0, 0, 0, 0, 0, 90};
    EXPECT_THAT(warnings_of(search), ElementsAre(HasSubstr("chains were above the regions")));
}

TEST_F(SearchSummary, WarnsOfTruncationsAndUselessOperations) {
    auto search = search_with({0.1, 0.1});
    search.replicates[1].truncations = 1;
    for (auto& replicate : search.replicates)
        replicate.counts[1] = {2000, 1};
    EXPECT_THAT(warnings_of(search), ElementsAre(HasSubstr("in 1 of 2 replicates the bias theta left its bounds"),
                                                 HasSubstr("jump was accepted in 2 of 4000 proposals")));
}

TEST_F(SearchSummary, WarnsOfGradientsThatAreNone) {
    auto search = search_with({0.5});
    search.polish.emplace();
    search.polish->replicates = {{0.25, 10, 8, 5e-4, {0.1, 0.2}}};
    EXPECT_THAT(warnings_of(search), ElementsAre());
    search.polish->replicates[0].gradient_error = 2e-3;
    EXPECT_THAT(warnings_of(search), ElementsAre(HasSubstr("gradient() is not the slope of its energy()")));
}

} // namespace
} // namespace pearlite::app
