#pragma once
/// The interface of a run to the run loop: steps, state, result; no templates.

#include "algorithm/common/settings.hpp"
#include "algorithm/plans/algorithm.hpp"
#include "app/result/parts/part.hpp"
#include "pearlite/app/catalogue.hpp"
#include "population/work_balance.hpp"

#include <memory>
#include <optional>
#include <string>

namespace pearlite::app {

/// The results of a run before its end.
struct SoFar {
    std::optional<algorithm::LogRatioSoFar> log_ratio; ///< nothing of searches, trainings and Markov chains
    ResultParts parts;                                 ///< those that need no end, made to be written to files alone
};

class Run {
  public:
    virtual ~Run() = default;

    /// Collective. Draws the start of a run that is not restored from a checkpoint.
    virtual void begin() = 0;
    virtual bool finished() const = 0;
    /// Collective.
    virtual void step() = 0;
    /// Collective. Agrees on progress now, not at the next regular agreement, which may be some steps after the end of
    /// another group's replicates.
    virtual void settle() {}
    virtual algorithm::Progress progress() const = 0;
    /// True while a pilot looks for temperatures and scales.
    virtual bool in_pilot() const = 0;
    /// Counts the stages before the present one (Sampler::stage).
    virtual Index stage() const { return 0; }
    /// Particle moves of one step, on all ranks.
    virtual Index updates_per_step() const = 0;
    /// Likelihoods computed so far in the present stage; nothing if the run does not count them.
    virtual std::optional<Index> evaluations() const { return {}; }
    /// How the ranks share the work, where a measurement chose that; else empty.
    virtual std::string describe_ranks() const { return {}; }
    /// The account of the ranks' shares of the work in this session, if the run measures it.
    virtual std::optional<population::WorkAccount> work() const { return {}; }

    /// Collective. Adds the state to a checkpoint; takes it from one.
    virtual void save(io::Writer& writer) = 0;
    virtual void restore(io::Reader& reader) = 0;

    /// Collective; after save(), which ends what is under way. The run must live as long as the parts.
    virtual SoFar so_far() { return {}; }

    /// Collective; needs finished(). Sharded data stay in the run, which must live until the result has been written.
    virtual RunResult result() = 0;
};

/// Collective. The run that a plan asks for.
std::unique_ptr<Run> make_run(const parallel::Communicator& ranks, const algorithm::Plan& plan,
                              const BuiltModel& model);

} // namespace pearlite::app
