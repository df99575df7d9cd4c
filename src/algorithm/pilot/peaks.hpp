#pragma once
/// The peaks of a posterior that a pilot found. Draws and chains are compared with them, because neither weights nor
/// R-hat show a peak that no draw and no chain has reached. PilotView keeps the
/// pilot's points and weights for it.

#include "algorithm/common/settings.hpp"
#include "algorithm/pilot/first_draws.hpp"

#include <functional>
#include <string>
#include <vector>

namespace pearlite::algorithm {

/// Sets of components of a mixture that is fitted to the pilot's particles, with one scale for all components: with a
/// scale for each, chance would make peaks in ten dimensions. Two components belong to one peak if the mixture's
/// density, on the line between their means, nowhere falls below a twelfth of the smaller of its values at the ends, or
/// if a chain of such pairs joins them.
class Peaks {
  public:
    static constexpr double smallest_share = 0.02; ///< peaks of less belong to the nearest by density

    /// `pilot` must be draws of the posterior.
    explicit Peaks(const FirstDraws& pilot);

    Index size() const { return static_cast<Index>(shares_.size()); }
    /// The peak's share p of the pilot's weight, and the standard error of that share, sqrt(p (1 - p)/families).
    double share(Index peak) const { return shares_[at(peak)]; }
    double share_error(Index peak) const;
    /// FirstDraws::families.
    double families() const { return families_; }
    /// The mean of the pilot's particles in a peak.
    Vector place(Index peak) const { return places_.col(peak); }
    /// The peak to which a point belongs.
    Index of(std::span<const double> x) const;
    /// "the peak at x = 3.1, y = 2 (0.097 of the pilot's weight)", in reported quantities.
    std::string describe(Index peak, const path::DensityPath& path) const;

  private:
    void join_components();
    void drop_small_peaks(const FirstDraws& pilot);

    random::StudentMixture mixture_;
    std::vector<Index> peak_of_component_; ///< -1: of a peak that is too small
    std::vector<double> shares_;
    Matrix places_; ///< d x peaks
    double families_;
};

/// Coordinates of a place in reported quantities, the first few: "x = 3.1, y = 2".
std::string describe_place(const Vector& place, const path::DensityPath& path);

// The pilot's particles beside the draws of importance sampling: they keep regions in the proposal that the draws have
// not reached, and show afterwards which regions the draws missed. A proposal that has lost a peak makes no draws
// there, so no weight shows the loss; f/q at the particles of the pilot is large there.

/// Importance weights by peaks, of all ranks: relative to the largest.
struct WeightsOfPeaks {
    double log_max = 0;          ///< the largest log weight
    std::vector<double> sums;    ///< of each peak
    std::vector<double> squares; ///< sums of squares
};

class PilotView {
  public:
    /// `pilot` must be draws of the posterior.
    explicit PilotView(FirstDraws pilot);

    const Peaks& peaks() const { return peaks_; }

    /// Adds the statistics of the pilot's particles to `sums`, those of draws whose weights sum to `weight` with an
    /// effective number `ess`: each source counts by its effective number.
    void add_statistics(const random::StudentMixture& mixture, double weight, double ess,
                        std::vector<double>& sums) const;

    /// log q at a point, given the log density of the prior there (as the model has it).
    using LogProposal = std::function<double(std::span<const double> x, double log_prior)>;
    /// Diagnostics and warnings, by these rules. Few families of the pilot are a warning, and very few withhold the
    /// error bars (few_families.hpp). A peak is lost if it has fewer than 20 effective draws, and less
    /// than 0.3 of what another peak has for its share of the pilot's weight: a warning; below 5 the error bars are
    /// withheld. More than 0.02 of the pilot's weight, in 3 particles at least, where f/q exceeds the largest weight of
    /// the draws: a warning.
    void judge(const WeightsOfPeaks& draws, const LogProposal& log_proposal, const path::DensityPath& path,
               Outcome& outcome) const;

  private:
    struct Beyond; ///< particles where f/q exceeds the largest weight of the draws
    Beyond beyond(const WeightsOfPeaks& draws, const LogProposal& log_proposal) const;
    bool judge_peak(Index peak, const WeightsOfPeaks& draws, const Beyond& beyond, const path::DensityPath& path,
                    Outcome& outcome) const;
    std::span<const double> point(Index i) const {
        return {pilot_.points.col(i).data(), static_cast<std::size_t>(pilot_.points.rows())};
    }

    FirstDraws pilot_;
    std::vector<double> weights_; ///< of the pilot, normalised
    double ess_ = 0;
    Peaks peaks_;
};

} // namespace pearlite::algorithm
