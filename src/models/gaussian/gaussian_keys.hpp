#pragma once
/// The keys of [model] of the Gaussian test beds.

#include "models/gaussian/gaussian.hpp"
#include "models/gaussian/noisy_likelihood.hpp"
#include "pearlite/core/keys.hpp"

namespace pearlite::models {

struct GaussianKeys {
    GaussianSettings settings;

    void keys(Keys& k);
};

struct AutoregressiveGaussianKeys {
    GaussianSettings settings;
    double correlation = 0.5;

    void keys(Keys& k);
};

struct NoisyLikelihoodKeys {
    NoisyLikelihoodSettings settings; ///< but its data, which are simulated
    Index dimension = 1;
    std::uint64_t data_seed = 1;

    void keys(Keys& k);
};

} // namespace pearlite::models
