#pragma once
/// Checks of a user's settings for a state-space model.

#include "models/state_space/particle_filter.hpp"
#include "pearlite/model/parameters.hpp"

#include <cmath>
#include <span>
#include <string>

namespace pearlite::models::detail {

/// The legal range of a parameter.
struct Range {
    double lower, upper;
    const char* text;
};
inline constexpr double unlimited = infinity;
inline constexpr Range any_number{-unlimited, unlimited, "any number"};
inline constexpr Range positive_number{0, unlimited, "0 or more"};
inline constexpr Range correlation{-1, 1, "between -1 and 1"};

/// InputError if the prior's support leaves the range.
inline void add_parameter(model::Parameters& parameters, const std::string& model, const std::string& name,
                          const model::Prior& prior, const Range& range) {
    if (prior.lower() < range.lower || prior.upper() > range.upper)
        throw InputError(model + ": the prior of " + name + ", " + prior.text() + ", must have its support " +
                         range.text);
    parameters.add(name, prior);
}

/// NaN is missing.
inline void check_observations(const std::string& model, std::span<const double> observations) {
    if (observations.empty())
        throw InputError(model + ": no observations");
    bool is_any_there = false;
    for (std::size_t t = 0; t < observations.size(); ++t) {
        if (std::isinf(observations[t]))
            throw InputError(model + ": observation " + std::to_string(t) + " is not a finite number");
        is_any_there = is_any_there || !is_missing(observations[t]);
    }
    if (!is_any_there)
        throw InputError(model + ": all observations are missing, expected at least one");
}

inline void check_filter(const std::string& model, const FilterSettings& filter) {
    if (filter.particles < 1)
        throw InputError(model + ": particles must be 1 or more");
    if (!(filter.resample_below >= 0))
        throw InputError(model + ": resample_below must be 0 or more");
}

} // namespace pearlite::models::detail
