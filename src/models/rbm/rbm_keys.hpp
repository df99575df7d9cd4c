#pragma once
/// The keys of [model] of the restricted Boltzmann machines.

#include "models/rbm/rbm_hidden.hpp"
#include "pearlite/core/keys.hpp"

#include <optional>

namespace pearlite::models {

/// Where a machine's parameters and images come from: files, or a seed.
struct RbmKeys {
    bool from_file = true;
    DataFile weights;
    Index random_visible = 100, random_hidden = 1;
    double random_weight_sd = 0.1, random_bias_sd = 0.5;
    std::uint64_t random_seed = 1;
    std::optional<DataFile> base_rates, images;
    Index n_images = 10000; ///< read at most

    void keys(Keys& k);
};

/// The same for both layers; without base rates the path starts from uniform units, as in Habeck 2017.
struct JointRbmKeys {
    bool has_base_rates = false;
    RbmKeys machine;

    void keys(Keys& k);
};

/// How hidden units alone move; the keys that follow those of RbmKeys.
struct HiddenRbmKeys {
    HiddenRbmSettings settings;

    void keys(Keys& k, Index n_hidden);
};

} // namespace pearlite::models
