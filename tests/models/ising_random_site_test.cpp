/// The Ising model at random sites: its bits against a plain program, and its mean energy against Kaufman's formula.
/// The 512 chains of a block visit the same sites, so standard errors are those of blocks. Seeds are fixed; the
/// false-alarm rates are those of a new seed.

#include "models/lattice/ising.hpp"

#include "models/ising_oracle.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <vector>

namespace pearlite::models {
namespace {

using Move = IsingSettings::Move;
using Update = IsingSettings::Update;
using model::BlockStreams;
using testing::IsingOracle;

BlockStreams streams_at(std::uint32_t step, Index block = 3) {
    return {808, step, 0, 512 * block, block};
}

bool equal_planes(const IsingBlock& a, const IsingBlock& b) {
    const auto same = [](const SpinPlane& p, const SpinPlane& q) { return p.words == q.words; };
    return std::equal(a.planes().begin(), a.planes().end(), b.planes().begin(), b.planes().end(), same);
}

class IsingRandomSiteBits : public ::testing::TestWithParam<std::tuple<Index, double, Move, Index>> {
  protected:
    IsingSettings settings() const {
        const auto [size, coupling, move, flips] = GetParam();
        return {size, coupling, move, Update::random_site, flips};
    }
};

TEST_P(IsingRandomSiteBits, SpinsAndSumsAreThoseOfThePlainProgram) {
    const Ising ising(settings());
    const IsingOracle oracle(settings());
    IsingBlock block = ising.make_block(512);
    ising.draw_start(block, streams_at(0));
    IsingBlock reference = block;
    std::uint32_t step = 0;
    for (const double b : {0.3, 0.0, 0.44, 60.0}) { // 60: thresholds that round to 0
        for (const bool reversed : {false, true}) { // the reversal of a move at random sites is the same move
            const auto streams = streams_at(++step);
            reversed ? ising.move_reversed(block, b, streams) : ising.move(block, b, streams);
            oracle.visit(reference, oracle.drawn_sites(streams), testing::oracle_table(b, settings().coupling),
                         streams);
            ASSERT_TRUE(equal_planes(block, reference)) << "b = " << b << (reversed ? ", reversed" : "");
        }
        for (int chain = 0; chain < 512; ++chain) {
            ASSERT_EQ(block.bond_sums()[static_cast<std::size_t>(chain)],
                      oracle.bond_sum(oracle.chain_spins(block, chain)))
                << "chain " << chain;
        }
    }
}

// 1, 17 and 100 visits: less than the 16 that are drawn in one go, one more, and an incomplete last go; 0: L^2.
INSTANTIATE_TEST_SUITE_P(Lattices, IsingRandomSiteBits,
                         ::testing::Combine(::testing::Values<Index>(2, 3, 5, 8), ::testing::Values(1.0, -0.8),
                                            ::testing::Values(Move::metropolis, Move::heat_bath),
                                            ::testing::Values<Index>(0, 1, 17, 100)));

TEST(IsingRandomSite, AnotherOrderOfTheSameSitesIsNoticed) {
    for (const Move move : {Move::metropolis, Move::heat_bath}) {
        const IsingSettings settings{.size = 5, .move = move, .update = Update::random_site, .flips = 100};
        const Ising ising(settings);
        const IsingOracle oracle(settings);
        IsingBlock block = ising.make_block(512);
        ising.draw_start(block, streams_at(0));
        IsingBlock reference = block;
        ising.move(block, 0.3, streams_at(1));
        auto sites = oracle.drawn_sites(streams_at(1));
        std::reverse(sites.begin(), sites.end());
        oracle.visit(reference, sites, testing::oracle_table(0.3, 1), streams_at(1));
        EXPECT_FALSE(equal_planes(block, reference));
    }
}

TEST(IsingRandomSite, WordsThatFavourSitesAreReplaced) {
    // For 300 x 300 sites, 77296 of the 2^32 words would favour some sites. At b = 0 Metropolis flips every visited
    // spin, so that the parity of visits shows which sites were drawn.
    const IsingSettings settings{.size = 300, .update = Update::random_site, .flips = 600'000};
    const Ising ising(settings);
    const auto sites = IsingOracle(settings).drawn_sites(streams_at(1));
    std::vector<std::uint32_t> words(sites.size());
    random::fill_bits(streams_at(1).shared(random::Purpose::site), words);
    std::vector<std::uint64_t> visits(300 * 300), without_replacement(visits);
    for (std::size_t v = 0; v < sites.size(); ++v) {
        ++visits[static_cast<std::size_t>(sites[v])];
        ++without_replacement[std::uint64_t{words[v]} * 90000 >> 32];
    }
    IsingBlock block = ising.make_block(1); // all spins down
    ising.move(block, 0, streams_at(1));
    bool twin_agrees = true;
    for (std::size_t site = 0; site < visits.size(); ++site) {
        const std::uint64_t up = block.planes()[site].words[0] & 1;
        ASSERT_EQ(up, visits[site] % 2) << "site " << site;
        twin_agrees = twin_agrees && up == without_replacement[site] % 2;
    }
    EXPECT_FALSE(twin_agrees);
}

/// Distance of the mean energy per block at b from Kaufman's at `exact_b`, in standard errors of 40 independent starts;
/// a move is as many flips as sites.
double energy_z(Index size, Move move, double b, double exact_b) {
    constexpr Index n_blocks = 40;
    constexpr std::uint32_t burn_in = 600, moves = 600, between = 5;
    const Ising ising({.size = size, .move = move, .update = Update::random_site});
    Eigen::ArrayXd energies = Eigen::ArrayXd::Zero(n_blocks);
    for (Index n = 0; n < n_blocks; ++n) {
        IsingBlock block = ising.make_block(512);
        ising.draw_start(block, streams_at(0, n));
        std::vector<double> u(512);
        for (std::uint32_t step = 1; step <= burn_in + moves; ++step) {
            ising.move(block, b, streams_at(step, n));
            if (step <= burn_in || step % between != 0)
                continue;
            ising.path_derivative(block, b, u);
            energies[n] -= Eigen::Map<const Eigen::ArrayXd>(u.data(), 512).mean() * between / moves;
        }
    }
    const double step = 1e-5;
    const double exact =
        -(ising_log_partition(size, size, exact_b + step) - ising_log_partition(size, size, exact_b - step)) /
        (2 * step);
    const double variance = (energies - energies.mean()).square().sum() / (n_blocks - 1);
    return (energies.mean() - exact) / std::sqrt(variance / n_blocks);
}

class IsingRandomSiteEnergy : public ::testing::TestWithParam<std::tuple<Move, double>> {};

TEST_P(IsingRandomSiteEnergy, IsKaufmans) { // 4 standard errors with 39 degrees of freedom: false alarm 3e-4 each
    const auto [move, b] = GetParam();
    EXPECT_LT(std::abs(energy_z(8, move, b, b)), 4);
}

TEST_P(IsingRandomSiteEnergy, TwoPercentOfTemperatureIsNoticed) {
    const auto [move, b] = GetParam();
    EXPECT_GT(std::abs(energy_z(8, move, 1.02 * b, b)), 8);
    EXPECT_GT(std::abs(energy_z(8, move, 0.98 * b, b)), 8);
}

INSTANTIATE_TEST_SUITE_P(Temperatures, IsingRandomSiteEnergy,
                         ::testing::Combine(::testing::Values(Move::metropolis, Move::heat_bath),
                                            ::testing::Values(0.3, 0.44)));

} // namespace
} // namespace pearlite::models
