#pragma once
/// Annealed importance sampling (Neal 2001): M independent trajectories from p_0 to p_K.
///
///     x ~ p_0;  log w = 0
///     for k = 1..K:
///         log w += log f_{b_k}(x) - log f_{b_{k-1}}(x)
///         if k < K: x ~ T_k(. | x),  T_k leaving p_{b_k} invariant
///     log Z_K/Z_0 = log mean w
///
/// b_k: inverse temperatures of the schedule; f_b: unnormalised densities of the path; (w_k, x after T_k) targets
/// p_{b_k}, from which ESS, running log Z and Var[u] are recorded at every temperature (k = K: the last state, which is
/// not moved).

#include "algorithm/common/prior_stage.hpp"
#include "algorithm/common/sampler.hpp"
#include "parallel/agreement.hpp"
#include "path/schedule.hpp"

#include <vector>

namespace pearlite::algorithm {

class AnnealedImportance final : public Sampler {
  public:
    AnnealedImportance(const parallel::Communicator& ranks, std::shared_ptr<const model::Target> target,
                       path::Schedule schedule, const kernel::Kernel& kernel, const PopulationSettings& settings);

    void begin() override;

    bool finished() const override { return k_ == schedule_.steps(); }

    /// Collective. One temperature.
    void step() override;

    /// Collective. Everything recorded up to now enters the trace; called before saving.
    void flush() override;

    Progress progress() const override;

    /// Collective; finished().
    Outcome outcome() const override;

    const path::Schedule& schedule() const { return schedule_; }
    LogRatioSoFar log_ratio_so_far() override;
    Found found() override;
    /// log Z/Z_0 as of the last reduction.
    double log_ratio() const { return trace_.log_ratio.back(); }
    const Trace& trace() const { return trace_; }
    population::Population& population() { return population_; }

    void fields(Fields& f) override;

  private:
    Index updates_per_step() const { return settings_.particles * kernel_->moves(); }
    /// With many blocks a reduction is cheap beside a step, and records are large.
    Index temperatures_per_reduction() const;

    /// All particles have starts: the first entry of the trace. Weights begin with the share of the prior stage.
    void open_trace(std::vector<double>& derivatives);
    /// Collective. More draws of the prior stage.
    void find_starts();

    std::span<double> derivatives_of(const Block& block);

    parallel::Communicator ranks_;
    std::shared_ptr<const model::Target> target_;
    path::Schedule schedule_;
    std::unique_ptr<kernel::Kernel> kernel_;
    PopulationSettings settings_;
    population::Population population_;
    PriorStage starts_;
    Index k_ = 0;
    Trace trace_;
    double evaluations_ = 0; ///< of densities and gradients
    OnTheFly on_the_fly_;
    MotionWatch watch_;
    std::vector<double> derivatives_;
    /// Ranks communicate only in reductions: a failure is kept until the next reduction, which reports it to all ranks.
    parallel::DelayedFailure failure_;
};

} // namespace pearlite::algorithm
