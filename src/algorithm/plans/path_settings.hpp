#pragma once
/// The table [path].

#include "algorithm/fitted_path/bridge_settings.hpp"
#include "algorithm/fitted_path/moment_fit.hpp"

#include <string>

namespace pearlite::algorithm {

struct PathSettings {
    std::string kind; ///< the name of an entry of path/registry.hpp
    double inverse_temperature_end = 1;
    BridgeSettings bridge;
    MomentSettings moments;

    void keys(Keys& k, const model::ModelTraits& traits);
    /// The path begins at a reference that is fitted as the run begins.
    bool is_bridge() const { return kind == "bridge"; }
    /// The path goes through members of an exponential family that are fitted as the run begins.
    bool averages_moments() const { return kind == "moments"; }
    /// Traits of the model along the chosen path.
    model::ModelTraits along(model::ModelTraits traits) const;
};

} // namespace pearlite::algorithm
