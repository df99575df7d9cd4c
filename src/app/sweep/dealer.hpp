#pragma once
/// The runs of a sweep, dealt to groups of ranks while they work.

#include "parallel/mailbox.hpp"

#include <chrono>
#include <deque>
#include <functional>
#include <optional>
#include <vector>

namespace pearlite::app {

/// Rank 0 deals the places 0, 1, ... of a list of runs by letters to and from the first rank of each group. It answers
/// between the steps of its own run, in serve(). Another group that asks gets as many runs as keep it busy for ten
/// times the silence of rank 0, by the time that its runs took so far, up to half of its share of what is left (guided
/// self-scheduling: Polychronopoulos & Kuck, 1987, IEEE Transactions on Computers C-36, 1425).
class Dealer {
  public:
    /// `costs`: seconds of each run on one rank; `leaders`: the first rank of each group; the first is rank 0. The run
    /// at place g is the first one of group g.
    Dealer(const parallel::Communicator& ranks, std::vector<int> leaders, std::vector<double> costs);

    // On the first rank of a group:
    /// The next run of this group, for which it may wait for rank 0; nothing if none is left or the sweep shall stop.
    std::optional<Index> next();
    void ended(Index place, bool has_failed, double seconds);
    /// Makes all groups stop; the greatest reason counts.
    void raise_stop(Index reason);
    /// Reads letters, and answers them on rank 0. The reason to stop, as far as it is known here, or 0.
    Index serve();

    /// Collective, after the last run of each group. Leaves the processor to other groups.
    void close(const std::function<void()>& look);

    /// Known on rank 0, and everywhere after close().
    struct Count {
        Index finished = 0, failed = 0, stop = 0;
    };
    const Count& count() const { return count_; }
    double done_cost() const { return done_cost_; } ///< of runs that have ended, on rank 0

  private:
    void read(const parallel::Mailbox::Letter& letter);
    void deal(int group);
    void spread_stop(Index reason);
    void note_silence();
    int group_led_by(int rank) const;

    using Clock = std::chrono::steady_clock;

    parallel::Communicator ranks_;
    parallel::Mailbox mailbox_;
    std::vector<int> leaders_;
    std::vector<double> costs_;
    int group_ = -1; ///< that this rank leads, or -1
    std::deque<Index> dealt_;
    bool has_asked_ = false, none_is_left_ = false, may_leave_ = false;

    struct Pace {
        double cost = 0, seconds = 0; ///< of the runs that a group has ended
    };

    // On rank 0.
    std::vector<Pace> paces_; ///< of each group
    Index next_ = 0;
    double cost_left_ = 0, done_cost_ = 0, longest_silence_ = 0;
    Clock::time_point served_ = Clock::now();
    std::size_t closed_groups_ = 0;
    Count count_;
};

} // namespace pearlite::app
