#pragma once
/// The common part of the algorithms that work at the posterior itself, without a path: first draws from a tempered
/// pilot or from the prior.

#include "algorithm/plans/annealing_plan.hpp"

namespace pearlite::algorithm {

class PosteriorPlan : public Plan {
  public:
    std::unique_ptr<Sampler> make(const parallel::Communicator& ranks, const BuiltModel& model) const override {
        return sampler_of(ranks, model.target());
    }
    /// Collective. The sampler of a target.
    std::unique_ptr<Sampler> sampler_of(const parallel::Communicator& ranks, const AnyTarget& target) const;
    std::string headline() const override;
    std::string cost(const BuiltModel& model) const override;
    Workload workload(const BuiltModel& model) const override;
    std::vector<PopulationKey> pilot_populations() const override;
    std::string idle_ranks(int ranks) const override;
    const path::Schedule* schedule() const override { return schedule_.fixed ? &*schedule_.fixed : nullptr; }

  protected:
    explicit PosteriorPlan(const ModelTraits& traits);

    /// algorithm.start, [run], and the pilot's [schedule] and [kernel]; `k` stands in [algorithm].
    void common_keys(Keys& k);

    /// Draws or chains.
    virtual Index particles() const = 0;
    virtual std::string particles_name() const = 0;
    virtual std::string work() const = 0;
    /// Likelihoods of one replicate, without those of the pilot.
    virtual double updates() const = 0;
    /// Description of a step, the work between two checks of signals and limits.
    virtual std::string step() const = 0;
    /// Bytes of a checkpoint beyond the particles.
    virtual double further_bytes(double /*particle_bytes*/) const { return 0; }
    virtual std::unique_ptr<algorithm::Sampler> from_draws(const parallel::Communicator& ranks,
                                                           std::shared_ptr<const path::DensityPath> path,
                                                           const algorithm::FirstDraws& first,
                                                           const random::Seed& seed) const = 0;

    /// The default of kernel.pilot_particles in words, if it depends on the model.
    virtual std::string pilot_particles_default() const { return {}; }
    /// Another default than 1024.
    void give_pilot(Index particles) { kernel_.pilot_particles = particles; }

    /// For PopulationSettings.
    Index most_prior_draws() const { return most_prior_draws_.value_or(0); }

    bool from_pilot_ = true;
    ReplicateSettings replicates_;
    Index largest_block_;

  private:
    std::optional<Index> most_prior_draws_;
    Index pilot_block_;
    ScheduleSettings schedule_; ///< of the pilot
    KernelSettings kernel_;     ///< of the pilot
};

/// ContractViolation unless the target is a path of densities.
std::shared_ptr<const path::DensityPath> density_path_of(AnyTarget target);

/// Why an algorithm at the posterior cannot run a model; empty if it can.
std::string objection_at_posterior(const ModelTraits& traits);

} // namespace pearlite::algorithm
