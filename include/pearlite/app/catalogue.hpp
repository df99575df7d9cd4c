#pragma once
/// The models a program offers: how each is built from a configuration.

#include "pearlite/app/model_traits.hpp"
#include "pearlite/core/keys.hpp"
#include "pearlite/io/configuration.hpp"
#include "pearlite/model/space.hpp"
#include "pearlite/model/target.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace pearlite::app {

struct OperationPlan;

/// A model with its data, ready to be annealed or searched.
class BuiltModel {
  public:
    virtual ~BuiltModel() = default;
    /// SHA-256 over the model's name, sizes and data.
    virtual std::string fingerprint() const = 0;
    virtual std::size_t packed_particle_bytes() const = 0;

    /// What is annealed; null for a model that is searched.
    virtual std::shared_ptr<const model::Target> target() const { return nullptr; }

    /// What is searched, with these operations; null for a model that is annealed. InputError if they do not fit the
    /// model's size.
    virtual std::shared_ptr<const model::Space> space(const OperationPlan&) const { return nullptr; }
    /// Whether an operation of a search is possible at this model's size; those that are not are no defaults.
    virtual bool suits(const std::string& /*operation*/) const { return true; }
};

/// One entry of the catalogue. `build` reads [model] beyond `name`; it records mistakes in the configuration (and may
/// then return null) and throws InputError for unreadable data.
struct ModelEntry {
    ModelTraits traits;
    std::string description;
    std::function<std::unique_ptr<BuiltModel>(io::Configuration& configuration, io::Section& model)> build;
    /// Lists the keys of [model] beyond `name` for descriptions; empty: the model reads them by itself.
    std::function<void(Keys&)> keys = {};
};

using Catalogue = std::vector<ModelEntry>;

} // namespace pearlite::app
