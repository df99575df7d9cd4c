#pragma once
/// The common part of the algorithms along a path: their tables, replicates, and a pilot.

#include "algorithm/plans/kernel_settings.hpp"
#include "algorithm/plans/path_settings.hpp"
#include "algorithm/plans/replicate_settings.hpp"
#include "algorithm/plans/schedule_settings.hpp"

#include <functional>
#include <memory>

namespace pearlite::algorithm {

using AnyTarget = std::shared_ptr<const model::Target>;

/// "12 KiB".
std::string format_bytes(double bytes);

/// Collective. The pilot that the settings name, with proposals that it tunes itself.
std::unique_ptr<algorithm::Sampler> pilot_of(const parallel::Communicator& ranks, const AnyTarget& target,
                                             const ScheduleSettings& schedule, const KernelSettings& kernel,
                                             Index block, const random::Seed& seed, Index most_prior_draws);

/// algorithm.most_prior_draws, for which nothing stands if it is not given.
void prior_draws_key(Keys& k, std::optional<Index>& most_prior_draws);

/// "# stops: between steps; a step is 1 scan": a line of `check`.
std::string describe_stops(const std::string& step);
/// "1 temperature x 5 moves of 8 x 1024 particles".
std::string temperature_step(const KernelSettings& kernel, Index particles, Index replicates, const std::string& what);
/// "8 x 1024 particles".
std::string in_replicates(Index replicates, Index particles, const std::string& what);

/// With fewer particles, a pilot's temperatures and numbers of moves do not carry over to larger populations.
inline constexpr Index fewest_that_adapt = 64;

class AnnealingPlan : public Plan {
  public:
    std::unique_ptr<Sampler> make(const parallel::Communicator& ranks, const BuiltModel& model) const override {
        return sampler_of(ranks, model.target());
    }
    /// Collective. The sampler of a target.
    std::unique_ptr<Sampler> sampler_of(const parallel::Communicator& ranks, AnyTarget target) const;
    /// InputError for a bridge whose reference cannot be the model's.
    AnyTarget along_path(AnyTarget model) const override;
    double inverse_temperature_end() const override { return schedule_.end; }
    std::string headline() const override;
    std::string cost(const BuiltModel& model) const override;
    Workload workload(const BuiltModel& model) const override;
    std::vector<std::string> size_keys() const override { return {"algorithm." + particles_name(), "schedule.steps"}; }
    std::vector<PopulationKey> populations() const override;
    std::vector<PopulationKey> pilot_populations() const override;
    std::string idle_ranks(int ranks) const override;
    const path::Schedule* schedule() const override { return schedule_.given(); }

    const ScheduleSettings& temperatures() const { return schedule_; }
    /// The optimised schedule for a survey of the path.
    path::Schedule optimised_schedule(const SurveyRecord& survey) const {
        return schedule_.optimised.schedule_of(survey, schedule_.fixed->steps(), particles());
    }
    const KernelSettings& kernel() const { return kernel_; }
    /// Particles of one replicate, on all ranks; 0 while an adaptive schedule leaves them open.
    virtual Index particles() const = 0;

  protected:
    /// A plan with the defaults of an algorithm that takes temperatures and proposals from a pilot.
    AnnealingPlan(std::string name, const ModelTraits& traits);

    /// For independent trajectories: an adaptive schedule has as many temperatures as their log weights need, and is
    /// the default of densities.
    void spread_temperatures();

    /// Facts of an algorithm that the common tables depend on.
    struct Needs {
        bool has_block = true, has_balance = false;
        bool adapts_online = false;       ///< it may adapt proposals and temperatures as it goes
        double passes = 1;                ///< through all temperatures
        double further_steps = 0;         ///< beyond them
        std::optional<double> steps = {}; ///< in place of both
        bool may_keep_states = false;     ///< the algorithm may be one that keeps every state of chains
        bool keeps_states = false;        ///< and is: a move between two states is then the default
        bool has_read_defaults = false;   ///< the plan has read defaults_key() before
        bool chooses_path = false;        ///< a run may choose between a bridge and the path from the prior
    };
    /// algorithm.defaults.
    void defaults_key(Keys& k);
    bool has_first_defaults() const { return defaults_ == Defaults::first; }
    /// [run], [path], [schedule] and [kernel]; `k` stands in [algorithm].
    void common_keys(Keys& k, const Needs& needs);

    /// One run of the algorithm. `particles`: particles(), or those of a larger population if replicates_.enlarges.
    virtual std::unique_ptr<algorithm::Sampler> one_run(const parallel::Communicator& ranks, const AnyTarget& target,
                                                        const path::Temperatures& temperatures,
                                                        const kernel::Kernel& kernel, const random::Seed& seed,
                                                        Index particles) const = 0;
    /// The sizes of enlarged populations are multiples of this.
    virtual Index particles_multiple() const { return 1; }
    /// The settings of a pilot's kernel.
    virtual KernelSettings pilot_kernel() const { return kernel_; }
    /// "trajectories", in the first line of a log.
    virtual std::string particles_name() const = 0;
    /// The line on work in `check`.
    virtual std::string work() const;
    /// The particle moves of all replicates; 0 if the schedule leaves their number open.
    virtual double updates() const;
    /// Description of a step, the work between two checks of signals and limits.
    virtual std::string step() const;

    const ModelTraits& traits() const { return traits_; }
    /// For PopulationSettings.
    Index most_prior_draws() const { return most_prior_draws_.value_or(0); }
    ReplicateSettings replicates_;
    ScheduleSettings schedule_;
    KernelSettings kernel_;

  private:
    /// The replicates along a target whose path is known, after their pilot if there is one.
    std::unique_ptr<algorithm::Sampler> sampler_along(const parallel::Communicator& ranks, AnyTarget target) const;
    /// Makes one replicate of the algorithm, of so many particles.
    using RunsOf = std::function<Replicates::Make(Index particles)>;
    RunsOf runs_of(const AnyTarget& target, const path::Temperatures& temperatures,
                   std::shared_ptr<const kernel::Kernel> kernel) const;
    /// Collective. All runs, in replicates, rounds of them or larger and larger.
    std::unique_ptr<algorithm::Sampler> all_runs(const parallel::Communicator& ranks, const RunsOf& runs) const;
    /// The replicates along an optimised schedule, which rounds of them may refine.
    std::unique_ptr<algorithm::Sampler> optimised_along(const parallel::Communicator& ranks, const AnyTarget& target,
                                                        const algorithm::Tuning& tuning) const;
    /// The survey that an optimised schedule is made from, after the pilot if kernels learn from one.
    std::unique_ptr<algorithm::Sampler> survey_along(const parallel::Communicator& ranks,
                                                     const AnyTarget& target) const;

    Defaults defaults_ = Defaults::present;
    std::optional<Index> most_prior_draws_;
    PathSettings path_;
    std::string name_;
    ModelTraits traits_;
};

} // namespace pearlite::algorithm
