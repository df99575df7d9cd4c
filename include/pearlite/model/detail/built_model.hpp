#pragma once
/// A model with its data, ready to be annealed or searched.

#include "pearlite/core/types.hpp"
#include "pearlite/model/energy/detail/space.hpp"
#include "pearlite/model/target.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace pearlite::model {

/// The operations that a search's chains make, as [kernel] names them.
struct OperationPlan {
    std::vector<std::string> operations;
    Index mutation_points = 1, crossover_points = 2;
    double first_scale = 0.1;
    Index descent_iterations = 0; ///< from each state to its energy, in boxes
};

class BuiltModel {
  public:
    virtual ~BuiltModel() = default;
    /// Adds name, sizes and data.
    virtual void fingerprint(Fingerprint& fingerprint) const = 0;
    virtual std::size_t packed_particle_bytes() const = 0;

    /// The target to anneal; null for a model that is searched.
    virtual std::shared_ptr<const Target> target() const { return nullptr; }

    /// The space to search, with these operations; null for a model that is annealed. InputError if they do not fit the
    /// model's size.
    virtual std::shared_ptr<const Space> space(const OperationPlan&) const { return nullptr; }
    /// Whether an operation of a search is possible at this model's size; impossible operations are no defaults.
    virtual bool suits(const std::string& /*operation*/) const { return true; }
};

/// A model that is annealed.
std::unique_ptr<BuiltModel> annealed(std::shared_ptr<const Target> target);

/// Builds a space with the operations that a configuration asks for; InputError if they do not fit.
using MakeSpace = std::function<std::shared_ptr<const Space>(const OperationPlan&)>;

/// A model that is searched. `standard` are operations for requests to the space whose answers do not depend on
/// operations.
std::unique_ptr<BuiltModel> searched_in(MakeSpace make_space, OperationPlan standard);

} // namespace pearlite::model
