#include "algorithm/plans/annealing_plan.hpp"

#include "algorithm/annealed_importance/annealed_importance.hpp"

namespace pearlite::algorithm {

namespace {

constexpr const char* own_name = "annealed-importance";

class AnnealedImportancePlan final : public AnnealingPlan {
  public:
    explicit AnnealedImportancePlan(const ModelTraits& traits) : AnnealingPlan(own_name, traits) {
        spread_temperatures();
    }

    void keys(Keys& k) override {
        replicates_.enlarging_keys(k);
        k("trajectories", trajectories_, within(2, largest_population),
          "independent annealed trajectories; with target_error those of the first population");
        replicates_.largest_key(k, trajectories_, particles_name());
        common_keys(k, {});
    }
    Index particles() const override { return trajectories_; }

  private:
    std::string particles_name() const override { return "trajectories"; }
    std::unique_ptr<algorithm::Sampler> one_run(const parallel::Communicator& ranks, const AnyTarget& target,
                                                const path::Temperatures& temperatures, const kernel::Kernel& kernel,
                                                const random::Seed& seed, Index particles) const override {
        return std::make_unique<algorithm::AnnealedImportance>(
            ranks, target, std::get<path::Schedule>(temperatures), kernel,
            algorithm::PopulationSettings{particles, run_.block, seed, most_prior_draws()});
    }

    Index trajectories_ = 1024;
};

class AnnealedImportancePilot final : public PilotAlgorithm {
  public:
    std::string about() const override { return "trajectories that are never resampled"; }
    std::unique_ptr<Sampler> sampler(const PilotTask& task) const override {
        constexpr bool resamples = false;
        return annealed_population(task.ranks, task.target, task.temperatures, *task.kernel(nullptr), task.population,
                                   resamples);
    }
};

} // namespace

AlgorithmEntry annealed_importance_entry() {
    return {
        .name = own_name,
        .about = "independent annealed trajectories (Neal 2001)",
        .plan = plan_of<AnnealedImportancePlan>,
        .pilot = pilot_of<AnnealedImportancePilot>,
        .can_tune_likelihood = true,
    };
}

} // namespace pearlite::algorithm
