#include "algorithm/common/chain_outcome.hpp"

#include "pearlite/random/stream.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace pearlite::algorithm {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

auto summaries_of(const Matrix& draws) {
    return estimator::summarise_chains(parallel::Communicator::alone(), {"x"}, {draws});
}

/// Independent draws of n x 4, each chain shifted by `shift` against the one before.
ChainOutcome chains_of(Index n, double shift) {
    random::Stream stream({1, random::Purpose::test, 0, 0});
    Matrix draws(n, 4);
    for (Index c = 0; c < 4; ++c)
        for (Index i = 0; i < n; ++i)
            draws(i, c) = stream.normal() + shift * static_cast<double>(c);
    return {summaries_of(draws), {0.3, 0.3, 0.2, 0.4}, {9, 12, 15, 8}, n};
}

double value_of(const Outcome& outcome, const std::string& name) {
    for (const auto& diagnostic : outcome.diagnostics)
        if (diagnostic.name == name)
            return diagnostic.value;
    return -1;
}

TEST(ChainOutcome, ChainsThatAgreeAreBelieved) {
    const auto outcome = judge_chains(chains_of(1000, 0));
    EXPECT_THAT(outcome.warnings, IsEmpty());
    EXPECT_THAT(outcome.log_ratio, IsEmpty());
    EXPECT_THAT(outcome.verdict, HasSubstr("agree"));
    EXPECT_LT(value_of(outcome, "largest_r_hat"), 1.01);
    EXPECT_NEAR(value_of(outcome, "acceptance"), 0.3, 1e-12);
    EXPECT_EQ(value_of(outcome, "longest_stay"), 15);
    EXPECT_GT(outcome.ess, 3000);
}

TEST(ChainOutcome, ChainsThatDisagreeAreNot) {
    const auto outcome = judge_chains(chains_of(1000, 0.3));
    EXPECT_THAT(outcome.warnings, Contains(HasSubstr("R-hat is 1.")));
    EXPECT_THAT(outcome.warnings, Contains(HasSubstr("(x)")));
    EXPECT_THAT(outcome.verdict, HasSubstr("warnings"));
}

TEST(ChainOutcome, FewDrawsAndChainsThatStickAreSaid) {
    EXPECT_THAT(judge_chains(chains_of(60, 0)).warnings, Contains(HasSubstr("below 100 per chain")));
    auto chains = chains_of(2000, 0);
    chains.longest_stay[2] = 101;
    EXPECT_THAT(judge_chains(chains).warnings, Contains(HasSubstr("chain 2 stood still for 101 of 2000")));
    chains.longest_stay[2] = 100; // a twentieth
    EXPECT_THAT(judge_chains(chains).warnings, IsEmpty());
}

TEST(ChainOutcome, ChainsThatNeverMovedAreNoPosterior) {
    const auto outcome = judge_chains({summaries_of(Matrix::Ones(50, 4)), {0, 0, 0, 0}, {50, 50, 50, 50}, 50});
    EXPECT_EQ(outcome.ess, 0);
    EXPECT_THAT(outcome.warnings, Contains(HasSubstr("R-hat is nan")));
}

TEST(ChainOutcome, PeaksOfThePilotAreCompared) {
    auto chains = chains_of(1000, 0);
    const double nan = std::nan("");
    chains.peaks = {{"the large one", 0.9, 0.02, 1, nan, 4}, {"the small one", 0.1, 0.02, 0, nan, 0}};
    EXPECT_THAT(judge_chains(chains).warnings, Contains(HasSubstr("none of the 4 chains has visited the small one")));
    chains.peaks[1].pilot_share = 0.05;
    EXPECT_THAT(judge_chains(chains).warnings, IsEmpty());
    chains.peaks = {{"the large one", 0.9, 0.02, 0.8, 0.01, 4}, {"the small one", 0.1, 0.02, 0.2, 0.01, 4}};
    EXPECT_THAT(judge_chains(chains).warnings, Contains(HasSubstr("0.2 +- 0.01 of the draws are in the small one")));
    chains.peaks[0].error = chains.peaks[1].error = 0.02;
    EXPECT_THAT(judge_chains(chains).warnings, IsEmpty()); // 3.5 joint errors
}

} // namespace
} // namespace pearlite::algorithm
