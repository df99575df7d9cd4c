#pragma once
/// The four variants of stochastic volatility, with data of each.

#include "models/state_space/volatility_process.hpp"

#include <array>
#include <string>
#include <vector>

namespace pearlite::models::testing {

struct VolatilityCase {
    std::string name;
    VolatilityParameters parameters;

    std::vector<double> returns(Index n) const {
        random::Stream stream({71, random::Purpose::test, 0, 0});
        return simulate_volatility(parameters, n, stream).returns;
    }
};

inline const std::array<VolatilityCase, 4>& volatility_cases() {
    static const std::array<VolatilityCase, 4> cases{{
        {"plain", {.mu = -0.5, .phi = 0.9, .sigma = 0.5}},
        {"leverage", {.mu = -0.5, .phi = 0.9, .sigma = 0.5, .rho = -0.7}},
        {"student", {.mu = -0.5, .phi = 0.9, .sigma = 0.5, .nu = 4}},
        {"both", {.mu = -0.5, .phi = 0.9, .sigma = 0.5, .rho = -0.7, .nu = 4}},
    }};
    return cases;
}

} // namespace pearlite::models::testing
