#pragma once
/// Small problems with known log Z, each solved by one sampler in one replicate.

#include "statistical/scores.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace pearlite::calibration {

/// A replicate's result.
struct Replicate {
    double log_ratio = 0;
    double standard_error[2]; ///< one for each of the case's errors; NaN: not offered
    double ess = 0;
    Index eves = 0; ///< at the last weighting; 0 for samplers without resampling
};

struct Case {
    /// A stated error of the case: its method ("delta") and what it claims. t_degrees > 0: its scores follow Student's
    /// t.
    struct Error {
        std::string method;
        Claim claim = Claim::exact;
        double t_degrees = 0;
    };
    std::string name;
    std::string settings;
    double exact = 0; ///< log Z_K/Z_0
    std::vector<Error> errors;
    std::function<Replicate(std::uint64_t seed)> run;
};

/// Cases whose standard errors are to be true; temperatures and proposals are fixed beforehand, so their Z is unbiased.
std::vector<Case> calibrated_cases();

/// So few particles that fewer than 20 families survive in many replicates.
Case few_families_case();

/// Ten particles with proposals from a pilot, unbiased; or `online` with proposals from themselves, biased by a few
/// percent.
Case few_particles_case(bool online);

} // namespace pearlite::calibration
