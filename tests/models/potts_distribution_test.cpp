/// The distribution of the Potts model against exact answers: |z| < 5 (a false alarm once in 2e6) or 6, about 30 of
/// them on fixed seeds; chi-squares at a level of 1e-6.

#include "models/lattice/potts.hpp"
#include "models/lattice_reversal.hpp"
#include "random/statistics.hpp"
#include "support/mean_error.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <vector>

namespace pearlite::models {
namespace {

using Update = PottsSettings::Update;

model::BlockStreams streams(std::uint64_t seed, Index step, Index block = 0) {
    return {seed, static_cast<std::uint32_t>(step), 0, block * PottsBlock::chains, block};
}

/// Chi-square of counts against equal chances.
double p_value_of_uniform(const std::map<Index, double>& counts, Index n_cells) {
    double total = 0, statistic = 0;
    for (const auto& [cell, count] : counts)
        total += count;
    const double expected = total / static_cast<double>(n_cells);
    for (Index cell = 0; cell < n_cells; ++cell) {
        const auto found = counts.find(cell);
        const double count = found == counts.end() ? 0 : found->second;
        statistic += (count - expected) * (count - expected) / expected;
    }
    return random::testing::chi_squared_p_value(statistic, static_cast<double>(n_cells - 1));
}

TEST(PottsDistribution, StartsAndGroundStatesAreUniform) {
    for (const Index q : {3, 10, 16}) {
        const Potts potts({.size = 8, .colours = q});
        std::map<Index, double> start, ground;
        for (Index b = 0; b < 20; ++b) {
            auto block = potts.make_block(512);
            potts.draw_start(block, streams(2, 0, b));
            for (Index chain = 0; chain < 512; ++chain)
                for (const Index site : {0, 17, 63})
                    start[block.colour(chain, site)] += 1;
            potts.set_mode(block, 1, streams(2, 0, b));
            for (Index chain = 0; chain < 512; ++chain) {
                ground[block.colour(chain, 0)] += 1;
                ASSERT_EQ(block.equal_bonds()[static_cast<std::size_t>(chain)], 128);
            }
        }
        EXPECT_GT(p_value_of_uniform(start, q), 1e-6) << q;
        EXPECT_GT(p_value_of_uniform(ground, q), 1e-6) << q;
    }
}

using testing_support::MeanError;

/// d log Z/db by a central difference: the exact mean of u = J x equal bonds.
double exact_mean_u(const Potts& potts, double b) {
    const double h = 1e-4;
    return (*potts.exact_log_ratio(b + h) - *potts.exact_log_ratio(b - h)) / (2 * h);
}

/// z of the mean u of chains at equilibrium, one value a block: its chains may share sites.
double equilibrium_z(const Potts& potts, double b, bool reversed, double exact) {
    std::vector<double> by_block;
    for (Index n = 0; n < 24; ++n) {
        auto block = potts.make_block(512);
        potts.draw_start(block, streams(3, 0, n));
        std::vector<double> u(512);
        double sum = 0;
        for (Index step = 1; step <= 130; ++step) {
            reversed ? potts.move_reversed(block, b, streams(3, step, n)) : potts.move(block, b, streams(3, step, n));
            if (step <= 100)
                continue;
            potts.path_derivative(block, b, u);
            for (const double value : u)
                sum += value / (512 * 30);
        }
        by_block.push_back(sum);
    }
    const MeanError result(by_block);
    return (result.mean - exact) / result.error;
}

TEST(PottsDistribution, EquilibriumHasTheExactEnergy) {
    struct Case {
        PottsSettings settings;
        double b;
    };
    const std::vector<Case> cases{
        {{.size = 3, .colours = 3, .coupling = 1}, 0.5},
        {{.size = 3, .colours = 10, .coupling = 1}, 1.2},
        {{.size = 4, .colours = 4, .coupling = 1}, 0.9},
        {{.size = 4, .colours = 5, .coupling = -1}, 1.0},
        {{.size = 2, .colours = 17, .coupling = 1, .update = Update::random_site, .flips = 8}, 1.0},
        {{.size = 5, .colours = 3, .coupling = 1, .update = Update::random_site}, 0.8},
        {{.size = 6, .colours = 2, .coupling = 1}, 0.8},
    };
    for (const auto& c : cases) {
        const Potts potts(c.settings);
        const double exact = exact_mean_u(potts, c.b);
        EXPECT_LT(std::fabs(equilibrium_z(potts, c.b, false, exact)), 6)
            << c.settings.size << " " << c.settings.colours;
        EXPECT_LT(std::fabs(equilibrium_z(potts, c.b, true, exact)), 6) << c.settings.size << " " << c.settings.colours;
        EXPECT_GT(std::fabs(equilibrium_z(potts, 1.05 * c.b, false, exact)), 6) << "the wrong twin, 5 % colder";
    }
}

/// All states of a 2 x 2 lattice of 3 colours, two bits a site.
std::vector<std::byte> states_of_three_colours() {
    std::vector<std::byte> states;
    for (unsigned bits = 0; bits < 256; ++bits)
        if ((bits & bits >> 1 & 0x55) == 0)
            states.push_back(std::byte(bits));
    return states;
}

TEST(PottsDistribution, ReversedSweepsReverse) {
    const Potts potts({.size = 2, .colours = 3, .coupling = 1});
    EXPECT_GT(testing::p_value_of_reversal(potts, states_of_three_colours(), 0.6, false), 1e-6);
    EXPECT_LT(testing::p_value_of_reversal(potts, states_of_three_colours(), 0.6, true), 1e-6);
}

TEST(PottsDistribution, RandomSitesReverseToThemselves) {
    const Potts potts({.size = 2, .colours = 3, .coupling = 1, .update = Update::random_site, .flips = 3});
    EXPECT_GT(testing::p_value_of_reversal(potts, states_of_three_colours(), 0.6, false), 1e-6);
}

/// Estimates of exp(-log Z_b/Z_0) and exp(log Z_b/Z_0), divided by the exact value, minus 1: annealing from 0 to b, and
/// backwards from states at equilibrium at b. Each chain is one estimate: they are independent given the sites.
struct Annealed {
    MeanError forward, reverse;
};
Annealed annealed(const Potts& potts, double b, int steps, bool wrong_reverse_order = false) {
    const double exact = *potts.exact_log_ratio(b);
    std::vector<double> forward, reverse;
    for (Index n = 0; n < 12; ++n) {
        auto block = potts.make_block(512);
        std::vector<double> works(512), back(512);
        potts.draw_start(block, streams(8, 0, n));
        for (Index k = 1; k <= steps; ++k) {
            const double from = b * static_cast<double>(k - 1) / steps, to = b * static_cast<double>(k) / steps;
            potts.add_log_ratio(block, from, to, works);
            potts.move(block, to, streams(8, k, n));
        }
        for (Index k = 1; k <= 80; ++k) // to equilibrium
            potts.move(block, b, streams(9, k, n));
        for (Index k = steps; k >= 1; --k) {
            const double from = b * static_cast<double>(k) / steps, to = b * static_cast<double>(k - 1) / steps;
            if (wrong_reverse_order)
                potts.add_log_ratio(block, from, to, back);
            potts.move_reversed(block, from, streams(10, k, n));
            if (!wrong_reverse_order)
                potts.add_log_ratio(block, from, to, back);
        }
        for (std::size_t c = 0; c < 512; ++c) {
            forward.push_back(std::exp(works[c] - exact) - 1);
            reverse.push_back(std::exp(back[c] + exact) - 1);
        }
    }
    return {MeanError(forward), MeanError(reverse)};
}

TEST(PottsDistribution, AnnealingFindsTheExactRatioBothWays) {
    for (const PottsSettings& settings :
         {PottsSettings{.size = 3, .colours = 10, .coupling = 2}, PottsSettings{.size = 4, .colours = 3, .coupling = 2},
          PottsSettings{.size = 4, .colours = 5, .coupling = -2},
          PottsSettings{.size = 3, .colours = 7, .update = Update::random_site}}) {
        const Potts potts(settings);
        const Annealed found = annealed(potts, 0.45, 25);
        EXPECT_LT(std::fabs(found.forward.mean / found.forward.error), 5) << settings.colours;
        EXPECT_LT(std::fabs(found.reverse.mean / found.reverse.error), 5) << settings.colours;
        EXPECT_LT(found.forward.error + found.reverse.error, 0.1) << settings.colours;
    }
    const Annealed wrong = annealed(Potts({.size = 4, .colours = 3, .coupling = 2}), 0.45, 25, true);
    EXPECT_GT(std::fabs(wrong.reverse.mean / wrong.reverse.error), 8);
}

/// The variance of block means of u after a few sweeps from the start, in units of what independent chains give.
/// `twice` counts the first half of each block for the second, the wrong twin.
double variance_ratio(const Potts& potts, bool twice) {
    constexpr Index n_blocks = 200;
    std::vector<double> all, means;
    for (Index n = 0; n < n_blocks; ++n) {
        auto block = potts.make_block(512);
        potts.draw_start(block, streams(11, 0, n));
        for (Index step = 1; step <= 10; ++step)
            potts.move(block, 0.5, streams(11, step, n));
        std::vector<double> u(512);
        potts.path_derivative(block, 0.5, u);
        if (twice)
            std::copy_n(u.begin(), 256, u.begin() + 256);
        all.insert(all.end(), u.begin(), u.end());
        means.push_back(Eigen::Map<Vector>(u.data(), 512).mean());
    }
    const MeanError single(all), mean(means);
    return mean.error * mean.error / (single.error * single.error);
}

TEST(PottsDistribution, ChainsOfABlockAreIndependent) { // chi-square of 199 over 199: standard deviation 0.1
    const Potts potts({.size = 3, .colours = 3});
    EXPECT_NEAR(variance_ratio(potts, false), 1, 0.5);
    EXPECT_GT(variance_ratio(potts, true), 1.6);
}

TEST(PottsDistribution, LowTemperatureOfTheLargeLattice) {
    // <E> = -2034.0 +- 0.1 at b = 2 with J = 1, by independent plain loops.
    const Potts potts({.size = 32, .colours = 10, .coupling = 1});
    auto block = potts.make_block(512);
    potts.set_mode(block, 2, streams(5, 0));
    double sum = 0;
    std::vector<double> u(512);
    for (Index step = 1; step <= 200; ++step) {
        potts.move(block, 2, streams(5, step));
        if (step <= 100)
            continue;
        potts.path_derivative(block, 2, u);
        for (const double value : u)
            sum += value / (512 * 100);
    }
    EXPECT_NEAR(sum, 2034.0, 0.4);
}

} // namespace
} // namespace pearlite::models
