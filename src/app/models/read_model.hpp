#pragma once
/// Reading and describing the [model] tables whose settings list their keys.

#include "io/configuration/key_reader.hpp"

namespace pearlite::app {

/// The keys of [model], read; `more` is what they depend on.
template <class ModelKeys, class... More>
ModelKeys read_model(io::Configuration& configuration, const More&... more) {
    ModelKeys keys;
    io::read_keys(configuration, "model", keys, more...);
    return keys;
}

/// Lists the keys of a table that several structs make up, one after another.
template <class... ModelKeys>
void list_keys(Keys& k) {
    (ModelKeys().keys(k), ...);
}

} // namespace pearlite::app
