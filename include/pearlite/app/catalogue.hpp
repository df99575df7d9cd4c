#pragma once
/// The models a program offers, under the names by which programs know them.

#include "pearlite/model/model_entry.hpp"

namespace pearlite::app {

using model::BuiltModel;
using model::Catalogue;
using model::ModelEntry;
using model::ModelTraits;
using model::SearchTraits;

/// The models of the package.
Catalogue built_in_models();

} // namespace pearlite::app
