/// Parts of the Ising model for forward and reverse annealing: random sites, reversed sweeps, ground states, swaps.
/// False-alarm rates: 1e-6 of each chi-square, 2e-6 of each z.

#include "models/lattice/ising.hpp"
#include "models/lattice_reversal.hpp"
#include "pearlite/core/error.hpp"
#include "pearlite/random/stream.hpp"
#include "random/statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <map>
#include <vector>

namespace pearlite::models {
namespace {

using Move = IsingSettings::Move;
using Update = IsingSettings::Update;
using model::BlockStreams;

BlockStreams streams_at(std::uint64_t seed, Index step, Index block = 0) {
    return {seed, static_cast<std::uint32_t>(step), 0, 512 * block, block};
}

TEST(IsingWork, ReversedMovesReverse) {
    std::vector<std::byte> states;
    for (int state = 0; state < 16; ++state)
        states.push_back(std::byte(state));
    for (const auto move : {Move::metropolis, Move::heat_bath}) {
        const Ising sweeping({.size = 2, .move = move});
        EXPECT_GT(testing::p_value_of_reversal(sweeping, states, 0.15, false), 1e-6);
        EXPECT_LT(testing::p_value_of_reversal(sweeping, states, 0.15, true), 1e-6); // a sweep is not its own reversal
        const Ising random({.size = 2, .move = move, .update = Update::random_site, .flips = 3});
        EXPECT_GT(testing::p_value_of_reversal(random, states, 0.15, false), 1e-6);
    }
}

/// Mean of w = f_1/f_0 along annealing over its exact value; one mean per block, whose chains share their sites.
double annealing_z(const Ising& ising, bool reversed, double exact) {
    std::vector<double> means;
    for (Index n = 0; n < 60; ++n) {
        auto block = ising.make_block(512);
        std::vector<double> log_w(512, 0.0);
        ising.draw_start(block, streams_at(2, 0, n));
        for (Index k = 1; k <= 40; ++k) {
            const double from = 0.44 * static_cast<double>(k - 1) / 40, to = 0.44 * static_cast<double>(k) / 40;
            ising.add_log_ratio(block, from, to, log_w);
            reversed ? ising.move_reversed(block, to, streams_at(2, k, n)) : ising.move(block, to, streams_at(2, k, n));
        }
        double mean = 0;
        for (const double lw : log_w)
            mean += std::exp(lw - exact) / 512;
        means.push_back(mean);
    }
    double mean = 0, square = 0;
    for (const double m : means)
        mean += m / 60;
    for (const double m : means)
        square += (m - mean) * (m - mean);
    return (mean - 1) / std::sqrt(square / (60 * 59));
}

TEST(IsingWork, AnnealingByRandomSitesAndByReversedSweeps) {
    for (const auto move : {Move::metropolis, Move::heat_bath}) {
        const Ising random({.size = 4, .move = move, .update = Update::random_site, .flips = 20});
        const Ising sweeping({.size = 5, .move = move});
        EXPECT_LT(std::fabs(annealing_z(random, false, *random.exact_log_ratio(0.44))), 5);
        EXPECT_LT(std::fabs(annealing_z(random, true, *random.exact_log_ratio(0.44))), 5);
        EXPECT_LT(std::fabs(annealing_z(sweeping, true, *sweeping.exact_log_ratio(0.44))), 5);
        EXPECT_GT(std::fabs(annealing_z(sweeping, true, *sweeping.exact_log_ratio(0.44) + 0.1)), 5);
    }
}

TEST(IsingWork, SitesAreDrawnUniformlyAndAfresh) {
    // At b = 0 Metropolis flips every visited spin: visits can be counted by their parity.
    const Ising ising({.size = 3, .update = Update::random_site, .flips = 1});
    std::map<Index, double> visits;
    for (Index n = 0; n < 9000; ++n) {
        auto block = ising.make_block(1);
        ising.move(block, 0, streams_at(3, n, 0)); // all spins were down
        for (Index site = 0; site < 9; ++site)
            if ((block.planes()[static_cast<std::size_t>(site)].words[0] & 1) != 0)
                visits[site] += 1;
    }
    double statistic = 0;
    for (Index site = 0; site < 9; ++site)
        statistic += std::pow(visits[site] - 1000, 2) / 1000;
    EXPECT_GT(random::testing::chi_squared_p_value(statistic, 8), 1e-6);
}

TEST(IsingWork, GroundStates) {
    for (const double coupling : {1.0, -0.7}) {
        const Ising ising({.size = 6, .coupling = coupling});
        auto block = ising.make_block(512);
        ising.set_mode(block, 1, streams_at(4, 0));
        Index up = 0;
        for (Index chain = 0; chain < 512; ++chain) {
            EXPECT_EQ(block.bond_sums()[static_cast<std::size_t>(chain)], coupling > 0 ? 72 : -72);
            up += static_cast<Index>(block.planes()[0].words[static_cast<std::size_t>(chain / 64)] >> (chain % 64) & 1);
        }
        EXPECT_NEAR(static_cast<double>(up), 256, 5 * 11.3);
    }
    const Ising frustrated({.size = 3, .coupling = -1});
    auto block = frustrated.make_block(1);
    EXPECT_THROW(frustrated.set_mode(block, 1, streams_at(4, 0)), InputError);
}

TEST(IsingWork, StatesSwap) {
    const Ising ising({.size = 4});
    auto a = ising.make_block(100), b = ising.make_block(100);
    ising.draw_start(a, streams_at(5, 0, 0));
    ising.draw_start(b, streams_at(5, 0, 1));
    std::vector<std::uint8_t> which(100);
    which[3] = which[64] = which[99] = 1;
    const auto was_a = a, was_b = b;
    ising.swap_states(a, b, which);
    std::vector<std::byte> x(a.packed_bytes()), y(x);
    for (Index i = 0; i < 100; ++i) {
        const bool swapped = which[static_cast<std::size_t>(i)] != 0;
        a.pack(i, x);
        (swapped ? was_b : was_a).pack(i, y);
        EXPECT_EQ(x, y);
        EXPECT_EQ(a.bond_sums()[static_cast<std::size_t>(i)],
                  (swapped ? was_b : was_a).bond_sums()[static_cast<std::size_t>(i)]);
    }
}

TEST(IsingWork, RefusesFlipsOutOfRange) {
    EXPECT_THROW(Ising({.flips = -1}), InputError);
    EXPECT_THROW(Ising({.flips = Ising::largest_flips + 1}), InputError);
}

} // namespace
} // namespace pearlite::models
