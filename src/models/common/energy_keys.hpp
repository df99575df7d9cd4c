#pragma once
/// The keys of [model] of the energies that are searched for their minimum.

#include "models/functions/test_functions.hpp"
#include "models/image/image_space.hpp"
#include "models/network/family_scores.hpp"
#include "models/protein/ab_protein.hpp"
#include "pearlite/core/keys.hpp"

#include <optional>
#include <vector>

namespace pearlite::models {

struct TestFunctionKeys {
    TestFunctionSettings settings;

    void keys(Keys& k);
};

struct AbProteinKeys {
    AbProteinSettings settings; ///< but its sequence, if `length` is to give it
    std::optional<std::string> sequence;
    Index length = 13;

    void keys(Keys& k);
};

struct ModeMixtureKeys {
    DataFile modes{"gaussmix20/modes.csv"};
    double variance = 0.001;

    void keys(Keys& k);
};

struct ImageRestorationKeys {
    DataFile image;
    ImageRestorationSettings settings; ///< but its image
    ImageSpaceSettings space;
    std::optional<double> noise, cluster_strength;
    std::uint64_t noise_seed = 1;

    void keys(Keys& k);
};

struct BayesianNetworkKeys {
    DataFile data{"spect/SPECT.train"};
    bool has_header = false;
    std::optional<DataFile> more_data;
    std::optional<std::vector<double>> levels;
    NetworkSettings settings;
    bool exact = false;

    void keys(Keys& k);
};

} // namespace pearlite::models
