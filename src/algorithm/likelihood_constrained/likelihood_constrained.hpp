#pragma once
/// Likelihood-constrained sequential Monte Carlo: nested sampling as an SMC sampler (Salomone, South, Johansen,
/// Drovandi & Kroese 2018, NS-SMC): N particles along priors that are constrained to ever larger likelihoods,
///
///     x ~ p;  P_0 = 1
///     for t = 1..T:
///         Z += P_{t-1} (1/N) sum_i L(x_i) 1{x_i not above l_t};   p_t = (1/N) #{x_i above l_t};   P_t = P_{t-1} p_t
///         resample N of those above l_t;  x ~ K_t(. | x), n_moves times
///     Z += P_T (1/N) sum_i L(x_i)
///
/// K_t leaves eta_t(x) = p(x) 1{x above l_t}/P_t as it is. l_t: levels, which may divide plateaus of the likelihood
/// (constrained_prior.hpp). The particles that a level excludes are draws of the posterior with the weights P_{t-1}
/// L/N, those of eta_T have P_T L/N. Where the likelihood is zero on a part of the prior, p is the prior where it is
/// positive, and P_0 its estimated share (prior_stage.hpp). Z is unbiased if levels and proposals are fixed beforehand.
///
/// A pilot chooses levels as it goes, each at the (1 - rho)-quantile of its particles: survivors.cpp. A narrow peak
/// inside a wide one, which no path of temperatures enters, is an ordinary set of large likelihood here.

#include "algorithm/common/prior_stage.hpp"
#include "algorithm/common/sampler.hpp"
#include "algorithm/likelihood_constrained/level_record.hpp"
#include "population/families.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace pearlite::algorithm {

struct ConstraintSettings {
    double survivors = 0.5; ///< rho
    /// Levels are raised until what is left of the prior times the largest likelihood seen is below this share of Z.
    double remainder = 1e-12;
    bool keeps_draws = true; ///< else the particles that levels exclude are not kept
};

class LikelihoodConstrained final : public Sampler {
  public:
    using MakeKernel =
        std::function<std::unique_ptr<kernel::Kernel>(const std::shared_ptr<const path::DensityPath>& prior)>;

    /// `levels`: fixed beforehand; none: chosen online.
    LikelihoodConstrained(const parallel::Communicator& ranks, std::shared_ptr<const path::DensityPath> target,
                          std::optional<Levels> levels, const MakeKernel& make_kernel,
                          const PopulationSettings& settings, const ConstraintSettings& constraint);

    void begin() override;
    bool finished() const override { return finished_; }
    /// Collective. One level, and the end with the last one.
    void step() override;
    void fields(Fields& f) override;

    Progress progress() const override;
    Outcome outcome() const override;
    Found found() override;
    LogRatioSoFar log_ratio_so_far() override { return {log_ratio_, {}}; }
    double log_ratio() const { return log_ratio_; }
    const LevelRecord& record() const { return record_; }
    population::Population& population() { return population_; }

  private:
    population::Generation& particles() { return population_.generation(0); }
    const population::Generation& particles() const { return population_.generation(0); }
    /// Which particles here are above a level; of those at the level itself a share that their labels choose.
    std::vector<bool> are_above(const Level& level) const;

    /// Collective. Sums up log L of the particles; the ranks agree on `failure` of this one.
    void look(const std::exception_ptr& failure);
    void read_likelihoods();
    bool is_last_level() const;
    /// Collective. The level that the wanted share of the particles survives.
    Level next_level() const;
    /// Collective. Excludes the particles that are not above the level, and replaces them by copies of others.
    void raise(const Level& level);
    /// Collective. Adds the particles with log weights above log_zero to Z.
    void add_weighted();
    /// Collective. Such particles become draws.
    void keep_weighted();
    /// Collective. The ranks agree on `failure` of this one.
    void move(std::exception_ptr failure);
    Index move_once();
    void sum_up();
    /// Collective. The particles that are left become draws.
    void end();
    /// Collective. Draws of equal weight, resampled from those of all levels, become one generation, which replaces the
    /// particles.
    void unite_draws();
    std::vector<std::string> warnings_of_motion() const;

    parallel::Communicator ranks_;
    std::shared_ptr<const path::DensityPath> target_;
    std::optional<Levels> levels_;
    std::shared_ptr<ConstrainedPrior> prior_;
    std::unique_ptr<kernel::Kernel> kernel_;
    PopulationSettings settings_;
    ConstraintSettings constraint_;
    population::Population population_; ///< the particles, then the draws of each level; at the end all draws together
    PriorStage starts_;
    Index t_ = 0;
    bool finished_ = false;
    bool died_out_ = false;          ///< no particle was above a level
    double log_mass_ = 0;            ///< log P_t
    double log_evidence_ = log_zero; ///< of the draws so far
    double log_ratio_ = 0;           ///< with an estimate of what is left
    double ess_ = 0;
    double evaluations_ = 0;
    population::WeightSummary likelihoods_; ///< of the particles
    double lowest_ = log_zero;              ///< the smallest log L of them
    Level level_;                           ///< t
    LevelRecord record_;
    Trace motion_;        ///< of the moves above each level, whose number stands for a temperature
    Trace trace_;         ///< of the run, without a path
    Matrix found_levels_; ///< for a later run
    MotionWatch watch_;
    OnTheFly on_the_fly_;
    std::vector<double> log_likelihoods_; ///< of the particles here
    std::vector<Index> accepted_;         ///< of each local block, at the present level
    population::FamilyWeights families_;  ///< of all draws
};

} // namespace pearlite::algorithm
