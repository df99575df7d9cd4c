#pragma once
/// The number of transitions at a temperature: given, or as many as particles need to move far enough.

#include "core/fields.hpp"

#include <limits>
#include <optional>

namespace pearlite::kernel {

/// How far particles have moved at one temperature b, as a share of how far they could: 0 if they stand still, 1 if
/// the new states are independent of the old ones. Expectations are over the particles with their weights.
struct Motion {
    double mobility = nan;   ///< of points: E|x' - x|^2/(2 E|x - Ex|^2) in the norm of the population's covariance
    double energy = nan;     ///< E(u' - u)^2/(2 Var u), u = d log f_b/db, on paths that are linear in b
    double worst = nan;      ///< coordinate of points: E(x_j' - x_j)^2/(2 Var x_j)
    double median = nan;     ///< of the coordinates
    double unmoved = nan;    ///< share of particles that are where they were
    double acceptance = nan; ///< share of the proposals of the present round

    /// The smaller of mobility and energy; NaN if there is neither.
    double smallest() const;

    static constexpr double nan = std::numeric_limits<double>::quiet_NaN();
};

/// The mobility that a step between temperatures needs: `wanted` for a step whose log weights have the standard
/// deviation 0.25, as adaptive schedules make it, or more; in proportion for shorter steps. A path that is cut finer
/// has more steps to move in, and needs the same number of moves in all.
double mobility_needed(double wanted, double log_weight_sd);

struct MoveSettings {
    std::optional<Index> number; ///< none: as many as `mobility` takes
    double mobility = 0.7;       ///< wanted at each temperature
    Index most = 500;            ///< transitions at a temperature
};

/// Counts the transitions of a temperature, which are made in rounds: moves, a look at the motion, more moves.
class MoveCount {
  public:
    explicit MoveCount(const MoveSettings& settings);

    bool is_automatic() const { return !settings_.number; }
    /// No temperature has more transitions: the steps of random numbers are this far apart.
    Index stride() const { return settings_.number.value_or(settings_.most); }
    /// Transitions of the rounds before this one, and of this one.
    Index made() const { return made_; }
    Index round() const { return round_; }
    Index total() const { return made_ + round_; }

    /// A new temperature.
    void begin();
    /// A temperature with a number of transitions that was learnt before.
    void begin(Index number);
    /// After a round: whether another one shall follow, since less than the needed mobility is reached and the present
    /// temperature's budget is not spent. A motion that no longer grows with the moves ends the search, too.
    bool wants_more(double mobility, double log_weight_sd);

    void fields(Fields& f);

  private:
    MoveSettings settings_;
    Index made_ = 0, round_ = 1;
    Index looked_at_ = 0;      ///< transitions at the last look
    double seen_mobility_ = 0; ///< by then
};

} // namespace pearlite::kernel
