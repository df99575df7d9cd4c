#include "algorithm/likelihood_constrained/likelihood_constrained.hpp"

#include "estimator/evidence/genealogy.hpp"
#include "estimator/evidence/mobility.hpp"

#include <fmt/format.h>

#include <cmath>

namespace pearlite::algorithm {

namespace {

/// Moves that leave less of the particles' places behind make copies count as independent particles.
constexpr double needed_mobility = 0.15;

} // namespace

Progress LikelihoodConstrained::progress() const {
    Progress progress{t_, levels_ ? std::max<Index>(std::ssize(*levels_), 1) : 0, 0, ess_, log_ratio_};
    progress.inverse_temperature = finished_ ? 1
                                   : levels_ ? static_cast<double>(t_) / static_cast<double>(progress.steps + 1)
                                             : 0;
    progress.updates_per_step = settings_.particles * kernel_->moves();
    progress.likelihoods = static_cast<Index>(evaluations_);
    progress.stage = starts_.is_looking()
                         ? starts_.progress()
                         : fmt::format("level {}{}, log of the prior's share above it {:.1f}, log Z {:.2f}", t_,
                                       levels_ ? fmt::format(" of {}", levels_->size()) : "", log_mass_, log_ratio_);
    return progress;
}

Found LikelihoodConstrained::found() {
    return {.trace = &trace_,
            .has_path = false,
            .population = &population_,
            .is_unbiased = true,
            .kernel = kernel_.get(),
            .prediction_seed = settings_.seed,
            .levels = &found_levels_};
}

Outcome LikelihoodConstrained::outcome() const {
    Outcome outcome;
    outcome.ess = ess_;
    auto estimate = estimator::single_run_estimate(log_ratio_, families_, static_cast<double>(settings_.particles),
                                                   static_cast<int>(t_), false);
    estimate.estimator = "likelihood-constrained";
    if (t_ == 0 && likelihoods_.log_max == lowest_)
        estimate.set_flat(log_ratio_);
    add_independent(estimate, 0, starts_.variance());
    if (died_out_)
        estimate.withhold_error(fmt::format("no error bar: no particle was above level {}, where the pilot had some; "
                                            "use more particles, here and in the pilot",
                                            t_));
    outcome.log_ratio.push_back(std::move(estimate));
    outcome.warnings = warnings_of_motion();
    if (outcome.ess < 20)
        outcome.warnings.emplace_back("the effective sample size of the draws is below 20: use more particles");
    const auto plateaus = std::ranges::count_if(record_.share, [](double share) { return share > 0; });
    outcome.diagnostics = {{"levels", static_cast<double>(t_), {}},
                           {"plateau_levels", static_cast<double>(plateaus), {}},
                           {"log_mass_above_last_level", log_mass_, {}}};
    outcome.arrays = {{"levels/log_likelihood", record_.log_likelihood},
                      {"levels/share", record_.share},
                      {"levels/log_mass", record_.log_mass},
                      {"levels/log_excluded", record_.log_excluded},
                      {"levels/acceptance", motion_.acceptance},
                      {"levels/mobility", motion_.mobility},
                      {"levels/mobility_likelihood", motion_.mobility_energy},
                      {"levels/unmoved", motion_.unmoved}};
    return outcome;
}

std::vector<std::string> LikelihoodConstrained::warnings_of_motion() const {
    constexpr double tolerated = 0.05; // of the levels
    std::vector<std::string> warnings;
    const auto n = motion_.mobility.size();
    std::size_t low = 0, worst = 0;
    double least = needed_mobility;
    for (std::size_t t = 0; t < n; ++t) {
        // That of points is small where particles keep to their peaks, which does not matter.
        const double mobility =
            std::isnan(motion_.mobility_energy[t]) ? motion_.mobility[t] : motion_.mobility_energy[t];
        if (!(mobility < needed_mobility))
            continue;
        ++low;
        if (mobility < least) {
            least = mobility;
            worst = t;
        }
    }
    if (static_cast<double>(low) > tolerated * static_cast<double>(n))
        warnings.push_back(fmt::format(
            "particles hardly move: the mobility of their likelihoods is {:.2g} above level {} (log likelihood "
            "{:.6g}), "
            "and too small above {:.0f} % of the levels; use another kernel, or other coordinates, or raise "
            "kernel.most_moves",
            least, worst + 1, record_.log_likelihood[worst], 100 * static_cast<double>(low) / static_cast<double>(n)));
    if (const auto stuck = estimator::stuck_particles(
            {motion_.inverse_temperature, motion_.acceptance, motion_.moves, motion_.unmoved}))
        warnings.push_back(fmt::format(
            "{:.1f} % of the particles did not move at all in {} moves above level {:g}: the region above it is "
            "narrower "
            "in places than the proposals, and particles may never enter such places; use another kernel, or other "
            "coordinates",
            100 * stuck->unmoved, stuck->moves, stuck->inverse_temperature));
    return warnings;
}

} // namespace pearlite::algorithm
