#pragma once
/// Predicts the time of a run from its first steps and those of a smaller run, without a clock or a run.

#include "app/run/course.hpp"

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
    /// The true time is expected within this factor of the prediction.
    double factor = 1;
    bool was_finished = false; ///< the run was made to its end

    double seconds() const { return pilot + run; }
};

inline constexpr double factor_of_known_steps = 1.3, ///< the number of steps is known, and all were of full size
    factor_after_pilot = 1.5,                        ///< as above, but their moves were taken from the pilot's
    factor_of_unknown_steps = 2;                     ///< the number of steps was extrapolated, or a smaller run's

/// The time of the run whose first steps are `first`. `smaller`: the course of a run with fewer particles, which came
/// further. Nothing where not enough steps were seen.
///
/// Stages are predicted from `smaller` where it is given: its work times its divisor, at the seconds per unit of work
/// of the same stage in `first` if that stage was seen; else its seconds times its divisor. A stage that did not end is
/// extrapolated at its pace (Pace). If a pilot has found the temperatures, the number of moves is taken to vary along
/// the path as in the pilot.
std::optional<Prediction> predict(const Rehearsal& first, const std::optional<Rehearsal>& smaller);

/// Two digits and a unit that suits them: "0.35 ms", "40 s", "3.5 h".
std::string about_seconds(double seconds);

} // namespace pearlite::app
