#pragma once
/// Checks for every search space: chains that start from exact draws of exp(-U / tau - theta_J(U)) keep that
/// distribution under each operation, and a chain does not depend on the chains beside it.

#include "core/log_space.hpp"
#include "pearlite/model/energy/detail/search_space.hpp"
#include "random/fill.hpp"
#include "random/lanes.hpp"
#include "random/statistics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string>
#include <vector>

namespace pearlite::models::testing {

using random::testing::chi_squared_p_value;
using random::testing::rejection_level;

/// f of stochastic approximation annealing with fixed theta.
struct FlatTarget {
    double temperature = 1;
    model::EnergyPartition partition;
    std::vector<double> theta;

    /// Regions between the energies `low` and `high`, with a theta that goes up and down by 1.
    FlatTarget(double tau, double low, double high)
        : temperature(tau), partition(model::EnergyPartition::uniform(low, high, 4)), theta{0.5, -0.5, 1, 0, 0.7} {}
    double log_density(double energy) const {
        return -energy / temperature - theta[static_cast<std::size_t>(partition.region(energy))];
    }
};

/// All states of a space, packed, with their probabilities.
struct States {
    std::vector<std::string> packed;
    std::vector<double> probabilities, region_masses;
    std::map<std::string, std::size_t> numbers;

    States(std::vector<std::string> all, const std::vector<double>& energies, const FlatTarget& target)
        : packed(std::move(all)) {
        for (const double energy : energies)
            probabilities.push_back(target.log_density(energy));
        const double log_total = log_sum_exp(probabilities);
        for (double& p : probabilities)
            p = std::exp(p - log_total);
        for (std::size_t i = 0; i < packed.size(); ++i)
            numbers.emplace(packed[i], i);
        region_masses.resize(target.theta.size());
        for (std::size_t i = 0; i < packed.size(); ++i)
            region_masses[static_cast<std::size_t>(target.partition.region(energies[i]))] += probabilities[i];
    }
    /// Whether n draws are enough to test every region and every state.
    bool are_common(double n) const {
        return *std::min_element(region_masses.begin(), region_masses.end()) > 0.02 &&
               *std::min_element(probabilities.begin(), probabilities.end()) > 5 / n;
    }
};

template <class Chains>
std::string packed(const Chains& chains, Index slot) {
    std::string bytes(chains.packed_bytes(), 0);
    chains.pack(slot, std::as_writable_bytes(std::span(bytes)));
    return bytes;
}

template <class Chains>
void unpack(Chains& chains, Index slot, const std::string& bytes) {
    chains.unpack(slot, std::as_bytes(std::span(bytes)));
}

/// Wrong rules, which the checks must reject.
enum class Twin {
    none,
    doubled_changes, ///< of energy
    no_ratio,        ///< of the proposal
    no_theta,        ///< of the proposal's region: that of the present one is taken for both
    metropolis_half, ///< a heat bath accepts by min(1, f'/f) / 2 + 1/4
    own_cuts,        ///< the chains of a pair draw their cut points each for itself
    accepted_apart   ///< the chains of a pair are accepted each for itself
};

/// Chains that make one operation of a space again and again.
template <class Space>
class Walk {
  public:
    using Chains = typename Space::Chains;
    Walk(const Space& space, Index op, const FlatTarget& target, Index n, Index first_slot = 0)
        : space_(space),
          operation_(space.operations()[static_cast<std::size_t>(op)]),
          op_(op),
          target_(target),
          chains_(space.make_chains(n)),
          partners_(space.make_chains(n)),
          energies_(static_cast<std::size_t>(chains_.padded_size())),
          accepted_(energies_.size()),
          uniforms_(energies_.size()),
          streams_{.seed = 77, .first_slot = first_slot} {
        scale_.scale = operation_.first_scale;
        proposals_.energies.resize(energies_.size());
        proposals_.log_ratios.resize(energies_.size());
    }

    Chains& chains() { return chains_; }
    const model::Proposals& proposals() const { return proposals_; }
    void set_scale(const model::ProposalScale& scale) { scale_ = scale; }
    void set_twin(Twin twin) { twin_ = twin; }

    /// Chains 2 k and 2 k + 1 (by their global numbers) meet in odd steps, 2 k - 1 and 2 k in even ones.
    void step() {
        ++streams_.step;
        space_.evaluate(chains_, energies_);
        if (operation_.kind == model::Operation::Kind::mutation)
            space_.mutate(chains_, op_, scale_, energies_, streams_, proposals_);
        else
            meet();
        decide();
        space_.accept(chains_, accepted_);
        expect_energies();
    }

