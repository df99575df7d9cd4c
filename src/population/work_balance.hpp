#pragma once
/// Who computes which blocks, where blocks differ in cost. A clock is read here, and may be: it decides who computes a
/// block, never what.

#include "parallel/communicator.hpp"
#include "parallel/layout.hpp"
#include "parallel/work_clock.hpp"

#include <optional>
#include <span>
#include <vector>

namespace pearlite::population {

/// The cost of the dearest of the ranks' runs of blocks; `costs` (>= 0) are those of all pieces of `piece` blocks each,
/// of which the last may be shorter. A run that ends within a piece has its share of it.
double work_of_busiest_rank(const parallel::BlockLayout& layout, std::span<const double> costs, Index piece = 1);

/// What the ranks' work came to, in processor seconds summed over the steps that were looked at. The time of a step is
/// that of its busiest rank: imbalance is `busiest / mean`, and would have been `busiest_of_equal_runs / mean`.
struct WorkAccount {
    double mean = 0;
    double busiest = 0;
    double busiest_of_equal_runs = 0;
    Index deals = 0;        ///< times that blocks changed hands
    Index blocks_moved = 0; ///< and how many did

    WorkAccount& operator+=(const WorkAccount& other);
};

/// The cost of a generation's blocks, and runs of them that give the ranks equal work.
///
/// What a block will cost is taken to be mean + slope (p - mean): p what it is declared to cost, or did lately; the
/// slope is that of the regression of past costs on what was foreseen of them, from 0 to 1. Where costs cannot be
/// foreseen it falls to 0, and runs become equal. Costs of more than most_pieces blocks are looked at by pieces of
/// several, so that what ranks tell each other, and hold, does not grow with the population.
class WorkBalance {
  public:
    static constexpr Index most_pieces = 8192;

    /// With `deals` false it only keeps the account; on one rank it does nothing at all.
    WorkBalance(const parallel::Communicator& ranks, bool deals)
        : ranks_(ranks), is_alone_(ranks.size() == 1), deals_(deals) {}

    /// Does work(), which is what local block b costs. The clock is read in the steps before better_runs() is due.
    template <class Work>
    void time(Index b, Work&& work) {
        if (is_alone_ || steps_to_look_ > 1)
            return work();
        const double begin = parallel::work_seconds();
        work();
        remember(b, parallel::work_seconds() - begin);
    }

    /// Once a step: whether to call better_runs() before the next. The same on all ranks; rare where steps are short,
    /// so that looking costs nothing.
    bool is_due() { return !is_alone_ && --steps_to_look_ <= 0; }

    /// Collective, if due: the first block of every rank (BlockLayout::with_runs) if other runs than those of `layout`
    /// are expected to save more than moving blocks of `block_bytes` costs. `declared` is what the local blocks will
    /// cost, in any unit; empty where this is not known.
    std::optional<std::vector<Index>> better_runs(const parallel::BlockLayout& layout, std::span<const double> declared,
                                                  std::size_t block_bytes);

    const WorkAccount& account() const { return account_; }

  private:
    void remember(Index b, double seconds);
    /// What a piece took the last time, and is declared to cost, as far as its blocks are this rank's.
    struct Cost {
        Index piece;
        double seconds, declared; ///< declared: negative if it is not known
    };
    std::vector<Cost> local_costs(const parallel::BlockLayout& layout, std::span<const double> declared, Index piece);
    /// Seconds that all pieces will take, which took `seconds`; the same on all ranks, as all that follows from it.
    std::vector<double> forecast(std::span<const double> seconds, std::span<const double> declared);
    void learn_from(std::span<const double> seconds);

    parallel::Communicator ranks_;
    bool is_alone_;
    bool deals_;
    Index steps_to_look_ = 1;
    std::vector<double> seconds_; ///< of local blocks, the last time
    /// Of all pieces, on every rank: what they took lately, and what the last look foresaw.
    std::vector<double> lately_, foreseen_;
    double foreseen_square_ = 0, foreseen_by_real_ = 0; ///< about the mean and relative to it, fading
    WorkAccount account_;
};

} // namespace pearlite::population
