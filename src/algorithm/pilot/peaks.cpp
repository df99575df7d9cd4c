#include "algorithm/pilot/peaks.hpp"

#include "algorithm/common/few_families.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numeric>

namespace pearlite::algorithm {

namespace {

constexpr Index most_components = 8;
constexpr double df = 5;
constexpr int iterations = 20;
constexpr double deepest_valley = 12; ///< within a peak: the smaller end's density over the least between
constexpr int steps_between = 24;
constexpr Index most_quantities = 4; ///< in a description

std::span<const double> of_point(const Vector& x) {
    return {x.data(), static_cast<std::size_t>(x.size())};
}

bool has_valley(const random::StudentMixture& mixture, const Vector& from, const Vector& to) {
    const double end = std::min(mixture.log_density(of_point(from)), mixture.log_density(of_point(to)));
    for (int s = 1; s < steps_between; ++s) {
        const Vector between = from + static_cast<double>(s) / steps_between * (to - from);
        if (mixture.log_density(of_point(between)) < end - std::log(deepest_valley))
            return true;
    }
    return false;
}

} // namespace

Peaks::Peaks(const FirstDraws& pilot)
    : mixture_(random::StudentMixture::fit(pilot.points, pilot.weights(), pilot.supported_components(most_components),
                                           df, iterations, random::StudentMixture::Scales::common)),
      families_(pilot.families) {
    PEARLITE_EXPECTS(pilot.are_of_posterior());
    join_components();
    drop_small_peaks(pilot);
}

void Peaks::join_components() {
    const auto& components = mixture_.components();
    peak_of_component_.resize(components.size());
    std::iota(peak_of_component_.begin(), peak_of_component_.end(), Index{0});
    for (std::size_t k = 0; k < components.size(); ++k)
        for (std::size_t l = 0; l < k; ++l) {
            const Index joined = peak_of_component_[k], into = peak_of_component_[l];
            if (joined != into && !has_valley(mixture_, components[k].mean, components[l].mean))
                std::replace(peak_of_component_.begin(), peak_of_component_.end(), joined, into);
        }
}

/// Numbers the peaks that are left from 0 on, the largest first.
void Peaks::drop_small_peaks(const FirstDraws& pilot) {
    const auto weights = pilot.weights();
    const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
    const auto count = [&](Index peaks) {
        shares_.assign(at(peaks), 0.0);
        places_ = Matrix::Zero(pilot.points.rows(), peaks);
        for (Index i = 0; i < pilot.points.cols(); ++i)
            if (const double w = weights[at(i)] / total; w > 0) {
                const Index peak = of({pilot.points.col(i).data(), static_cast<std::size_t>(pilot.points.rows())});
                shares_[at(peak)] += w;
                places_.col(peak) += w * pilot.points.col(i);
            }
        for (Index peak = 0; peak < peaks; ++peak)
            places_.col(peak) /= shares_[at(peak)];
    };
    count(static_cast<Index>(peak_of_component_.size()));
    std::vector<Index> order;
    for (std::size_t k = 0; k < shares_.size(); ++k)
        if (shares_[k] >= smallest_share)
            order.push_back(static_cast<Index>(k));
    std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return shares_[at(a)] > shares_[at(b)]; });
    for (auto& peak : peak_of_component_) {
        const auto found = std::find(order.begin(), order.end(), peak);
        peak = found == order.end() ? -1 : found - order.begin();
    }
    count(static_cast<Index>(order.size()));
}

double Peaks::share_error(Index peak) const {
    return std::sqrt(share(peak) * (1 - share(peak)) / std::max(1.0, families_));
}

Index Peaks::of(std::span<const double> x) const {
    std::vector<double> densities(peak_of_component_.size(), 0.0);
    const auto terms = mixture_.log_terms(x);
    const double largest = *std::max_element(terms.begin(), terms.end());
    for (std::size_t k = 0; k < terms.size(); ++k)
        if (peak_of_component_[k] >= 0)
            densities[at(peak_of_component_[k])] += std::exp(terms[k] - largest);
    return std::max_element(densities.begin(), densities.end()) - densities.begin();
}

std::string Peaks::describe(Index peak, const path::DensityPath& path) const {
    return fmt::format("the peak at {} ({:.2g} of the pilot's weight)", describe_place(place(peak), path), share(peak));
}

std::string describe_place(const Vector& place, const path::DensityPath& path) {
    const Matrix point = place;
    const Vector values = path.quantities(point).col(0);
    const auto& names = path.quantity_names();
    std::string text;
    for (Index k = 0; k < std::min<Index>(most_quantities, values.size()); ++k)
        text += fmt::format("{}{} = {:.3g}", k > 0 ? ", " : "", names[at(k)], values(k));
    return values.size() > most_quantities ? text + ", ..." : text;
}

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
    if (auto warning = warning_of_families(pilot_.families); !warning.empty())
        outcome.warnings.push_back(std::move(warning));
    outcome.has_no_error_bar = are_too_few_families(pilot_.families);
    if (outcome.has_no_error_bar)
        for (auto& estimate : outcome.log_ratio)
            estimate.withhold_error(fmt::format("no error bar: {:.1f} effective families of the pilot, fewer than {:g}",
                                                pilot_.families, fewest_families));
    if (is_whole && found.mass > largest_mass && found.particles >= fewest_particles)
        outcome.warnings.push_back(fmt::format("{:.2g} of the pilot's weight is where f/q exceeds the largest weight "
                                               "of the draws, by up to {:.3g} times at "
                                               "{}: the proposal is too thin there, and the estimate probably too low",
                                               found.mass, std::exp(found.log_excess),
                                               describe_place(pilot_.points.col(found.farthest), path)));
}

} // namespace pearlite::algorithm
