#pragma once
/// The partners of chains in a crossover, chosen so that crossovers on all ranks at once leave the target invariant.

#include "algorithm/search/search_settings.hpp"
#include "pearlite/model/energy/detail/space.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace pearlite::algorithm {

/// Every chain's activity, partners and meeting.
struct MeetingPlan {
    std::vector<std::uint8_t> active;
    std::vector<std::int64_t> first, second; ///< partners; -1 where there is none
    std::vector<std::int64_t> meeting;       ///< of a pair: the smaller number
    Index n_active = 0;
};

/// The probabilities q(i) ~ exp(-U_i/T) and q(j|i) ~ exp(-U_j/T), j != i, of choosing by energy.
class SelectionByEnergy {
  public:
    SelectionByEnergy(std::span<const double> energies, double temperature);
    /// log q(i).
    double log_first(std::size_t i) const;
    /// log q(j|i).
    double log_second(std::size_t j, std::size_t i) const;
    /// log [q(i) q(j|i) + q(j) q(i|j)].
    double log_pair(std::size_t i, std::size_t j) const;

  private:
    std::vector<double> log_weights_;
};

/// Plans the meetings of an iteration; every rank makes the same plan. A plan lasts until the next.
class MeetingPlanner {
  public:
    /// Uses crossover and selection_temperature alone.
    explicit MeetingPlanner(const SearchSettings& settings)
        : crossover_(settings.crossover), temperature_(settings.selection_temperature) {}

    /// Crossover::population: a uniformly random half is active, and each active chain draws its partners from the
    /// other half, which stays put: by energy (~ exp(-U/T)) or uniformly (two different ones). Crossover::single: one
    /// uniform chain is active, with partners from all others. `shared` is a stream of the whole iteration; chain i
    /// draws from its own, at the id of `own` + i. n_partners is 1 or 2; no chain is active if there are too few.
    const MeetingPlan& partners(std::span<const double> energies, int n_partners, bool by_energy,
                                const random::Address& shared, const random::Address& own);
    /// Pairs that accept their children together. Crossover::population: a uniformly random matching.
    /// Crossover::single: one pair, chosen by q(i) q(j|i); the acceptance then needs pair_log_ratio.
    const MeetingPlan& pairs(std::span<const double> energies, const random::Address& shared);

  private:
    void begin(std::size_t n);
    void draw_order(const random::Address& shared);
    /// Sums the weights exp(-U/T) of `candidates`, so that draw() chooses from them with probability ~ exp(-U/T).
    void sum_weights(std::span<const double> energies, std::span<const std::int64_t> candidates);
    std::int64_t draw(std::span<const std::int64_t> candidates, double uniform) const;
    void pair_up(std::int64_t i, std::int64_t j);

    SearchSettings::Crossover crossover_;
    double temperature_;
    MeetingPlan plan_;
    std::vector<std::int64_t> order_;
    std::vector<double> uniforms_, sums_;
};

/// log of the ratio of q(i)q(j|i) + q(j)q(i|j) after and before i and j take the energies of their children.
double pair_log_ratio(std::span<const double> energies, std::size_t i, std::size_t j, double child_i, double child_j,
                      double temperature);

/// Draws operations by their rates.
class OperationChoice {
  public:
    /// `rates`: one per operation, or empty for equal ones.
    OperationChoice(std::span<const model::Operation> operations, std::vector<double> rates);

    /// One of all operations, or a mutation if crossovers cannot be made, by a number uniform on (0, 1).
    Index draw(double uniform, bool may_cross) const;

  private:
    std::vector<double> rates_, mutation_rates_; ///< 0 for crossovers
    double sum_ = 0, mutation_sum_ = 0;
};

} // namespace pearlite::algorithm
