#pragma once
/// Tempered sequential Monte Carlo (Del Moral, Doucet & Jasra 2006), with the steps of Tran, Strickland, Pitt & Kohn's
/// algorithm 1: M particles that are weighted, resampled when the ESS falls, and moved.
///
///     x ~ p_0;  W = 1/M
///     for t = 1..T:
///         a_t from the schedule, or as far from a_{t-1} as the conditional ESS allows
///         W <- W f_{a_t}(x)/f_{a_{t-1}}(x);   log Z += log sum_i W_i;  normalise
///         if ESS < alpha M: resample (W = 1/M)
///         x ~ T_t(. | x), n_moves times, T_t leaving p_{a_t} invariant, its scale from the population before the move
///
/// a_t: inverse temperatures; alpha: ess_threshold. Z is unbiased if schedule and proposal scales are fixed beforehand,
/// also where the likelihood is an unbiased estimate (path/tempered.hpp). With alpha = 0 nothing is resampled, which
/// is Neal's annealed importance sampling; with one step and moves that do not matter, importance sampling from p_0.

#include "algorithm/smc/tempered_population.hpp"
#include "estimator/evidence/power_posterior.hpp"

#include <optional>
#include <vector>

namespace pearlite::algorithm {

struct SmcSettings {
    population::Resampling resampling = population::Resampling::systematic;
    double ess_threshold = 0.5; ///< alpha, a fraction of M
    bool balance = true;        ///< deal blocks to ranks by their cost; no number depends on it
};

class Smc final : public TemperedPopulation {
  public:
    Smc(const parallel::Communicator& ranks, std::shared_ptr<const model::Target> target, path::Temperatures schedule,
        const kernel::Kernel& kernel, const PopulationSettings& settings, const SmcSettings& smc_settings);

    void begin() override;

    /// Collective. One temperature.
    void step() override;
    void flush() override;

    Progress progress() const override;

    /// Collective; finished().
    Outcome outcome() const override;

    LogRatioSoFar log_ratio_so_far() override;

    /// Collective. Gives the blocks to other ranks: rank r owns those from first_blocks[r] up to first_blocks[r + 1].
    /// No number depends on it.
    void deal(std::vector<Index> first_blocks);

    void fields(Fields& f) override;

  private:
    void draw_block(Index b) override;

    /// Called after reading or relocation: recomputes everything derived from the states.
    void prepare();

    /// `log_max`: the largest log weight. Returns this rank's error in its new particles, on which the ranks have not
    /// agreed.
    std::exception_ptr resample_particles(double log_max);

    /// If blocks differ in cost, as likelihoods do over theta, expensive blocks move from busy to idle ranks.
    void balance_work();

    /// Collective, one reduction a round. Moves the particles, in several rounds if the kernel tunes itself, and
    /// appends the temperature to the trace. The ranks agree on `failure` of this one.
    void move(std::exception_ptr failure);
    /// One round. Returns the number of proposals that this rank's particles accepted.
    Index move_once();
    /// Opens the record of the particles as they are, each of which has made so many moves at this temperature.
    void sum_up(Index moves);
    /// The motion of a round of so many moves, and its acceptance.
    kernel::Motion motion_of_round(const OnTheFly::Sums& sums, Index accepted, Index moves) const;
    /// The standard deviation of the log weights of the present step; NaN if the path is not linear.
    double log_weight_sd() const;

    /// Collective if the families are not known: resampling and dealing make them unknown.
    const population::Families& families() const;

    std::vector<double> maxima_of_weighting() const override;
    void take_maxima_of_weighting(std::span<const double> largest) override;

    /// Collective. The first record: of particles that were drawn.
    void record_start();
    /// Completes the newest entry of the trace; the power posterior takes it.
    void record(bool resampled);

    /// All weights have been equal at every temperature: a likelihood that is the same at all particles.
    bool has_equal_weights() const;
    /// Collective. Bridge sampling between the last particles and fits to them.
    const estimator::Estimate& bridge() const;
    /// log Z/Z_0 with the standard error from the families after `resamplings` resamplings.
    estimator::Estimate product_estimate(const population::FamilyWeights& families, Index resamplings) const;

    SmcSettings smc_settings_;
    double log_ratio_at_resampling_ = 0;
    double log_sum_ = 0; ///< of the present weights
    Index n_resamplings_ = 0;
    Index resamplings_before_end_ = 0;
    Index n_eves_ = 0;
    mutable std::optional<population::Families> families_; ///< of the particles as they are; empty where not known
    mutable std::optional<estimator::Estimate> bridge_;    ///< of the last particles; empty before it is asked for
    population::FamilyWeights final_families_;
    double evaluations_ = 0; ///< of densities and gradients
    MotionWatch watch_;
    std::vector<Index> accepted_;                              ///< of each local block, at the present temperature
    OnTheFly::Largest largest_;                                ///< of the present log weights
    std::optional<estimator::PowerPosterior> power_posterior_; ///< where the path is linear
    population::WorkBalance work_;
};

// Work on blocks of unequal cost, shared among ranks. Nothing here changes a number.

/// Collective, once a step. Runs of the blocks of generation 0 that give the ranks more equal work, if it is time to
/// look and dealing the blocks would pay.
std::optional<std::vector<Index>> better_runs(const parallel::Communicator& ranks, const model::Target& target,
                                              const population::Population& population, population::WorkBalance& work);

/// Collective. Gives rank r the blocks of generation 0 from first_blocks[r] up to first_blocks[r + 1].
void deal_blocks(const parallel::Communicator& ranks, const model::Target& target, population::Population& population,
                 std::vector<Index> first_blocks);

} // namespace pearlite::algorithm
