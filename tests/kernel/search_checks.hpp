#pragma once
/// Does an operation of a search space, with the right acceptance, leave f(x) = exp(-U(x)/tau - theta_{J(x)})
/// invariant? The operation moves exact draws, whose distribution is compared before and after. A Trial is a minimal
/// sampler with fixed theta and tau.

#include "core/log_space.hpp"
#include "pearlite/core/error.hpp"
#include "pearlite/model/energy/detail/search_space.hpp"
#include "pearlite/random/stream.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

namespace pearlite::kernel::testing {

struct Target {
    double tau = 1;
    model::EnergyPartition partition;
    std::vector<double> theta;

    double log_density(double energy) const {
        return energy < std::numeric_limits<double>::infinity()
                   ? -energy / tau - theta[static_cast<std::size_t>(partition.region(energy))]
                   : log_zero;
    }
};

/// A deliberate fault of a Trial.
enum class Twin {
    none,
    without_theta,     ///< the regions' weights are left out of the acceptance
    without_ratios,    ///< the space's log_ratios are left out
    uphill_half,       ///< half of the proposals of a higher energy are dropped: proposals that are not symmetric
    one_by_one,        ///< the children of a pair are accepted each by itself
    own_meetings,      ///< the partners of a pair do not share what they exchange
    without_selection, ///< the probability of choosing this pair again is left out
};

inline std::uint64_t id_of(Index i) {
    return static_cast<std::uint64_t>(i);
}

template <model::SearchSpace Space>
class Trial {
  public:
    using Chains = typename Space::Chains;

    /// `n` chains whose first has the global number `first`.
    Trial(const Space& space, Target target, Index n, Twin twin = Twin::none, Index first = 0)
        : chains(space.make_chains(n)),
          energies(static_cast<std::size_t>(chains.padded_size())),
          space_(space),
          target_(std::move(target)),
          twin_(twin),
          first_(first) {
        const auto padded_size = energies.size();
        proposals.energies.assign(padded_size, 0);
        proposals.log_ratios.assign(padded_size, 0);
        accepted_.assign(padded_size, 0);
    }
    /// After the states were set.
    void begin() { space_.evaluate(chains, energies); }

    model::BlockStreams streams() const {
        return {.seed = 29, .step = step_, .generation = 0, .first_slot = first_, .block = 0};
    }
    model::ProposalScale scale(double value, bool by_region = false) const {
        return {value, by_region ? &target_.partition : nullptr};
    }

    void mutate(Index op, const model::ProposalScale& scale) {
        ++step_;
        space_.mutate(chains, op, scale, energies, streams(), proposals);
        const bool heat_bath = space_.operations()[static_cast<std::size_t>(op)].heat_bath;
        for (Index i = 0; i < chains.size(); ++i)
            decide(i, log_ratio(at(i)), heat_bath);
        take();
    }
    /// With partners that stay put.
    void meet(Index op, std::span<const Chains> partners, const model::ProposalScale& scale) {
        ++step_;
        const std::vector<std::uint8_t> active(energies.size(), 1);
        const std::vector<std::int64_t> meeting(energies.size(), -1);
        space_.cross(chains, partners, op, {active, meeting}, scale, energies, streams(), proposals);
        for (Index i = 0; i < chains.size(); ++i)
            decide(i, log_ratio(at(i)), false);
        take();
    }
    /// Chains 2 k and 2 k + 1 meet.
    void meet_neighbours(Index op) {
        ++step_;
        std::vector<Index> partner(energies.size(), -1);
        for (Index i = 0; i - i % 2 + 1 < chains.size(); ++i)
            partner[at(i)] = i % 2 == 0 ? i + 1 : i - 1;
        cross_pairs(op, partner);
        for (Index i = 0; i + 1 < chains.size(); i += 2)
            decide_pair(i, i + 1, 0);
        take();
    }
    /// Crosses two chains of each group of `group` chains, chosen by their energies at the temperature T: i with q(i),
    /// j with q(j|i), q ~ exp(-U/T).
    void meet_by_energy(Index op, Index group, double T) {
        ++step_;
        std::vector<Index> partner(energies.size(), -1);
        std::vector<std::pair<Index, Index>> pairs;
        for (Index g = 0; g + group <= chains.size(); g += group) {
            random::Stream stream({29, random::Purpose::operation, id_of(g), step_});
            std::vector<double> weights;
            for (Index i = g; i < g + group; ++i)
                weights.push_back(std::exp(-energies[at(i)] / T));
            const Index i = stream.categorical(weights);
            weights[at(i)] = 0;
            const Index j = stream.categorical(weights);
            partner[at(g + i)] = g + j;
            partner[at(g + j)] = g + i;
            pairs.emplace_back(g + i, g + j);
        }
        cross_pairs(op, partner);
        for (const auto& [i, j] : pairs)
            decide_pair(i, j, selection_ratio(i, j, group, T));
        take();
    }

