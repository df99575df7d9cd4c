#pragma once
/// Evidence from nonequilibrium work (Habeck 2017): trajectories annealed from p_0 to p_K, others annealed backwards
/// from p_K to p_0, and the work that both ways take.
///
///     forward:  x_0 ~ p_0;  W = 0
///         for k = 0..K-1:  W += E_{k+1}(x_k) - E_k(x_k);  if k+1 < K:  x_{k+1} ~ T_{k+1}(. | x_k)
///     reverse:  x_{K-1} ~ p_K;  W = 0
///         for k = K-1..0:  W += E_{k+1}(x_k) - E_k(x_k);  if k > 0:  x_{k-1} ~ T'_k(. | x_k)
///     log Z_K/Z_0 from both sets of W: BAR, histogram and others (estimator/work.hpp)
///
/// E_k = -log f_{b_k}: energies; b_k: the schedule; T_k: a kernel that leaves p_{b_k} invariant, T'_k its time reversal
/// (its sub-updates in the opposite order). Forward trajectories are those of annealed importance sampling, log w = -W.
/// Where likelihoods are zero, p_0 is the prior given a positive likelihood (prior_stage.hpp), whose share enters the
/// works of both directions. p_K is reached by place_at_end() or resample_ends(), then by `equilibration` applications
/// of T_K.

#include "algorithm/common/prior_stage.hpp"
#include "algorithm/common/sampler.hpp"
#include "algorithm/nonequilibrium/work_outcome.hpp"
#include "parallel/agreement.hpp"
#include "pearlite/model/detail/model_traits.hpp"
#include "pearlite/model/detail/path_moments.hpp"

#include <functional>
#include <vector>

namespace pearlite::algorithm {

// The parts of a nonequilibrium run, one after another.

/// Forward trajectories through all K temperatures; a pool of trajectories that provides the reverse starts, if these
/// are weighted; the equilibration of the reverse starts; and the trajectories backwards through all temperatures.
class NonequilibriumCourse {
  public:
    enum class Phase { forward, pool, equilibration, reverse };
    struct Place {
        Phase phase = Phase::forward;
        Index number = 0; ///< 1, 2, ... within the phase
    };

    /// `temperatures`: K; `equilibration`: steps, >= 0.
    NonequilibriumCourse(Index temperatures, bool has_pool, Index equilibration)
        : temperatures_(temperatures), pool_(has_pool ? temperatures : 0), equilibration_(equilibration) {}

    Index steps() const { return 2 * temperatures_ + pool_ + equilibration_; }
    /// The place of step 1 .. steps(); before the first, number 0 of the forward phase.
    Place place(Index step) const {
        PEARLITE_EXPECTS(step >= 0 && step <= steps());
        if (step <= temperatures_)
            return {Phase::forward, step};
        const Index after_forward = step - temperatures_;
        if (after_forward <= pool_)
            return {Phase::pool, after_forward};
        const Index after_pool = after_forward - pool_;
        if (after_pool <= equilibration_)
            return {Phase::equilibration, after_pool};
        return {Phase::reverse, after_pool - equilibration_};
    }

  private:
    Index temperatures_, pool_, equilibration_;
};

using model::ReverseStart;

/// Puts a block's particles at the model's start of this kind at the inverse temperature `end`; particles stay as they
/// are for weighted starts and for starts that the model does not offer.
void place_at_end(const model::Target& target, Block& block, ReverseStart start, double end,
                  const model::BlockStreams& streams);

/// Collective. The end states of forward trajectories (a generation of `population`), whose log weights are numbers,
/// become starts in proportion to their weights; their log weights are 0 after that.
void resample_ends(const parallel::Communicator& ranks, const model::Target& target, population::Population& population,
                   population::Generation& pool, const random::Seed& seed, Index step);

struct NonequilibriumSettings {
    Index forward = 0; ///< M_f trajectories
    Index reverse = 0; ///< M_r trajectories
    Index block = 16;
    random::Seed seed = {};
    ReverseStart start = ReverseStart::weighted;
    Index equilibration = 0;    ///< applications of T_K to the reverse starts
    Index most_prior_draws = 0; ///< prior_stage.hpp
};

class Nonequilibrium final : public Sampler {
  public:
    /// The kernel is time-reversible and not one that adapts.
    Nonequilibrium(const parallel::Communicator& ranks, std::shared_ptr<const model::Target> target,
                   path::Schedule schedule, const kernel::Kernel& kernel, const NonequilibriumSettings& settings);

