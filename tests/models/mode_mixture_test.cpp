/// The mixture of modes: energies against sums of densities, far points, and the integral of exp(-U).

#include "models/mixture/mode_mixture.hpp"

#include "models/energy_checks.hpp"
#include "pearlite/core/error.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

namespace pearlite::models {
namespace {

/// Two modes that overlap and three that are alone.
Matrix some_means() {
    Matrix means(2, 5);
    means << 2.18, 2.23, 8.67, 4.24, 0.50, // first coordinates
        5.76, 5.80, 9.59, 8.48, 1.25;
    return means;
}

/// -log of a sum of densities, each as it is written in textbooks.
double direct_energy(const Matrix& means, double variance, double x, double y) {
    long double sum = 0;
    for (Index k = 0; k < means.cols(); ++k) {
        const long double a = x - means(0, k), b = y - means(1, k);
        sum += std::exp(-(a * a + b * b) / (2 * static_cast<long double>(variance))) /
               (2 * std::numbers::pi_v<long double> * variance);
    }
    return static_cast<double>(-std::log(sum / static_cast<long double>(means.cols())));
}

/// p points within `reach` of modes, each near another mode.
model::LaneMatrix points_near_modes(const ModeMixture& mixture, Index p, double reach, std::uint64_t id) {
    model::LaneMatrix points(2, p);
    random::fill_uniform({2025, random::Purpose::test, id, 0},
                         std::span(points.data(), static_cast<std::size_t>(points.size())));
    for (Index i = 0; i < p; ++i)
        points.col(i) =
            mixture.means().col(i % mixture.means().cols()) + (reach * (2 * points.col(i).array() - 1)).matrix();
    return points;
}

TEST(ModeMixture, EnergyIsTheDirectSum) {
    for (const double variance : {0.001, 0.3}) {
        const ModeMixture mixture(some_means(), variance);
        const auto points = points_near_modes(mixture, 160, 0.2, 1);
        for (Index i = 0; i < points.cols(); ++i) {
            const double exact = direct_energy(mixture.means(), variance, points(0, i), points(1, i));
            EXPECT_NEAR(mixture.energy(pearlite::testing::chain(points, i)), exact,
                        1e-12 * std::max(1.0, std::abs(exact)));
        }
    }
}

TEST(ModeMixture, LanesAreThePlainEnergiesAndIndependent) {
    const ModeMixture mixture(some_means(), 0.001);
    pearlite::testing::expect_lanes_as_plain(mixture, points_near_modes(mixture, 208, 3, 2), 0);
    pearlite::testing::expect_lanes_independent(mixture, points_near_modes(mixture, 96, 3, 3));
}

TEST(ModeMixture, FarPointsDoNotUnderflow) {
    const double variance = 0.001;
    const ModeMixture mixture(some_means(), variance);
    const double log_factor = std::log(5 * 2 * std::numbers::pi * variance);
    // Far away the nearest mode alone counts; its density underflows beyond 38 standard deviations.
    for (const double y : {-10.0, -1e4, -1e10}) {
        const double expected = (1.25 - y) * (1.25 - y) / (2 * variance) + log_factor;
        EXPECT_NEAR(mixture.energy(std::vector<double>{0.50, y}), expected, 1e-14 * expected);
    }
    const double corner = mixture.energy(std::vector<double>{1e10, 1e10}), a = 1e10 - 8.67, b = 1e10 - 9.59;
    EXPECT_NEAR(corner, (a * a + b * b) / (2 * variance), 1e-14 * corner);
    EXPECT_EQ(mixture.upper()[0], 1e10);
    EXPECT_EQ(mixture.lower()[1], -1e10);
}

/// Trapezoidal rule, which is exact to rounding for analytic functions that vanish at the edges.
double mass(const ModeMixture& mixture, double x0, double x1, double y0, double y1) {
    const double step = 0.02; // exp(-2 pi^2 variance / step^2) = 1e-21
    double sum = 0;
    for (double x = x0; x < x1; x += step)
        for (double y = y0; y < y1; y += step)
            sum += std::exp(-mixture.energy(std::vector<double>{x, y}));
    return sum * step * step;
}

TEST(ModeMixture, IntegratesToOne) {
    const ModeMixture mixture(some_means(), 0.001);
    EXPECT_NEAR(mass(mixture, 0, 9.2, 0.7, 10.1), 1, 1e-10);
    EXPECT_NEAR(mass(mixture, 4.24 - 0.4, 4.24 + 0.4, 8.48 - 0.4, 8.48 + 0.4), 1.0 / 5, 1e-10);      // one mode
    EXPECT_NEAR(mass(mixture, 2.2 - 0.4, 2.2 + 0.4, 5.78 - 0.4, 5.78 + 0.4), 2.0 / 5, 1e-10);        // two of them
    EXPECT_GT(std::abs(mass(ModeMixture(some_means(), 0.0011), 0, 9.2, 0.7, 10.1) * 1.1 - 1), 0.09); // it can fail
}

/// Energies of a mode far from all others are log(2 pi v n) + r^2/(2 v), exponential at a temperature.
TEST(ModeMixture, MassesOfRegionsOfModesApart) {
    Matrix means(2, 3);
    means << 1, 4, 9, 2, 8, 3;
    const ModeMixture mixture(means, 0.001);
    const double least = std::log(2 * std::numbers::pi * 0.001 * 3);
    const std::vector<double> points{least - 1, least + 0.013, least + 1, least + 6.5, least + 12};
    for (const double temperature : {0.5, 1.0, 2.5}) {
        const auto log_masses = mixture.log_region_masses(points, temperature);
        ASSERT_EQ(log_masses.size(), 6u);
        EXPECT_EQ(log_masses[0], -std::numeric_limits<double>::infinity());
        const auto beyond = [&](std::size_t j) { // of the j-th point
            return j >= points.size() ? 0 : std::exp(-std::max(0.0, points[j] - least) / temperature);
        };
        for (std::size_t j = 1; j < log_masses.size(); ++j) {
            const double mass = beyond(j - 1) - beyond(j);
            EXPECT_NEAR(std::exp(log_masses[j]) / mass, 1, 1e-6) << temperature << " " << j;
        }
    }
}

/// Against sums over a fine grid, where modes overlap.
TEST(ModeMixture, MassesOfRegionsOfModesThatOverlap) {
    Matrix means(2, 2);
    means << 0, 1.5, 0, 0.5;
    const ModeMixture mixture(means, 0.5);
    const std::vector<double> points{2, 2.5, 3, 4, 6};
    for (const double temperature : {0.6, 1.0, 2.0}) {
        std::vector<double> masses(points.size() + 1, 0.0);
        double sum = 0;
        for (double x = -9; x < 11; x += 0.02)
            for (double y = -9; y < 10; y += 0.02) {
                const double energy = mixture.energy(std::vector<double>{x, y});
                const auto region = std::lower_bound(points.begin(), points.end(), energy) - points.begin();
                masses[static_cast<std::size_t>(region)] += std::exp(-energy / temperature);
                sum += std::exp(-energy / temperature);
            }
        const auto log_masses = mixture.log_region_masses(points, temperature);
        for (std::size_t j = 0; j < masses.size(); ++j)
            EXPECT_NEAR(std::exp(log_masses[j]), masses[j] / sum, 1e-3) << temperature << " " << j;
    }
}

TEST(ModeMixture, ChainsStartAmongTheModes) {
    const ModeMixture mixture(some_means(), 0.001);
    EXPECT_EQ(mixture.start_lower()[0], 0.50);
    EXPECT_EQ(mixture.start_lower()[1], 1.25);
    EXPECT_EQ(mixture.start_upper()[0], 8.67);
    EXPECT_EQ(mixture.start_upper()[1], 9.59);
    static_assert(model::HasStartBox<ModeMixture>);
}

TEST(ModeMixture, RefusesWhatIsNoMixture) {
    EXPECT_THROW(ModeMixture(Matrix::Zero(3, 2), 1), InputError);
    EXPECT_THROW(ModeMixture(Matrix::Zero(2, 0), 1), InputError);
    EXPECT_THROW(ModeMixture(Matrix::Zero(2, 1), 0), InputError);
    EXPECT_THROW(ModeMixture(Matrix::Zero(2, 1), std::numeric_limits<double>::infinity()), InputError);
    Matrix means = some_means();
    means(1, 2) = std::numeric_limits<double>::quiet_NaN();
    EXPECT_THROW(ModeMixture(means, 1), InputError);
}

TEST(ModeMixture, FingerprintsDiffer) {
    Matrix others = some_means();
    others(0, 4) += 1e-9;
    const auto own = pearlite::testing::fingerprint_of(ModeMixture(some_means(), 0.001));
    EXPECT_EQ(own, pearlite::testing::fingerprint_of(ModeMixture(some_means(), 0.001)));
    EXPECT_NE(own, pearlite::testing::fingerprint_of(ModeMixture(some_means(), 0.002)));
    EXPECT_NE(own, pearlite::testing::fingerprint_of(ModeMixture(others, 0.001)));
}

} // namespace
} // namespace pearlite::models
