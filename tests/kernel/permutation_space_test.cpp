#include "pearlite/kernel/permutation_space.hpp"

#include "kernel/discrete_checks.hpp"

#include <gtest/gtest.h>
#include <limits>
#include <numeric>

namespace pearlite::kernel {
namespace {

using namespace testing;
using random::testing::rejection_level;

/// An assignment plus a path through places that are not symmetric; the last element may not come first.
struct Irregular {
    Index n = 4;

    Index size() const { return n; }
    static double cost(Index place, std::int32_t element) {
        return std::sin(2.3 * static_cast<double>(place) + 1.9 * element);
    }
    static double way(std::int32_t from, std::int32_t to) { return 0.7 * std::cos(1.1 * from - 2.7 * to); }
    bool is_outside(std::int32_t first) const { return first == n - 1; }
    double energy(std::span<const std::int32_t> x) const {
        if (is_outside(x[0]))
            return std::numeric_limits<double>::infinity();
        double sum = 0;
        for (std::size_t k = 0; k < x.size(); ++k)
            sum += cost(static_cast<Index>(k), x[k]) + (k > 0 ? way(x[k - 1], x[k]) : 0);
        return sum;
    }
    void fingerprint(model::Fingerprint& fingerprint) const { fingerprint.add("irregular"); }
};

/// With differences; here by brute force, but for the wrong factor.
struct WithChanges : Irregular {
    double factor = 1;

