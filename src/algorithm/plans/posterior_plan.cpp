#include "algorithm/plans/posterior_plan.hpp"

#include <fmt/format.h>

namespace pearlite::algorithm {

PosteriorPlan::PosteriorPlan(const ModelTraits& traits)
    : largest_block_(traits.largest_block), pilot_block_(traits.default_block), kernel_(traits) {
    run_.block = traits.default_block;
    schedule_.kind = ScheduleSettings::Kind::adaptive;
    schedule_.conditional_ess = 0.9;
    kernel_.pilot_particles = 1024;
}

void PosteriorPlan::common_keys(Keys& k) {
    k("start", from_pilot_,
      {{"pilot", true, "a population annealed by [schedule] and [kernel]"}, {"prior", false, "draws from the prior"}},
      "where the first proposal and the starts come from");
    prior_draws_key(k, most_prior_draws_);
    const bool has_chains = run_.block == 1;
    k.in_table("run", [&] {
        run_.keys(k, {true, false, !has_chains, has_chains ? "" : block_of_model, largest_block_});
    });
    k.when("start", from_pilot_, true, [&] {
        k.in_table("schedule", [&] { schedule_.keys(k, false); });
        k.in_table("kernel", [&] {
            kernel_.keys(k, {.may_adapt = false,
                             .pilot_particles_default = pilot_particles_default(),
                             .most_pilot_particles = largest_population,
                             .needs_reference_alone = true});
        });
    });
}

std::unique_ptr<algorithm::Sampler> PosteriorPlan::sampler_of(const parallel::Communicator& ranks,
                                                              const AnyTarget& target) const {
    const auto path = density_path_of(target);
    constexpr Index prior_draws = 1024;
    const auto replicates = [this, ranks, path](const algorithm::FirstDraws& first) {
        return replicates_.sampler(ranks, run_.seed,
                                   [=, this](const parallel::Communicator& team, const random::Seed& seed) {
                                       return from_draws(team, path, first, seed);
                                   });
    };
    std::unique_ptr<algorithm::Sampler> sampler;
    if (from_pilot_)
        sampler = std::make_unique<algorithm::Piloted>(
            ranks, pilot_of(ranks, target, schedule_, kernel_, pilot_block_, run_.seed, most_prior_draws()),
            [replicates](const algorithm::Tuning& tuning) { return replicates(tuning.reference); },
            algorithm::PilotReference::wanted);
    else
        sampler = replicates(algorithm::draws_from_prior(*path, prior_draws, pilot_seed(run_.seed)));
    return sampler;
}

std::string PosteriorPlan::headline() const {
    return fmt::format("{} {} in blocks of {}", particles(), particles_name(), run_.block);
}

Workload PosteriorPlan::workload(const BuiltModel& model) const {
    const auto packed = static_cast<double>(model.packed_particle_bytes());
    return {updates() * static_cast<double>(replicates_.number),
            static_cast<double>(particles()) * (packed + 16) + further_bytes(packed),
            (particles() + run_.block - 1) / run_.block * replicates_.number,
            particles() * replicates_.number,
            1,
            from_pilot_ && !kernel_.moves.number,
            replicates_.target.error.has_value()};
}

std::vector<PopulationKey> PosteriorPlan::pilot_populations() const {
    if (!from_pilot_)
        return {};
    return {{"kernel.pilot_particles", kernel_.pilot_particles, fewest_that_adapt}};
}

std::string PosteriorPlan::cost(const BuiltModel& model) const {
    auto text = work() + replicates_.cost();
    if (from_pilot_)
        text += fmt::format("# and a pilot: {} particles x {} moves at every temperature{}\n", kernel_.pilot_particles,
                            kernel_.moves_text(), kernel_.pilot_name_text());
    const auto of_pilot = temperature_step(kernel_, kernel_.pilot_particles, 1, "particles");
    text += describe_stops(step() + (from_pilot_ ? "; of the pilot " + of_pilot : ""));
    const auto all = workload(model);
    return text + fmt::format("# checkpoint: about {} in all; at most {} useful rank(s)\n", format_bytes(all.bytes),
                              all.useful_ranks);
}

std::string PosteriorPlan::idle_ranks(int ranks) const {
    return describe_idle_ranks(ranks, particles(), run_.block, particles_name() == "chains" ? "chains" : "particles",
                               replicates_.number);
}

// The path keeps the target. NOLINTNEXTLINE(performance-unnecessary-value-param)
std::shared_ptr<const path::DensityPath> density_path_of(AnyTarget target) {
    const auto* density = target->offers<path::DensityPath>();
    PEARLITE_EXPECTS(density != nullptr);
    return {std::move(target), density};
}

std::string objection_at_posterior(const ModelTraits& traits) {
    return traits.continuous ? "" : "they work on densities of continuous parameters";
}

} // namespace pearlite::algorithm
