#pragma once
/// Any annealed model as a BuiltModel: chooses the kernel that suits it and assembles the samplers a plan asks for.

#include "pearlite/app/catalogue.hpp"
#include "pearlite/app/posterior_runs.hpp"
#include "pearlite/app/run_of.hpp"
#include "pearlite/app/tunable_likelihood_of.hpp"
#include "pearlite/core/contract.hpp"
#include "pearlite/kernel/native.hpp"
#include "pearlite/kernel/random_walk.hpp"
#include "pearlite/sampler/annealed_importance.hpp"
#include "pearlite/sampler/batches.hpp"
#include "pearlite/sampler/nonequilibrium.hpp"
#include "pearlite/sampler/parallel_tempering.hpp"
#include "pearlite/sampler/piloted.hpp"
#include "pearlite/sampler/smc.hpp"

namespace pearlite::app {

/// The kernel for a model, before tuning and with what a pilot found.
template <class M>
struct KernelFor {
    using Kernel = kernel::Native<M>;
    static Kernel online(const Plan& plan) { return Kernel(plan.moves); }
    static Kernel tuned(const Plan& plan, const sampler::Tuning&) { return Kernel(plan.moves); }
};
template <class D>
struct KernelFor<path::GeometricPath<D>> {
    using Kernel = kernel::RandomWalk<D>;
    static Kernel online(const Plan& plan) { return Kernel(plan.moves); }
    static Kernel tuned(const Plan& plan, const sampler::Tuning& tuning) {
        return Kernel(plan.moves, tuning.proposal_factors);
    }
};

template <model::AnnealedModel M>
class BuiltModelOf final : public BuiltModel {
  public:
    explicit BuiltModelOf(M model) : model_(std::make_shared<const M>(std::move(model))) {}

    std::unique_ptr<Run> make_run(const parallel::Communicator& ranks, const Plan& plan) const override {
        if (plan.algorithm == Algorithm::annealed_importance)
            return assemble<Ais>(ranks, plan,
                                 [=, model = model_](std::uint64_t seed, const auto& schedule, Kernel kernel) {
                                     return Ais(ranks, model, std::get<path::Schedule>(schedule), std::move(kernel),
                                                {plan.particles, plan.block, seed});
                                 });
        if (is_at_posterior(plan.algorithm))
            return make_at_posterior(ranks, plan);
        if (plan.algorithm == Algorithm::nonequilibrium)
            return make_nonequilibrium(ranks, plan);
        if (plan.algorithm == Algorithm::parallel_tempering) {
            using Sampler = sampler::ParallelTempering<M, Kernel>;
            return assemble<Sampler>(
                ranks, plan, [=, model = model_](std::uint64_t seed, const auto& schedule, Kernel kernel) {
                    return Sampler(
                        ranks, model, std::get<path::Schedule>(schedule), std::move(kernel),
                        {plan.replicas, plan.scans, plan.burn_in, seed, plan.cold_from_mode, plan.cold_from});
                });
        }
        return assemble<Smc>(ranks, plan, [=, model = model_](std::uint64_t seed, const auto& schedule, Kernel kernel) {
            return Smc(ranks, model, schedule, std::move(kernel), {plan.particles, plan.block, seed}, plan.smc);
        });
    }

    std::string fingerprint() const override {
        io::Sha256 hash;
        model::Fingerprint sink([&](std::span<const std::byte> bytes) { hash.add(bytes); });
        model_->fingerprint(sink);
        return hash.finish_hex();
    }

    std::size_t packed_particle_bytes() const override { return sampler::packed_particle_bytes(*model_); }

    std::unique_ptr<TunableLikelihood> tunable_likelihood() const override {
        if constexpr (requires { requires model::HasEstimatorSize<typename M::Density>; })
            return std::make_unique<TunableLikelihoodOf<typename M::Density>>(*model_);
        else
            return nullptr;
    }

    std::vector<sampler::ReverseStart> reverse_starts() const override {
        std::vector<sampler::ReverseStart> starts;
        if constexpr (model::HasEndSampler<M>)
            starts.push_back(sampler::ReverseStart::exact);
        if constexpr (model::HasMode<M>)
            starts.push_back(sampler::ReverseStart::mode);
        if constexpr (model::HasDataStart<M>)
            if (model_->has_data())
                starts.push_back(sampler::ReverseStart::data);
        starts.push_back(sampler::ReverseStart::weighted);
        return starts;
    }

  private:
    using Kernel = typename KernelFor<M>::Kernel;
    using Ais = sampler::AnnealedImportance<M, Kernel>;
    using Smc = sampler::Smc<M, Kernel>;
    using AnySchedule = std::variant<path::Schedule, sampler::AdaptiveSchedule>;

    std::unique_ptr<Run> make_at_posterior(const parallel::Communicator& ranks, const Plan& plan) const {
        if constexpr (requires { typename M::Density; }) {
            const PosteriorRuns<typename M::Density> runs(ranks, model_, plan);
            return plan.algorithm == Algorithm::pseudo_marginal ? runs.pseudo_marginal() : runs.importance_squared();
        } else {
            throw ContractViolation("a model without a density passed the check of its algorithm");
        }
    }

    std::unique_ptr<Run> make_nonequilibrium(const parallel::Communicator& ranks, const Plan& plan) const {
        if constexpr (kernel::TimeReversible<Kernel>) {
            using Sampler = sampler::Nonequilibrium<M, Kernel>;
            return assemble<Sampler>(
                ranks, plan, [=, model = model_](std::uint64_t seed, const auto& schedule, Kernel kernel) {
                    return Sampler(ranks, model, std::get<path::Schedule>(schedule), std::move(kernel),
                                   {plan.particles, plan.reverse_trajectories, plan.block, seed, plan.reverse_start,
                                    plan.equilibration});
                });
        } else {
            throw ContractViolation("a model that cannot run backwards passed the check of its algorithm");
        }
    }

    /// make(seed, schedule, kernel) builds one batch of S.
    template <class S, class Make>
    std::unique_ptr<Run> assemble(const parallel::Communicator& ranks, const Plan& plan, Make make) const {
        const auto batches_of = [plan, make](const AnySchedule& schedule, const Kernel& kernel) {
            return std::make_unique<sampler::Batches<S>>(
                plan.batches, plan.seed, [&](std::uint64_t seed) { return make(seed, schedule, kernel); });
        };
        if (!plan.pilot)
            return std::make_unique<RunOf<sampler::Batches<S>>>(
                ranks, model_, batches_of(schedule_of(plan), KernelFor<M>::online(plan)), plan.inverse_temperature_end);

        const auto pilot_seed = random::derive_seed(plan.seed, std::uint64_t{1} << 63);
        auto pilot = std::make_unique<Smc>(ranks, model_, schedule_of(plan), KernelFor<M>::online(plan),
                                           sampler::PopulationSettings{plan.pilot_particles, plan.block, pilot_seed},
                                           sampler::SmcSettings{});
        using Piloted = sampler::Piloted<Smc, sampler::Batches<S>>;
        return std::make_unique<RunOf<Piloted>>(
            ranks, model_,
            std::make_unique<Piloted>(std::move(pilot),
                                      [plan, batches_of](const sampler::Tuning& tuning) {
                                          return batches_of(path::Schedule(tuning.inverse_temperatures),
                                                            KernelFor<M>::tuned(plan, tuning));
                                      }),
            plan.inverse_temperature_end);
    }

    std::shared_ptr<const M> model_;
};

} // namespace pearlite::app
