#include "algorithm/replicates/enlarged.hpp"

#include "algorithm/common/bridge_at_end.hpp"

#include <fmt/format.h>

#include <cmath>

namespace pearlite::algorithm {

Index enlarged_particles(Index particles, std::span<const estimator::Estimate> estimates, double wanted_error) {
    constexpr double margin = 1.2, least = 2, most = 64, without_error = 4;
    // Regressions of 8, 31 and 61 coefficients: the fit to the particles improves too.
    constexpr double power_of_bridge = 1.6;
    double ratio = infinity;
    for (const auto& estimate : estimates) {
        const bool is_bridge = estimate.estimator == bridge_sampling_name;
        if (!estimate.standard_error || (&estimate != estimates.data() && !is_bridge))
            continue;
        const double excess = margin * std::pow(*estimate.standard_error / wanted_error, 2);
        ratio = std::min(ratio, is_bridge ? std::pow(excess, 1 / power_of_bridge) : excess);
    }
    ratio = std::isfinite(ratio) ? std::clamp(ratio, least, most) : without_error;
    return static_cast<Index>(std::ceil(ratio * static_cast<double>(particles)));
}

Enlarged::Enlarged(const parallel::Communicator& ranks, const TargetError& target, Index particles, Index multiple,
                   Make make)
    : ranks_(ranks), target_(target), multiple_(multiple), make_(std::move(make)), sizes_{particles} {
    PEARLITE_EXPECTS(target.error.has_value() && particles % multiple == 0);
    make_population();
}

void Enlarged::step() {
    PEARLITE_EXPECTS(!finished());
    population_->step();
    if (!population_->finished())
        return;
    population_->flush();
    const auto outcome = population_->outcome();
    // Estimates are valid on rank 0.
    std::array<double, 3> found{0, infinity,
                                static_cast<double>(enlarged_particles(sizes_.back(), {}, *target_.error))};
    if (ranks_.is_root() && !outcome.log_ratio.empty()) {
        const auto& headline = outcome.log_ratio.front();
        found = {headline.value, outcome.has_no_error_bar ? infinity : headline.standard_error.value_or(infinity),
                 static_cast<double>(enlarged_particles(sizes_.back(), outcome.log_ratio, *target_.error))};
    }
    ranks_.broadcast(std::span<double>(found));
    const auto [log_ratio, error, wanted_particles] = found;
    log_ratios_.push_back(log_ratio);
    errors_.push_back(error);
    const Index largest = target_.most_particles / multiple_ * multiple_;
    is_done_ = error <= *target_.error || sizes_.back() >= largest;
    if (is_done_)
        return;
    const auto next = static_cast<Index>(wanted_particles);
    likelihoods_before_ = progress().likelihoods;
    sizes_.push_back(std::min(largest, (next + multiple_ - 1) / multiple_ * multiple_));
    make_population();
    population_->begin();
}

Outcome Enlarged::outcome() const {
    auto outcome = population_->outcome();
    if (!ranks_.is_root() || !is_done_ || outcome.log_ratio.empty())
        return outcome;
    if (errors_.back() > *target_.error)
        outcome.warnings.push_back(fmt::format("the error bar is not the wanted {:g} with {} particles; raise "
                                               "algorithm.most_particles",
                                               *target_.error, sizes_.back()));
    for (std::size_t k = 0; k + 1 < sizes_.size(); ++k) {
        const double distance = (log_ratios_[k] - log_ratios_.back()) / std::hypot(errors_[k], errors_.back());
        if (std::abs(distance) > estimator::significant_difference)
            outcome.warnings.push_back(
                fmt::format("a population of {} particles before this one found {:.4f} +- {:.4f}, {:.1f} joint errors "
                            "away: one of them missed a place, or its error bar is too small",
                            sizes_[k], log_ratios_[k], errors_[k], std::abs(distance)));
    }
    return outcome;
}

void Enlarged::fields(Fields& f) {
    const auto before = sizes_;
    f("sizes", sizes_);
    f("log_ratios", log_ratios_);
    f("errors", errors_);
    Index likelihoods = likelihoods_before_.value_or(-1);
    f("likelihoods_before", likelihoods);
    likelihoods_before_ = likelihoods < 0 ? std::nullopt : std::optional(likelihoods);
    f("is_done", is_done_);
    if (sizes_ != before)
        make_population();
    group(f, "population", *population_);
}

Progress Enlarged::progress() const {
    auto progress = population_->progress();
    progress.stages_before = std::ssize(sizes_) - 1;
    progress.likelihoods = likelihoods_before_ && progress.likelihoods
                               ? std::optional(*likelihoods_before_ + *progress.likelihoods)
                               : std::nullopt;
    return progress;
}

} // namespace pearlite::algorithm