  private:
    /// The slot of the partner, or -1 if it is not among the chains.
    Index partner(Index i) const {
        const Index other = (streams_.first_slot + i + streams_.step) % 2 == 1 ? i + 1 : i - 1;
        return other < chains_.size() ? other : -1;
    }
    void meet() {
        std::vector<std::uint8_t> active(energies_.size());
        std::vector<std::int64_t> meeting(energies_.size());
        for (Index i = 0; i < chains_.size(); ++i) {
            const Index j = partner(i);
            if (j < 0)
                continue;
            unpack(partners_, i, packed(chains_, j));
            active[static_cast<std::size_t>(i)] = 1;
            meeting[static_cast<std::size_t>(i)] = streams_.first_slot + (twin_ == Twin::own_cuts ? i : std::min(i, j));
        }
        space_.cross(chains_, std::span(&partners_, 1), op_, {active, meeting}, scale_, energies_, streams_,
                     proposals_);
    }
    double log_ratio(Index i) const {
        const auto slot = static_cast<std::size_t>(i);
        double proposed = proposals_.energies[slot];
        const double energy = energies_[slot];
        if (twin_ == Twin::doubled_changes)
            proposed += proposed - energy;
        if (std::isinf(proposed))
            return log_zero;
        double value = target_.log_density(proposed) - target_.log_density(energy);
        if (twin_ == Twin::no_theta)
            value = -(proposed - energy) / target_.temperature;
        return value + (twin_ == Twin::no_ratio ? 0 : proposals_.log_ratios[slot]);
    }
    void decide() {
        random::fill_uniform_lanes(streams_.at(random::Purpose::accept, 0), chains_.padded_size(), uniforms_);
        for (Index i = 0; i < chains_.size(); ++i) {
            const auto slot = static_cast<std::size_t>(i);
            double value = log_ratio(i), uniform = uniforms_[slot];
            if (operation_.kind == model::Operation::Kind::pair) {
                const Index j = partner(i);
                if (j >= 0 && twin_ != Twin::accepted_apart) {
                    value += log_ratio(j);
                    uniform = uniforms_[static_cast<std::size_t>(std::min(i, j))];
                }
                accepted_[slot] = j >= 0 && std::log(uniform) < value;
            } else if (operation_.heat_bath) {
                accepted_[slot] =
                    uniform < (twin_ == Twin::metropolis_half ? 0.5 * std::min(1.0, std::exp(value)) + 0.25
                                                              : 1 / (1 + std::exp(-value)));
            } else {
                accepted_[slot] = std::log(uniform) < value;
            }
        }
    }
    /// Accepted states have the energy of their proposals, computed afresh from the state and again after packing and
    /// unpacking.
    void expect_energies() {
        std::vector<double> now(energies_.size());
        space_.evaluate(chains_, now);
        for (Index i = 0; i < chains_.size(); ++i) {
            const auto slot = static_cast<std::size_t>(i);
            ASSERT_EQ(now[slot], accepted_[slot] != 0 ? proposals_.energies[slot] : energies_[slot]);
        }
        const Index i = static_cast<Index>(streams_.step) % chains_.size();
        unpack(partners_, i, packed(chains_, i));
        std::vector<double> afresh(energies_.size());
        space_.evaluate(partners_, afresh);
        ASSERT_EQ(afresh[static_cast<std::size_t>(i)], now[static_cast<std::size_t>(i)]);
    }

    const Space& space_;
    model::Operation operation_;
    Index op_;
    const FlatTarget& target_;
    Chains chains_, partners_;
    std::vector<double> energies_;
    std::vector<std::uint8_t> accepted_;
    std::vector<double> uniforms_;
    model::BlockStreams streams_;
    model::ProposalScale scale_;
    model::Proposals proposals_;
    Twin twin_ = Twin::none;
};

/// p-value of Pearson's test of the states of n chains after `steps` steps against the exact distribution, from which
/// they were drawn. Chains of a pair are independent at the end, because their joint distribution is invariant.
template <class Space>
double p_value_after(const Space& space, Index op, const FlatTarget& target, const States& states, Index n, int steps,
                     Twin twin = Twin::none, const model::ProposalScale* scale = nullptr) {
    Walk<Space> walk(space, op, target, n);
    walk.set_twin(twin);
    if (scale != nullptr)
        walk.set_scale(*scale);
    std::vector<double> sums(states.probabilities), uniform(static_cast<std::size_t>(n)), counts(sums.size());
    std::partial_sum(sums.begin(), sums.end(), sums.begin());
    random::fill_uniform({78, random::Purpose::test, 0, 0}, uniform);
    for (Index i = 0; i < n; ++i) {
        const auto place = std::upper_bound(sums.begin(), sums.end() - 1, uniform[static_cast<std::size_t>(i)]);
        unpack(walk.chains(), i, states.packed[static_cast<std::size_t>(place - sums.begin())]);
    }
    for (int k = 0; k < steps; ++k)
        walk.step();
    for (Index i = 0; i < n; ++i)
        ++counts[states.numbers.at(packed(walk.chains(), i))];
    return chi_squared_p_value(counts, states.probabilities);
}

/// Chains first .. first + few - 1 take the same way alone as among all. `first` is even and `few` too, so that pairs
/// are the same in odd steps; in even ones the outermost would meet outside, so a pair operation makes one step.
template <class Space>
void expect_chains_independent(const Space& space, Index op, const FlatTarget& target, int steps) {
    const bool is_pair = space.operations()[static_cast<std::size_t>(op)].kind == model::Operation::Kind::pair;
    const Index all = 20, first = 6, few = is_pair ? 4 : 3;
    Walk<Space> together(space, op, target, all), alone(space, op, target, few, first);
    const model::BlockStreams start{.seed = 5};
    space.draw_start(together.chains(), start);
    for (Index i = 0; i < few; ++i)
        unpack(alone.chains(), i, packed(together.chains(), first + i));
    auto started_alone = space.make_chains(few);
    space.draw_start(started_alone, {.seed = 5, .first_slot = first});
    for (Index i = 0; i < few; ++i)
        EXPECT_EQ(packed(started_alone, i), packed(together.chains(), first + i));
    for (int k = 0; k < (is_pair ? 1 : steps); ++k) {
        together.step();
        alone.step();
        for (Index i = 0; i < few; ++i) {
            ASSERT_EQ(alone.proposals().energies[static_cast<std::size_t>(i)],
                      together.proposals().energies[static_cast<std::size_t>(first + i)]);
            ASSERT_EQ(packed(alone.chains(), i), packed(together.chains(), first + i)) << "step " << k;
        }
    }
}

} // namespace pearlite::models::testing
