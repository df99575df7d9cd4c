#pragma once
/// Families: all particles that descend from one ancestor at the start, their Eve. Sums over a family live
/// on the rank that owns the Eve's slot, so that no rank holds more than its share of the Eves.

#include "parallel/communicator.hpp"
#include "parallel/layout.hpp"

#include <span>
#include <vector>

namespace pearlite::population {

/// The places of the families' members. It stays valid until particles are resampled or change hands.
class Families {
  public:
    /// Collective. `eves`: the Eve of each particle here, one of 0 .. n_slots - 1. A rank keeps O(particles here +
    /// n_slots/ranks) numbers, and sends a number for each family of its particles whose Eve another rank owns.
    /// ContractViolation on all ranks if an Eve is no slot; of Eves from a resampling here (`are_slots`) the ranks do
    /// not ask.
    Families(const parallel::Communicator& ranks, Index n_slots, std::span<const std::int64_t> eves,
             bool are_slots = false);

    /// The slots whose Eves belong to this rank: all slots cut into runs of equal length, one a rank.
    const parallel::BlockLayout& slots() const { return slots_; }
    /// Eves that have descendants: those that belong to this rank; and, collective, those of all ranks.
    Index surviving_here() const { return surviving_here_; }
    Index surviving() const { return ranks_.sum(surviving_here_); }

    /// Collective. Sums over the families of K numbers of each particle here (K x particles, the same K on all ranks):
    /// K x slots().local_items(), column e for the e-th slot that belongs to this rank, 0 for an Eve without
    /// descendants. The bits depend neither on the order of the particles nor on their ranks: terms are rounded to
    /// multiples of 2^-86 of the row's largest magnitude (the power of two above it) and added as integers. A row with
    /// a NaN or an infinity anywhere gives NaN in all its sums.
    Matrix sums(const Eigen::Ref<const Matrix>& values) const;
    /// The same without a reduction, by the largest magnitudes of all ranks' rows.
    Matrix sums(const Eigen::Ref<const Matrix>& values, std::span<const double> magnitudes) const;
    /// The largest magnitude in each row; infinity where one is not finite.
    static std::vector<double> magnitudes(const Eigen::Ref<const Matrix>& values);

  private:
    void place_particles(std::span<const std::int64_t> eves);
    void meet();
    template <class Pack, class Unpack>
    void send_to_owners(std::size_t bytes, Pack&& pack, Unpack&& unpack) const;

    parallel::Communicator ranks_;
    parallel::BlockLayout slots_;
    std::vector<Index> places_;      ///< of each particle: its Eve's place among the slots here, or -1 - its family's
                                     ///< place in away_
    std::vector<std::int64_t> away_; ///< Eves of particles here that other ranks own, ascending
    std::vector<Index> leaving_;     ///< of each rank: the first of its Eves in away_; away_.size() at the end
    std::vector<Index> arriving_;    ///< of each rank: how many families it has whose Eves belong to this rank
    Index surviving_here_ = 0;
};

/// How the weight is shared among families. S_e: summed normalised weight of Eve e's descendants.
struct FamilyWeights {
    Index families = 0;       ///< Eves with descendants of positive weight
    double squares = 0;       ///< sum_e S_e^2
    double cubes = 0;         ///< sum_e S_e^3
    double fourth_powers = 0; ///< sum_e S_e^4
};

/// Collective. `layout` and `families` belong to the same particles. NumericalErrors as for
/// largest_log_weight.
FamilyWeights family_weights(const parallel::Communicator& ranks, const parallel::BlockLayout& layout,
                             std::span<const double> log_weights, const Families& families);

} // namespace pearlite::population
