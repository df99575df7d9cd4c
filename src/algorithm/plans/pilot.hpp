#pragma once
/// Pilot algorithms: their results for the run that follows, and their construction.

#include "algorithm/common/piloted.hpp"
#include "path/schedule.hpp"
#include "pearlite/core/keys.hpp"
#include "pearlite/model/detail/model_traits.hpp"
#include "pearlite/random/detail/generator.hpp"

#include <functional>
#include <memory>
#include <string>

namespace pearlite::algorithm {

struct PilotTask {
    parallel::Communicator ranks;
    std::shared_ptr<const model::Target> target;
    path::Temperatures temperatures;
    /// Makes a kernel that learns online; or, given the settings that such a kernel learnt, one that no longer learns.
    std::function<std::unique_ptr<kernel::Kernel>(const Matrix* learnt)> kernel;
    PopulationSettings population;
};

/// A capability of an algorithm: it can be a pilot. tuning_of() takes the results from its sampler.
class PilotAlgorithm {
  public:
    virtual ~PilotAlgorithm() = default;
    /// "trajectories that are never resampled", for the key that names it.
    virtual std::string about() const = 0;
    /// Whether the pilot provides temperatures, with the settings that a kernel learnt at each of them.
    virtual bool leaves_path() const { return true; }
    /// Whether the final particles stand for the posterior of a density.
    virtual bool leaves_reference() const { return true; }
    /// The traits of the model, before anything else is asked for.
    virtual void suit(const model::ModelTraits&) {}
    /// Lists the keys of [kernel] that this pilot alone has.
    virtual void keys(Keys&) {}
    /// Collective. The sampler uses the population's seed.
    virtual std::unique_ptr<Sampler> sampler(const PilotTask& task) const = 0;
};

/// Collective. For pilots that need temperatures or first draws themselves: a population is annealed before them, with
/// the same task.
std::unique_ptr<Sampler> after_population(const PilotTask& task, Piloted::MakeMain make_main,
                                          PilotReference reference = PilotReference::unwanted);

/// The seed of a pilot.
random::Seed pilot_seed(const random::Seed& seed);

} // namespace pearlite::algorithm
