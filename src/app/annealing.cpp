#include "pearlite/app/annealing.hpp"

#include "annealing_run.hpp"

#include "pearlite/core/contract.hpp"
#include "pearlite/io/digest.hpp"
#include "pearlite/kernel/native.hpp"
#include "pearlite/kernel/random_walk.hpp"
#include "pearlite/path/density_path.hpp"
#include "pearlite/random/stream.hpp"
#include "pearlite/sampler/annealed_importance.hpp"
#include "pearlite/sampler/importance_squared.hpp"
#include "pearlite/sampler/nonequilibrium.hpp"
#include "pearlite/sampler/parallel_tempering.hpp"
#include "pearlite/sampler/piloted.hpp"
#include "pearlite/sampler/pseudo_marginal.hpp"
#include "pearlite/sampler/replicates.hpp"
#include "pearlite/sampler/smc.hpp"

#include <utility>
#include <variant>

namespace pearlite::app {

namespace {

using sampler::Sampler;
using sampler::Tuning;
using Target = std::shared_ptr<const model::Target>;
using AnySchedule = std::variant<path::Schedule, sampler::AdaptiveSchedule>;

std::shared_ptr<const path::DensityPath> density_path_of(const Target& target) {
    const auto* path = target->offers<path::DensityPath>();
    PEARLITE_EXPECTS(path != nullptr);
    return {target, path};
}

/// The kernel for a target: with what a pilot's kernel learnt, or before any tuning.
std::unique_ptr<kernel::Kernel> kernel_for(const Target& target, Index moves, const Matrix* learnt = nullptr) {
    if (!target->offers<path::DensityPath>())
        return std::make_unique<kernel::Native>(target, moves);
    const auto path = density_path_of(target);
    if (learnt)
        return std::make_unique<kernel::RandomWalk>(path, moves, *learnt);
    return std::make_unique<kernel::RandomWalk>(path, moves);
}

std::uint64_t pilot_seed(const Plan& plan) {
    return random::derive_seed(plan.seed, std::uint64_t{1} << 63);
}

/// One run of the plan's algorithm along a path.
std::unique_ptr<Sampler> along_path(const parallel::Communicator& ranks, const Target& target, const Plan& plan,
                                    const AnySchedule& schedule, const kernel::Kernel& kernel, std::uint64_t seed) {
    switch (plan.algorithm) {
    case Algorithm::annealed_importance:
        return std::make_unique<sampler::AnnealedImportance>(
            ranks, target, std::get<path::Schedule>(schedule), kernel,
            sampler::PopulationSettings{plan.particles, plan.block, seed});
    case Algorithm::nonequilibrium:
        return std::make_unique<sampler::Nonequilibrium>(
            ranks, target, std::get<path::Schedule>(schedule), kernel,
            sampler::NonequilibriumSettings{plan.particles, plan.reverse_trajectories, plan.block, seed,
                                            plan.reverse_start, plan.equilibration});
    case Algorithm::parallel_tempering:
        return std::make_unique<sampler::ParallelTempering>(
            ranks, target, std::get<path::Schedule>(schedule), kernel,
            sampler::TemperingSettings{plan.replicas, plan.scans, plan.burn_in, seed, plan.cold_from_mode,
                                       plan.cold_from});
    default:
        return std::make_unique<sampler::Smc>(ranks, target, schedule, kernel,
                                              sampler::PopulationSettings{plan.particles, plan.block, seed}, plan.smc);
    }
}

std::unique_ptr<Sampler> pilot_of(const parallel::Communicator& ranks, const Target& target, const Plan& plan,
                                  Index block) {
    return std::make_unique<sampler::Smc>(ranks, target, schedule_of(plan), *kernel_for(target, plan.moves),
                                          sampler::PopulationSettings{plan.pilot_particles, block, pilot_seed(plan)},
                                          sampler::SmcSettings{});
}

std::unique_ptr<Sampler> annealing_sampler(const parallel::Communicator& ranks, const Target& target,
                                           const Plan& plan) {
    const auto replicates = [=](const AnySchedule& schedule, std::shared_ptr<const kernel::Kernel> kernel) {
        return std::make_unique<sampler::Replicates>(plan.batches, plan.seed, [=](std::uint64_t seed) {
            return along_path(ranks, target, plan, schedule, *kernel, seed);
        });
    };
    if (!plan.pilot)
        return replicates(schedule_of(plan), kernel_for(target, plan.moves));
    return std::make_unique<sampler::Piloted>(ranks, pilot_of(ranks, target, plan, plan.block),
                                              [=](const Tuning& tuning) {
                                                  return replicates(path::Schedule(tuning.inverse_temperatures),
                                                                    kernel_for(target, plan.moves, &tuning.kernel));
                                              });
}

/// An algorithm that works at the posterior itself, from first draws.
std::unique_ptr<Sampler> sampler_at_posterior(const parallel::Communicator& ranks, const Target& target,
                                              const Plan& plan) {
    const auto path = density_path_of(target);
    const auto make_main = [=](const sampler::FirstDraws& first) -> std::unique_ptr<Sampler> {
        const auto& settings = *plan.posterior;
        const sampler::PopulationSettings population{plan.particles, plan.block, plan.seed};
        if (plan.algorithm == Algorithm::pseudo_marginal)
            return std::make_unique<sampler::PseudoMarginal>(ranks, path, first.starts(plan.particles, plan.seed),
                                                             first.walk_factor(), population, settings.chains);
        return std::make_unique<sampler::ImportanceSquared>(
            ranks, path, first.mixture(settings.components, settings.df), population, settings.importance);
    };
    constexpr Index prior_draws = 1024;
    if (!plan.pilot)
        return make_main(sampler::draws_from_prior(*path, prior_draws, pilot_seed(plan)));
    return std::make_unique<sampler::Piloted>(
        ranks, pilot_of(ranks, target, plan, plan.posterior->pilot_block),
        [=](const Tuning& tuning) { return make_main(tuning.reference); }, sampler::PilotReference::wanted);
}

class AnnealedModel final : public BuiltModel {
  public:
    explicit AnnealedModel(Target target) : target_(std::move(target)) {}

    std::unique_ptr<Run> make_run(const parallel::Communicator& ranks, const Plan& plan) const override {
        auto sampler = is_at_posterior(plan.algorithm) ? sampler_at_posterior(ranks, target_, plan)
                                                       : annealing_sampler(ranks, target_, plan);
        const double b_end = is_at_posterior(plan.algorithm) ? 1 : plan.inverse_temperature_end;
        return std::make_unique<AnnealingRun>(ranks, target_, std::move(sampler), b_end);
    }
    std::string fingerprint() const override {
        io::Sha256 hash;
        model::Fingerprint sink([&](std::span<const std::byte> bytes) { hash.add(bytes); });
        target_->fingerprint(sink);
        return hash.finish_hex();
    }
    std::size_t packed_particle_bytes() const override { return target_->particle_bytes(); }
    const model::Target* target() const override { return target_.get(); }
    std::vector<sampler::ReverseStart> reverse_starts() const override { return sampler::reverse_starts_of(*target_); }

  private:
    Target target_;
};

} // namespace

std::unique_ptr<BuiltModel> annealed(std::shared_ptr<const model::Target> target) {
    return std::make_unique<AnnealedModel>(std::move(target));
}

} // namespace pearlite::app
