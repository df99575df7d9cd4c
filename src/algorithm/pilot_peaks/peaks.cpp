#include "algorithm/pilot_peaks/peaks.hpp"

#include "pearlite/core/detail/contract.hpp"

#include <fmt/format.h>

#include <algorithm>
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

} // namespace pearlite::algorithm
