#include "estimator/evidence/genealogy.hpp"

#include "core/log_space.hpp"
#include "estimator/evidence/bootstrap.hpp"
#include "estimator/evidence/importance.hpp"

#include <fmt/format.h>

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

double effective_families(const FamilyWeights& families) {
    return families.squares > 0 ? 1 / families.squares : 0;
}

double skewness_of_families(const FamilyWeights& families, double n_particles) {
    const double variance = families.squares - 1 / n_particles;
    const double third = families.cubes - 3 * families.squares / n_particles + 2 / (n_particles * n_particles);
    return variance > 0 ? third / std::pow(variance, 1.5) : 0;
}

namespace {

/// Why the error of a single run may be too small.
std::vector<std::string> doubts_of_families(const FamilyWeights& families, double n_particles) {
    const double effective = effective_families(families);
    if (effective < good_effective_families)
        return {
            fmt::format("{:.1f} effective families of particles, fewer than {:g}, decide the estimate: its error bar "
                        "may be too small; use more particles, or replicates",
                        effective, good_effective_families)};
    if (const double skewness = skewness_of_families(families, n_particles); skewness > largest_skewness)
        return {fmt::format("the weights of the families are skewed ({:.2f}, more than {:g}): the error bar may be too "
                            "small; use more particles, or replicates",
                            skewness, largest_skewness)};
    return {};
}

} // namespace

Estimate single_run_estimate(double log_ratio, const FamilyWeights& families, double n_particles, int n_resamplings,
                             bool multinomial) {
    const double lee_whiteley = multinomial ? lee_whiteley_variance(families, n_particles, n_resamplings) : 0;
    const bool trusted = multinomial && lee_whiteley_noise(families) <= max_lee_whiteley_noise * lee_whiteley;
    const double variance = trusted ? lee_whiteley : chan_lai_variance(families, n_particles);

    Estimate estimate{"product", log_ratio, {}, {}, trusted ? "lee-whiteley" : "chan-lai"};
    if (families.families < min_eves) {
        estimate.note = fmt::format("no error bar from one run: {} families survive, fewer than {}; use replicates",
                                    families.families, min_eves);
        return estimate;
    }
    if (const double effective = effective_families(families); effective < min_effective_families) {
        estimate.note = fmt::format("no error bar from one run: {:.1f} effective families, fewer than {:g}; use "
                                    "replicates",
                                    effective, min_effective_families);
        return estimate;
    }
    if (!(variance > 0)) {
        estimate.note = "no error bar from one run: the estimated variance is not positive; use replicates";
        return estimate;
    }
    estimate.standard_error = std::sqrt(variance);
    estimate.interval95 = normal_interval(log_ratio, *estimate.standard_error);
    estimate.is_conservative = !trusted;
    if (multinomial && !trusted)
        estimate.note = "the Lee-Whiteley variance is lost in its own noise";
    estimate.doubts = doubts_of_families(families, n_particles);
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

/// One batch that outweighs the others shows that batches find large values seldom: their spread does not know how much
/// is still missing.
void judge_batches(Estimate& estimate, std::span<const double> log_ratios) {
    const auto r = static_cast<double>(log_ratios.size());
    const double effective = effective_sample_size(log_ratios);
    const auto largest = std::max_element(log_ratios.begin(), log_ratios.end());
    const auto finding = fmt::format(
        "batch {} has {:.0f} % of the evidence, so that {:.1f} of {} batches are effective",
        largest - log_ratios.begin(), 100 * std::exp(*largest - estimate.value) / r, effective, log_ratios.size());
    if (effective < std::min(3.0, (r + 1) / 2))
        estimate.withhold_error("no error bar: " + finding);
    else if (effective < r / 2)
        estimate.doubts = {finding + ": the error bar may be too small; use more particles, or more temperatures"};
}

} // namespace

Estimate batch_estimate(std::span<const double> log_ratios) {
    PEARLITE_EXPECTS(log_ratios.size() >= 2);
    const auto r = static_cast<double>(log_ratios.size());
    Estimate estimate{"product", log_mean_exp(log_ratios), {}, {}, "batches"};
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
    judge_batches(estimate, log_ratios);
    return estimate;
}

Estimate batch_mean(const std::string& estimator, std::span<const double> values) {
    PEARLITE_EXPECTS(values.size() >= 2);
    const auto r = static_cast<double>(values.size());
    Estimate estimate{estimator, 0, {}, {}, "batches"};
    for (const double value : values)
        estimate.value += value / r;
    double sum = 0;
    for (const double value : values)
        sum += (value - estimate.value) * (value - estimate.value);
    add_spread(estimate, sum, r);
    return estimate;
}

} // namespace pearlite::estimator
