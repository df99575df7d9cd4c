#include "app/sweep/journal.hpp"

#include "pearlite/core/types.hpp"

#include <gtest/gtest.h>

using namespace pearlite;
using namespace pearlite::app;

namespace {

TEST(SweepScalars, NamesArePathsAndLabels) {
    const auto summary = Json::parse(R"({
        "schema": 1, "seed": 7, "ranks": 2, "block": 16, "verdict": "good",
        "log_evidence": [
            {"estimator": "product", "quantity": "log_ratio", "value": 1.5, "interval95": [1, 2], "exact": "inf"},
            {"estimator": "product", "quantity": "log_ratio", "value": 2.5, "error_method": "bootstrap"},
            {"estimator": "bar", "value": 3}],
        "posterior": [{"name": "x", "quantiles": {"0.5": -1}}],
        "replicates": [{"best": 4}, {"best": 5}],
        "best": {"state": [1, 2, 3]},
        "diagnostics": {"ess": 9, "warnings": ["a", "b"]}})");
    const std::vector<Scalar> expected{{"log_evidence.product.log_ratio.value", 1.5},
                                       {"log_evidence.product.log_ratio.interval95.low", 1},
                                       {"log_evidence.product.log_ratio.interval95.high", 2},
                                       {"log_evidence.product.log_ratio.exact", infinity},
                                       {"log_evidence.product.log_ratio.bootstrap.value", 2.5},
                                       {"log_evidence.bar.value", 3},
                                       {"posterior.x.quantiles.0.5", -1},
                                       {"replicates.0.best", 4},
                                       {"replicates.1.best", 5},
                                       {"diagnostics.ess", 9},
                                       {"warnings", 2}};
    EXPECT_EQ(scalars_of(summary), expected);
}

TEST(SweepScalars, TheHeadlineIsTheFirstEstimateOrTheBestEnergy) {
    EXPECT_EQ(
        headline_of({"log_evidence.bar.log_ratio.value", "log_evidence.product.log_ratio.value", "diagnostics.ess"}),
        (std::vector<std::string>{"log_evidence.bar.log_ratio.value", "diagnostics.ess"}));
    EXPECT_EQ(headline_of({"best.energy", "timing.wall_seconds", "x"}),
              (std::vector<std::string>{"best.energy", "timing.wall_seconds"}));
}

} // namespace
