// A finding that is outweighed must not decide, and a sampler's own sentence must not hide a contradiction.
#include "app/result/verdict.hpp"

#include <gtest/gtest.h>

namespace pearlite::app {
namespace {

using Weight = Finding::Weight;

TEST(Verdict, TheHeaviestFindingDecides) {
    const auto support = [](std::vector<Finding> findings, const std::vector<std::string>& warnings = {}) {
        Headline headline;
        headline.findings = std::move(findings);
        return headline.verdict(warnings).support;
    };
    EXPECT_EQ(support({}), Support::supported);
    EXPECT_EQ(support({{"a", Weight::note}}), Support::supported);
    EXPECT_EQ(support({}, {"a warning"}), Support::doubtful);
    EXPECT_EQ(support({{"a", Weight::note}, {"b", Weight::doubt}}), Support::doubtful);
    EXPECT_EQ(support({{"a", Weight::confirmation}}, {"a warning"}), Support::supported);
    EXPECT_EQ(support({{"a", Weight::no_error_bar}, {"b", Weight::doubt}}), Support::withheld);
    EXPECT_EQ(support({{"a", Weight::no_value}, {"b", Weight::no_error_bar}}), Support::refused);
    EXPECT_EQ(support({{"a", Weight::contradiction}}, {"a warning"}), Support::contradicted);
}

TEST(Verdict, SentencesAreThoseOfTheAccountButForContradictions) {
    Headline headline;
    headline.account = "the sampler's own";
    EXPECT_EQ(headline.verdict({"a warning"}).sentence, "the sampler's own");
    headline.findings = {{"a", Weight::contradiction, "off by far"}};
    EXPECT_EQ(headline.verdict({}).sentence, "off by far");
    headline = {};
    headline.findings = {{"a", Weight::note, "looks well"}};
    EXPECT_EQ(headline.verdict({}).sentence, "looks well");
    EXPECT_EQ(headline.verdict({"a warning"}).sentence, "an error bar is given, but the diagnostics carry warnings");
    EXPECT_TRUE(is_supported("supported"));
    EXPECT_FALSE(is_supported("doubtful"));
}

} // namespace
} // namespace pearlite::app
