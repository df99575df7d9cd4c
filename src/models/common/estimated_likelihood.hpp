#pragma once
/// Parts shared by the entries of models whose likelihood is estimated, or exact for reference.

#include "pearlite/core/keys.hpp"
#include "pearlite/io/configuration.hpp"
#include "pearlite/model/detail/built_model.hpp"
#include "pearlite/model/exact_likelihood.hpp"
#include "pearlite/path/tempered.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace pearlite::models {

/// The estimate's own keys are read in either case, so that one word of a configuration changes the likelihood.
inline void list_exactness(Keys& k, bool& is_exact) {
    k("likelihood", is_exact, {{"estimated", false}, {"exact", true, "the reference for the estimate"}},
      "whether the likelihood is estimated");
}

/// Per-point N, if the configuration sets a target variance.
template <class Goal>
void list_constant_variance(Keys& k, const std::string& largest_key, std::optional<Goal>& goal) {
    std::optional<double> variance;
    Goal chosen;
    k("likelihood_variance", variance, above(0),
      "target variance of the estimated log likelihood; the number of particles or samples then differs from point to "
      "point");
    k.when_given("likelihood_variance", [&] {
        k(largest_key, chosen.largest, within(chosen.smallest, 1'000'000), "largest number at any point");
    });
    if (variance) {
        chosen.variance = *variance;
        goal = chosen;
    }
}

/// The model with its likelihood estimated, or exact, and how it grows, if it does, once its data are known to be
/// right. An InputError of the model becomes a mistake in [prior].
template <class D, class Settings>
std::unique_ptr<model::BuiltModel>
built_either_way(io::Configuration& configuration, Settings settings, bool exact,
                 const std::function<std::shared_ptr<const model::Growth>()>& make_growth = {}) {
    if (configuration.has_errors())
        return nullptr;
    try {
        D density(std::move(settings));
        auto growth = make_growth ? make_growth() : nullptr;
        if (exact)
            return model::annealed(path::tempered(model::ExactLikelihood<D>(std::move(density))), std::move(growth));
        return model::annealed(path::tempered(std::move(density)), std::move(growth));
    } catch (const InputError& error) {
        configuration.error("prior", error.what());
        return nullptr;
    }
}

} // namespace pearlite::models
