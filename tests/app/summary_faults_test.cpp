// A part of a summary that fails, or has an odd name or number, costs no other. Catches estimates that are lost.
#include "app/written/summary.hpp"

#include <gtest/gtest.h>

namespace pearlite::app {
namespace {

/// Contributes what an estimator or a user's file may bring along.
class OddPart final : public ResultPart {
  public:
    void write_summary(SummaryParts& summary) const override {
        summary.entries["odd"] = {{"name", "gr\xf6\xdf\x65"},
                                  {"nan", std::numeric_limits<double>::quiet_NaN()},
                                  {"values", {1.0, -std::numeric_limits<double>::infinity()}}};
    }
};

class FailingPart final : public ResultPart {
  public:
    void write_summary(SummaryParts&) const override { throw std::runtime_error("no such state"); }
};

class Number final : public ResultPart {
  public:
    std::optional<Headline> headline() const override {
        Headline headline;
        headline.label = "log evidence";
        headline.value = -62.5;
        headline.standard_error = 0.5;
        return headline;
    }
};

RunResult result_with_faults() {
    ResultParts parts;
    parts.push_back(std::make_unique<OddPart>());
    parts.push_back(std::make_unique<FailingPart>());
    parts.push_back(std::make_unique<Number>());
    return result_of(std::move(parts), {"predictions left out: out of range"});
}

TEST(SummaryFaults, EstimatesAreWritten) {
    const auto text = summary_text(RunFacts(), result_with_faults());
    const auto summary = Json::parse(text);
    EXPECT_EQ(summary["headline"]["value"], -62.5);
    EXPECT_EQ(summary["headline"]["support"]["word"], "supported");
    EXPECT_EQ(summary["odd"]["nan"], "nan");
    EXPECT_EQ(summary["odd"]["values"][1], "-inf");
    EXPECT_EQ(summary["odd"]["name"], "gr\xef\xbf\xbd\xef\xbf\xbd\x65");
    const auto warnings = summary["diagnostics"]["warnings"].dump();
    EXPECT_NE(warnings.find("no such state"), std::string::npos);
    EXPECT_NE(warnings.find("predictions left out"), std::string::npos);
}

TEST(SummaryFaults, AnEntryOfAnotherFormHidesNoOther) {
    auto summary = Json::parse(summary_text(RunFacts(), result_with_faults()));
    summary["posterior"] = {{{"name", 7}}};
    const auto shown = describe_text(summary.dump());
    EXPECT_NE(shown.find("log evidence: -62.5"), std::string::npos);
    EXPECT_NE(shown.find("cannot be shown"), std::string::npos);
}

} // namespace
} // namespace pearlite::app
