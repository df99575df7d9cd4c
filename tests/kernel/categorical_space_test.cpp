#include "pearlite/kernel/categorical_space.hpp"

#include "kernel/discrete_checks.hpp"

#include <array>
#include <gtest/gtest.h>
#include <limits>

namespace pearlite::kernel {
namespace {

using namespace testing;
using random::testing::rejection_level;

/// Sites with these numbers of levels, fields and couplings in the sines of their numbers. If the first site is binary,
/// a state that begins with two zeros is outside.
template <std::int32_t... n>
struct Irregular {
    static constexpr std::array<std::int32_t, sizeof...(n)> numbers{n...};

    std::span<const std::int32_t> levels() const { return numbers; }
    static double field(std::size_t site, std::int32_t value) {
        return std::sin(3.1 * static_cast<double>(site) + 1.7 * value);
    }
    static double coupling(std::int32_t a, std::int32_t b) { return std::cos(1.3 * a - 2.1 * b); }
    static bool is_outside(std::int32_t a, std::int32_t b) { return numbers[0] == 2 && a == 0 && b == 0; }

    double energy(std::span<const std::int32_t> x) const {
        if (is_outside(x[0], x[1]))
            return std::numeric_limits<double>::infinity();
        double sum = 0;
        for (std::size_t k = 0; k < x.size(); ++k)
            sum += field(k, x[k]) + (k > 0 ? coupling(x[k - 1], x[k]) : 0);
        return sum;
    }
    void fingerprint(model::Fingerprint& fingerprint) const { fingerprint.add("irregular"); }
};

template <class E>
struct WithChange : E {
    double factor = 1;
    double change(std::span<const std::int32_t> x, Index place, std::int32_t value) const {
        const auto site = static_cast<std::size_t>(place);
        if (site < 2 && E::is_outside(site == 0 ? value : x[0], site == 1 ? value : x[1]))
            return std::numeric_limits<double>::infinity();
        double sum = E::field(site, value) - E::field(site, x[site]);
        if (site > 0)
            sum += E::coupling(x[site - 1], value) - E::coupling(x[site - 1], x[site]);
        if (site + 1 < x.size())
            sum += E::coupling(value, x[site + 1]) - E::coupling(x[site], x[site + 1]);
        return factor * sum;
    }
};

using Mixed = Irregular<2, 4, 3>;
using Binary = Irregular<2, 2, 2, 2, 2>;
static_assert(model::SearchSpace<CategoricalSpace<Mixed>>);
static_assert(!model::HasSiteChange<Mixed> && model::HasSiteChange<WithChange<Mixed>>);

const Target target{1.2, model::EnergyPartition({-1.2, 0, 1}), {0.7, -0.4, 0.5, -0.9}};

std::vector<State> all_states(std::span<const std::int32_t> levels) {
    std::vector<State> states{{}};
    for (const std::int32_t n : levels) {
        std::vector<State> longer;
        for (const State& state : states)
            for (std::int32_t value = 0; value < n; ++value) {
                longer.push_back(state);
                longer.back().push_back(value);
            }
        states = std::move(longer);
    }
    return states;
}

template <class E>
Listed<E> listed(const E& energy = {}) {
    return {energy, all_states(energy.levels()), target};
}

template <class E>
CategoricalSpace<E> space_of(std::vector<std::string> operations, E energy = {}, Index mutation_sites = 2) {
    return CategoricalSpace<E>(energy, {.operations = std::move(operations), .mutation_sites = mutation_sites});
}

template <class E>
void expect_invariance_of_mutations() {
    for (const std::string name : {"single-site", "k-site"}) {
        const auto space = space_of<E>({name});
        EXPECT_GT(mutated_p_value(space, listed<E>(), target, 0), rejection_level) << name;
        EXPECT_LT(mutated_p_value(space, listed<E>(), target, 0, Twin::without_theta), rejection_level) << name;
        EXPECT_LT(mutated_p_value(space, listed<E>(), target, 0, Twin::uphill_half), rejection_level) << name;
    }
}

// 18 comparisons that may fail by chance, each at a level of 1e-6.
TEST(CategoricalSpace, MutationsLeaveTheTargetInvariant) {
    expect_invariance_of_mutations<Mixed>();
    expect_invariance_of_mutations<WithChange<Mixed>>();
    expect_invariance_of_mutations<Binary>();
    expect_invariance_of_mutations<WithChange<Binary>>();
}

TEST(CategoricalSpace, AWrongChangeIsRejected) {
    WithChange<Mixed> energy;
    energy.factor = 0.8;
    for (const std::string name : {"single-site", "k-site"})
        EXPECT_LT(mutated_p_value(space_of({name}, energy), listed(energy), target, 0), rejection_level) << name;
}

TEST(CategoricalSpace, MutationsProposeWhatTheySay) {
    const State from{1, 2, 0};
    const auto all = listed<Mixed>();
    std::map<State, double> one, two;
    const auto n = Mixed::numbers;
    for (const State& to : all_states(n)) {
        double others = 1;
        int changed = 0;
        for (std::size_t k = 0; k < 3; ++k)
            if (to[k] != from[k]) {
                ++changed;
                others *= n[k] - 1;
            }
        if (changed == 1)
            one[to] = 1 / (3 * others);
        if (changed == 2)
            two[to] = 1 / (3 * others);
    }
    const auto space = space_of<Mixed>({"single-site", "k-site"});
    EXPECT_GT(proposed_p_value(space, all, 0, from, one), rejection_level);
    EXPECT_GT(proposed_p_value(space, all, 1, from, two), rejection_level);
    EXPECT_LT(proposed_p_value(space, all, 0, from, two), rejection_level);
}

template <class E>
double crossed_p_value(const std::string& name, Index group, Twin twin = Twin::none) {
    const auto space = space_of<E>({name, "single-site"});
    Trial<CategoricalSpace<E>> trial(space, target, 60000, twin);
    listed<E>().draw(trial.chains);
    trial.begin();
    for (int t = 0; t < 4; ++t)
        group == 2 ? trial.meet_neighbours(0) : trial.meet_by_energy(0, group, 0.7);
    EXPECT_GT(trial.accepted, 30000);
    // Groups of four are independent pairs of neighbours too.
    return listed<E>().pair_p_value(trial.chains);
}

TEST(CategoricalSpace, CrossoversLeaveTheTargetInvariant) {
    for (const std::string name : {"two-point-crossover", "uniform-crossover"})
        for (const Index group : {2, 4}) {
            EXPECT_GT(crossed_p_value<Mixed>(name, group), rejection_level) << name << group;
            EXPECT_GT(crossed_p_value<WithChange<Binary>>(name, group), rejection_level) << name << group;
        }
}

TEST(CategoricalSpace, WrongCrossoversAreRejected) {
    for (const std::string name : {"two-point-crossover", "uniform-crossover"}) {
        EXPECT_LT(crossed_p_value<Mixed>(name, 2, Twin::without_theta), rejection_level) << name;
        EXPECT_LT(crossed_p_value<Mixed>(name, 2, Twin::one_by_one), rejection_level) << name;
        EXPECT_LT(crossed_p_value<Mixed>(name, 2, Twin::own_meetings), rejection_level) << name;
        EXPECT_LT(crossed_p_value<Mixed>(name, 4, Twin::without_selection), rejection_level) << name;
    }
}

TEST(CategoricalSpace, OperationsSayWhatTheyAre) {
    using Kind = model::Operation::Kind;
    const auto& names = CategoricalOperations::names();
    const auto mixed = space_of<Mixed>(names);
    const auto binary = space_of<WithChange<Binary>>(names);
    for (std::size_t k = 0; k < 4; ++k) {
        EXPECT_EQ(mixed.operations()[k].name, names[k]);
        EXPECT_EQ(mixed.operations()[k].kind, k < 2 ? Kind::mutation : Kind::pair);
        EXPECT_EQ(mixed.operations()[k].by_energy, k >= 2);
        EXPECT_FALSE(mixed.operations()[k].heat_bath || mixed.operations()[k].is_local);
        EXPECT_EQ(binary.operations()[k].heat_bath, k == 0);
        EXPECT_EQ(binary.operations()[k].is_local, k < 2);
    }
}

TEST(CategoricalSpace, TrajectoriesDoNotDependOnNeighbours) {
    const auto& names = CategoricalOperations::names();
    EXPECT_TRUE(trajectories_do_not_depend_on_neighbours(space_of<Mixed>(names), target));
    EXPECT_TRUE(trajectories_do_not_depend_on_neighbours(space_of<WithChange<Mixed>>(names), target));
    EXPECT_NO_THROW(move_nobody(space_of<WithChange<Mixed>>(names)));
}

TEST(CategoricalSpace, CarriedEnergiesAreMadeNew) {
    for (const std::string name : {"single-site", "k-site"})
        expect_energies_that_do_not_drift(space_of<WithChange<Irregular<3, 4, 3>>>({name}), target, 0);
}

// Differences and full energies lead to the same decisions, but for roundings.
TEST(CategoricalSpace, DifferencesChangeNothing) {
    const auto full = space_of<Mixed>({"k-site"});
    const auto updated = space_of<WithChange<Mixed>>({"k-site"});
    Trial<CategoricalSpace<Mixed>> a(full, target, 100);
    Trial<CategoricalSpace<WithChange<Mixed>>> b(updated, target, 100);
    full.draw_start(a.chains, a.streams());
    updated.draw_start(b.chains, b.streams());
    a.begin();
    b.begin();
    for (int t = 0; t < 100; ++t) {
        a.mutate(0, {});
        b.mutate(0, {});
    }
    for (Index i = 0; i < 100; ++i)
        EXPECT_EQ(state_of(a.chains, i), state_of(b.chains, i));
}

TEST(CategoricalSpace, StartsAreUniformOnTheStatesInside) {
    const auto space = space_of<WithChange<Mixed>>({"single-site"});
    auto chains = space.make_chains(21000);
    space.draw_start(chains, {.seed = 5});
    std::map<State, double> counts;
    for (Index i = 0; i < chains.size(); ++i)
        ++counts[state_of(chains, i)];
    std::vector<double> found;
    for (const auto& [state, count] : counts) {
        EXPECT_LT(Mixed{}.energy(state), 1e9);
        found.push_back(count);
    }
    ASSERT_EQ(found.size(), 21U);
    EXPECT_GT(random::testing::chi_squared_p_value(found, std::vector<double>(21, 1 / 21.0)), rejection_level);
}

TEST(CategoricalSpace, WrongEnergiesAreErrors) {
    WithChange<Mixed> wrong;
    wrong.factor = -1;
    const auto space = space_of({"single-site"}, wrong);
    auto chains = space.make_chains(20);
    EXPECT_THROW(space.draw_start(chains, {.seed = 5}), NumericalError);

    struct Nowhere : Mixed {
        double energy(std::span<const std::int32_t>) const { return std::numeric_limits<double>::infinity(); }
    };
    EXPECT_THROW(space_of<Nowhere>({"single-site"}).draw_start(chains, {.seed = 5}), NumericalError);
}

TEST(CategoricalSpace, WrongSettingsAreInputErrors) {
    EXPECT_THROW(space_of<Mixed>({"swap"}), InputError);
    EXPECT_THROW(space_of<Mixed>({"single-site", "single-site"}), InputError);
    EXPECT_THROW(space_of<Mixed>({"uniform-crossover"}), InputError);
    EXPECT_THROW(space_of<Mixed>({}), InputError);
    EXPECT_NO_THROW(space_of<Mixed>({"k-site"}, {}, 3));
    EXPECT_THROW(space_of<Mixed>({"k-site"}, {}, 4), InputError);
    EXPECT_THROW(space_of<Mixed>({"k-site"}, {}, 0), InputError);
    EXPECT_THROW((space_of<Irregular<2, 1>>({"single-site"})), InputError);
    EXPECT_THROW((space_of<Irregular<2>>({"single-site", "uniform-crossover"})), InputError);
    struct Nothing : Mixed {
        std::span<const std::int32_t> levels() const { return {}; }
    };
    EXPECT_THROW(space_of<Nothing>({"single-site"}), InputError);
}

TEST(CategoricalSpace, KindsOfOperationsAreNotMixedUp) {
    const auto space = space_of<Mixed>({"single-site", "two-point-crossover"});
    Trial<CategoricalSpace<Mixed>> trial(space, target, 4);
    space.draw_start(trial.chains, trial.streams());
    EXPECT_THROW(trial.mutate(1, {}), ContractViolation);
    EXPECT_THROW(trial.meet_neighbours(0), ContractViolation);
}

} // namespace
} // namespace pearlite::kernel
