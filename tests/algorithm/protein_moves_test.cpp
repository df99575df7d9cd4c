/// The AB protein's local moves in searches: energies, angles, invariance.

#include "models/protein/ab_protein.hpp"
#include "pearlite/kernel/box_space.hpp"

#include "kernel/search_checks.hpp"
#include "support/changes_of_moments.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <numbers>

namespace pearlite::algorithm {
namespace {

using kernel::testing::Target;
using kernel::testing::Trial;
using kernel::testing::Twin;
using models::AbProtein;
using Space = kernel::BoxSpace<AbProtein>;
using Energy = models::AbProteinSettings::Energy;
using Angles = models::AbProteinSettings::Angles;

struct Kind {
    Energy energy;
    Angles angles;
    std::vector<std::string> moves;
};
const std::vector<Kind> kinds{{Energy::planar, Angles::internal, {"k-point", "concerted", "reflection"}},
                              {Energy::planar, Angles::directions, {"k-point"}},
                              {Energy::stillinger, Angles::internal, {"k-point", "crankshaft"}},
                              {Energy::irback, Angles::internal, {"k-point", "crankshaft"}},
                              {Energy::irback, Angles::directions, {"k-point"}},
                              {Energy::azimuth, Angles::directions, {"k-point"}}};

Space space_of(const Kind& kind, const std::string& sequence, std::vector<std::string> operations) {
    kernel::BoxOperationSettings settings;
    settings.operations = std::move(operations);
    return Space(AbProtein({sequence, kind.energy, kind.angles}), settings);
}

std::vector<double> state(const Trial<Space>& trial, Index chain) {
    std::vector<double> x;
    for (Index k = 0; k < trial.chains.dimension(); ++k)
        x.push_back(trial.chains.points()(k, chain));
    return x;
}

/// Chains that do not meet themselves, with bends of both signs.
void draw_open(const Space& space, Trial<Space>& trial) {
    space.draw_start(trial.chains, {.seed = 3});
    trial.chains.points() *= 0.12;
    trial.begin();
}

/// Local changes give the energies of the whole chains, also after many of them.
TEST(ProteinMoves, EnergiesAreThoseOfTheNewStates) {
    for (const Kind& kind : kinds)
        for (const Index length : {3, 4, 5, 8, 13, 34}) {
            const auto space = space_of(
                kind, models::fibonacci_sequence(length == 4 ? 5 : length).substr(0, static_cast<std::size_t>(length)),
                kind.moves);
            Trial<Space> trial(space, Target{1, {}, {0}}, 24);
            draw_open(space, trial);
            const auto n_moves = static_cast<Index>(kind.moves.size());
            for (Index t = 0; t < 60; ++t) {
                trial.mutate(t % n_moves, trial.scale(0.4));
                for (Index i = 0; i < 24; ++i) {
                    const double carried = trial.energies[static_cast<std::size_t>(i)];
                    ASSERT_NEAR(carried, space.energy().energy(state(trial, i)),
                                1e-9 * std::max(1.0, std::abs(carried)))
                        << static_cast<int>(kind.energy) << " " << length << " " << t << " " << i;
                }
            }
            EXPECT_GT(trial.accepted, length > 3 ? 60 : 20) << length;
        }
}

/// Distances that a local move must keep. The energies above would not show a wrong angle whose energy is wrong, too.
TEST(ProteinMoves, EndsOfTheChainKeepTheirDistances) {
    for (const auto& [energy, move, kept] : {std::tuple{Energy::planar, "concerted", 11},
                                             {Energy::planar, "reflection", 8},
                                             {Energy::irback, "crankshaft", 6}}) {
        const Index n = 21;
        const auto space = space_of({energy, Angles::internal, {}}, models::fibonacci_sequence(n), {move});
        Trial<Space> trial(space, Target{1, {}, {0}}, 64);
        draw_open(space, trial);
        std::vector<Matrix> before;
        for (Index i = 0; i < 64; ++i)
            before.push_back(space.energy().coordinates(state(trial, i)));
        trial.mutate(0, trial.scale(0.3));
        Index moved = 0;
        for (Index i = 0; i < 64; ++i) {
            const Matrix after = space.energy().coordinates(state(trial, i));
            const auto distance = [&](const Matrix& places, Index a, Index b) {
                return (places.row(a) - places.row(b)).norm();
            };
            Index changed = 0; // monomers whose distances to both ends are others; all but these are one rigid body
            for (Index a = 1; a + 1 < n; ++a)
                changed +=
                    std::abs(distance(after, 0, a) - distance(before[static_cast<std::size_t>(i)], 0, a)) > 1e-9 &&
                    std::abs(distance(after, a, n - 1) - distance(before[static_cast<std::size_t>(i)], a, n - 1)) >
                        1e-9;
            EXPECT_LE(changed, kept);
            EXPECT_NEAR(distance(after, 0, n - 1), distance(before[static_cast<std::size_t>(i)], 0, n - 1), 1e-9);
            moved += changed > 0 ? 1 : 0;
        }
        EXPECT_GT(moved, 10) << move;
    }
}

const Target target{1.2, model::EnergyPartition({-0.6, 0, 0.8}), {0.5, -0.4, 0.3, -0.7}};
constexpr Index n_chains = 20000;

/// Exact: rejection from the uniform distribution on angles.
void draw_target(const AbProtein& protein, model::LaneMatrix& points, Index n) {
    const double log_bound = protein.space() == 2 ? 2.4 : 4; // of these chains; asserted
    std::vector<double> x(static_cast<std::size_t>(protein.dimension()));
    for (Index i = 0; i < n; ++i) {
        random::Stream stream({41, random::Purpose::test, kernel::testing::id_of(i), 0});
        double log_f = 0;
        do {
            for (double& angle : x)
                angle = stream.uniform(-std::numbers::pi, std::numbers::pi);
            log_f = target.log_density(protein.energy(x));
            ASSERT_LT(log_f, log_bound);
        } while (std::log(stream.uniform()) > log_f - log_bound);
        for (std::size_t k = 0; k < x.size(); ++k)
            points(static_cast<Index>(k), i) = x[k];
    }
}

/// Statistics of chain i: its energy, its region, sines and cosines of its angles and of their differences.
std::vector<double> moments(const Trial<Space>& trial, Index i) {
    const double energy = trial.energies[static_cast<std::size_t>(i)];
    std::vector<double> values{energy, energy * energy};
    for (Index region = 0; region < target.partition.regions(); ++region)
        values.push_back(target.partition.region(energy) == region ? 1 : 0);
    const auto x = state(trial, i);
    for (std::size_t k = 0; k < x.size(); ++k) {
        values.insert(values.end(), {std::cos(x[k]), std::sin(x[k]), std::cos(2 * x[k])});
        for (std::size_t l = 0; l < k; ++l)
            values.insert(values.end(),
                          {std::cos(x[k] - x[l]), std::cos(x[k] + x[l]), std::cos(x[k]) * std::cos(x[l])});
    }
    return values;
}

/// The greatest |z| of what eight moves change in the means of these.
double greatest_z(Energy energy, const std::string& move, Twin twin = Twin::none) {
    const auto space = space_of({energy, Angles::internal, {}}, "ABAAB", {move});
    Trial<Space> trial(space, target, n_chains, twin);
    draw_target(space.energy(), trial.chains.points(), n_chains);
    trial.begin();
    const double z = testing_support::greatest_z_of_changes(
        n_chains, [&](Index i) { return moments(trial, i); },
        [&] {
            for (int t = 0; t < 8; ++t)
                trial.mutate(0, trial.scale(1));
        });
    EXPECT_GT(trial.accepted, n_chains / 4) << move;
    return z;
}

/// |z| above it has probability 2e-7 under the null hypothesis: with at most 51 moments of four runs, many of which
/// hang together, a false alarm in 4e-5 of all choices of seeds at most.
constexpr double largest_z = 5.2;

TEST(ProteinMoves, LeaveTheTargetInvariant) {
    EXPECT_LT(greatest_z(Energy::planar, "k-point"), largest_z);
    EXPECT_LT(greatest_z(Energy::planar, "concerted"), largest_z);
    EXPECT_LT(greatest_z(Energy::planar, "reflection"), largest_z);
    EXPECT_LT(greatest_z(Energy::irback, "crankshaft"), largest_z);
}

/// Without the ratios the loops lack the Jacobian of their closure, and the crankshaft that of solid angles.
TEST(ProteinMoves, WrongOnesAreRejected) {
    EXPECT_GT(greatest_z(Energy::planar, "concerted", Twin::without_ratios), largest_z);
    EXPECT_GT(greatest_z(Energy::irback, "crankshaft", Twin::without_ratios), largest_z);
    for (const std::string move : {"concerted", "reflection"})
        EXPECT_GT(greatest_z(Energy::planar, move, Twin::without_theta), largest_z) << move;
}

TEST(ProteinMoves, TrajectoriesDoNotDependOnNeighbours) {
    const auto names = kernel::BoxOperations::names();
    for (const Kind& kind : kinds) {
        auto operations = names;
        for (const auto& move : kind.moves)
            if (move != "k-point")
                operations.insert(operations.begin(), move);
        const auto space = space_of(kind, "ABAABBAB", operations);
        EXPECT_TRUE(kernel::testing::trajectories_do_not_depend_on_neighbours(space, target));
        EXPECT_NO_THROW(kernel::testing::move_nobody(space));
    }
}

TEST(ProteinMoves, OtherProteinsHaveOtherMoves) {
    EXPECT_NO_THROW(space_of(kinds[0], "ABAAB", {"concerted"}));
    EXPECT_THROW(space_of(kinds[0], "ABAAB", {"crankshaft"}), InputError);
    EXPECT_THROW(space_of(kinds[1], "ABAAB", {"concerted"}), InputError);
    EXPECT_THROW(space_of(kinds[2], "ABAAB", {"reflection"}), InputError);
}

} // namespace
} // namespace pearlite::algorithm
