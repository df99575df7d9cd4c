#include "models/lattice/ising.hpp"

#include "pearlite/core/error.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>

namespace pearlite::models {
namespace {

/// The sum over all states, for lattices of up to some 16 spins.
double summed_log_partition(int rows, int columns, double beta_j) {
    const double largest = 2.0 * rows * columns * beta_j;
    double sum = 0;
    for (std::uint32_t state = 0; state < (1u << (rows * columns)); ++state) {
        const auto up = [&](int r, int c) { return (state >> (r % rows * columns + c % columns) & 1u) != 0; };
        int bonds = 0;
        for (int r = 0; r < rows; ++r) {
            for (int c = 0; c < columns; ++c) {
                bonds += (up(r, c) == up(r, c + 1) ? 1 : -1) + (up(r, c) == up(r + 1, c) ? 1 : -1);
            }
        }
        sum += std::exp(beta_j * bonds - largest);
    }
    return largest + std::log(sum);
}

const double critical = 0.5 * std::log(1 + std::numbers::sqrt2);

void expect_relative(double value, double reference, double tolerance) {
    EXPECT_LE(std::abs(value - reference), tolerance * std::abs(reference)) << value << " for " << reference;
}

TEST(Kaufman, EqualsTheSumOverStates) {
    const int sides[][2] = {{2, 2}, {2, 3}, {3, 2}, {3, 3}, {2, 5}, {3, 4}, {4, 3}, {5, 3}, {4, 4}};
    for (const auto& [rows, columns] : sides) {
        for (const double beta_j : {0.0, 1e-8, 0.1, 0.2, critical - 1e-9, critical, critical + 1e-9, 0.6, 1.0, 10.0}) {
            SCOPED_TRACE(::testing::Message() << rows << " x " << columns << " at " << beta_j);
            expect_relative(ising_log_partition(rows, columns, beta_j), summed_log_partition(rows, columns, beta_j),
                            1e-12);
        }
    }
}

TEST(Kaufman, EqualsKnownValues) {
    expect_relative(ising_log_partition(4, 4, 0.2), 11.771470358542, 1e-13);
    expect_relative(ising_log_partition(8, 8, critical), 60.141780789069, 1e-13);
    expect_relative(ising_log_partition(16, 16, critical), 238.642256635133, 1e-13);
    expect_relative(ising_log_partition(32, 32, critical), 952.648079548543, 1e-13);
    expect_relative(ising_log_partition(32, 32, 1.0), 2049.049789690087, 1e-13);
}

TEST(Kaufman, ItsDerivativeIsTheKnownMeanEnergy) {
    const double step = 1e-5;
    const double known[][2] = {{0.3, -721.407049493905}, {0.44, -1461.3407822804445}, {0.6, -1954.9042459476593}};
    for (const auto& [beta_j, energy] : known) {
        const double difference =
            ising_log_partition(32, 32, beta_j + step) - ising_log_partition(32, 32, beta_j - step);
        EXPECT_NEAR(-difference / (2 * step), energy, 1e-3) << beta_j;
    }
}

TEST(Kaufman, MeanOfUIsTheDerivative) {
    const double known[][2] = {{0.3, 721.407049493905}, {0.44, 1461.3407822804445}, {0.6, 1954.9042459476593}};
    for (const auto& [b, u] : known)
        expect_relative(*Ising({.size = 32}).equilibrium_mean_u(b), u, 1e-8);
    for (const double b : {1e-6, 0.02, 0.15}) // two neighbours a site, tanh each, where loops do not matter
        expect_relative(*Ising({.size = 32}).equilibrium_mean_u(b), 2 * 1024 * std::tanh(b), 3 * b * b + 1e-5);
    EXPECT_EQ(*Ising({.size = 5}).equilibrium_mean_u(0), 0);
    EXPECT_NEAR(*Ising({.size = 32}).equilibrium_mean_u(0), 0, 1e-8);
    EXPECT_NEAR(*Ising({.size = 32, .coupling = -2}).equilibrium_mean_u(0.15),
                2 * *Ising({.size = 32}).equilibrium_mean_u(0.3), 1e-6);
    EXPECT_FALSE(Ising({.size = 5, .coupling = -1}).equilibrium_mean_u(0.3));
}

TEST(Kaufman, RowsAndColumnsMayBeSwapped) {
    for (const double beta_j : {0.01, 0.3, critical, 0.5, 2.0}) {
        expect_relative(ising_log_partition(7, 30, beta_j), ising_log_partition(30, 7, beta_j), 1e-13);
        expect_relative(ising_log_partition(64, 65, beta_j), ising_log_partition(65, 64, beta_j), 1e-13);
    }
}

TEST(Kaufman, LimitsOfHighAndLowTemperature) {
    expect_relative(ising_log_partition(100, 100, 0.0), 10000 * std::numbers::ln2, 1e-14);
    for (const double beta_j : {20.0, 1000.0, 1e6}) { // two ground states and nothing else
        expect_relative(ising_log_partition(32, 31, beta_j), 2 * 32 * 31 * beta_j + std::numbers::ln2, 1e-14);
    }
}

TEST(Kaufman, RefusesWhatIsOutOfRange) {
    EXPECT_THROW(ising_log_partition(1, 4, 0.2), ContractViolation);
    EXPECT_THROW(ising_log_partition(4, 1, 0.2), ContractViolation);
    EXPECT_THROW(ising_log_partition(4, 4, -0.2), ContractViolation);
    EXPECT_THROW(ising_log_partition(4, 4, std::numeric_limits<double>::infinity()), ContractViolation);
    EXPECT_THROW(ising_log_partition(4, 4, std::numeric_limits<double>::quiet_NaN()), ContractViolation);
}

} // namespace
} // namespace pearlite::models
