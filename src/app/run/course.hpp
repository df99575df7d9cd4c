#pragma once
/// Times the first steps of a run, which is then thrown away; nothing is written.

#include "algorithm/common/sampler.hpp"
#include "app/run/pace.hpp"

#include <functional>
#include <vector>

namespace pearlite::app {

/// Seconds, from any start.
using ProbeClock = std::function<double()>;

/// Limits of a course in seconds. A step that has begun is made to its end.
struct CourseLimits {
    double pilot = 0;    ///< since the beginning, while a pilot is at work
    double adaptive = 0; ///< since the beginning, in a run whose number of steps is not known
    double all = 0;      ///< since the beginning, in any other run
    double run = 0;      ///< in such a run after a pilot, instead, if that ends later
};

struct Stage {
    bool is_pilot = false;
    double starting = 0;                  ///< seconds before its first step
    Pace pace;                            ///< its work counts likelihoods where the run does, else particle moves
    double updates = 0;                   ///< particle moves
    Index steps = 0;                      ///< but for the one that led to the next stage
    parallel::MessageCount messages = {}; ///< of these on this rank; on one rank alone those that several would need
};

struct Course {
    std::vector<Stage> stages; ///< the same on all ranks except for their times
    double seconds = 0;        ///< of the slowest rank
    Index steps = 0;
    bool has_finished = false; ///< the run, or its first round
    double held_before = 0;    ///< bytes, on this rank
    double resident_bytes = 0; ///< the most that the run added to them

    const Stage& last() const { return stages.back(); }
    bool needs_rehearsal() const { return !has_finished && (last().is_pilot || last().pace.is_adaptive()); }
};

/// Collective. Begins a run and makes steps until a limit, or to the end of its first round.
Course follow(const parallel::Communicator& ranks, algorithm::Sampler& run, const CourseLimits& limits,
              const ProbeClock& clock);

} // namespace pearlite::app
