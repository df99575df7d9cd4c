#pragma once
/// Importance sampling with an estimated likelihood, IS^2 (Tran, Scharth, Pitt & Kohn 2013), the reference for annealed
/// importance sampling; with an exact likelihood it is plain importance sampling.
///
///     for rounds of adaptation, and once more with the final number of draws:
///         theta ~ q' = (1 - e) q + e prior;  w = prior(theta) likelihood^(theta) / q'(theta)
///         q <- one expectation-maximisation step of the Student mixture with the weights w, and the pilot's particles
///     Z = mean w
///
/// q: a mixture of Student t distributions; e: the defensive share (Hesterberg 1995). Z is unbiased: q of the final
/// draws does not depend on them.

#include "algorithm/common/sampler.hpp"
#include "algorithm/pilot/peaks.hpp"

#include <limits>
#include <vector>

namespace pearlite::algorithm {

struct ImportanceSettings {
    Index draws_per_round = 1024; ///< in whole blocks
    Index rounds = 5;             ///< of adaptation
    double defensive_share = 0;   ///< of the draws, from the prior, so that no weight exceeds likelihood/share
};

/// Collective. The estimate and its error bars, with warnings if few or skewed weights decide.
Outcome importance_outcome(const population::Shards& log_weights, const random::Seed& seed);

class ImportanceSquared final : public Sampler {
  public:
    /// `first` is the mixture before any adaptation; `pilot` may be null.
    ImportanceSquared(const parallel::Communicator& ranks, std::shared_ptr<const path::DensityPath> target,
                      random::StudentMixture first, const PopulationSettings& settings,
                      const ImportanceSettings& importance, std::shared_ptr<const PilotView> pilot = nullptr);

    /// Nothing is drawn before the first step.
    void begin() override {}
    bool finished() const override { return round_ == importance_.rounds + 1; }

    /// Collective. A share of a round, so that a long round can be interrupted.
    void step() override;

    Progress progress() const override;

    /// Collective; finished().
    Outcome outcome() const override;

    Found found() override;
    const random::StudentMixture& mixture() const { return mixture_; }
    double log_ratio() const { return log_ratio_; }
    const Trace& trace() const { return trace_; }
    population::Population& population() { return population_; }
    /// On all ranks together.
    static constexpr Index draws_of_step = 512;

    void fields(Fields& f) override;

  private:
    /// Marks a slot of this round that has no draw yet; no draw has such a log weight.
    static constexpr double not_drawn = std::numeric_limits<double>::quiet_NaN();

    Index n_blocks() const { return (settings_.particles + settings_.block - 1) / settings_.block; }
    /// Blocks that take part in a round, the last one always among them: all of them in the last round, and spread
    /// evenly over the others, and thus over ranks, while the proposal adapts.
    Index blocks_of_round(Index round) const;
    bool takes_part(Index block) const;
    Index draws_of_round(Index round) const;
    Index shares(Index round) const { return (draws_of_round(round) + draws_of_step - 1) / draws_of_step; }
    Index shares_of_round() const { return shares(round_); }

    void begin_round(population::Generation& particles);

    /// Draws an even share of the rest of the round, so that a round can go on on another number of ranks.
    void draw_share(population::Generation& particles);

    void draw_block(population::Generation& particles, Index b);
    std::span<double> point(model::DensityBlock& block, Index i) const;

    /// Collective. The log likelihood of all draws where the prior is positive, if they have the same: log Z without
    /// an error.
    std::optional<double> common_log_likelihood() const;
    /// Draws x from q, or in the defensive share of cases from the prior.
    void draw(const model::BlockStreams& streams, Index i, std::span<double> x) const;
    double log_proposal(std::span<const double> x, double log_prior) const;
    /// The log of the proposal's density, of log q and the log of the prior's.
    double with_defence(double log_q, double log_prior) const;

    void end_round(population::Generation& particles);

    void adapt(const population::WeightSummary& weights);
    WeightsOfPeaks weights_of_peaks() const;

    void record(const population::WeightSummary& weights, Index draws);

    parallel::Communicator ranks_;
    std::shared_ptr<const path::DensityPath> target_;
    random::StudentMixture mixture_;
    PopulationSettings settings_;
    ImportanceSettings importance_;
    std::shared_ptr<const PilotView> pilot_;
    population::Population population_;
    double log_normaliser_ = 0;   ///< of the prior, where its density leaves it out
    Index round_ = 0, share_ = 0; ///< rounds that are complete, and steps of the present one
    Index step_ = 0;              ///< of all rounds
    std::vector<double> rounds_draws_, rounds_ess_, rounds_log_ratio_;
    double log_ratio_ = 0, ess_ = 0;
    Trace trace_;
};

} // namespace pearlite::algorithm
