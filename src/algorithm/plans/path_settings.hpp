#pragma once
/// The table [path].

#include "algorithm/fitted_path/bridge_settings.hpp"
#include "algorithm/fitted_path/moment_fit.hpp"

#include <string>

namespace pearlite::algorithm {

struct PathSettings {
    std::string kind; ///< the name of an entry of path/registry.hpp, or auto_word
    double inverse_temperature_end = 1;
    BridgeSettings bridge;
    MomentSettings moments;

    struct Facts {
        Defaults defaults = Defaults::present;
        bool run_may_choose = false; ///< by default the run chooses between a bridge and the path from the prior
    };
    void keys(Keys& k, const model::ModelTraits& traits, const Facts& facts);
    /// The path begins at a reference that is fitted as the run begins.
    bool is_bridge() const { return kind == "bridge"; }
    /// The path is a bridge where a fit passes its check, else it begins at the prior.
    bool is_chosen_by_run() const;
    /// The target along the path, for a model that the path suits; the model itself where a run finds its path.
    std::shared_ptr<const model::Target> along(std::shared_ptr<const model::Target> model) const;
    /// The path goes through members of an exponential family that are fitted as the run begins.
    bool averages_moments() const { return kind == "moments"; }
    /// Traits of the model along the chosen path.
    model::ModelTraits along(model::ModelTraits traits) const;
};

} // namespace pearlite::algorithm