    void begin() override;

    bool finished() const override { return n_ == course_.steps(); }

    /// Collective. One temperature of the forward trajectories, then one step towards the reverse starts, then one
    /// temperature of the reverse trajectories.
    void step() override;

    /// Collective. Everything recorded up to now enters the trace; called before saving.
    void flush() override;

    Progress progress() const override;

    /// Collective; finished().
    Outcome outcome() const override;
    /// The trace is that of the forward trajectories. Generation 0 runs forward, with log weights -W; generation 1
    /// backwards, with log weights W. Sharded results are work/forward and work/reverse.
    Found found() override;

    const path::Schedule& schedule() const { return schedule_; }
    /// log Z/Z_0 of the forward trajectories as of the last reduction.
    double log_ratio() const { return trace_.log_ratio.back(); }
    /// The estimate from the forward trajectories alone.
    LogRatioSoFar log_ratio_so_far() override;
    const Trace& trace() const { return trace_; }
    population::Population& population() { return population_; }

    void fields(Fields& f) override;

  private:
    void list_works(Fields& f);

    using Phase = NonequilibriumCourse::Phase;
    using OnBlock =
        std::function<void(Index b, Block&, const model::BlockStreams&, std::span<double>, std::span<double>)>;
    static constexpr Index steps_per_reduction = 64;

    /// Quantities x block size; no rows if the target has none.
    Matrix quantities_of(const Block& block) const;

    /// Calls work(block, streams, log weights, derivatives) on every local block.
    void on_blocks(population::Generation& generation, const OnBlock& work);

    /// Collective. Draws starts from p_0 at a step's addresses and begins their prior stage.
    void draw_starts(population::Generation& generation, PriorStage& stage, Index step);
    /// Collective. Makes a step's work of a prior stage before the forward trajectories or before the pool, if there
    /// is any.
    bool finds_starts();
    /// Forward trajectories begin, with the share of the prior stage as their weight.
    void open_forward();
    /// The first entry of a direction's averages: starts at b, no work yet.
    void record_start(population::Generation& generation, PathAveraging& averaging, double b);

    /// From x_{k-1}: work to b_k, then T_k; for the measured trajectories or for the pool that provides reverse starts.
    void forward_step(population::Generation& trajectories, Index k, bool is_measured);

    /// From x_k, k = K - j: work from b_k to b_{k+1} along the path, then T'_k.
    void reverse_step(Index j);

    /// The pool's end states become reverse starts in proportion to their weights.
    void resample_starts();

    /// Starts other than weighted ones.
    void place_starts();

    /// One application of T_K to the reverse starts.
    void equilibrate();

    void begin_reverse();

    parallel::Communicator ranks_;
    std::shared_ptr<const model::Target> target_;
    path::Schedule schedule_;
    std::unique_ptr<kernel::Kernel> kernel_;
    NonequilibriumSettings settings_;
    NonequilibriumCourse course_;
    population::Population population_;
    PriorStage forward_starts_, pool_starts_;
    Index n_ = 0; ///< steps made
    Index steps_since_flush_ = 0;
    double b_ = 0; ///< present inverse temperature
    Trace trace_;
    WorkRecord record_;
    OnTheFly on_the_fly_;
    MotionWatch watch_;                       ///< of forward trajectories
    const model::PathQuantities* quantities_; ///< null if the target has none
    PathAveraging forward_averaging_, equilibration_averaging_, reverse_averaging_;
    std::vector<double> derivatives_;
    /// Ranks communicate only in reductions: a failure is kept until the next reduction, which reports it to all ranks.
    parallel::DelayedFailure failure_;
};

} // namespace pearlite::algorithm
