#pragma once
/// The pilot's particles beside the draws of importance sampling: they keep regions in the proposal that the draws have
/// not reached, and show afterwards which regions the draws missed. A proposal that has lost a peak makes no draws
/// there, so no weight shows the loss; f/q at the particles of the pilot is large there.

#include "algorithm/common/settings.hpp"
#include "algorithm/pilot_peaks/peaks.hpp"

#include <functional>
#include <memory>
#include <vector>

namespace pearlite::algorithm {

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
    /// Diagnostics and warnings, by these rules. A peak is lost if it has fewer than 20 effective draws, and less
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
