/// The AB protein: energies by hand, symmetries, the minima of the literature, lanes against the plain form, gradients.

#include "models/protein/ab_protein.hpp"

#include "models/descent.hpp"
#include "models/energy_checks.hpp"
#include "pearlite/core/error.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <tuple>
#include <vector>

namespace pearlite::models {
namespace {

using Angles = AbProteinSettings::Angles;
using Energy = AbProteinSettings::Energy;
using std::numbers::pi;
using testing::chain;
using testing::points_in_box;

constexpr Energy energies[] = {Energy::planar, Energy::stillinger, Energy::irback, Energy::azimuth};

double of_pair(double squared, double coupling) {
    return 4 * (std::pow(squared, -6) - coupling * std::pow(squared, -3));
}

double energy(const std::string& sequence, Energy kind, std::vector<double> x, Angles angles = Angles::internal) {
    return AbProtein({sequence, kind, angles}).energy(x);
}

class AbProteins : public ::testing::TestWithParam<std::tuple<Energy, Angles, Index>> {
  protected:
    const AbProtein protein{
        {fibonacci_sequence(std::get<2>(GetParam())), std::get<0>(GetParam()), std::get<1>(GetParam())}};

    /// Chains that rarely come near themselves.
    model::LaneMatrix open_chains(Index p, std::uint64_t id) const { return 0.15 * points_in_box(protein, p, id); }
};

INSTANTIATE_TEST_SUITE_P(All, AbProteins,
                         ::testing::Combine(::testing::ValuesIn(energies),
                                            ::testing::Values(Angles::internal, Angles::directions),
                                            ::testing::Values(3, 5, 8, 34)));

TEST_P(AbProteins, LanesAreThePlainEnergies) {
    testing::expect_lanes_as_plain(protein, open_chains(208, 1), 1e-12);
}

/// At 0.05 bonds from each other, which happens in such chains, rounding of places counts 240-fold.
TEST_P(AbProteins, LanesAreThePlainEnergiesInTheWholeBox) {
    testing::expect_lanes_as_plain(protein, points_in_box(protein, 208, 2), 1e-10);
}

TEST_P(AbProteins, BitsOfAChainDoNotDependOnTheOthers) {
    testing::expect_lanes_independent(protein, points_in_box(protein, 96, 3));
}

TEST_P(AbProteins, GradientIsThatOfDifferences) {
    testing::expect_gradient_as_differences(protein, open_chains(16, 4), 1e-6, 1e-6);
}

TEST_P(AbProteins, EnergyWithGradientIsBothOfThem) {
    const model::LaneMatrix points = open_chains(16, 4);
    std::vector<double> slopes(points.rows()), both(points.rows());
    for (Index c = 0; c < points.cols(); ++c) {
        const auto x = chain(points, c);
        const double energy = protein.energy(x), size = 1 + std::abs(energy);
        EXPECT_NEAR(protein.energy_with_gradient(x, both), energy, 1e-12 * size);
        protein.gradient(x, slopes);
        for (std::size_t k = 0; k < slopes.size(); ++k)
            EXPECT_NEAR(both[k], slopes[k], 1e-11 * (size + std::abs(slopes[k]))) << k;
    }
}

TEST_P(AbProteins, BondsHaveUnitLength) {
    const model::LaneMatrix points = points_in_box(protein, 16, 5);
    for (Index c = 0; c < points.cols(); ++c) {
        const Matrix places = protein.coordinates(chain(points, c));
        ASSERT_EQ(places.rows(), protein.monomers());
        ASSERT_EQ(places.cols(), protein.space());
        EXPECT_EQ(places.row(0).norm(), 0);
        for (Index i = 1; i < places.rows(); ++i)
            EXPECT_NEAR((places.row(i) - places.row(i - 1)).norm(), 1, 1e-13);
    }
}

TEST_P(AbProteins, EnergyHasPeriodTwoPi) {
    const model::LaneMatrix points = open_chains(16, 6);
    for (Index c = 0; c < points.cols(); ++c) {
        std::vector<double> x = chain(points, c);
        const double expected = protein.energy(x);
        x[static_cast<std::size_t>(c) % x.size()] += 2 * pi;
        EXPECT_NEAR(protein.energy(x), expected, 1e-11 * (1 + std::abs(expected)));
    }
}

/// Bends of the other sign in the plane; torsions or elevations of the other sign in space.
TEST_P(AbProteins, EnergyIsThatOfTheMirrorImage) {
    const model::LaneMatrix points = open_chains(16, 7);
    const auto n = static_cast<std::size_t>(protein.monomers());
    for (Index c = 0; c < points.cols(); ++c) {
        std::vector<double> x = chain(points, c);
        const double expected = protein.energy(x);
        for (std::size_t i = protein.space() == 2 ? 0 : n - 2; i < x.size(); ++i)
            x[i] = -x[i];
        EXPECT_NEAR(protein.energy(x), expected, 1e-12 * (1 + std::abs(expected)));
    }
}

TEST_P(AbProteins, FingerprintsDiffer) {
    AbProteinSettings other = protein.settings();
    EXPECT_EQ(testing::fingerprint_of(protein), testing::fingerprint_of(AbProtein(other)));
    other.sequence[1] = other.sequence[1] == 'A' ? 'B' : 'A';
    EXPECT_NE(testing::fingerprint_of(protein), testing::fingerprint_of(AbProtein(other)));
    other.sequence = protein.settings().sequence;
    other.angles = other.angles == Angles::internal ? Angles::directions : Angles::internal;
    EXPECT_EQ(testing::fingerprint_of(protein) == testing::fingerprint_of(AbProtein(other)),
              other.energy == Energy::azimuth); // which has directions whatever the setting says
}

TEST(AbProteinSequences, AreTheFibonacciSequences) {
    EXPECT_EQ(fibonacci_sequence(1), "A");
    EXPECT_EQ(fibonacci_sequence(2), "AB");
    EXPECT_EQ(fibonacci_sequence(3), "BAB");
    EXPECT_EQ(fibonacci_sequence(13), "ABBABBABABBAB");
    EXPECT_EQ(fibonacci_sequence(21), "BABABBABABBABBABABBAB");
    EXPECT_EQ(fibonacci_sequence(34), "ABBABBABABBABBABABBABABBABBABABBAB");
    EXPECT_EQ(fibonacci_sequence(55), "BABABBABABBABBABABBABABBABBABABBABBABABBABABBABBABABBAB");
    EXPECT_THROW(fibonacci_sequence(0), InputError);
    EXPECT_THROW(fibonacci_sequence(14), InputError);
}

TEST(AbProteinSequences, AreChecked) {
    EXPECT_THROW(AbProtein({.sequence = "AB"}), InputError);
    EXPECT_THROW(AbProtein({.sequence = "ABC"}), InputError);
    EXPECT_THROW(AbProtein({.sequence = std::string(AbProtein::longest + 1, 'A')}), InputError);
    EXPECT_THROW(AbProtein({.sequence = "ABBA"}).energy(std::vector<double>(3)), ContractViolation);
    EXPECT_EQ(AbProtein({.sequence = "ABBAB"}).dimension(), 3);
    EXPECT_EQ(AbProtein({.sequence = "ABBAB", .energy = Energy::stillinger}).dimension(), 5);
}

TEST(AbProteinEnergies, OfStraightChains) {
    // ABBA: pairs AB and BA at 2, AA at 3
    const double pairs = 2 * of_pair(4, -0.5) + of_pair(9, 1);
    EXPECT_NEAR(energy("ABBA", Energy::planar, {0, 0}), pairs, 1e-15);
    EXPECT_NEAR(energy("ABBA", Energy::stillinger, {0, 0, 1}), pairs, 1e-15);
    // K = 1/2, 1/2, 1; three bonds side by side give 2 and -1/2
    const double irback = 0.5 * 2 * of_pair(4, 1) + of_pair(9, 1) + 2 - 0.5;
    EXPECT_NEAR(energy("ABBA", Energy::irback, {0, 0, 1}), irback, 1e-14);
    // The first bond is along y, the others along x: squared distances 2, 4 and 5
    const double azimuth = of_pair(2, -0.5) + of_pair(4, -0.5) + of_pair(5, 1);
    EXPECT_NEAR(energy("ABBA", Energy::azimuth, {0, 0, 0}), azimuth, 1e-14);
    EXPECT_NEAR(energy("BBB", Energy::planar, {0}), of_pair(4, 0.5), 1e-15);
}

TEST(AbProteinEnergies, OfBentChains) {
    EXPECT_NEAR(energy("ABA", Energy::planar, {pi / 2}), 0.25 + of_pair(2, 1), 1e-14);
    EXPECT_NEAR(energy("BAB", Energy::planar, {2 * pi / 3}), 0.375 + of_pair(1, 0.5), 1e-13);
    // Three sides of a square; unfolded by a torsion f, the ends are sqrt(3 - 2 cos f) apart and u_1.u_3 = -cos f
    for (const double f : {0.0, 0.4, 2.0, pi}) {
        const double ends = 3 - 2 * std::cos(f);
        EXPECT_NEAR(energy("ABBA", Energy::stillinger, {pi / 2, pi / 2, f}),
                    0.5 + 2 * of_pair(2, -0.5) + of_pair(ends, 1), 1e-13);
        EXPECT_NEAR(energy("ABBA", Energy::irback, {pi / 2, pi / 2, f}),
                    0.5 * std::cos(f) + of_pair(2, 1) + of_pair(ends, 1), 1e-13);
    }
    // Azimuths: bonds y, then x, then z: the bend term sees the azimuths 0 and 0 alone
    EXPECT_NEAR(energy("ABBA", Energy::azimuth, {0, 0, pi / 2}), 2 * of_pair(2, -0.5) + of_pair(3, 1), 1e-13);
    EXPECT_NEAR(energy("ABBA", Energy::azimuth, {0, pi, pi / 2}), 0.5 + 2 * of_pair(2, -0.5) + of_pair(3, 1), 1e-13);
}

TEST(AbProteinEnergies, AreEnormousWhereMonomersMeet) {
    const AbProtein protein({.sequence = "AAAAA"});
    const std::vector<double> triangles = {2 * pi / 3, 2 * pi / 3, 2 * pi / 3};
    EXPECT_GT(protein.energy(triangles), 1e50);
    model::LaneMatrix points = model::LaneMatrix::Zero(3, 16);
    points.col(5).setConstant(2 * pi / 3);
    points.col(6).setConstant(pi);
    const std::vector<double> lanes = testing::lane_energies(protein, points);
    EXPECT_GT(lanes[5], 1e50);
    EXPECT_GT(lanes[6], 1e50);
    EXPECT_LT(lanes[4], 1);
}

/// The same conformation by both kinds of angles.
TEST(AbProteinAngles, GiveTheSameEnergies) {
    for (const Energy kind : {Energy::planar, Energy::stillinger, Energy::irback}) {
        const AbProtein internal({fibonacci_sequence(13), kind, Angles::internal});
        const AbProtein directions({fibonacci_sequence(13), kind, Angles::directions});
        const model::LaneMatrix points = 0.3 * points_in_box(internal, 16, 9);
        for (Index c = 0; c < points.cols(); ++c) {
            const std::vector<double> x = chain(points, c);
            const Matrix places = internal.coordinates(x);
            std::vector<double> y(x.size());
            for (Index k = 1; k < 12; ++k) {
                const Vector bond = places.row(k + 1) - places.row(k);
                y[static_cast<std::size_t>(k - 1)] = std::atan2(bond[1], bond[0]);
                if (kind != Energy::planar && k > 1)
                    y[static_cast<std::size_t>(9 + k)] = std::asin(bond[2]);
            }
            const double expected = internal.energy(x);
            EXPECT_NEAR(directions.energy(y), expected, 1e-10 * (1 + std::abs(expected)));
        }
    }
}

TEST(AbProteinAngles, FlatChainsInSpaceAreThoseOfThePlane) {
    const AbProtein planar({fibonacci_sequence(13), Energy::planar});
    const AbProtein spatial({fibonacci_sequence(13), Energy::stillinger});
    const model::LaneMatrix points = 0.3 * points_in_box(planar, 16, 10);
    for (Index c = 0; c < points.cols(); ++c) {
        std::vector<double> x = chain(points, c);
        const double expected = planar.energy(x);
        x.resize(21, 0.0);
        EXPECT_NEAR(spatial.energy(x), expected, 1e-12 * (1 + std::abs(expected)));
    }
}

/// Read from its other end, the chain has its bends and its torsions in opposite order.
TEST(AbProteinAngles, ReversedChainHasTheSameEnergy) {
    const std::string sequence = fibonacci_sequence(13);
    const std::string reversed(sequence.rbegin(), sequence.rend());
    for (const Energy kind : {Energy::planar, Energy::stillinger, Energy::irback}) {
        const AbProtein forward({sequence, kind});
        const AbProtein backward({reversed, kind});
        const model::LaneMatrix points = 0.3 * points_in_box(forward, 16, 11);
        for (Index c = 0; c < points.cols(); ++c) {
            std::vector<double> x = chain(points, c);
            const double expected = forward.energy(x);
            std::reverse(x.begin(), x.begin() + 11);
            std::reverse(x.begin() + 11, x.end());
            EXPECT_NEAR(backward.energy(x), expected, 1e-11 * (1 + std::abs(expected)));
        }
    }
}

struct Native {
    Energy energy;
    Angles angles;
    double published;
    std::vector<double> x; ///< the best conformation that basin hopping found, rounded
};

/// The published minima of the 13-mer, to four decimals, are minima of these energies, and to six known_minimum().
TEST(AbProteinMinima, OfThe13MerAreThePublishedOnes) {
    const std::vector<Native> natives = {
        {Energy::planar,
         Angles::internal,
         -3.2941,
         {-1.49, -1.50, 0.87, -1.48, -1.52, 1.47, -1.95, 1.45, -1.52, -1.48, 1.04}},
        {Energy::planar,
         Angles::directions,
         -3.2941,
         {1.49, 2.99, 2.12, -2.68, -1.16, -2.63, -0.67, -2.12, -0.61, 0.88, -0.17}},
        {Energy::stillinger, Angles::directions, -4.9746, {-1.51, -3.00, 0.98, -0.55, 1.12,  2.80,  0.74,
                                                           3.06,  -1.04, 2.75, -2.23, -0.01, -2.99, -2.65,
                                                           0.10,  0.08,  0.51, 0.76,  0.61,  -2.39, 0.04}},
        {Energy::irback, Angles::internal, -26.5066, {2.00,  -2.01, 1.99, -1.99, 2.01,  -1.97, 1.99,
                                                      -1.98, 2.00,  2.01, 1.97,  -1.77, -0.28, -0.77,
                                                      1.81,  0.31,  0.64, -0.69, 0.83,  1.35,  2.79}},
        {Energy::azimuth, Angles::directions, -6.9961, {0.13,  -1.46, 0.23,  0.01, 0.51, -0.84, 0.05,
                                                        -0.54, -0.55, -0.81, 0.00, 0.16, -0.52, -2.03,
                                                        2.80,  0.02,  2.26,  0.43, 1.98, -2.82, 1.72}},
    };
    for (const Native& native : natives) {
        const AbProtein protein({fibonacci_sequence(13), native.energy, native.angles});
        const Eigen::Map<const Vector> start(native.x.data(), protein.dimension());
        const testing::Minimum minimum = testing::descend(protein, start);
        EXPECT_NEAR(minimum.energy, native.published, 6e-5);
        EXPECT_NEAR(minimum.energy, protein.known_minimum().value(), 6e-7);
        EXPECT_LT((minimum.x - start).norm(), 0.2);
        EXPECT_LT(testing::gradient_at(protein, minimum.x).norm(), 1e-4);
    }
}

/// From chance starts: the irback minimum is found, nothing is lower than what is known.
TEST(AbProteinMinima, SearchesFindNothingLower) {
    const AbProtein irback({fibonacci_sequence(13), Energy::irback});
    EXPECT_NEAR(testing::basin_hopping(irback, 5, 100, 1, 1).energy, -26.506621, 6e-7);
    for (const Energy kind : {Energy::planar, Energy::stillinger, Energy::azimuth}) {
        const AbProtein protein({fibonacci_sequence(13), kind, Angles::directions});
        const double found = testing::basin_hopping(protein, 6, 10, 2, 3).energy;
        EXPECT_GT(found, protein.known_minimum().value() - 1e-6);
        EXPECT_LT(found, 0.2 * protein.known_minimum().value());
    }
}

TEST(AbProteinMinima, AreKnownForFibonacciSequencesAlone) {
    AbProteinSettings settings{.sequence = fibonacci_sequence(13)};
    EXPECT_TRUE(AbProtein(settings).known_minimum().has_value());
    settings.sequence[0] = 'B';
    EXPECT_FALSE(AbProtein(settings).known_minimum().has_value());
}

} // namespace
} // namespace pearlite::models