    Chains chains;
    std::vector<double> energies;
    model::Proposals proposals;
    Index accepted = 0; ///< proposals, in all

  private:
    static std::size_t at(Index i) { return static_cast<std::size_t>(i); }

    double log_ratio(std::size_t i) const {
        const double before = energies[i], after = proposals.energies[i];
        if (!(after < std::numeric_limits<double>::infinity()))
            return log_zero;
        const double difference = twin_ == Twin::without_theta
                                      ? (before - after) / target_.tau
                                      : target_.log_density(after) - target_.log_density(before);
        return difference + (twin_ == Twin::without_ratios ? 0 : proposals.log_ratios[i]);
    }
    void decide(Index i, double ratio, bool heat_bath) {
        random::Stream stream({29, random::Purpose::accept, id_of(first_ + i), step_});
        const double u = stream.uniform();
        accepted_[at(i)] = heat_bath ? u < 1 / (1 + std::exp(-ratio)) : std::log(u) < ratio;
        if (twin_ == Twin::uphill_half && proposals.energies[at(i)] > energies[at(i)] && stream.uniform() < 0.5)
            accepted_[at(i)] = 0;
    }
    void decide_pair(Index i, Index j, double selection) {
        if (twin_ == Twin::one_by_one) {
            decide(i, log_ratio(at(i)), false);
            decide(j, log_ratio(at(j)), false);
            return;
        }
        const double ratio = log_ratio(at(i)) + log_ratio(at(j));
        decide(i, ratio + (twin_ == Twin::without_selection ? 0 : selection), false);
        accepted_[at(j)] = accepted_[at(i)];
    }
    /// log q(i) q(j|i) + q(j) q(i|j) of the group with the children over that without.
    double selection_ratio(Index i, Index j, Index group, double T) const {
        const auto log_chosen = [&](double energy_i, double energy_j) {
            const Index begin = i / group * group;
            double rest = 0;
            for (Index l = begin; l < begin + group; ++l)
                rest += l == i || l == j ? 0 : std::exp(-energies[at(l)] / T);
            const double a = std::exp(-energy_i / T), b = std::exp(-energy_j / T);
            return std::log(a * b / (a + b + rest) * (1 / (b + rest) + 1 / (a + rest)));
        };
        return log_chosen(proposals.energies[at(i)], proposals.energies[at(j)]) -
               log_chosen(energies[at(i)], energies[at(j)]);
    }
    void cross_pairs(Index op, const std::vector<Index>& partner) {
        std::vector<std::uint8_t> active(energies.size(), 0);
        std::vector<std::int64_t> meeting(energies.size(), -1);
        std::vector<Chains> partners{space_.make_chains(chains.size())};
        std::vector<std::byte> bytes(chains.packed_bytes());
        for (Index i = 0; i < chains.size(); ++i) {
            const Index j = partner[at(i)];
            if (j < 0)
                continue;
            active[at(i)] = 1;
            meeting[at(i)] = first_ + (twin_ == Twin::own_meetings ? i : std::min(i, j));
            chains.pack(j, bytes);
            partners[0].unpack(i, bytes);
        }
        space_.cross(chains, partners, op, {active, meeting}, {}, energies, streams(), proposals);
    }
    void take() {
        space_.accept(chains, accepted_);
        for (Index i = 0; i < chains.size(); ++i)
            if (accepted_[at(i)] != 0) {
                energies[at(i)] = proposals.energies[at(i)];
                ++accepted;
            }
        std::fill(accepted_.begin(), accepted_.end(), std::uint8_t{0});
    }

