#pragma once
/// Potts models that grow site by site (hot coupling, Hamze & de Freitas 2005): f_n = exp(sum of J over the equal
/// neighbours among the first n sites), the other sites being free, so that Z_0 = q^N. The Ising model is the one of
/// two colours, for x_i x_j = 2 delta(x_i, x_j) - 1.

#include "pearlite/model/detail/growing_target.hpp"

#include <memory>
#include <optional>

namespace pearlite::models {

/// A torus of size x size sites. Neighbours of equal colour have log weight J each, others `unequal`.
struct GrowingLatticeSettings {
    Index size = 32, colours = 2;
    double equal = 1, unequal = 0;
    std::optional<double> exact_log_normaliser = {};
};

/// Orders: "raster", row by row; "random".
std::shared_ptr<const model::Growth> lattice_growth(const GrowingLatticeSettings& settings);

} // namespace pearlite::models
