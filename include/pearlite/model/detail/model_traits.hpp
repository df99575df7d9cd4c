#pragma once
/// Facts about a model that the other tables of a configuration depend on.

#include "pearlite/core/types.hpp"
#include "pearlite/random/detail/generator.hpp"

#include <optional>
#include <string>
#include <vector>

namespace pearlite::model {

class Target;

/// The task of a run. Each algorithm serves one task.
enum class Task { annealing, search, training };

/// Starts of trajectories that run backwards from the path's end: exact draws; a mode; states made from data; or the
/// end states of separate forward trajectories, resampled by their weights.
enum class ReverseStart { exact, mode, data, weighted };

/// Facts about a space that is searched.
struct SearchTraits {
    std::vector<std::string> operations;         ///< those it offers
    std::vector<std::string> default_operations; ///< those made unless the configuration lists others
    std::vector<std::string> crossovers;         ///< those among them that need partners
    std::vector<std::string> biased;             ///< those among them that do not leave the target invariant
    bool is_box = false;                         ///< operations of kernel::BoxSpace, with its keys
    bool is_graph = false; ///< states are graphs, of whose edges there are probabilities (GraphStates)
    std::string update_unit = "chain updates";
};

struct ModelTraits {
    std::string name;
    Index default_block = 16;
    Index largest_block = 4096;
    bool continuous = false; ///< moved by a generic kernel with tuned proposals; else by the model's own transition
    double largest_inverse_temperature = 1;  ///< of path.inverse_temperature_end
    bool is_time_reversible = false;         ///< trajectories can run backwards
    std::optional<SearchTraits> search = {}; ///< of an energy to be searched; else the model is annealed
    std::string particles_key = {};          ///< key of [model] with the particles of an estimated likelihood
    /// How reverse trajectories can start, the best first; never empty. Known once the model is built.
    std::vector<ReverseStart> reverse_starts = {ReverseStart::exact, ReverseStart::mode, ReverseStart::data,
                                                ReverseStart::weighted};
    /// Whether the density has a gradient. Known once the model is built; empty before.
    std::optional<bool> has_gradient = {};
    /// Whether the density has a Riemannian metric. Known once the model is built; empty before.
    std::optional<bool> has_metric = {};
    /// Coordinates of a density. Known once the model is built; empty before, and of other models.
    std::optional<Index> dimension = {};
    /// Kinds of path that the model offers, the default first. Known once the model is built; empty before: any.
    std::vector<std::string> path_kinds = {};
    bool has_estimated_likelihood = false; ///< a density's. Known once the model is built, or before for all keys
    bool lacks_prior = false;              ///< the start of a density stands in for a prior: it is bridged by default
    bool has_normalised_prior = false;     ///< of a density. Known once the model is built
    bool has_prior_density = false;        ///< but there is a density of the prior. Known once the model is built
    bool is_trained = false;               ///< the model learns from examples, and is neither annealed nor searched

    random::Generator generator = random::Generator::philox; ///< of runs that name none

    bool is_tempered = true; ///< it has a path of temperatures, where it is annealed
    bool grows = false;      ///< it can grow variable by variable
    /// Orders in which it grows, the default first. Known once the model is built; empty before: any.
    std::vector<std::string> growth_orders = {};

    Task task() const { return search ? Task::search : is_trained ? Task::training : Task::annealing; }
};

/// The starts that a target offers, the best first; weighted ones always, last.
std::vector<ReverseStart> reverse_starts_of(const Target& target);

} // namespace pearlite::model
