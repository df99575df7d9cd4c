// Order statistics of sharded numbers against those of all numbers sorted by one.
#include "population/selection.hpp"

#include "pearlite/core/error.hpp"
#include "population/uneven_layouts.hpp"
#include "population/weight_cases.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <numeric>

namespace pearlite::population {
namespace {

using namespace testing;
using parallel::Communicator;

/// Spread over all magnitudes, few distinct ones, all alike, with infinities, and already in order.
std::vector<std::vector<double>> value_cases(Index size) {
    std::vector<std::vector<double>> cases(5);
    random::Stream stream({64, random::Purpose::test, static_cast<std::uint64_t>(size), 0});
    for (Index i = 0; i < size; ++i) {
        cases[0].push_back(stream.normal() * std::exp(100 * stream.normal()));
        cases[1].push_back(static_cast<double>(stream.index(7)) - 3);
        cases[2].push_back(-4.5);
        cases[3].push_back(i % 5 == 0 ? std::copysign(std::numeric_limits<double>::infinity(), stream.normal())
                                      : stream.normal());
        cases[4].push_back(static_cast<double>(i));
    }
    return cases;
}

TEST(SelectionMpi, OrderStatisticsAreThoseOfAllSorted) {
    const auto ranks = Communicator::world();
    for (const Index size : {1, 2, 7, 100, 1500})
        for (const auto& values : value_cases(size))
            for (const auto& layout : uneven_layouts(ranks, size, 4)) {
                auto sorted = values;
                std::sort(sorted.begin(), sorted.end());
                std::vector<std::int64_t> targets{1, (size + 1) / 2, size, size / 3 + 1};
                const SortedShard shard(ranks, local_part(values, layout));
                EXPECT_EQ(shard.total(), size);
                const auto found = shard.at(targets);
                for (std::size_t k = 0; k < targets.size(); ++k)
                    ASSERT_EQ(found[k], sorted[static_cast<std::size_t>(targets[k] - 1)]);
            }
}

TEST(SelectionMpi, WeightedQuantilesAreThoseOfAllSorted) {
    const auto ranks = Communicator::world();
    const std::vector<double> p{0, 0.025, 0.25, 0.333, 0.5, 0.75, 0.975, 1};
    for (const Index size : {1, 2, 40, 700})
        for (const auto& values : value_cases(size))
            for (const auto& weights : weight_cases(size)) {
                const parallel::BlockLayout whole(size, 4, 1, 0);
                const auto counts = weights_as_counts(Communicator::alone(), whole, weights.log_weights);
                std::vector<std::size_t> order(values.size());
                std::iota(order.begin(), order.end(), std::size_t{0});
                std::sort(order.begin(), order.end(), [&](auto a, auto b) { return values[a] < values[b]; });
                const double total =
                    static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::int64_t{0}));
                std::vector<double> expected;
                for (const double probability : p) {
                    std::int64_t cumulated = 0;
                    for (const std::size_t i : order) {
                        cumulated += counts[i];
                        if (counts[i] > 0 && static_cast<double>(cumulated) >= std::ceil(probability * total)) {
                            expected.push_back(values[i]);
                            break;
                        }
                    }
                }
                for (const auto& layout : uneven_layouts(ranks, size, 4)) {
                    const auto mine = weights_as_counts(ranks, layout, local_part(weights.log_weights, layout));
                    ASSERT_EQ(mine, local_part(counts, layout));
                    ASSERT_EQ(weighted_quantiles(ranks, {local_part(values, layout)}, mine, p), expected);
                }
            }
    const parallel::BlockLayout layout(8, 4, ranks.size(), ranks.rank());
    EXPECT_THROW(weights_as_counts(ranks, layout, local_part(std::vector<double>(8, log_zero), layout)),
                 NumericalError);
}

TEST(SelectionMpi, RanksAreThoseOfAllSorted) {
    const auto ranks = Communicator::world();
    for (const Index size : {1, 2, 7, 100, 1500})
        for (const auto& values : value_cases(size)) {
            std::vector<double> expected;
            for (const double x : values) {
                const auto below = std::ranges::count_if(values, [&](double y) { return y < x; });
                const auto equal = std::ranges::count(values, x);
                expected.push_back(static_cast<double>(below) + 0.5 * static_cast<double>(equal + 1));
            }
            for (const auto& layout : uneven_layouts(ranks, size, 4))
                ASSERT_EQ(mean_ranks(ranks, local_part(values, layout)), local_part(expected, layout));
        }
}

TEST(SelectionMpi, ZeroHasOneSignAndNaNIsLast) {
    const auto ranks = Communicator::world();
    const std::vector<double> values{-0.0, 0.0, -1, std::nan(""), 5, 0.0};
    const parallel::BlockLayout layout(6, 1, ranks.size(), ranks.rank());
    const auto mine = local_part(values, layout);
    const std::vector<std::int64_t> targets{1, 2, 4, 5, 6};
    const auto found = SortedShard(ranks, mine).at(targets);
    EXPECT_EQ(found[0], -1);
    EXPECT_FALSE(std::signbit(found[1]));
    EXPECT_EQ(found[2], 0);
    EXPECT_EQ(found[3], 5);
    EXPECT_TRUE(std::isnan(found[4]));
    EXPECT_EQ(mean_ranks(ranks, mine), local_part(std::vector<double>{3, 3, 1, 6, 5, 3}, layout));
}

} // namespace
} // namespace pearlite::population
