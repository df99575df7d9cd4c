#pragma once
/// Runs of the algorithms that work at the posterior itself: importance sampling squared and pseudo-marginal chains,
/// over any density.

#include "pearlite/app/plan.hpp"
#include "pearlite/app/run_of.hpp"
#include "pearlite/kernel/random_walk.hpp"
#include "pearlite/sampler/first_draws.hpp"
#include "pearlite/sampler/importance_squared.hpp"
#include "pearlite/sampler/pseudo_marginal.hpp"
#include "pearlite/sampler/smc.hpp"

#include <functional>

namespace pearlite::app {

template <class D>
class PosteriorRuns {
  public:
    using Model = path::GeometricPath<D>;

    PosteriorRuns(const parallel::Communicator& ranks, std::shared_ptr<const Model> model, const Plan& plan)
        : ranks_(ranks), model_(std::move(model)), plan_(plan) {}

    /// Collective.
    std::unique_ptr<Run> importance_squared() const {
        using Sampler = sampler::ImportanceSquared<D>;
        return begin<Sampler>([ranks = ranks_, model = model_, plan = plan_](const sampler::FirstDraws& first) {
            const auto& settings = *plan.posterior;
            return Sampler(ranks, model, first.mixture(settings.components, settings.df),
                           {plan.particles, plan.block, plan.seed}, settings.importance);
        });
    }
    std::unique_ptr<Run> pseudo_marginal() const {
        using Sampler = sampler::PseudoMarginal<D>;
        return begin<Sampler>([ranks = ranks_, model = model_, plan = plan_](const sampler::FirstDraws& first) {
            return Sampler(ranks, model, first.starts(plan.particles, plan.seed), first.walk_factor(),
                           {plan.particles, plan.block, plan.seed}, plan.posterior->chains);
        });
    }

  private:
    using Pilot = sampler::Smc<Model, kernel::RandomWalk<D>>;
    static constexpr Index prior_draws = 1024;

    /// make(first) builds an S; the first draws are a pilot's, or the prior's.
    template <class S>
    std::unique_ptr<Run> begin(std::function<S(const sampler::FirstDraws&)> make) const {
        using Main = sampler::Batches<S>;
        using Piloted = sampler::Piloted<Pilot, Main, sampler::FirstDraws>;
        const auto make_main = [make, seed = plan_.seed](const sampler::FirstDraws& first) {
            return std::make_unique<Main>(1, seed, [&](std::uint64_t) { return make(first); });
        };
        const auto first_seed = random::derive_seed(plan_.seed, std::uint64_t{1} << 63);
        if (!plan_.pilot)
            return std::make_unique<RunOf<Main>>(
                ranks_, model_, make_main(sampler::draws_from_prior(*model_, prior_draws, first_seed)), 1);
        auto pilot = std::make_unique<Pilot>(
            ranks_, model_, schedule_of(plan_), kernel::RandomWalk<D>(plan_.moves),
            sampler::PopulationSettings{plan_.pilot_particles, plan_.posterior->pilot_block, first_seed},
            sampler::SmcSettings{});
        const auto look = [ranks = ranks_, d = model_->dimension()](Pilot& finished) {
            return sampler::draws_of(ranks, finished.population(), d);
        };
        return std::make_unique<RunOf<Piloted>>(ranks_, model_,
                                                std::make_unique<Piloted>(std::move(pilot), make_main, look), 1);
    }

    parallel::Communicator ranks_;
    std::shared_ptr<const Model> model_;
    Plan plan_;
};

} // namespace pearlite::app
