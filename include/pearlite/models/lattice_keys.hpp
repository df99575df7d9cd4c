#pragma once
/// The keys of [model] of the lattices.

#include "pearlite/core/keys.hpp"
#include "pearlite/models/ising.hpp"
#include "pearlite/models/potts.hpp"

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
