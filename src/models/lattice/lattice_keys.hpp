#pragma once
/// The keys of [model] of the lattices.

#include "models/lattice/ising.hpp"
#include "models/lattice/potts.hpp"
#include "pearlite/core/keys.hpp"

namespace pearlite::models {

struct IsingKeys {
    IsingSettings settings;

    void keys(Keys& k);
};

struct PottsKeys {
    PottsSettings settings;

    void keys(Keys& k);
};

} // namespace pearlite::models
