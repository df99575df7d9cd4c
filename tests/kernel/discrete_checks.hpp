#pragma once
/// Trials on spaces so small that all states can be listed: exact draws, exact probabilities, chi-square.

#include "kernel/search_checks.hpp"
#include "random/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <vector>

namespace pearlite::kernel::testing {

using State = std::vector<std::int32_t>;

template <class Chains>
State state_of(const Chains& chains, Index i) {
    const auto x = chains.state(i);
    return {x.begin(), x.end()};
}

/// All states of a space with their exact probabilities ~ f.
template <class E>
class Listed {
  public:
    Listed(E energy, std::vector<State> states, const Target& target)
        : energy_(std::move(energy)), states_(std::move(states)) {
        double sum = 0;
        for (const State& state : states_) {
            numbers_[state] = numbers_.size();
            probabilities_.push_back(std::exp(target.log_density(energy_.energy(state))));
            sum += probabilities_.back();
        }
        for (double& p : probabilities_)
            p /= sum;
    }

    std::size_t size() const { return states_.size(); }
    std::size_t number(const State& state) const { return numbers_.at(state); }
    const std::vector<double>& probabilities() const { return probabilities_; }

    template <class Chains>
    void draw(Chains& chains) const {
        std::vector<double> running;
        double sum = 0;
        for (const double p : probabilities_)
            running.push_back(sum += p);
        for (Index i = 0; i < chains.size(); ++i) {
            random::Stream stream({41, random::Purpose::test, id_of(i), 0});
            const auto place = std::upper_bound(running.begin(), running.end(), stream.uniform() * sum);
            const State& state = states_[static_cast<std::size_t>(place - running.begin())];
            chains.set(i, state, energy_.energy(state));
        }
    }
    /// p-value of the states of chains against their probabilities.
    template <class Chains>
    double p_value(const Chains& chains) const {
        std::vector<double> counts(size());
        for (Index i = 0; i < chains.size(); ++i)
            ++counts[number(state_of(chains, i))];
        return random::testing::chi_squared_p_value(counts, probabilities_);
    }
    /// The same for pairs of neighbours, which are independent of each other.
    template <class Chains>
    double pair_p_value(const Chains& chains) const {
        std::vector<double> counts(size() * size()), products;
        for (Index i = 0; i + 1 < chains.size(); i += 2)
            ++counts[number(state_of(chains, i)) * size() + number(state_of(chains, i + 1))];
        for (const double p : probabilities_)
            for (const double q : probabilities_)
                products.push_back(p * q);
        return random::testing::chi_squared_p_value(counts, products);
    }

  private:
    E energy_;
    std::vector<State> states_;
    std::map<State, std::size_t> numbers_;
    std::vector<double> probabilities_;
};

/// p-value of exact draws moved five times by a mutation.
template <class Space, class E>
double mutated_p_value(const Space& space, const Listed<E>& listed, const Target& target, Index op,
                       Twin twin = Twin::none) {
    Trial<Space> trial(space, target, 50000, twin);
    listed.draw(trial.chains);
    trial.begin();
    for (int t = 0; t < 5; ++t)
        trial.mutate(op, {});
    return trial.accepted > 50000 ? listed.p_value(trial.chains) : 0;
}

/// p-value of `proposed` states, all made from the state 0 of `listed`, against what an operation should propose.
template <class Space, class E>
double proposed_p_value(const Space& space, const Listed<E>& listed, Index op, const State& from,
                        const std::map<State, double>& expected) {
    constexpr Index n = 50000;
    Trial<Space> trial(space, {}, n);
    for (Index i = 0; i < n; ++i)
        trial.chains.set(i, from, space.energy().energy(from));
    trial.begin();
    space.mutate(trial.chains, op, {}, trial.energies, trial.streams(), trial.proposals);
    space.accept(trial.chains, std::vector<std::uint8_t>(trial.energies.size(), 1));
    std::vector<double> counts(listed.size()), probabilities(listed.size());
    for (Index i = 0; i < n; ++i)
        ++counts[listed.number(state_of(trial.chains, i))];
    for (const auto& [state, probability] : expected)
        probabilities[listed.number(state)] += probability;
    return random::testing::chi_squared_p_value(counts, probabilities);
}

/// Do the carried energies stay near the full ones over so many moves of one chain, and are they made new as often as
/// CarriedEnergy says?
template <class Space>
void expect_energies_that_do_not_drift(const Space& space, const Target& target, Index op) {
    Trial<Space> trial(space, target, 1);
    space.draw_start(trial.chains, trial.streams());
    trial.begin();
    Index renewals = 0;
    std::int32_t most = 0;
    for (int t = 0; t < 20000; ++t) {
        const auto before = trial.chains.energy(0);
        trial.mutate(op, {});
        const auto& after = trial.chains.energy(0);
        renewals += after.updates < before.updates ? 1 : 0;
        most = std::max(most, after.updates);
        const double full = space.energy().energy(std::as_const(trial.chains).state(0));
        ASSERT_NEAR(after.value, full, 1e-11);
        if (after.updates == 0) {
            ASSERT_EQ(after.value, full);
        }
    }
    EXPECT_GE(renewals, trial.accepted / CarriedEnergy::largest_updates);
    EXPECT_GT(most, CarriedEnergy::largest_updates - 4);
    EXPECT_LE(most, CarriedEnergy::largest_updates);
    EXPECT_GT(renewals, 2);
}

} // namespace pearlite::kernel::testing
