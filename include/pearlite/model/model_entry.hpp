#pragma once
/// A model as configurations know it: facts, keys, and how it is built from its [model] table.

#include "pearlite/core/keys.hpp"
#include "pearlite/io/configuration.hpp"
#include "pearlite/model/detail/built_model.hpp"
#include "pearlite/model/detail/model_traits.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace pearlite::model {

/// `build` reads [model] beyond `name`; it records mistakes in the configuration (and may then return null) and throws
/// InputError for unreadable data.
struct ModelEntry {
    ModelTraits traits;
    std::string description;
    std::function<std::unique_ptr<BuiltModel>(io::Configuration& configuration, io::Section& model)> build;
    /// Lists the keys of [model] beyond `name` for descriptions; empty: the model reads them by itself.
    std::function<void(Keys&)> keys = {};
};

/// The entry of a model that is searched for its state of lowest energy.
ModelEntry searched_entry(std::string name, std::string description, SearchTraits traits,
                          decltype(ModelEntry::build) build, decltype(ModelEntry::keys) keys = {});

/// The models a program offers.
using Catalogue = std::vector<ModelEntry>;

} // namespace pearlite::model
