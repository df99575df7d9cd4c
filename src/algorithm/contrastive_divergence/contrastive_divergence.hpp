#pragma once
/// Contrastive divergence (Hinton 2002) and its persistent form (Tieleman 2008): stochastic gradients of the mean log
/// likelihood of a model with hidden units.
///
///     for t = 1..T:
///         v ~ the next mini-batch;  h ~ p(h | v)                         # examples
///         CD-k:  (v', h') = (v, h);   PCD:  (v', h') as the last update left them
///         k times:  v' ~ p(v | h'),  h' ~ p(h | v')                      # chains of the model
///         gradient = <s(v, h)> - <s(v', h')>
///         velocity = momentum velocity + rate (gradient - decay theta)
///         theta += velocity
///
/// s: the statistics, v h' and the units themselves. v, h and chains are binary, so that the gradient is a difference
/// of counts, whose sum over ranks, the one collective of an update, is exact: the parameters are the same on any
/// number of ranks. Examples and chains are addressed by their places in batch and population, never by rank.

#include "algorithm/common/sampler.hpp"
#include "algorithm/common/training.hpp"
#include "parallel/shared_memory/shared_sum.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

namespace pearlite::algorithm {

struct ContrastiveDivergenceSettings {
    enum class RateSchedule { constant, linear };

    Index updates = 10000;
    Index batch = 100; ///< examples of an update
    bool is_persistent = false;
    Index chains = 100; ///< if they are persistent; else there is one for each example
    Index sweeps = 1;   ///< of an update
    double rate = 0.005;
    RateSchedule rate_schedule = RateSchedule::constant; ///< linear: decays to 0 at the last update
    double momentum = 0;
    std::optional<double> final_momentum;
    double final_momentum_from = 5; ///< epochs
    double weight_decay = 0;
    Index watched = 5000;       ///< examples of each kind at most whose fit is watched
    double watch_every = 1;     ///< epochs
    Index sample_sweeps = 1000; ///< of the chains before they are drawn as pictures
    random::Seed seed = {};

    Index n_chains() const { return is_persistent ? chains : batch; }
};

class ContrastiveDivergence final : public Sampler, public Training {
  public:
    /// The number of examples, or of chains, in a piece; ranks share pieces.
    static constexpr Index piece = 16;

    ContrastiveDivergence(const parallel::Communicator& ranks, std::unique_ptr<model::Learner> learner,
                          const ContrastiveDivergenceSettings& settings);

    /// Collective. Draws the first chains.
    void begin() override;
    bool finished() const override { return t_ == settings_.updates; }
    /// Collective. One update.
    void step() override;
    void fields(Fields& f) override;
    Progress progress() const override;
    /// The training is the sampler itself.
    Found found() override;

    const model::Learner& learner() const override { return *learner_; }
    const TrainingTrace& trace() const override { return trace_; }
    Index watched(model::Learner::Examples which) const override;
    model::Images samples() override;

  private:
    Index batches_per_epoch() const;
    /// Epochs behind an update.
    double epoch() const { return static_cast<double>(t_) / static_cast<double>(batches_per_epoch()); }
    model::Ascent ascent() const;
    /// The order of the examples in an epoch, a random one.
    void shuffle(Index epoch);
    model::BlockStreams streams(Index generation, const parallel::BlockLayout& layout, Index sweep) const;
    /// Gradient counts of all ranks, and the step that they make. False if a parameter is no longer finite.
    bool ascend();
    /// Collective. Adds to the trace.
    void look();
    void watch_examples();

    parallel::Communicator ranks_;
    std::unique_ptr<model::Learner> learner_;
    ContrastiveDivergenceSettings settings_;
    parallel::BlockLayout batch_layout_, chain_layout_;
    std::unique_ptr<Block> examples_, chains_; ///< this rank's
    Index t_ = 0;                              ///< updates made
    Index shuffled_epoch_ = -1;
    std::vector<Index> order_;
    std::int32_t data_factor_, model_factor_;
    /// Sums of the gradient's counts, in 16 bits each where that is enough.
    std::variant<std::monostate, parallel::SharedSum<std::int16_t>, parallel::SharedSum<std::int32_t>> counts_;
    TrainingTrace trace_;
};

} // namespace pearlite::algorithm
