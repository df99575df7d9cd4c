#pragma once
/// Models of the package as the objects that a configuration asks for.

#include "pearlite/model/detail/built_model.hpp"
#include "pearlite/model/detail/target_of.hpp"
#include "pearlite/path/tempered.hpp"

#include <memory>
#include <utility>

namespace pearlite::models {

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
