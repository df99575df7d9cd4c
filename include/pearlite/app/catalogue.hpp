#pragma once
/// The models a program offers: how each is built from a configuration and made into runs.

#include "pearlite/app/plan.hpp"
#include "pearlite/app/run.hpp"
#include "pearlite/io/configuration.hpp"
#include "pearlite/model/target.hpp"
#include "pearlite/parallel/communicator.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace pearlite::app {

/// A model with its data, ready to run.
class BuiltModel {
  public:
    virtual ~BuiltModel() = default;
    /// Collective.
    virtual std::unique_ptr<Run> make_run(const parallel::Communicator& ranks, const Plan& plan) const = 0;
    /// SHA-256 over the model's name, sizes and data.
    virtual std::string fingerprint() const = 0;
    virtual std::size_t packed_particle_bytes() const = 0;
    /// How this model's reverse trajectories can start, the best first; never empty.
    virtual std::vector<sampler::ReverseStart> reverse_starts() const = 0;
    /// Whether an operation of a search is possible at this model's size; those that are not are no defaults.
    virtual bool suits(const std::string& /*operation*/) const { return true; }
    /// What is annealed; null for a model that is searched.
    virtual const model::Target* target() const { return nullptr; }
    /// InputError if the plan does not fit this model's size.
    virtual void check(const Plan&) const {}
};

/// One entry of the catalogue. `build` reads [model] beyond `name`; it records mistakes in the configuration (and may
/// then return null) and throws InputError for unreadable data.
struct ModelEntry {
    ModelTraits traits;
    std::string description;
    std::function<std::unique_ptr<BuiltModel>(io::Configuration& configuration, io::Section& model)> build;
    /// Why an algorithm cannot run this model; empty if it can.
    std::function<std::string(Algorithm)> objection = [](Algorithm) { return std::string(); };
};

using Catalogue = std::vector<ModelEntry>;

/// The models of the package.
Catalogue built_in_models();

} // namespace pearlite::app
