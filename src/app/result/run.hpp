#pragma once
/// A run: the sampler of a plan and a model, its checkpoints, and its result.

#include "algorithm/plans/algorithm.hpp"
#include "app/result/parts/part.hpp"
#include "pearlite/app/catalogue.hpp"

#include <memory>
#include <optional>
#include <string>

namespace pearlite::app {

/// The results of a run before its end.
struct PartialResult {
    std::optional<algorithm::LogRatioSoFar> log_ratio; ///< nothing of searches, trainings and Markov chains
    ResultParts parts;                                 ///< those that need no end, made to be written to files alone
};

struct RunView;

class Run {
  public:
    /// Collective. The plan must outlive the steps of the run, whose samplers are made from it.
    Run(const parallel::Communicator& ranks, const algorithm::Plan& plan, const BuiltModel& model);

    algorithm::Sampler& sampler() { return *sampler_; }

    /// Collective. Draws the start of a run that is not restored from a checkpoint.
    void begin() { sampler_->begin(); }
    bool finished() const { return sampler_->finished(); }
    /// Collective.
    void step() { sampler_->step(); }
    /// Collective. Agrees on progress now, not at the next regular agreement, which may be some steps after the end of
    /// another group's replicates.
    void settle() { sampler_->flush(); }
    algorithm::Progress progress() const { return sampler_->progress(); }
    /// How the ranks share the work of a run that has begun, where a measurement chose that; else empty.
    std::string describe_ranks() const;

    /// Collective. Adds the state to a checkpoint; takes it from one.
    void save(io::Writer& writer);
    void restore(io::Reader& reader);

    /// Collective; after save(), which ends what is under way. The run must live as long as the parts.
    PartialResult partial_result();
    /// Collective; needs finished(). Sharded data stay in the run, which must live until the result has been written.
    RunResult result();

  private:
    RunView view() const;
    /// Collective. log f_b_end - log f_0 of the particle in slot 0, computed from its packed form: a resumed program
    /// that finds another value has another model.
    double first_log_ratio() const;

    parallel::Communicator ranks_;
    double inverse_temperature_end_;
    random::Seed seed_;
    bool checks_spots_;
    std::shared_ptr<const algorithm::SearchPlan> search_plan_; ///< null unless it is a search
    std::shared_ptr<const model::Target> target_;              ///< null for models that are searched or trained
    std::unique_ptr<algorithm::Sampler> sampler_;
};

} // namespace pearlite::app
