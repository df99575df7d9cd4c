#include "estimator/evidence/power_posterior.hpp"

#include "estimator/evidence/genealogy.hpp"
#include "population/shards.hpp"

#include <fmt/format.h>

#include <cmath>

namespace pearlite::estimator {

PowerPosterior::PowerPosterior(const parallel::Communicator& ranks, Index n_particles)
    : slots_(n_particles, 1, ranks.size(), ranks.rank()), shares_(static_cast<std::size_t>(slots_.local_items())) {}

void PowerPosterior::add(double a, double mean_u, double variance_u, std::span<const double> log_weights,
                         double log_sum, std::span<const double> u) {
    PEARLITE_EXPECTS(u.size() == log_weights.size() && !waits());
    next_ = {a, mean_u, variance_u, Matrix::Zero(2, static_cast<Index>(u.size()))};
    auto& terms = next_->terms;
    for (Index i = 0; i < terms.cols(); ++i) {
        const auto particle = static_cast<std::size_t>(i);
        const double weight = std::exp(log_weights[particle] - log_sum), deviation = u[particle] - mean_u;
        if (weight > 0)
            terms.col(i) << weight * deviation, weight * (deviation * deviation - variance_u);
    }
}

void PowerPosterior::settle(std::span<const double> magnitudes, const population::Families& families) {
    PEARLITE_EXPECTS(waits() && families.slots().size() == slots_.size());
    const auto [a, mean_u, variance_u, terms] = *std::exchange(next_, std::nullopt);
    const Matrix sums = families.sums(terms, magnitudes);
    const double step = a - a_;
    for (std::size_t e = 0; e < shares_.size(); ++e) {
        auto& shares = shares_[e];
        const double mean = sums(0, static_cast<Index>(e)), variance = sums(1, static_cast<Index>(e));
        if (a > a_) {
            const double trapezoid = 0.5 * step * (shares.mean + mean);
            shares.plain += trapezoid;
            shares.corrected += trapezoid - step * step / 12 * (variance - shares.variance);
        }
        shares.mean = mean;
        shares.variance = variance;
    }
    if (a > a_)
        integrate(a, mean_u, variance_u);
    a_ = a;
    mean_u_ = mean_u;
    variance_u_ = variance_u;
}

void PowerPosterior::integrate(double a, double mean_u, double variance_u) {
    const double step = a - a_, trapezoid = 0.5 * step * (mean_u_ + mean_u);
    const double correction = step * step / 12 * (variance_u - variance_u_);
    plain_ += trapezoid;
    corrected_ += trapezoid - correction;
    largest_correction_ = std::max(largest_correction_, std::abs(correction));
}

Estimate PowerPosterior::estimate_of(const parallel::Communicator& ranks, const char* name, double value,
                                     double Shares::*share, Index n_eves) const {
    population::BlockSums squares(1);
    for (const auto& shares : shares_)
        squares.add(0, shares.*share * (shares.*share));
    const double variance = squares.total(ranks).front();
    Estimate estimate{name, value, {}, {}, "families"};
    estimate.is_integral = true;
    if (n_eves < min_eves) {
        estimate.note = fmt::format("no error bar from one run: {} families survive, fewer than {}; use replicates",
                                    n_eves, min_eves);
        return estimate;
    }
    estimate.standard_error = std::sqrt(variance);
    estimate.interval95 = normal_interval(value, *estimate.standard_error);
    estimate.is_conservative = true;
    return estimate;
}

std::vector<Estimate> PowerPosterior::estimates(const parallel::Communicator& ranks, Index n_eves) const {
    std::vector<Estimate> all{estimate_of(ranks, "power-posterior", plain_, &Shares::plain, n_eves)};
    if (!std::isfinite(plain_)) {
        all.front().refuse("the first particles include one of likelihood zero, or of infinite log f_1/f_0");
        return all;
    }
    all.front().hides_error = true;
    if (all.front().standard_error)
        all.front().note = "no error bar: none includes the error of the trapezoid rule";
    if (!std::isfinite(corrected_)) {
        all.front().refuse("the integrand has no finite curvature in one interval; use more temperatures");
        return all;
    }
    all.push_back(estimate_of(ranks, "power-posterior-corrected", corrected_, &Shares::corrected, n_eves));
    for (auto& estimate : all)
        refuse_if_curved(estimate, largest_correction_);
    return all;
}

ShardedField PowerPosterior::shares_field() {
    return population::field_of_items(ItemType::float64, sizeof(Shares), slots_.size(), slots_.first_local_item(),
                                      std::as_writable_bytes(std::span(shares_)));
}

} // namespace pearlite::estimator
