#pragma once
/// The keys of [path] that fit the knots of a path of averaged moments.

#include "pearlite/core/keys.hpp"
#include "pearlite/random/detail/generator.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace pearlite::algorithm {

struct MomentSettings {
    enum class Spacing { even, length };

    Index knots = 9;
    Spacing spacing = Spacing::length;
    Index chains = 1000;
    Index end_sweeps = 2000;
    Index updates = 500; ///< of a knot
    double rate = 0.005;
    std::optional<std::uint64_t> fit_seed = {};

    void keys(Keys& k);
    random::Seed seed(const random::Seed& of_run) const;
    /// A comment line of `check`.
    std::string cost() const;
};

} // namespace pearlite::algorithm
