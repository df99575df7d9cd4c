#include "algorithm/pilot_peaks/pilot_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace pearlite::algorithm {

namespace {

constexpr double few_draws = 20;      ///< effective ones in a peak, for a warning
constexpr double too_few_draws = 5;   ///< for no error bar
constexpr double least_part = 0.3;    ///< of the effective draws that a peak should have by its share
constexpr double largest_mass = 0.02; ///< of the pilot, beyond the largest weight
constexpr Index fewest_particles = 3;

double effective(double sum, double squares) {
    return squares > 0 ? sum * sum / squares : 0;
}

} // namespace

struct PilotView::Beyond {
    double mass = 0;       ///< of the pilot's weight
    Index particles = 0;   ///< of these
    Index farthest = 0;    ///< the particle with the largest f/q
    double log_excess = 0; ///< log of this f/q over the largest weight of the draws
    std::vector<double> log_excess_of_peak;
};

PilotView::PilotView(FirstDraws pilot) : pilot_(std::move(pilot)), weights_(pilot_.weights()), peaks_(pilot_) {
    const double total = std::accumulate(weights_.begin(), weights_.end(), 0.0);
    double squares = 0;
    for (double& w : weights_) {
        w /= total;
        squares += w * w;
    }
    ess_ = 1 / squares;
}

void PilotView::add_statistics(const random::StudentMixture& mixture, double weight, double ess,
                               std::vector<double>& sums) const {
    const double scale = weight * ess_ / ess;
    for (Index i = 0; i < pilot_.points.cols(); ++i)
        if (weights_[at(i)] > 0)
            mixture.add_statistics(point(i), scale * weights_[at(i)], sums);
}

PilotView::Beyond PilotView::beyond(const WeightsOfPeaks& draws, const LogProposal& log_proposal) const {
    Beyond found;
    found.log_excess = -infinity;
    found.log_excess_of_peak.assign(static_cast<std::size_t>(peaks_.size()), -infinity);
    for (Index i = 0; i < pilot_.points.cols(); ++i) {
        if (!(weights_[at(i)] > 0))
            continue;
        const double log_prior = pilot_.log_priors[at(i)];
        const double excess =
            log_prior + pilot_.log_likelihoods[at(i)] - log_proposal(point(i), log_prior) - draws.log_max;
        if (excess > 0) {
            found.mass += weights_[at(i)];
            ++found.particles;
        }
        if (excess > found.log_excess) {
            found.log_excess = excess;
            found.farthest = i;
        }
        double& of_peak = found.log_excess_of_peak[at(peaks_.of(point(i)))];
        of_peak = std::max(of_peak, excess);
    }
    return found;
}

/// Whether the error bars can stay.
bool PilotView::judge_peak(Index peak, const WeightsOfPeaks& draws, const Beyond& beyond, const path::DensityPath& path,
                           Outcome& outcome) const {
    double best = 0; // effective draws over the pilot's share, of the peak that has most
    for (Index k = 0; k < peaks_.size(); ++k)
        best = std::max(best, effective(draws.sums[at(k)], draws.squares[at(k)]) / peaks_.share(k));
    const double here = effective(draws.sums[at(peak)], draws.squares[at(peak)]), fair = best * peaks_.share(peak);
    if (here >= few_draws || here >= least_part * fair)
        return true;
    outcome.warnings.push_back(fmt::format(
        "the proposal has lost {}: {:.1f} effective draws are there in place of some {:.0f}; f/q at the pilot's "
        "particles there is up to {:.3g} times the largest weight of the draws; more algorithm.components "
        "or kernel.pilot_particles keep it",
        peaks_.describe(peak, path), here, fair, std::exp(beyond.log_excess_of_peak[at(peak)])));
    return here >= too_few_draws;
}

void PilotView::judge(const WeightsOfPeaks& draws, const LogProposal& log_proposal, const path::DensityPath& path,
                      Outcome& outcome) const {
    const auto found = beyond(draws, log_proposal);
    outcome.diagnostics.push_back({"pilot_peaks", static_cast<double>(peaks_.size()), {}});
    outcome.diagnostics.push_back({"pilot_mass_beyond_largest_weight", found.mass, {}});
    outcome.diagnostics.push_back({"largest_pilot_weight_over_largest_weight", std::exp(found.log_excess), {}});
    bool is_supported = true, is_whole = true;
    for (Index peak = 0; peak < peaks_.size(); ++peak) {
        const auto before = outcome.warnings.size();
        is_supported = judge_peak(peak, draws, found, path, outcome) && is_supported;
        is_whole = is_whole && outcome.warnings.size() == before;
    }
    if (!is_supported)
        for (auto& estimate : outcome.log_ratio) {
            estimate.standard_error.reset();
            estimate.interval95.reset();
            estimate.note = "no error bar: the proposal has lost a peak of the pilot";
        }
    if (is_whole && found.mass > largest_mass && found.particles >= fewest_particles)
        outcome.warnings.push_back(fmt::format("{:.2g} of the pilot's weight is where f/q exceeds the largest weight "
                                               "of the draws, by up to {:.3g} times at "
                                               "{}: the proposal is too thin there, and the estimate probably too low",
                                               found.mass, std::exp(found.log_excess),
                                               describe_place(pilot_.points.col(found.farthest), path)));
}

} // namespace pearlite::algorithm
