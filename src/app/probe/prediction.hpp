#pragma once
/// Arithmetic of predictions: from the first steps of a run, and those of a smaller one, to its time. No clock, no run.

#include "app/probe/course.hpp"

#include <optional>
#include <string>

namespace pearlite::app {

/// A course of the run, or of one with fewer particles, which takes about as many steps.
struct Rehearsal {
    Course course;
    Index pilot_divisor = 1; ///< of the particles before the run proper
    Index divisor = 1;       ///< of the run's
};

struct Prediction {
    double pilot = 0; ///< seconds of all that precedes the run proper; 0 if nothing does
    double run = 0;   ///< seconds of the run proper, of a round if it has rounds
    /// The time is told as right within this factor.
    double factor = 1;
    bool was_finished = false; ///< the run was made to its end

    double seconds() const { return pilot + run; }
};

inline constexpr double factor_of_known_steps = 1.3, ///< the number of steps is known, and all were of full size
    factor_after_pilot = 1.5,                        ///< as above, but their moves were taken from the pilot's
    factor_of_unknown_steps = 2;                     ///< the number of steps was extrapolated, or a smaller run's

/// The time of the run that `first` is a course of. `smaller`: a course with fewer particles that came further. Nothing
/// where not enough was seen.
///
/// Stages are told by `smaller` where there is one: its work, times its divisor, at the seconds a unit of work of
/// the same stage in `first` if that was seen, else its seconds, times its divisor. A stage that did not end goes on at
/// its pace (Pace); moves of a run whose temperatures a pilot has found change in number along the path as the pilot's.
std::optional<Prediction> predict(const Rehearsal& first, const std::optional<Rehearsal>& smaller);

/// Two digits and a unit that suits them: "0.35 ms", "40 s", "3.5 h".
std::string about_seconds(double seconds);

} // namespace pearlite::app
