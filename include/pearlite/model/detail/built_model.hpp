#pragma once
/// A model with its data, ready to be annealed, searched or trained.

#include "pearlite/core/types.hpp"
#include "pearlite/model/energy/detail/space.hpp"
#include "pearlite/model/target.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace pearlite::model {

class Growth;
class Learner;

/// The operations that a search's chains make, as [kernel] names them.
struct OperationPlan {
    std::vector<std::string> operations;
    Index mutation_points = 1, crossover_points = 2;
    double first_scale = 0.1;
    Index descent_iterations = 0; ///< from each state to its energy, in boxes
    bool basin_hopping = false;   ///< the state goes along
};

class BuiltModel {
  public:
    virtual ~BuiltModel() = default;
    /// Adds name, sizes and data.
    virtual void fingerprint(Fingerprint& fingerprint) const = 0;
    virtual std::size_t packed_particle_bytes() const = 0;

    /// The target to anneal; null for a model that is searched or trained.
    virtual std::shared_ptr<const Target> target() const { return nullptr; }

    /// How the model grows variable by variable; null for a model that does not.
    virtual std::shared_ptr<const Growth> growth() const { return nullptr; }

    /// The space to search, with these operations; null for any other model. InputError if they do not fit the
    /// model's size.
    virtual std::shared_ptr<const Space> space(const OperationPlan&) const { return nullptr; }
    /// The model that learns, with all random numbers from this seed; null for a model that is not trained.
    virtual std::unique_ptr<Learner> learner(const random::Seed& seed) const;
    /// Whether an operation of a search is possible at this model's size; impossible operations are no defaults.
    virtual bool suits(const std::string& /*operation*/) const { return true; }
};

/// A model that is annealed, and perhaps grows.
std::unique_ptr<BuiltModel> annealed(std::shared_ptr<const Target> target,
                                     std::shared_ptr<const Growth> growth = nullptr);
/// A model that only grows.
std::unique_ptr<BuiltModel> growing(std::shared_ptr<const Growth> growth);

/// Makes a learner of a model whose data are at hand.
using MakeLearner = std::function<std::unique_ptr<Learner>(const random::Seed&)>;

/// A model that is trained. `example_bytes`: of the packed state of a chain.
std::unique_ptr<BuiltModel> trained(MakeLearner make_learner, std::function<void(Fingerprint&)> fingerprint,
                                    std::size_t example_bytes);

/// Builds a space with the operations that a configuration asks for; InputError if they do not fit.
using MakeSpace = std::function<std::shared_ptr<const Space>(const OperationPlan&)>;

/// A model that is searched. `standard` are operations for requests to the space whose answers do not depend on
/// operations.
std::unique_ptr<BuiltModel> searched_in(MakeSpace make_space, OperationPlan standard);

} // namespace pearlite::model
