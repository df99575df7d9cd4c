// Posterior summaries of sharded draws: the same bits on any number of ranks, and those of the gathered draws.
#include "estimator/posterior.hpp"

#include "population/uneven_layouts.hpp"
#include "population/weight_cases.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace pearlite::estimator {
namespace {

using namespace population::testing;
using parallel::BlockLayout;
using parallel::Communicator;

const std::vector<std::string> names{"far", "wide", "discrete"};

Matrix draws_of(Index size) {
    random::Stream stream({72, random::Purpose::test, static_cast<std::uint64_t>(size), 0});
    Matrix draws(3, size);
    for (Index i = 0; i < size; ++i)
        draws.col(i) << 1e4 + stream.normal(), std::exp(3 * stream.normal()), static_cast<double>(stream.index(5));
    return draws;
}

std::vector<std::int64_t> eves_of(Index size, Index families) {
    std::vector<std::int64_t> eves;
    for (Index i = 0; i < size; ++i)
        eves.push_back((i * 7919) % std::min(size, families));
    return eves;
}

std::vector<PosteriorSummary> summarise_shards(const Communicator& ranks, const BlockLayout& layout,
                                               const Matrix& draws, const std::vector<double>& log_weights,
                                               const std::vector<std::int64_t>& eves) {
    return summarise_posterior(ranks, layout, names, draws.middleCols(layout.first_local_item(), layout.local_items()),
                               local_part(log_weights, layout),
                               population::Families(ranks, layout.size(), local_part(eves, layout)));
}

template <class Compare>
void compare_all(const PosteriorSummary& a, const PosteriorSummary& b, Compare&& compare) {
    EXPECT_EQ(a.name, b.name);
    compare(a.mean, b.mean);
    compare(a.sd, b.sd);
    compare(a.mcse, b.mcse);
    compare(a.ess, b.ess);
    for (const auto quantile :
         {&PosteriorSummary::quantile_025, &PosteriorSummary::quantile_250, &PosteriorSummary::quantile_500,
          &PosteriorSummary::quantile_750, &PosteriorSummary::quantile_975})
        EXPECT_EQ(a.*quantile, b.*quantile) << a.name;
}

TEST(PosteriorMpi, SummariesAreTheSameOnAnyNumberOfRanks) {
    const auto ranks = Communicator::world(), alone = Communicator::alone();
    for (const Index size : {1, 33, 700})
        for (const auto& weights : weight_cases(size))
            for (const Index families : {4, 60}) {
                const Matrix draws = draws_of(size);
                const auto eves = eves_of(size, families);
                const auto one = summarise_shards(alone, BlockLayout(size, 4, 1, 0), draws, weights.log_weights, eves);
                for (const auto& layout : uneven_layouts(ranks, size, 4)) {
                    const auto many = summarise_shards(ranks, layout, draws, weights.log_weights, eves);
                    for (std::size_t k = 0; k < names.size(); ++k)
                        compare_all(one[k], many[k], [](double a, double b) {
                            EXPECT_TRUE(a == b || (std::isnan(a) && std::isnan(b))) << a << " " << b;
                        });
                }
            }
}

TEST(PosteriorMpi, SummariesAreThoseOfTheGatheredDraws) {
    const auto ranks = Communicator::world();
    for (const Index size : {33, 701}) // p times either is no integer: there the gathered sum's rounding decides
        for (const auto& weights : weight_cases(size)) {
            if (weights.name == "single") // one draw has neither spread nor families
                continue;
            const Matrix draws = draws_of(size);
            for (const Index families : {4, 60}) {
                const auto eves = eves_of(size, families);
                const auto gathered = summarise_posterior(names, draws, weights.log_weights, eves);
                const BlockLayout layout(size, 4, ranks.size(), ranks.rank());
                const auto sharded = summarise_shards(ranks, layout, draws, weights.log_weights, eves);
                for (std::size_t k = 0; k < names.size(); ++k)
                    compare_all(sharded[k], gathered[k], [&](double a, double b) {
                        EXPECT_TRUE(a == b || std::abs(a - b) <= 1e-7 * (std::abs(b) + 1e-4) ||
                                    (std::isnan(a) && std::isnan(b)))
                            << weights.name << " " << names[k] << " " << a << " " << b;
                    });
            }
        }
}

TEST(PosteriorMpi, ADrawOfNoWeightMayBeInfinite) {
    const auto ranks = Communicator::world();
    Matrix draws = draws_of(40);
    std::vector<double> log_weights(40, -1.0);
    draws(1, 17) = std::numeric_limits<double>::infinity();
    log_weights[17] = log_zero;
    const BlockLayout layout(40, 4, ranks.size(), ranks.rank());
    const auto summary = summarise_shards(ranks, layout, draws, log_weights, eves_of(40, 40))[1];
    EXPECT_TRUE(std::isfinite(summary.mean) && summary.mcse > 0 && std::isfinite(summary.quantile_975));
}

} // namespace
} // namespace pearlite::estimator