    template <class Change>
    double difference(std::span<const std::int32_t> x, Change change) const {
        State after(x.begin(), x.end());
        change(after);
        return factor * (energy(after) - energy(x));
    }
    double swap_change(std::span<const std::int32_t> x, Index i, Index j) const {
        return difference(x, [&](State& y) { std::swap(y[at(i)], y[at(j)]); });
    }
    double insertion_change(std::span<const std::int32_t> x, Index from, Index to) const {
        return difference(x, [&](State& y) {
            const auto element = y[at(from)];
            y.erase(y.begin() + from);
            y.insert(y.begin() + to, element);
        });
    }
    double reversal_change(std::span<const std::int32_t> x, Index first, Index last) const {
        return difference(x, [&](State& y) { std::reverse(y.begin() + first, y.begin() + last + 1); });
    }
    static std::size_t at(Index i) { return static_cast<std::size_t>(i); }
};

static_assert(model::SearchSpace<PermutationSpace<Irregular>>);
static_assert(!model::HasSwapChange<Irregular> && model::HasSwapChange<WithChanges> &&
              model::HasInsertionChange<WithChanges> && model::HasReversalChange<WithChanges>);

const Target target{1.1, model::EnergyPartition({-1.5, -0.5, 0.6}), {0.6, -0.4, 0.5, -0.8}};

template <class E>
Listed<E> listed(const E& energy = {}) {
    State state(static_cast<std::size_t>(energy.size()));
    std::iota(state.begin(), state.end(), 0);
    std::vector<State> states;
    do {
        states.push_back(state);
    } while (std::next_permutation(state.begin(), state.end()));
    return {energy, states, target};
}

template <class E>
void expect_invariance() {
    const PermutationSpace<E> space{E{}};
    for (Index op = 0; op < 3; ++op) {
        EXPECT_GT(mutated_p_value(space, listed<E>(), target, op), rejection_level) << op;
        EXPECT_LT(mutated_p_value(space, listed<E>(), target, op, Twin::without_theta), rejection_level) << op;
        EXPECT_LT(mutated_p_value(space, listed<E>(), target, op, Twin::uphill_half), rejection_level) << op;
    }
}

// Ten comparisons in this file may fail by chance, each at a level of 1e-6.
TEST(PermutationSpace, OperationsLeaveTheTargetInvariant) {
    expect_invariance<Irregular>();
    expect_invariance<WithChanges>();
}

TEST(PermutationSpace, AWrongChangeIsRejected) {
    WithChanges energy;
    energy.factor = 0.8;
    for (Index op = 0; op < 3; ++op)
        EXPECT_LT(mutated_p_value(PermutationSpace(energy), listed(energy), target, op), rejection_level) << op;
}

TEST(PermutationSpace, OperationsProposeWhatTheySay) {
    const State from{2, 0, 3, 1};
    std::map<State, double> swaps, insertions, reversals;
    for (Index i = 0; i < 4; ++i)
        for (Index j = 0; j < 4; ++j) {
            if (i == j)
                continue;
            State to = from;
            to.erase(to.begin() + i);
            to.insert(to.begin() + j, from[static_cast<std::size_t>(i)]);
            insertions[to] += 1 / 12.0;
            if (i > j)
                continue;
            to = from;
            std::swap(to[static_cast<std::size_t>(i)], to[static_cast<std::size_t>(j)]);
            swaps[to] += 1 / 6.0;
            to = from;
            std::reverse(to.begin() + i, to.begin() + j + 1);
            reversals[to] += 1 / 6.0;
        }
    const PermutationSpace<Irregular> space{Irregular{}};
    const auto all = listed<Irregular>();
    EXPECT_GT(proposed_p_value(space, all, 0, from, swaps), rejection_level);
    EXPECT_GT(proposed_p_value(space, all, 1, from, insertions), rejection_level);
    EXPECT_GT(proposed_p_value(space, all, 2, from, reversals), rejection_level);
    EXPECT_LT(proposed_p_value(space, all, 1, from, reversals), rejection_level);
}

TEST(PermutationSpace, TrajectoriesDoNotDependOnNeighbours) {
    EXPECT_TRUE(trajectories_do_not_depend_on_neighbours(PermutationSpace(Irregular{7}), target));
    EXPECT_TRUE(trajectories_do_not_depend_on_neighbours(PermutationSpace(WithChanges{{7}}), target));
    EXPECT_NO_THROW(move_nobody(PermutationSpace(WithChanges{{7}})));
}

TEST(PermutationSpace, CarriedEnergiesAreMadeNew) {
    for (Index op = 0; op < 3; ++op)
        expect_energies_that_do_not_drift(PermutationSpace(WithChanges{{6}}), target, op);
}

TEST(PermutationSpace, StartsAreUniformOnThePermutationsInside) {
    const PermutationSpace<WithChanges> space{WithChanges{}};
    auto chains = space.make_chains(18000);
    space.draw_start(chains, {.seed = 5});
    std::map<State, double> counts;
    for (Index i = 0; i < chains.size(); ++i)
        ++counts[state_of(chains, i)];
    std::vector<double> found;
    for (const auto& [state, count] : counts) {
        EXPECT_NE(state[0], 3);
        found.push_back(count);
    }
    ASSERT_EQ(found.size(), 18U);
    EXPECT_GT(random::testing::chi_squared_p_value(found, std::vector<double>(18, 1 / 18.0)), rejection_level);
}

TEST(PermutationSpace, OperationsSayWhatTheyAre) {
    struct OnlySwaps : Irregular {
        double swap_change(std::span<const std::int32_t>, Index, Index) const { return 0; }
    };
    const auto& names = PermutationOperations::names();
    const PermutationSpace<OnlySwaps> space(OnlySwaps{}, {.operations = {names.rbegin(), names.rend()}});
    for (std::size_t k = 0; k < 3; ++k) {
        EXPECT_EQ(space.operations()[k].name, names[2 - k]);
        EXPECT_EQ(space.operations()[k].kind, model::Operation::Kind::mutation);
        EXPECT_EQ(space.operations()[k].is_local, k == 2);
    }
}

TEST(PermutationSpace, WrongSettingsAreErrors) {
    const auto with = [](std::vector<std::string> operations, Index n = 4) {
        return PermutationSpace<Irregular>(Irregular{n}, {.operations = std::move(operations)});
    };
    EXPECT_THROW(with({"single-site"}), InputError);
    EXPECT_THROW(with({"swap", "swap"}), InputError);
    EXPECT_THROW(with({}), InputError);
    EXPECT_THROW(with({"swap"}, 1), InputError);
    const auto space = with({"swap"});
    Trial<PermutationSpace<Irregular>> trial(space, target, 4);
    EXPECT_THROW(trial.meet_neighbours(0), ContractViolation);

    WithChanges wrong;
    wrong.factor = -1;
    const PermutationSpace<WithChanges> other(wrong);
    EXPECT_THROW(other.draw_start(trial.chains, {.seed = 5}), NumericalError);
}

} // namespace
} // namespace pearlite::kernel
