#pragma once
/// The assignment of blocks of different cost to ranks. A clock is read here, and may be: it decides who computes a
/// block, never the result.

#include "parallel/communicator.hpp"
#include "parallel/layout.hpp"
#include "parallel/rank_costs.hpp"

#include <optional>
#include <span>
#include <vector>

namespace pearlite::population {

/// The cost of the most expensive of the ranks' runs; `costs` (>= 0) are those of all pieces of `piece` blocks each,
/// of which the last may be shorter. A run that ends within a piece has its share of the piece's cost.
double work_of_busiest_rank(const parallel::BlockLayout& layout, std::span<const double> costs, Index piece = 1);

/// The ranks' work in processor seconds, summed over the measured steps. The time of a step is
/// that of its busiest rank: imbalance is `busiest / mean`; equal runs would have had `busiest_of_equal_runs / mean`.
struct WorkAccount {
    double mean = 0;
    double busiest = 0;
    double busiest_of_equal_runs = 0;
    Index deals = 0;        ///< times that blocks changed hands
    Index blocks_moved = 0; ///< and how many did

    WorkAccount& operator+=(const WorkAccount& other);
};

/// The cost of a generation's blocks, and runs of blocks that give the ranks equal work.
///
/// The predicted cost of a block is mean + slope (p - mean): p is its declared or else its recent cost; the
/// slope is that of the regression of past costs on their predictions, from 0 to 1. If costs cannot be
/// predicted it falls to 0, and runs become equal. More than most_pieces blocks are measured in pieces of
/// several blocks, so that the data that ranks exchange and hold do not grow with the population.
class WorkBalance {
  public:
    static constexpr Index most_pieces = 8192;

    /// With `deals` false it only keeps the account; on one rank it does nothing.
    WorkBalance(const parallel::Communicator& ranks, bool deals)
        : ranks_(ranks), is_alone_(ranks.size() == 1), deals_(deals) {}

    /// Runs work() and notes its cost for local block b. The clock is read in the steps before better_runs() is due.
    template <class Work>
    void time(Index b, Work&& work) {
        if (is_alone_ || steps_to_look_ > 1)
            return work();
        const double begin = parallel::work_seconds();
        work();
        note(b, parallel::work_seconds() - begin);
    }
    /// The same for a cost that the caller has measured, in seconds.
    void note(Index b, double seconds);

    /// Called once a step: whether to call better_runs() before the next. The same on all ranks; rare if steps are
    /// short, so that the measurements cost nothing.
    bool is_due() { return !is_alone_ && --steps_to_look_ <= 0; }

    /// Collective, if due: the first block of every rank (BlockLayout::with_runs) if other runs than those of `layout`
    /// are expected to save more than moving blocks of `block_bytes` costs. `declared`: the expected costs of the local
    /// blocks, in any unit; empty if they are not known.
    std::optional<std::vector<Index>> better_runs(const parallel::BlockLayout& layout, std::span<const double> declared,
                                                  std::size_t block_bytes);

    const WorkAccount& account() const { return account_; }

  private:
    /// The last measured and the declared cost of a piece, as far as its blocks are this rank's.
    struct Cost {
        Index piece;
        double seconds, declared; ///< declared: negative if it is not known
    };
    std::vector<Cost> local_costs(const parallel::BlockLayout& layout, std::span<const double> declared, Index piece);
    /// Predicted seconds of all pieces, which last took `seconds`; the same on all ranks, as is all that follows.
    std::vector<double> forecast(std::span<const double> seconds, std::span<const double> declared);
    void learn_from(std::span<const double> seconds);

    parallel::Communicator ranks_;
    bool is_alone_;
    bool deals_;
    Index steps_to_look_ = 1;
    std::vector<double> seconds_; ///< of local blocks, the last time
    /// For all pieces, on every rank: their recent costs, and the last prediction.
    std::vector<double> lately_, foreseen_;
    double foreseen_square_ = 0, foreseen_by_real_ = 0; ///< about the mean and relative to it, fading
    WorkAccount account_;
};

} // namespace pearlite::population
