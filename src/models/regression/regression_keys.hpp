#pragma once
/// The keys of [model] of regressions and mixtures, whose likelihood is exact.

#include "models/mixture/gaussian_mixture.hpp"
#include "models/regression/regression.hpp"
#include "pearlite/core/keys.hpp"

#include <optional>

namespace pearlite::models {

struct GaussianMixtureKeys {
    GaussianMixtureSettings settings;
    std::uint64_t order_seed = 1;
    std::optional<Index> simulated_points;
    DataFile data{"bayes/galaxies.csv"};
    std::string column = "velocity_km_s";
    double unit = 1000;

    void keys(Keys& k);
};

struct RadiataPineKeys {
    enum class Covariate { density, resin };

    DataFile data{"bayes/radiata_pine.csv"};
    Covariate covariate = Covariate::density;

    void keys(Keys& k);
};

struct LogisticRegressionKeys {
    DataFile data;
    double prior_variance = 100;

    void keys(Keys& k);
};

} // namespace pearlite::models
