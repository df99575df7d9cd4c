#pragma once
/// The models of the package, which list_of_models.inl lists, and how their entries build them.

#include "pearlite/model/detail/target_of.hpp"
#include "pearlite/model/model_entry.hpp"
#include "pearlite/path/tempered.hpp"

#include <memory>
#include <utility>

namespace pearlite::models {

using model::BuiltModel;
using model::ModelEntry;

#define PEARLITE_MODEL(name) ModelEntry name##_entry();
#include "models/list_of_models.inl"
#undef PEARLITE_MODEL

/// The entries in the order of the list.
model::Catalogue built_in();

/// An AnnealedModel, with its own path and transition.
template <class M>
std::unique_ptr<model::BuiltModel> built(M model) {
    return model::annealed(model::target_of(std::move(model)));
}

/// A Density.
template <class D>
std::unique_ptr<model::BuiltModel> built_density(D density) {
    return model::annealed(path::tempered(std::move(density)));
}

} // namespace pearlite::models
