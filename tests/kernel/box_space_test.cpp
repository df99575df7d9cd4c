#include "pearlite/kernel/box_space.hpp"

#include "kernel/search_checks.hpp"
#include "support/changes_of_moments.hpp"

#include <array>
#include <functional>
#include <gtest/gtest.h>

namespace pearlite::kernel {
namespace {

using namespace testing;
using model::Operation;

/// In three dimensions, without any symmetry.
struct Uneven {
    static constexpr std::array<double, 3> low{-2, -1.5, -1}, high{2.5, 2, 3};

    Index dimension() const { return 3; }
    std::span<const double> lower() const { return low; }
    std::span<const double> upper() const { return high; }
    double energy(std::span<const double> x) const {
        return 0.5 * x[0] * x[0] + 0.6 * x[0] * x[1] + 0.4 * std::pow(x[1], 4) - 0.7 * x[1] +
               0.3 * (x[2] - 0.5) * (x[2] - 0.5) + 0.4 * x[1] * x[2] + 0.5 * std::sin(2 * x[0] + x[2]);
    }
    void fingerprint(model::Fingerprint& fingerprint) const { fingerprint.add("uneven"); }
};
static_assert(model::SearchSpace<BoxSpace<Uneven>>);

const Target target{0.8, model::EnergyPartition({-0.4, 0.3, 1, 1.8}), {0.6, -0.5, 0.3, -0.8, -1.5}};
constexpr Index n_chains = 40000, n_moves = 8;

/// Exact: rejection from the uniform distribution on the box.
void draw_target(model::LaneMatrix& points, Index n, std::uint64_t id) {
    const Uneven energy;
    constexpr double log_bound = 1.001; // the supremum is 1, where U falls to -0.4
    for (Index i = 0; i < n; ++i) {
        random::Stream stream({37, random::Purpose::test, id << 32 | id_of(i), 0});
        std::array<double, 3> x{};
        double log_f = 0;
        do {
            for (std::size_t k = 0; k < 3; ++k)
                x[k] = stream.uniform(Uneven::low[k], Uneven::high[k]);
            log_f = target.log_density(energy.energy(x));
            ASSERT_LT(log_f, log_bound);
        } while (std::log(stream.uniform()) > log_f - log_bound);
        for (Index k = 0; k < 3; ++k)
            points(k, i) = x[static_cast<std::size_t>(k)];
    }
}

using Trials = Trial<BoxSpace<Uneven>>;

/// First and second moments, energy, region frequencies: adds those of chain i, times `factor`.
void add_moments(const Trials& trial, Index i, double factor, std::vector<double>& sums, std::size_t m) {
    for (Index k = 0; k < 3; ++k) {
        const double x = trial.chains.points()(k, i);
        sums[m++] += factor * x;
        for (Index l = 0; l <= k; ++l)
            sums[m++] += factor * x * trial.chains.points()(l, i);
    }
    const double energy = trial.energies[static_cast<std::size_t>(i)];
    sums[m++] += factor * energy;
    sums[m++] += factor * energy * energy;
    sums[m + static_cast<std::size_t>(target.partition.region(energy))] += factor;
}

/// Sums over chains g .. g + group - 1 of these moments, of their products with the energies of `fixed` partners, and
/// of products of neighbouring chains' coordinates and energies.
std::vector<double> moments_of_group(const Trials& trial, Index g, Index group, const std::vector<double>& fixed) {
    constexpr std::size_t n_moments = 16;
    std::vector<double> sums(2 * n_moments + 4);
    for (Index i = g; i < g + group; ++i) {
        const auto slot = static_cast<std::size_t>(i);
        add_moments(trial, i, 1, sums, 0);
        if (!fixed.empty())
            add_moments(trial, i, fixed[slot], sums, n_moments);
        if (i == g)
            continue;
        for (Index k = 0; k < 3; ++k)
            sums[2 * n_moments + static_cast<std::size_t>(k)] +=
                trial.chains.points()(k, i) * trial.chains.points()(k, i - 1);
        sums.back() += trial.energies[slot] * trial.energies[slot - 1];
    }
    return sums;
}

/// The greatest |z| of the changes of these sums between exact draws and the same draws moved; groups are independent.
double greatest_z(Trials& trial, const std::function<void()>& move, Index group,
                  const std::vector<double>& fixed = {}) {
    return testing_support::greatest_z_of_changes(
        trial.chains.size() / group, [&](Index k) { return moments_of_group(trial, k * group, group, fixed); }, move);
}

/// |z| above it has probability 2e-7 under the null hypothesis. The tests below look at 18 runs with at most 32 of them
/// each, many of which hang together: a false alarm in 1e-4 of all choices of seeds at most.
constexpr double largest_z = 5.2;

BoxSpace<Uneven> space_of(const std::string& name) {
    BoxOperationSettings settings;
    settings.operations = {name};
    settings.mutation_points = 2;
    const bool is_mutation = name == "metropolis" || name == "hit-and-run" || name == "k-point";
    if (!is_mutation)
        settings.operations.emplace_back("metropolis");
    return BoxSpace<Uneven>(Uneven{}, settings);
}

void expect_moving(const Trials& trial, Index proposals) {
    const double rate = static_cast<double>(trial.accepted) / static_cast<double>(proposals);
    EXPECT_TRUE(rate > 0.05 && rate < 0.95) << rate;
}

double z_of_mutation(const std::string& name, bool by_region, Twin twin = Twin::none) {
    const auto space = space_of(name);
    Trials trial(space, target, n_chains, twin);
    draw_target(trial.chains.points(), n_chains, 0);
    trial.begin();
    const double z = greatest_z(
        trial,
        [&] {
            for (int t = 0; t < n_moves; ++t)
                trial.mutate(0, trial.scale(by_region ? 1.6 : 0.8, by_region));
        },
        1);
    expect_moving(trial, n_moves * n_chains);
    return z;
}

TEST(BoxSpace, MutationsLeaveTheTargetInvariant) {
    for (const std::string name : {"metropolis", "hit-and-run", "k-point"})
        for (const bool by_region : {false, true})
            EXPECT_LT(z_of_mutation(name, by_region), largest_z) << name << by_region;
}

TEST(BoxSpace, WrongMutationsAreRejected) {
    for (const std::string name : {"metropolis", "hit-and-run", "k-point"}) {
        EXPECT_GT(z_of_mutation(name, true, Twin::without_ratios), largest_z) << name;
        EXPECT_GT(z_of_mutation(name, false, Twin::without_theta), largest_z) << name;
        EXPECT_GT(z_of_mutation(name, false, Twin::uphill_half), largest_z) << name;
    }
}

/// Every chain has separate partners, drawn from the target; with `by_energy` each is chosen out of three.
double z_of_partners(const std::string& name, bool by_region, bool by_energy, Twin twin = Twin::none) {
    const auto space = space_of(name);
    Trials trial(space, target, n_chains, twin);
    draw_target(trial.chains.points(), n_chains, 0);
    trial.begin();
    std::vector<BoxChains> partners;
    std::vector<double> fixed(trial.energies.size());
    for (int k = 0; k < space.operations()[0].partners; ++k) {
        partners.push_back(space.make_chains(n_chains));
        draw_target(partners.back().points(), n_chains, 1 + id_of(k));
        space.evaluate(partners.back(), fixed);
        for (std::uint64_t other = 1; by_energy && other < 3; ++other) {
            auto rival = space.make_chains(n_chains);
            draw_target(rival.points(), n_chains, 10 * other + id_of(k));
            std::vector<double> energies(fixed.size());
            space.evaluate(rival, energies);
            for (Index i = 0; i < n_chains; ++i)
                if (energies[static_cast<std::size_t>(i)] < fixed[static_cast<std::size_t>(i)])
                    partners.back().points().col(i) = rival.points().col(i);
            space.evaluate(partners.back(), fixed);
        }
    }
    const double z = greatest_z(
        trial,
        [&] {
            for (int t = 0; t < n_moves; ++t)
                trial.meet(0, partners, trial.scale(by_region ? 2 : 1, by_region));
        },
        1, fixed);
    expect_moving(trial, n_moves * n_chains);
    return z;
}

TEST(BoxSpace, CrossoversWithPartnersThatStayLeaveTheTargetInvariant) {
    for (const bool by_region : {false, true}) {
        EXPECT_LT(z_of_partners("snooker", by_region, !by_region), largest_z) << by_region;
        EXPECT_LT(z_of_partners("snooker", by_region, by_region), largest_z) << by_region;
        EXPECT_LT(z_of_partners("linear", false, by_region), largest_z) << by_region;
        EXPECT_LT(z_of_partners("differential", by_region, false), largest_z) << by_region;
    }
}

// Without the ratios the snooker crossover lacks its Jacobian, or with a scale by region that one's ratio too.
TEST(BoxSpace, WrongCrossoversAreRejected) {
    for (const bool by_region : {false, true}) {
        EXPECT_GT(z_of_partners("snooker", by_region, false, Twin::without_ratios), largest_z);
        EXPECT_GT(z_of_partners("snooker-as-printed", by_region, false), largest_z);
    }
    EXPECT_GT(z_of_partners("differential", true, false, Twin::without_ratios), largest_z);
    for (const std::string name : {"snooker", "linear", "differential"})
        EXPECT_GT(z_of_partners(name, false, false, Twin::without_theta), largest_z) << name;
}

double z_of_pairs(Index group, Index points, Twin twin = Twin::none) {
    BoxOperationSettings settings;
    settings.operations = {"k-point-crossover", "metropolis"};
    settings.crossover_points = points;
    const BoxSpace<Uneven> space(Uneven{}, settings);
    Trials trial(space, target, n_chains, twin);
    draw_target(trial.chains.points(), n_chains, 0);
    trial.begin();
    const double z = greatest_z(
        trial,
        [&] {
            for (int t = 0; t < n_moves; ++t)
                group == 2 ? trial.meet_neighbours(0) : trial.meet_by_energy(0, group, 0.4);
        },
        group);
    expect_moving(trial, group == 2 ? n_moves * n_chains : n_moves * n_chains / group * 2);
    return z;
}

TEST(BoxSpace, KPointCrossoversLeaveTheTargetInvariant) {
    for (const Index points : {1, 2}) {
        EXPECT_LT(z_of_pairs(2, points), largest_z) << points;
        EXPECT_LT(z_of_pairs(4, points), largest_z) << points;
    }
}

TEST(BoxSpace, WrongKPointCrossoversAreRejected) {
    for (const Index points : {1, 2}) {
        EXPECT_GT(z_of_pairs(4, points, Twin::without_selection), largest_z) << points;
        EXPECT_GT(z_of_pairs(2, points, Twin::one_by_one), largest_z) << points;
        EXPECT_GT(z_of_pairs(2, points, Twin::without_theta), largest_z) << points;
    }
    EXPECT_GT(z_of_pairs(2, 1, Twin::own_meetings), largest_z);
}

TEST(BoxSpace, TrajectoriesDoNotDependOnNeighbours) {
    BoxOperationSettings settings;
    settings.operations = BoxOperations::names();
    EXPECT_TRUE(trajectories_do_not_depend_on_neighbours(BoxSpace<Uneven>(Uneven{}, settings), target));
    EXPECT_NO_THROW(move_nobody(BoxSpace<Uneven>(Uneven{}, settings)));
}

/// A domain of which only the middle is of use.
struct Wide : Uneven {
    static constexpr std::array<double, 3> start_low{-1, 0, 1}, start_high{-0.5, 0, 1.5};
    std::span<const double> start_lower() const { return start_low; }
    std::span<const double> start_upper() const { return start_high; }
};

/// Sizes of up to two vectors of lanes, up to four, and more.
TEST(BoxChains, StatesAreCopiedFromWhereverTheyAre) {
    constexpr Index dimension = 3;
    for (const Index size : {1, 7, 8, 9, 16, 17, 24, 25, 32, 33, 70}) {
        BoxChains from(dimension, size), to(dimension, size);
        for (Index i = 0; i < size; ++i)
            for (Index k = 0; k < dimension; ++k) {
                from.points()(k, i) = static_cast<double>(10 * i + k);
                to.points()(k, i) = -1;
            }
        std::vector<Index> source;
        for (Index i = 0; i < size; ++i) // every slot is a source but for those that are left out
            source.push_back(i % 5 == 4 ? -1 : (7 * i + 3) % size);
        to.copy(from, source);
        for (Index i = 0; i < size; ++i)
            for (Index k = 0; k < dimension; ++k) {
                const Index j = source[static_cast<std::size_t>(i)];
                ASSERT_EQ(to.points()(k, i), j < 0 ? -1.0 : static_cast<double>(10 * j + k)) << size << ": " << i;
            }
    }
}

TEST(BoxSpace, StartsFillTheStartBoxWhereThereIsOne) {
    const BoxSpace<Wide> space(Wide{});
    auto chains = space.make_chains(1000);
    space.draw_start(chains, {.seed = 3});
    for (Index k = 0; k < 3; ++k) {
        const auto x = chains.points().row(k).head(1000);
        const double low = Wide::start_low[static_cast<std::size_t>(k)];
        const double high = Wide::start_high[static_cast<std::size_t>(k)];
        EXPECT_NEAR(x.minCoeff(), low, 0.01 * (high - low));
        EXPECT_NEAR(x.maxCoeff(), high, 0.01 * (high - low));
        EXPECT_TRUE(x.minCoeff() >= low && x.maxCoeff() <= high);
    }
}

TEST(BoxSpace, StartsFillTheBox) {
    const BoxSpace<Uneven> space{Uneven{}};
    auto chains = space.make_chains(20000);
    space.draw_start(chains, {.seed = 3});
    for (Index k = 0; k < 3; ++k) {
        const auto row = chains.points().row(k).head(20000);
        const double low = Uneven::low[static_cast<std::size_t>(k)], high = Uneven::high[static_cast<std::size_t>(k)];
        EXPECT_GE(row.minCoeff(), low);
        EXPECT_LE(row.maxCoeff(), high);
        EXPECT_NEAR(row.mean(), (low + high) / 2, 5 * (high - low) / std::sqrt(12 * 20000.0));
    }
}

TEST(BoxSpace, WithADescentStatesHaveTheEnergiesThatItReachesAndMovesTakeThem) {
    constexpr DescentLimits descent{.iterations = 4};
    const BoxSpace<Uneven> space(Uneven{}, {.operations = {"metropolis"}}, descent);
    constexpr Index n = 40;
    Trials trial(space, target, n);
    space.draw_start(trial.chains, {.seed = 3});
    trial.begin();
    int lower = 0, moved = 0;
    for (int round = 0; round < 2; ++round) {
        for (Index i = 0; i < n; ++i) {
            const auto& points = trial.chains.points();
            const std::array<double, 3> x{points(0, i), points(1, i), points(2, i)};
            const double energy = trial.energies[static_cast<std::size_t>(i)];
            EXPECT_EQ(energy, descend(Uneven{}, x, descent).energy);
            lower += energy < Uneven{}.energy(x) - 0.01 ? 1 : 0;
        }
        const model::LaneMatrix before = trial.chains.points();
        trial.mutate(0, trial.scale(0.3));
        moved += before != trial.chains.points() ? 1 : 0;
    }
    EXPECT_GT(lower, n);
    EXPECT_EQ(moved, 2);
}

TEST(BoxSpace, InBasinHoppingStatesGoWhereTheirDescentsEnd) {
    const DescentLimits descent{.iterations = 200, .moves_state = true, .tolerance = 1e-9};
    const BoxSpace<Uneven> space(Uneven{}, {.operations = {"metropolis", "k-point-crossover"}}, descent);
    constexpr Index n = 40;
    Trials trial(space, target, n);
    space.draw_start(trial.chains, {.seed = 3});
    trial.begin();
    const auto expect_minima = [&] {
        for (Index i = 0; i < n; ++i) {
            const auto& points = trial.chains.points();
            const std::array<double, 3> x{points(0, i), points(1, i), points(2, i)};
            EXPECT_EQ(trial.energies[static_cast<std::size_t>(i)], Uneven{}.energy(x)); // also what evaluate() says
            EXPECT_NEAR(Uneven{}.energy(x), descend(Uneven{}, x).energy, 1e-6);
        }
    };
    expect_minima();
    for (int round = 0; round < 3; ++round) {
        const model::LaneMatrix before = trial.chains.points();
        trial.mutate(0, trial.scale(1));
        EXPECT_NE(before, trial.chains.points());
        expect_minima();
        std::vector<double> evaluated(static_cast<std::size_t>(trial.chains.padded_size()));
        space.evaluate(trial.chains, evaluated);
        EXPECT_EQ(std::vector(evaluated.begin(), evaluated.begin() + n),
                  std::vector(trial.energies.begin(), trial.energies.begin() + n));
    }
}

TEST(BoxSpace, WrongSettingsAreInputErrors) {
    const auto with = [](std::vector<std::string> operations, Index points = 1) {
        BoxOperationSettings settings;
        settings.operations = std::move(operations);
        settings.mutation_points = points;
        return BoxSpace<Uneven>(Uneven{}, settings);
    };
    EXPECT_NO_THROW(with({"k-point"}, 3));
    EXPECT_THROW(with({"k-point"}, 4), InputError);
    EXPECT_THROW(with({"k-point"}, 0), InputError);
    EXPECT_THROW(with({"mutation"}), InputError);
    EXPECT_THROW(with({"metropolis", "metropolis"}), InputError);
    EXPECT_THROW(with({"snooker"}), InputError);
    EXPECT_THROW(with({}), InputError);
}

} // namespace
} // namespace pearlite::kernel
