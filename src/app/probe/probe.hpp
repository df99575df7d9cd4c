#pragma once
/// Predicts the time and the memory of a run from its first steps.

#include "algorithm/plans/algorithm.hpp"
#include "app/probe/prediction.hpp"
#include "pearlite/app/catalogue.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace pearlite::app {

/// The plan of the same configuration with these assignments ("algorithm.particles=64"); null if they are not legal.
using PlanWith = std::function<std::unique_ptr<algorithm::Plan>(const std::vector<std::string>& assignments)>;

struct ProbedRun {
    const BuiltModel& model;
    const algorithm::Plan& plan;
    PlanWith plan_with;
};

/// The findings of a probe, the same on every rank.
struct Probe {
    std::optional<Prediction> prediction;
    std::string refusal; ///< why there is none
    double seconds = 0;  ///< of the steps that were made
    Index steps = 0;
    Index pilot_divisor = 1, divisor = 1; ///< of the particles in the steps behind the prediction
    /// Bytes on the rank that needs most: held by every rank, and shared out among them. `is_measured`: not only packed
    /// particles were counted.
    double common_bytes = 0, divided_bytes = 0;
    bool is_measured = false;
    double available_bytes = 0; ///< on the first rank's machine; 0: not known
    std::string ranks;          ///< Run::describe_ranks
    /// The first of populations that are enlarged, if it was seen to its end: the error of its evidence, infinite where
    /// it gives none, and the particles of the next.
    struct FirstPopulation {
        double error = 0;
        Index next = 0;
    };
    std::optional<FirstPopulation> first_population = {};
    Index counted_steps = 0; ///< those of the last stage seen whose messages were counted
    parallel::MessageCount messages = {};
    bool counts_pilot = false; ///< that stage is a pilot
};

/// Collective. Makes steps of the run for about `seconds`. If these steps do not reach the end of its pilot, or of its
/// adaptive schedule, makes steps of a run with a smaller pilot for about as long. A run that would take long to begin,
/// or much of the memory, is tried with fewer particles from the start. Errors are those of the run.
Probe probe(const parallel::Communicator& ranks, const ProbedRun& run, double seconds, const ProbeClock& clock);

/// Seconds of the monotonic clock.
double monotonic_seconds();

/// Comment lines of `check`.
std::string describe_probe(const Probe& probe, const algorithm::Workload& workload, const std::string& unit, int ranks);

} // namespace pearlite::app
