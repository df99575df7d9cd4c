// Importance estimates of sharded weights: the same bits on any number of ranks, and those of the gathered weights.
#include "estimator/plain/importance.hpp"

#include "core/log_space.hpp"
#include "estimator/shards_of.hpp"
#include "pearlite/core/error.hpp"
#include "population/weight_cases.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace pearlite::estimator {
namespace {

using namespace population::testing;
using estimator::testing::shard;
using estimator::testing::whole;
using parallel::Communicator;

void expect_equal(const Estimate& a, const Estimate& b) {
    EXPECT_EQ(a.value, b.value);
    EXPECT_EQ(a.standard_error, b.standard_error);
    ASSERT_EQ(a.interval95.has_value(), b.interval95.has_value());
    if (a.interval95) {
        EXPECT_EQ(a.interval95->low, b.interval95->low);
        EXPECT_EQ(a.interval95->high, b.interval95->high);
    }
    EXPECT_EQ(a.note, b.note);
}

TEST(ImportanceMpi, EstimatesAreTheSameOnAnyNumberOfRanks) {
    const auto ranks = Communicator::world();
    for (const Index size : {1, 2, 33, 700})
        for (const auto& weights : weight_cases(size)) {
            const auto one = importance_estimate(whole(weights.log_weights, 8), 3, 100, 1);
            for (const auto& layout : uneven_layouts(ranks, size, 8)) {
                const auto many = importance_estimate(shard(ranks, layout, weights.log_weights), 3, 100, 1);
                expect_equal(one.delta, many.delta);
                expect_equal(one.bootstrap, many.bootstrap);
                EXPECT_EQ(one.ess, many.ess);
                EXPECT_EQ(one.skewness_of_mean, many.skewness_of_mean);
                EXPECT_TRUE(one.variance_log_weight == many.variance_log_weight ||
                            (std::isnan(one.variance_log_weight) && std::isnan(many.variance_log_weight)));
            }
        }
}

TEST(ImportanceMpi, EstimatesAreThoseOfTheGatheredWeights) {
    const auto ranks = Communicator::world();
    for (const Index size : {2, 33, 700})
        for (const auto& weights : weight_cases(size)) {
            const auto gathered = importance_estimate(weights.log_weights, 3, 2, 1);
            const parallel::BlockLayout layout(size, 8, ranks.size(), ranks.rank());
            const auto sharded = importance_estimate(shard(ranks, layout, weights.log_weights), 3, 2, 1);
            const auto near = [&](double a, double b) {
                EXPECT_TRUE(std::abs(a - b) <= 1e-12 * (1 + std::abs(b)) || (std::isnan(a) && std::isnan(b)))
                    << weights.name << " " << a << " " << b;
            };
            near(sharded.delta.value, gathered.delta.value);
            near(sharded.ess, gathered.ess);
            if (weights.name != "equal") // where it is the rounding of 0 over that of 0
                near(sharded.skewness_of_mean, gathered.skewness_of_mean);
            near(sharded.variance_log_weight, gathered.variance_log_weight);
            ASSERT_EQ(sharded.delta.standard_error.has_value(), gathered.delta.standard_error.has_value());
            if (gathered.delta.standard_error) {
                EXPECT_NEAR(*sharded.delta.standard_error, *gathered.delta.standard_error, 1e-9);
            }
            EXPECT_EQ(sharded.delta.note, gathered.delta.note);
        }
}

TEST(ImportanceMpi, NotANumberOnOneRankIsAnErrorOnAll) {
    const auto ranks = Communicator::world();
    std::vector<double> log_weights(40, 0.0);
    log_weights[39] = std::nan("");
    const parallel::BlockLayout layout(40, 4, ranks.size(), ranks.rank());
    EXPECT_THROW(importance_estimate(shard(ranks, layout, log_weights), 1), NumericalError);
}

} // namespace
} // namespace pearlite::estimator
