#pragma once
/// The models of the package, which list_of_models.inl lists.

#include "pearlite/model/model_entry.hpp"

namespace pearlite::models {

using model::BuiltModel;
using model::ModelEntry;

#define PEARLITE_MODEL(name) ModelEntry name##_entry();
#include "models/list_of_models.inl"
#undef PEARLITE_MODEL

/// The entries in the order of the list.
model::Catalogue built_in();

} // namespace pearlite::models
