#include "estimator/evidence/genealogy.hpp"

#include "core/log_space.hpp"
#include "estimator/quantiles.hpp"
#include "pearlite/core/detail/contract.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pearlite::estimator {

using population::FamilyWeights;

double lee_whiteley_variance(const FamilyWeights& families, double n_particles, int n_resamplings) {
    PEARLITE_EXPECTS(n_particles > 1);
    return 1 - std::pow(n_particles / (n_particles - 1), n_resamplings + 1) * (1 - families.squares);
}

double lee_whiteley_noise(const FamilyWeights& families) {
    return std::sqrt(families.fourth_powers) / 2;
}

double chan_lai_variance(const FamilyWeights& families, double n_particles) {
    return families.squares - 1 / n_particles;
}

Estimate single_run_estimate(double log_ratio, const FamilyWeights& families, double n_particles, int n_resamplings,
                             bool multinomial) {
    const double lee_whiteley = multinomial ? lee_whiteley_variance(families, n_particles, n_resamplings) : 0;
    const bool trusted = multinomial && lee_whiteley_noise(families) <= max_lee_whiteley_noise * lee_whiteley;
    const double variance = trusted ? lee_whiteley : chan_lai_variance(families, n_particles);

    Estimate estimate{"product", log_ratio, {}, {}, trusted ? "lee-whiteley" : "chan-lai", ""};
    if (families.families < min_eves) {
        estimate.note = fmt::format("no error bar from one run: {} families survive, fewer than {}; use replicates",
                                    families.families, min_eves);
        return estimate;
    }
    if (!(variance > 0)) {
        estimate.note = "no error bar from one run: the estimated variance is not positive; use replicates";
        return estimate;
    }
    estimate.standard_error = std::sqrt(variance);
    estimate.interval95 = normal_interval(log_ratio, *estimate.standard_error);
    if (!trusted)
        estimate.note = "conservative";
    if (multinomial && !trusted)
        estimate.note += "; the Lee-Whiteley variance is lost in its own noise";
    return estimate;
}

namespace {

/// Error and interval of a mean of r values from the sum of their squared deviations.
void add_spread(Estimate& estimate, double sum, double r) {
    estimate.standard_error = std::sqrt(sum / (r * (r - 1)));
    // Few batches estimate their own spread badly: Student's t with R - 1 degrees of freedom.
    const double quantile975 = student_quantile(r - 1, 0.975);
    estimate.interval95 = Interval{estimate.value - quantile975 * *estimate.standard_error,
                                   estimate.value + quantile975 * *estimate.standard_error};
}

} // namespace

Estimate batch_estimate(std::span<const double> log_ratios) {
    PEARLITE_EXPECTS(log_ratios.size() >= 2);
    const auto r = static_cast<double>(log_ratios.size());
    Estimate estimate{"product", log_mean_exp(log_ratios), {}, {}, "batches", ""};
    if (!std::isfinite(estimate.value)) {
        estimate.note = "no error bar: no batch found a positive weight";
        return estimate;
    }
    double sum = 0;
    for (const double log_ratio : log_ratios) {
        const double relative = std::exp(log_ratio - estimate.value) - 1;
        sum += relative * relative;
    }
    add_spread(estimate, sum, r);
    return estimate;
}

Estimate batch_mean(const std::string& estimator, std::span<const double> values) {
    PEARLITE_EXPECTS(values.size() >= 2);
    const auto r = static_cast<double>(values.size());
    Estimate estimate{estimator, 0, {}, {}, "batches", ""};
    for (const double value : values)
        estimate.value += value / r;
    double sum = 0;
    for (const double value : values)
        sum += (value - estimate.value) * (value - estimate.value);
    add_spread(estimate, sum, r);
    return estimate;
}

} // namespace pearlite::estimator
