#pragma once
/// The interface of an algorithm to configurations: its name, the models that it can run, its keys, and the plan that
/// makes a run. Each algorithm has one entry, and list_of_algorithms.inl lists the entries.

#include "algorithm/common/sampler.hpp"
#include "algorithm/plans/run_settings.hpp"
#include "path/schedule.hpp"
#include "pearlite/model/detail/growing_target.hpp"
#include "pearlite/model/model_entry.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace pearlite::algorithm {

class PilotAlgorithm;
struct SearchPlan;

using model::BuiltModel;
using model::ModelTraits;
using model::SearchTraits;
using model::Task;

/// The predicted size of a run.
struct Workload {
    double updates = 0;            ///< in Plan::unit(), those of a pilot apart; 0: not known beforehand
    double bytes = 0;              ///< of a checkpoint
    Index useful_ranks = 1;        ///< more of them have nothing to do
    Index particles = 0;           ///< in all replicates of a round: states, draws or chains
    Index iterations_per_step = 1; ///< each of them an energy of every chain, in a search
    bool tunes_moves = false;      ///< the number of moves is automatic, in the run or in a pilot
    bool is_round = false;         ///< all of this is a round's, and the estimates decide on the number of rounds
    /// All of this is a first population's, and larger ones follow until the evidence has this standard error.
    std::optional<double> wanted_error = {};
    Index most_particles = 0; ///< of these larger ones
};

/// A key that sets the number of particles that move in a step: with fewer particles a run takes as many steps.
struct PopulationKey {
    std::string key;
    Index number = 0;
    Index least = 1; ///< for which the steps are still about as many
};

/// A key that does not fit the model as it is built, and the reason.
struct Misfit {
    std::string key, why;
};

/// The part of a configuration that sets up one algorithm, apart from the model.
class Plan {
  public:
    virtual ~Plan() = default;

    const RunSettings& run() const { return run_; }
    RunSettings& run() { return run_; }

    /// Lists every key beyond algorithm.name: those of [algorithm], then those of the other tables that the algorithm
    /// uses, in the order of the resolved configuration. `k` stands in [algorithm].
    virtual void keys(Keys& k) = 0;
    /// Empty if the plan fits the model.
    virtual std::vector<Misfit> misfits(const BuiltModel&) const { return {}; }

    /// Collective. The sampler of a run: it anneals the model's target, grows it, searches its space or trains its
    /// learner. The plan must outlive the sampler.
    virtual std::unique_ptr<Sampler> make(const parallel::Communicator& ranks, const BuiltModel& model) const = 0;
    /// The target that is annealed: the model along the path that [path] names.
    virtual std::shared_ptr<const model::Target> along_path(std::shared_ptr<const model::Target> model) const {
        return model;
    }
    /// The inverse temperature at the end of the path.
    virtual double inverse_temperature_end() const { return 1; }
    /// The plan of the search; null for other plans.
    virtual const SearchPlan* search() const { return nullptr; }

    /// Unit of the updates that a run counts.
    virtual std::string unit() const { return "particle moves"; }
    /// "1024 particles in blocks of 16", for the first line of a log.
    virtual std::string headline() const = 0;
    virtual Workload workload(const BuiltModel& model) const = 0;
    /// The keys that size a run, the one to be fitted to a budget first.
    virtual std::vector<std::string> size_keys() const = 0;
    /// The key, or the table, that most of a run's memory grows with.
    virtual std::string memory_key() const { return populations().empty() ? "model" : populations().front().key; }
    /// The populations of the run, and those that come before it: a pilot, the populations of a bridge.
    virtual std::vector<PopulationKey> populations() const { return {}; }
    virtual std::vector<PopulationKey> pilot_populations() const { return {}; }
    /// Comment lines of `check`: work, memory, useful ranks.
    virtual std::string cost(const BuiltModel& model) const = 0;
    /// A message on ranks that would have no work, out of `ranks`, and why; empty if every rank has work.
    virtual std::string idle_ranks(int ranks) const = 0;
    /// The temperatures that the configuration gives, perhaps by naming a file; null for an adaptive schedule.
    virtual const path::Schedule* schedule() const { return nullptr; }
    /// Particles of a block; 1 where ranks own chains.
    virtual Index block() const { return run_.block; }

  protected:
    RunSettings run_;
};

struct AlgorithmEntry {
    std::string name;
    std::string about; ///< one line for lists
    /// A plan with the defaults for a model.
    std::function<std::unique_ptr<Plan>(const ModelTraits& traits)> plan;
    /// The reason why the algorithm cannot run a model with the trait that `grows` asks for; empty if it can. Called by
    /// objection_to().
    std::string (*objection)(const ModelTraits& traits) = [](const ModelTraits&) { return std::string(); };
    /// The algorithm as the pilot of another run; null if it cannot be one.
    std::shared_ptr<PilotAlgorithm> (*pilot)() = [] { return std::shared_ptr<PilotAlgorithm>(); };
    /// A search looks for the lowest energy, training learns from examples; annealing estimates an evidence or a
    /// posterior.
    Task task = Task::annealing;
    bool grows = false;               ///< adds variables one by one instead of changing temperatures
    bool can_tune_likelihood = false; ///< knows the cost of the weights in likelihoods, to choose an estimate's size
};

// The members `plan` and `pilot` of an entry with a class for each.
template <class P>
std::unique_ptr<Plan> plan_of(const ModelTraits& traits) {
    return std::make_unique<P>(traits);
}
template <class P>
std::shared_ptr<PilotAlgorithm> pilot_of() {
    return std::make_shared<P>();
}

/// Why an algorithm cannot run a model; empty if it can.
inline std::string objection_to(const AlgorithmEntry& algorithm, const ModelTraits& traits) {
    if (algorithm.grows && !traits.grows)
        return "this model does not grow variable by variable";
    if (!algorithm.grows && !traits.is_tempered)
        return "this model grows variable by variable, and has no temperatures";
    return algorithm.objection(traits);
}

#define PEARLITE_ALGORITHM(name) AlgorithmEntry name##_entry();
#define PEARLITE_ALGORITHM_FAMILY(name) std::vector<AlgorithmEntry> name##_entries();
#include "algorithm/plans/list_of_algorithms.inl"
#undef PEARLITE_ALGORITHM
#undef PEARLITE_ALGORITHM_FAMILY

/// All of them, in the order of the list.
const std::vector<AlgorithmEntry>& entries();

} // namespace pearlite::algorithm
