#pragma once
/// Runs along a bridge, as the plan sets them up.

#include "algorithm/densities.hpp"
#include "algorithm/fitted_path/bridged.hpp"
#include "path/bridge_cases.hpp"

namespace pearlite::algorithm::testing {

inline BridgeSettings bridge(BridgeSettings::Fit fit, BridgeSettings::Reference reference, bool prior_leg) {
    BridgeSettings settings;
    settings.fit = fit;
    settings.reference = reference;
    settings.prior_leg = prior_leg;
    settings.fit_particles = 1024;
    return settings;
}

/// The fit, then a pilot of 200 particles on the bridge, then replicates of SMC.
template <class D>
Bridged bridged_smc(const parallel::Communicator& ranks, const D& density, const BridgeSettings& settings,
                    Index particles, Index replicates, random::Seed seed) {
    const auto model = path_of(density);
    return {ranks,
            model,
            settings,
            [](const std::shared_ptr<const model::Target>& path) {
                return std::make_unique<kernel::RandomWalk>(
                    std::shared_ptr<const path::DensityPath>(path, path->offers<path::DensityPath>()), 5);
            },
            16,
            seed,
            [=](const std::shared_ptr<const model::Target>& target) {
                const std::shared_ptr<const path::DensityPath> along(target, target->offers<path::DensityPath>());
                return std::make_unique<Piloted>(
                    piloted(ranks, along, replicates, seed,
                            [=](const auto& team, const auto& schedule, const auto& kernel, auto s) {
                                return std::make_unique<Smc>(team, along, schedule, kernel,
                                                             PopulationSettings{particles, 16, s}, SmcSettings{});
                            }));
            }};
}

} // namespace pearlite::algorithm::testing
