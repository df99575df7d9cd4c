/// The distribution of the Ising model: invariance, mean energies and annealed importance sampling against exact
/// answers. Every statistic rests on independent chains. Seeds are fixed; the false-alarm rates are those of a new
/// seed.

#include "models/lattice/ising.hpp"

#include "core/log_space.hpp"
#include "models/ising_oracle.hpp"
#include "random/statistics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <tuple>
#include <vector>

namespace pearlite::models {
namespace {

using Move = IsingSettings::Move;
using model::BlockStreams;
using random::Generator;
using Sweep = std::function<void(IsingBlock&, const BlockStreams&)>;

BlockStreams streams_at(std::uint32_t step, Index block = 0, Generator generator = Generator::philox) {
    return {{77, generator}, step, 0, 512 * block, block};
}

/// p_b of each of the 2^(L^2) states, L = 2 or 3, in the order of their packed bits.
std::vector<double> state_probabilities(const Ising& ising, double b) {
    const Index n_states = Index{1} << (ising.settings().size * ising.settings().size);
    IsingBlock states = ising.make_block(n_states);
    for (Index state = 0; state < n_states; ++state) {
        const std::array bytes{std::byte(state & 255), std::byte(state >> 8)};
        states.unpack(state, std::span(bytes).first(states.packed_bytes()));
    }
    ising.prepare(states);
    std::vector<double> log_f(static_cast<std::size_t>(n_states));
    ising.add_log_ratio(states, 0, b, log_f);
    const double log_sum = log_sum_exp(log_f);
    std::vector<double> probabilities(log_f.size());
    std::transform(log_f.begin(), log_f.end(), probabilities.begin(), [&](double l) { return std::exp(l - log_sum); });
    return probabilities;
}

/// Draws chains from the exact distribution, sweeps each once and compares the visited states with that distribution:
/// the p-value of the chi-square test, whose cells expect at least 10 visits.
double p_value_after_one_sweep(const Ising& ising, double b, const Sweep& sweep) {
    constexpr int n_blocks = 200;
    const std::vector<double> probabilities = state_probabilities(ising, b);
    std::vector<double> counts(probabilities.size());
    for (int n = 0; n < n_blocks; ++n) {
        IsingBlock block = ising.make_block(512);
        random::Stream draws(streams_at(0, n).shared(random::Purpose::test));
        std::array<std::byte, 2> bytes{};
        const std::span packed = std::span(bytes).first(block.packed_bytes());
        for (Index slot = 0; slot < 512; ++slot) {
            const Index state = draws.categorical(probabilities);
            bytes = {std::byte(state & 255), std::byte(state >> 8)};
            block.unpack(slot, packed);
        }
        sweep(block, streams_at(1, n));
        for (Index slot = 0; slot < 512; ++slot) {
            bytes = {};
            block.pack(slot, packed);
            counts[std::to_integer<std::size_t>(bytes[0]) + 256 * std::to_integer<std::size_t>(bytes[1])] += 1;
        }
    }
    double chi_square = 0, rare_count = 0, rare_expected = 0;
    int cells = 0;
    const auto add_cell = [&](double count, double expected) {
        chi_square += (count - expected) * (count - expected) / expected;
        ++cells;
    };
    for (std::size_t state = 0; state < counts.size(); ++state) {
        const double expected = 512 * n_blocks * probabilities[state];
        if (expected >= 10) {
            add_cell(counts[state], expected);
        } else {
            rare_count += counts[state];
            rare_expected += expected;
        }
    }
    if (rare_expected >= 10) {
        add_cell(rare_count, rare_expected);
    }
    return random::testing::chi_squared_p_value(chi_square, cells - 1);
}

class IsingInvariance : public ::testing::TestWithParam<std::tuple<Index, double, Move>> {};

TEST_P(IsingInvariance, OneSweepLeavesTheExactDistributionAlone) { // false alarm 1e-5
    const auto [size, coupling, move] = GetParam();
    const Ising ising({size, coupling, move});
    const double b = 0.3;
    EXPECT_GT(p_value_after_one_sweep(
                  ising, b, [&](IsingBlock& block, const BlockStreams& streams) { ising.move(block, b, streams); }),
              1e-5);
}

TEST_P(IsingInvariance, AWrongProbabilityIsNoticed) {
    const auto [size, coupling, move] = GetParam();
    const IsingSettings settings{size, coupling, move};
    const Ising ising(settings);
    const testing::IsingOracle oracle(settings);
    const double b = 0.3;
    testing::OracleTable wrong = testing::oracle_table(b, coupling);
    wrong.flip[0] = wrong.flip[1]; // the threshold of dE = 4 |J| where dE = 8 |J|
    wrong.against[2] = wrong.against[1];
    EXPECT_LT(
        p_value_after_one_sweep(
            ising, b, [&](IsingBlock& block, const BlockStreams& streams) { oracle.sweep(block, wrong, streams); }),
        1e-12);
}

INSTANTIATE_TEST_SUITE_P(Lattices, IsingInvariance,
                         ::testing::Combine(::testing::Values<Index>(2, 3), ::testing::Values(1.0, -0.8),
                                            ::testing::Values(Move::metropolis, Move::heat_bath)));

struct Estimate {
    double value = 0;
    double standard_error = 0;
    double z_score(double exact) const { return (value - exact) / standard_error; }
};

/// Mean energy of 512 independent chains that all start with spins down; the error is that of the 512 averages over
/// time.
Estimate mean_energy(const IsingSettings& settings, double b, std::uint32_t burn_in, std::uint32_t sweeps,
                     Generator generator = Generator::philox) {
    const Ising ising(settings);
    IsingBlock block = ising.make_block(512);
    std::vector<double> sums(512), u(512);
    for (std::uint32_t step = 0; step < burn_in + sweeps; ++step) {
        ising.move(block, b, streams_at(step, 0, generator));
        if (step >= burn_in) {
            ising.path_derivative(block, b, u);
            std::transform(u.begin(), u.end(), sums.begin(), sums.begin(), [](double du, double s) { return s - du; });
        }
    }
    const Eigen::Map<const Eigen::ArrayXd> chains(sums.data(), 512);
    const double mean = chains.mean();
    const double variance = (chains - mean).square().sum() / 511;
    return {mean / sweeps, std::sqrt(variance / 512) / sweeps};
}

double exact_energy(Index size, double b) {
    const double step = 1e-5;
    return -(ising_log_partition(size, size, b + step) - ising_log_partition(size, size, b - step)) / (2 * step);
}

TEST(IsingEnergy, IsKaufmans) { // 4 standard errors: false alarm 6e-5 each
    for (const Move move : {Move::metropolis, Move::heat_bath}) {
        EXPECT_LT(std::abs(mean_energy({32, 1.0, move}, 0.3, 150, 150).z_score(-721.407049493905)), 4);
        EXPECT_LT(std::abs(mean_energy({32, 1.0, move}, 0.6, 150, 150).z_score(-1954.9042459476593)), 4);
        EXPECT_LT(std::abs(mean_energy({8, 1.0, move}, 0.44, 1500, 1500).z_score(exact_energy(8, 0.44))), 4);
        EXPECT_LT(std::abs(mean_energy({8, -0.5, move}, 0.6, 500, 500).z_score(0.5 * exact_energy(8, 0.3))), 4);
        EXPECT_LT(std::abs(mean_energy({7, 1.0, move}, 0.44, 1500, 1500).z_score(exact_energy(7, 0.44))), 4);
    }
}

TEST(IsingEnergy, IsKaufmansNearTheCriticalPoint) { // 4 standard errors: false alarm 6e-5
    EXPECT_LT(std::abs(mean_energy({16, 1.0, Move::metropolis}, 0.44, 2000, 1000).z_score(exact_energy(16, 0.44))), 4);
}

TEST(IsingEnergy, IsKaufmansByArs) { // 4 standard errors: false alarm 6e-5 each
    const auto by_ars = [](Move move, Index size, double b, std::uint32_t sweeps) {
        return mean_energy({size, 1.0, move}, b, sweeps, sweeps, Generator::ars);
    };
    for (const Move move : {Move::metropolis, Move::heat_bath}) {
        EXPECT_LT(std::abs(by_ars(move, 32, 0.3, 150).z_score(-721.407049493905)), 4);
        EXPECT_LT(std::abs(by_ars(move, 32, 0.6, 150).z_score(-1954.9042459476593)), 4);
        EXPECT_LT(std::abs(by_ars(move, 8, 0.44, 1500).z_score(exact_energy(8, 0.44))), 4);
        EXPECT_GT(std::abs(by_ars(move, 32, 0.303, 150).z_score(-721.407049493905)), 8); // the wrong twin
    }
    EXPECT_LT(std::abs(by_ars(Move::metropolis, 16, 0.44, 2000).z_score(exact_energy(16, 0.44))), 4);
}

TEST(IsingEnergy, OnePercentOfTemperatureIsNoticed) {
    for (const Move move : {Move::metropolis, Move::heat_bath}) {
        EXPECT_GT(std::abs(mean_energy({32, 1.0, move}, 0.303, 150, 150).z_score(-721.407049493905)), 8);
        EXPECT_GT(std::abs(mean_energy({8, 1.0, move}, 0.4444, 1500, 1500).z_score(exact_energy(8, 0.44))), 8);
    }
}

/// Annealed importance sampling (Neal 2001) of 8 blocks over b = 0 .. b_end in equal steps. The wrong twin weighs the
/// state after the move instead of the one before.
Estimate annealed_log_ratio(const Ising& ising, double b_end, int steps, bool weigh_after_move = false) {
    constexpr Index n_blocks = 8;
    std::vector<double> log_weights;
    for (Index n = 0; n < n_blocks; ++n) {
        IsingBlock block = ising.make_block(512);
        ising.draw_start(block, streams_at(0, n));
        std::vector<double> weights(512), u(512);
        for (int k = 1; k <= steps; ++k) {
            const double from = b_end * (k - 1) / steps, to = b_end * k / steps;
            const auto streams = streams_at(static_cast<std::uint32_t>(k), n);
            if (weigh_after_move) {
                ising.move(block, to, streams);
                ising.add_log_ratio(block, from, to, weights);
            } else if (k < steps) {
                ising.anneal(block, from, to, streams, weights, u);
            } else {
                ising.add_log_ratio(block, from, to, weights);
            }
        }
        log_weights.insert(log_weights.end(), weights.begin(), weights.end());
    }
    const double log_mean = log_mean_exp(log_weights);
    const Eigen::ArrayXd relative = (Eigen::Map<Eigen::ArrayXd>(log_weights.data(), 512 * n_blocks) - log_mean).exp();
    const auto m = static_cast<double>(relative.size());
    return {log_mean, std::sqrt((relative.square().mean() - 1) / (m - 1))};
}

TEST(IsingAnnealing, FindsTheExactRatio) { // 4 standard errors: false alarm 6e-5 each
    for (const Move move : {Move::metropolis, Move::heat_bath}) {
        EXPECT_LT(
            std::abs(annealed_log_ratio(Ising({4, 1.0, move}), 0.2, 50).z_score(11.771470358542 - 16 * std::log(2.0))),
            4);
        const Ising frustrated({3, -1.0, move});
        EXPECT_LT(std::abs(annealed_log_ratio(frustrated, 0.8, 50).z_score(*frustrated.exact_log_ratio(0.8))), 4);
        const Ising large({16, 1.0, move});
        EXPECT_LT(std::abs(annealed_log_ratio(large, 0.4, 200).z_score(*large.exact_log_ratio(0.4))), 4);
    }
}

TEST(IsingAnnealing, WeighingTheMovedStateIsNoticed) {
    const Ising ising({4, 1.0, Move::heat_bath});
    EXPECT_GT(std::abs(annealed_log_ratio(ising, 0.2, 10, true).z_score(*ising.exact_log_ratio(0.2))), 8);
}

} // namespace
} // namespace pearlite::models
