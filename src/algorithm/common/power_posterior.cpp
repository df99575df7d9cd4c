#include "algorithm/common/power_posterior.hpp"

#include "core/log_space.hpp"
#include "estimator/evidence/genealogy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pearlite::algorithm {

namespace {

/// Beyond it the corrected rule's own error may be as large.
constexpr double largest_trusted_correction = 0.5;

estimator::Estimate estimate_of(const std::string& name, double value, const std::vector<double>& eve_influence,
                                Index n_eves) {
    estimator::Estimate estimate{name, value, {}, {}, "families", ""};
    if (eve_influence.empty()) {
        estimate.note = fmt::format("no error bar from one run of more than {} particles; use replicates",
                                    PowerPosterior::most_particles);
        return estimate;
    }
    if (n_eves < estimator::min_eves) {
        estimate.note = fmt::format("no error bar from one run: {} families survive, fewer than {}; use replicates",
                                    n_eves, estimator::min_eves);
        return estimate;
    }
    double variance = 0;
    for (const double x : eve_influence)
        variance += x * x;
    estimate.standard_error = std::sqrt(variance);
    estimate.interval95 = estimator::normal_interval(value, *estimate.standard_error);
    estimate.note = "conservative";
    return estimate;
}

} // namespace

void PowerPosterior::add(const parallel::Communicator& ranks, double a, double mean_u, double variance_u,
                         std::span<const double> log_weights, std::span<const double> u,
                         std::span<const std::int64_t> eves, Index n_particles) {
    const auto last_mean = eve_mean_, last_variance = eve_variance_;
    if (n_particles <= most_particles) {
        struct Member {
            double log_weight, u;
            std::int64_t eve;
        };
        std::vector<Member> local;
        local.reserve(u.size());
        for (std::size_t i = 0; i < u.size(); ++i)
            local.push_back({log_weights[i], u[i], eves[i]});
        const auto members = ranks.all_gather(std::span<const Member>(local));
        std::vector<double> all_weights;
        all_weights.reserve(members.size());
        for (const Member& member : members)
            all_weights.push_back(member.log_weight);
        const double log_sum = log_sum_exp(all_weights);
        eve_mean_.assign(static_cast<std::size_t>(n_particles), 0.0);
        eve_variance_ = eve_mean_;
        eve_plain_.resize(eve_mean_.size(), 0.0);
        eve_corrected_.resize(eve_mean_.size(), 0.0);
        for (const Member& member : members) {
            const double weight = std::exp(member.log_weight - log_sum);
            if (weight == 0)
                continue;
            const auto eve = static_cast<std::size_t>(member.eve);
            const double deviation = member.u - mean_u;
            eve_mean_[eve] += weight * deviation;
            eve_variance_[eve] += weight * (deviation * deviation - variance_u);
        }
    }
    if (a > a_) {
        const double step = a - a_;
        for (std::size_t e = 0; e < eve_mean_.size(); ++e) {
            const double trapezoid = 0.5 * step * (last_mean[e] + eve_mean_[e]);
            eve_plain_[e] += trapezoid;
            eve_corrected_[e] += trapezoid - step * step / 12 * (eve_variance_[e] - last_variance[e]);
        }
        integrate(a, mean_u, variance_u);
    }
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

std::vector<estimator::Estimate> PowerPosterior::estimates(Index n_eves) const {
    if (!std::isfinite(plain_))
        return {};
    std::vector<estimator::Estimate> all{estimate_of("power-posterior", plain_, eve_plain_, n_eves)};
    if (!std::isfinite(corrected_))
        return all;
    all.push_back(estimate_of("power-posterior-corrected", corrected_, eve_corrected_, n_eves));
    if (largest_correction_ > largest_trusted_correction)
        for (auto& estimate : all) {
            estimate.standard_error.reset();
            estimate.interval95.reset();
            estimate.note =
                fmt::format("no error bar: the rule's curvature is {:.2g} in one interval; use more temperatures",
                            largest_correction_);
        }
    return all;
}

} // namespace pearlite::algorithm
