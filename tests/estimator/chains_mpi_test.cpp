// Summaries of chains that live with their owners: the same bits on any number of ranks, and those of gathered chains.
#include "estimator/plain/chains.hpp"

#include "pearlite/random/stream.hpp"
#include "population/uneven_layouts.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace pearlite::estimator {
namespace {

using parallel::Communicator;
using population::testing::uneven_layouts;

struct Chains {
    std::string name;
    Matrix draws;
};

Matrix autoregressive(Index n, Index chains, double correlation) {
    Matrix draws(n, chains);
    for (Index c = 0; c < chains; ++c) {
        random::Stream stream({93, random::Purpose::test, static_cast<std::uint64_t>(c), 0});
        double x = stream.normal();
        for (Index i = 0; i < n; ++i) {
            draws(i, c) = 50 + x;
            x = correlation * x + std::sqrt(1 - correlation * correlation) * stream.normal();
        }
    }
    return draws;
}

/// That mix and that hardly do, antithetic ones, of an odd length, with ties, apart, stuck, broken, only one, and
/// short.
std::vector<Chains> chain_cases() {
    std::vector<Chains> cases{{"mixing", autoregressive(400, 7, 0.5)},
                              {"slow", autoregressive(300, 5, 0.97)},
                              {"antithetic", autoregressive(200, 4, -0.6)},
                              {"odd", autoregressive(101, 3, 0.2)},
                              {"ties", autoregressive(200, 6, 0.5)},
                              {"apart", autoregressive(200, 6, 0.5)},
                              {"alike", Matrix::Ones(50, 4)},
                              {"broken", autoregressive(60, 4, 0)},
                              {"alone", autoregressive(500, 1, 0.5)},
                              {"short", autoregressive(4, 3, 0)}};
    cases[4].draws = cases[4].draws.array().round().matrix().eval();
    cases[5].draws.col(2).array() += 2;
    cases[7].draws(3, 1) = std::numeric_limits<double>::infinity();
    return cases;
}

template <class Compare>
void compare_all(const ChainSummary& a, const ChainSummary& b, Compare&& compare) {
    compare(a.r_hat, b.r_hat, "R-hat");
    compare(a.bulk_ess, b.bulk_ess, "bulk ESS");
    compare(a.tail_ess, b.tail_ess, "tail ESS");
    const auto &p = a.posterior, &q = b.posterior;
    EXPECT_EQ(p.name, q.name);
    compare(p.mean, q.mean, "mean");
    compare(p.sd, q.sd, "sd");
    compare(p.mcse, q.mcse, "mcse");
    compare(p.ess, q.ess, "ESS");
    compare(p.quantile_025, q.quantile_025, "2.5 %");
    compare(p.quantile_250, q.quantile_250, "25 %");
    compare(p.quantile_500, q.quantile_500, "50 %");
    compare(p.quantile_750, q.quantile_750, "75 %");
    compare(p.quantile_975, q.quantile_975, "97.5 %");
}

TEST(ChainsMpi, SummariesAreTheSameOnAnyNumberOfRanks) {
    const auto ranks = Communicator::world(), alone = Communicator::alone();
    for (const auto& chains : chain_cases()) {
        SCOPED_TRACE(chains.name);
        const auto one = summarise_chains(alone, {"x"}, {chains.draws}).front();
        for (const auto& layout : uneven_layouts(ranks, chains.draws.cols(), 1)) {
            const Matrix mine = chains.draws.middleCols(layout.first_local_item(), layout.local_items());
            compare_all(one, summarise_chains(ranks, {"x"}, {mine}).front(), [](double a, double b, const char* what) {
                EXPECT_TRUE(a == b || (std::isnan(a) && std::isnan(b))) << what << " " << a << " " << b;
            });
        }
    }
}

TEST(ChainsMpi, SummariesAreThoseOfTheGatheredChains) {
    const auto ranks = Communicator::world();
    for (const auto& chains : chain_cases()) {
        SCOPED_TRACE(chains.name);
        const auto gathered = summarise_chains({"x"}, {chains.draws}).front();
        const parallel::BlockLayout layout(chains.draws.cols(), 1, ranks.size(), ranks.rank());
        const Matrix mine = chains.draws.middleCols(layout.first_local_item(), layout.local_items());
        compare_all(summarise_chains(ranks, {"x"}, {mine}).front(), gathered, [](double a, double b, const char* what) {
            EXPECT_TRUE(a == b || std::abs(a - b) <= 1e-10 * std::abs(b) || (std::isnan(a) && std::isnan(b)))
                << what << " " << a << " " << b;
        });
    }
}

} // namespace
} // namespace pearlite::estimator
