#pragma once
/// The common part of samplers that carry one weighted population along the inverse temperatures a_t of a path
/// (smc.hpp, waste_free.hpp): the start, the next temperature and the weights to it.

#include "algorithm/common/prior_stage.hpp"
#include "algorithm/common/sampler.hpp"
#include "path/schedule.hpp"

namespace pearlite::algorithm {

class TemperedPopulation : public Sampler {
  public:
    void begin() override;
    bool finished() const override { return a_ == schedule_.end(); }
    Found found() override;
    double log_ratio() const { return log_ratio_; }
    const Trace& trace() const { return trace_; }
    population::Population& population() { return population_; }

  protected:
    /// Runs of `blocks_together` neighbouring blocks belong to one rank.
    TemperedPopulation(const parallel::Communicator& ranks, std::shared_ptr<const model::Target> target,
                       path::Temperatures schedule, const kernel::Kernel& kernel, const PopulationSettings& settings,
                       Index blocks_together = 1);

    /// Collective; starts_.is_looking(). More draws of the prior stage. Whether all particles have starts now: then the
    /// trace holds nothing, and the starts wait to be its first entry.
    bool find_starts();
    /// Draws a local block from p_0, with the derivatives there.
    virtual void draw_block(Index b);
    /// Collective. a_t from the schedule, or as far as the conditional ESS allows, and the log weights to it.
    population::WeightSummary weight_next();
    /// Numbers of this rank, once there are new log weights, and what becomes of them: the largest of all ranks,
    /// without a reduction of their own.
    virtual std::vector<double> maxima_of_weighting() const { return {}; }
    virtual void take_maxima_of_weighting(std::span<const double> /*largest*/) {}
    /// Where the sampler stands, and updates of as many particles a step.
    Progress progress_of(Index updates_per_step) const;
    /// Warns of a small final ESS.
    Outcome outcome_of(std::vector<estimator::Estimate> log_ratio) const;
    /// Collective. Diagnostics and the verdict on the noise of a likelihood, if it is an estimated one.
    void judge_likelihood(const std::optional<double>& standard_error, Outcome& outcome) const;
    /// Step, temperature and log Z.
    void position_fields(Fields& f);
    void size_buffers();

    parallel::Communicator ranks_;
    std::shared_ptr<const model::Target> target_;
    path::Temperatures schedule_;
    std::unique_ptr<kernel::Kernel> kernel_;
    PopulationSettings settings_;
    population::Population population_;
    PriorStage starts_;
    Index t_ = 0;
    double a_ = 0;
    double log_ratio_ = 0;
    double ess_ = 0; ///< of the last weighting
    Trace trace_;
    OnTheFly on_the_fly_;
    std::vector<double> increments_, derivatives_;

  private:
    void open_trace();
    double next_inverse_temperature();
    /// Bisections in a call of the search for the next temperature; no number depends on it.
    int levels_of_bisection() const;
    /// increments_[i] = log f_to(x_i) - log f_from(x_i).
    void find_increments(double from, double to);
    /// This rank's error, or null.
    std::exception_ptr reweight(double from, double to);
};

} // namespace pearlite::algorithm
