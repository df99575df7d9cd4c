#pragma once
/// Order statistics of numbers that the ranks hold in shards: exactly those of all numbers sorted together, though no
/// rank sees more than its own. -0 counts as 0; NaN is above every number.

#include "parallel/communicator.hpp"
#include "parallel/layout.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace pearlite::population {

/// This rank's numbers in ascending order, each with how often it counts.
class SortedShard {
  public:
    /// Collective. counts >= 0, as many as values, or none at all: each value counts once. Their sum over all ranks is
    /// below 2^63.
    SortedShard(const parallel::Communicator& ranks, std::span<const double> values,
                std::span<const std::int64_t> counts = {});

    /// The sum of all counts on all ranks.
    std::int64_t total() const { return total_; }
    /// Collective. For each target (the same on all ranks, 1 .. total()): the smallest number such that it and those
    /// below it count at least `target`.
    std::vector<double> at(std::span<const std::int64_t> targets) const;

    /// Collective. Several sets of numbers with the same counts, in the reductions of one.
    static std::vector<SortedShard> of_sets(const parallel::Communicator& ranks,
                                            const std::vector<std::vector<double>>& sets,
                                            std::span<const std::int64_t> counts);
    /// Collective. at() of each shard with its targets, in the reductions of one; `targets` is theirs one after
    /// another.
    static std::vector<double> at(std::span<const SortedShard> shards, std::span<const std::int64_t> targets);

  private:
    explicit SortedShard(const parallel::Communicator& ranks) : ranks_(ranks) {}
    void sort(std::span<const double> values, std::span<const std::int64_t> counts);
    static void meet(std::span<SortedShard> shards);
    std::int64_t count_up_to(std::int64_t key) const;

    parallel::Communicator ranks_;
    std::vector<std::int64_t> keys_;      ///< integers in the order of the numbers; of those that count
    std::vector<std::int64_t> cumulated_; ///< of the numbers before each of keys_, and of all at the end
    std::int64_t total_ = 0;
    std::int64_t lowest_ = 0, highest_ = 0; ///< keys on all ranks
};

/// Collective. Weights relative to the largest as integers, so that sums of them are exact: multiples of 2^-(62 - log2
/// M) of it, which sum to less than 2^63 over the M particles of `layout`. NumericalErrors as for largest_log_weight,
/// or if no weight is positive.
std::vector<std::int64_t> weights_as_counts(const parallel::Communicator& ranks, const parallel::BlockLayout& layout,
                                            std::span<const double> log_weights);

/// Collective. The p-quantiles of weighted values, the smallest ones at which the cumulated normalised weight reaches
/// p, for several p and several sets of values, one set after another; the weights as counts.
std::vector<double> weighted_quantiles(const parallel::Communicator& ranks,
                                       const std::vector<std::vector<double>>& sets,
                                       std::span<const std::int64_t> counts, std::span<const double> p);

/// Collective. The rank of each value here among those of all ranks, from 1; equal values share their mean rank. A rank
/// keeps O(all values/ranks) numbers: values travel to the rank that holds their part of the order, equal ones as one.
std::vector<double> mean_ranks(const parallel::Communicator& ranks, std::span<const double> values);

} // namespace pearlite::population
