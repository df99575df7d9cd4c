#include "pearlite/app/posterior_plan.hpp"

#include "pearlite/app/plan.hpp"

#include <algorithm>

namespace pearlite::app {

namespace {

constexpr Index largest_population = Index{1} << 40;
constexpr Index largest_step = 4'000'000'000;

void read_importance(io::Section& section, PosteriorPlan& plan) {
    plan.particles = section.integer("draws", 10'000, {.low = 2, .high = largest_population});
    plan.importance.rounds = section.integer("adaptation_rounds", 5, {.low = 0, .high = 10'000});
    if (plan.importance.rounds > 0)
        plan.importance.draws_per_round = section.integer("draws_per_round", std::min<Index>(1000, plan.particles),
                                                          {.low = 2, .high = plan.particles});
    plan.components = section.integer("components", 3, {.low = 1, .high = 1000});
    plan.df = section.number("degrees_of_freedom", 5, {.low = 2, .high = 1e6, .open_low = true});
    plan.importance.defensive_share = section.number("defensive_share", 0.05, {.low = 0, .high = 1, .open_high = true});
}

void read_chains(io::Section& section, PosteriorPlan& plan) {
    constexpr Index fewest = 8; ///< recorded draws of a chain, for halves with a variance
    plan.particles = section.integer("chains", 4, {.low = 1, .high = 1'000'000});
    auto& chains = plan.chains;
    chains.iterations = section.integer("iterations", 10'000, {.low = fewest, .high = largest_step});
    chains.burn_in = section.integer("burn_in", chains.iterations / 5, {.low = 0, .high = chains.iterations - fewest});
    chains.thin = section.integer("thin", 1, {.low = 1, .high = largest_step});
    chains.burn_in = std::clamp<Index>(chains.burn_in, 0, chains.iterations - fewest);
    if (chains.iterations / chains.thin - chains.burn_in / chains.thin < fewest)
        section.error("thin", "fewer than " + std::to_string(fewest) + " draws of each chain are left of " +
                                  std::to_string(chains.iterations - chains.burn_in) +
                                  " iterations after burn-in; expected a smaller number");
}

} // namespace

PosteriorPlan read_posterior_plan(io::Section& section, Algorithm algorithm) {
    PosteriorPlan plan;
    if (algorithm == Algorithm::importance_squared)
        read_importance(section, plan);
    else
        read_chains(section, plan);
    plan.from_pilot = section.choice("start", {"pilot", "prior"}, "pilot") == "pilot";
    return plan;
}

} // namespace pearlite::app