    const Space& space_;
    Target target_;
    Twin twin_;
    Index first_;
    std::uint32_t step_ = 0;
    std::vector<std::uint8_t> accepted_;
};

/// A rank without chains does everything that the others do.
template <model::SearchSpace Space>
void move_nobody(const Space& space) {
    Trial<Space> trial(space, {}, 0);
    space.draw_start(trial.chains, trial.streams());
    trial.begin();
    const std::vector<typename Space::Chains> partners(2, trial.chains);
    for (Index op = 0; op < static_cast<Index>(space.operations().size()); ++op)
        if (space.operations()[static_cast<std::size_t>(op)].kind == model::Operation::Kind::mutation)
            trial.mutate(op, {});
        else
            trial.meet(op, partners, {});
}

template <class Chains>
std::vector<std::byte> packed(const Chains& chains, Index slot) {
    std::vector<std::byte> bytes(chains.packed_bytes());
    chains.pack(slot, bytes);
    return bytes;
}

/// The trajectories of chains 32 .. 39, moved by all operations in turn, are the same in a trial of 40 chains, and in
/// one of these alone that goes through pack and unpack on the way (where the others forget, if the space can).
template <model::SearchSpace Space>
bool trajectories_do_not_depend_on_neighbours(const Space& space, const Target& target) {
    const auto n_operations = static_cast<Index>(space.operations().size());
    Trial<Space> all(space, target, 40), some(space, target, 8, Twin::none, 32);
    for (Trial<Space>* trial : {&all, &some}) {
        space.draw_start(trial->chains, trial->streams());
        trial->begin();
    }
    const auto move = [&](Trial<Space>& trial, Index op, Index first) {
        const auto& operation = space.operations()[static_cast<std::size_t>(op)];
        if (operation.kind == model::Operation::Kind::mutation)
            return trial.mutate(op, trial.scale(operation.first_scale, true));
        if (operation.kind == model::Operation::Kind::pair)
            return trial.meet_neighbours(op);
        std::vector<typename Space::Chains> partners;
        for (int k = 0; k < operation.partners; ++k) {
            auto others = space.make_chains(trial.chains.size());
            space.draw_start(others, {.seed = 31 + id_of(k), .step = 0, .generation = 0, .first_slot = first});
            partners.push_back(std::move(others));
        }
        trial.meet(op, partners, trial.scale(operation.first_scale, true));
    };
    for (Index t = 0; t < 60; ++t) {
        move(all, t % n_operations, 0);
        move(some, t % n_operations, 32);
        if (t % 7 == 0) {
            auto copy = space.make_chains(8);
            for (Index i = 0; i < 8; ++i)
                copy.unpack(i, packed(some.chains, i));
            some.chains = std::move(copy);
            some.begin();
            if constexpr (requires { space.forget(all.chains); }) {
                space.forget(all.chains);
                all.begin();
            }
        }
        for (Index i = 0; i < 8; ++i) {
            const double one = all.energies[static_cast<std::size_t>(32 + i)];
            if (packed(all.chains, 32 + i) != packed(some.chains, i) ||
                std::memcmp(&one, &some.energies[static_cast<std::size_t>(i)], sizeof one) != 0)
                return false;
        }
    }
    return all.accepted > 0;
}

} // namespace pearlite::kernel::testing
