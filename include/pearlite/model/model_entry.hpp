#pragma once
/// The entry of a model for configurations: facts, keys, and the function that builds it from its [model] table.

#include "pearlite/core/keys.hpp"
#include "pearlite/io/configuration.hpp"
#include "pearlite/model/detail/built_model.hpp"
#include "pearlite/model/detail/model_traits.hpp"

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace pearlite::model {

/// `build` reads [model] beyond `name`; it records mistakes in the configuration (and may then return null) and throws
/// InputError for unreadable data.
struct ModelEntry {
    using Build = std::function<std::unique_ptr<BuiltModel>(io::Configuration& configuration, io::Section& model)>;
    using ListKeys = std::function<void(Keys&)>;

    ModelEntry() = default;
    /// No aggregate: g++ 12 destroys its first members twice where a later one throws, as without memory.
    ModelEntry(ModelTraits facts, std::string in_words, Build builder, ListKeys list_keys = {})
        : traits(std::move(facts)),
          description(std::move(in_words)),
          build(std::move(builder)),
          keys(std::move(list_keys)) {}

    ModelTraits traits;
    std::string description;
    Build build;
    /// Lists the keys of [model] beyond `name` for descriptions; empty: the model reads them by itself.
    ListKeys keys;
};

/// The entry of a model that is searched for its state of lowest energy.
ModelEntry searched_entry(std::string name, std::string description, SearchTraits traits, ModelEntry::Build build,
                          ModelEntry::ListKeys keys = {});

/// The models a program offers.
using Catalogue = std::vector<ModelEntry>;

} // namespace pearlite::model
