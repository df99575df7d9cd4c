#pragma once
/// The pace of one stage of a run, a pilot or the run proper: extrapolates its steps so far to the steps to come,
/// without a clock or a sampler.

#include "algorithm/common/settings.hpp"

#include <optional>
#include <vector>

namespace pearlite::app {

class Pace {
  public:
    /// Begins a stage at the first step seen; seconds on any clock.
    explicit Pace(const algorithm::Progress& progress = {}, double seconds = 0);

    /// Adds one or more steps. `work`: the work of these steps in any unit, for example likelihoods computed.
    void add(const algorithm::Progress& progress, double seconds, double work = 0);
    /// Ends a stage after its last step, when the progress is that of the next stage.
    void end(double seconds, double work);
    /// Ends a stage whose last step has been added.
    void end() { has_ended_ = true; }

    double steps() const { return marks_.back().step - marks_.front().step; }
    double seconds() const { return marks_.back().seconds - marks_.front().seconds; }
    double work() const { return marks_.back().work; }
    double seconds_of_last_step() const { return seconds_of_last_step_; }
    bool has_ended() const { return has_ended_; }
    /// Whether the number of steps is unknown beforehand.
    bool is_adaptive() const { return steps_in_all_ == 0; }
    /// Whether the temperature is still changing, so that later steps may have other costs.
    bool is_under_way() const { return marks_.back().inverse_temperature < inverse_temperature_end_; }

    /// Nothing if they are not known. An adaptive schedule makes steps proportional to b + c where the likelihood's
    /// log has a standard deviation like that of d normal coordinates, sqrt(d/2)/(b + c), c the prior's precision over
    /// the likelihood's: b + c grows by a constant factor a step. Factor and c follow from the last two thirds of the
    /// steps, the number of steps to the end from these.
    std::optional<double> steps_left() const;
    /// At the pace of all steps seen; of an adaptive schedule, whose moves may change in number, of the last third.
    std::optional<double> seconds_left() const;
    std::optional<double> work_left() const;

    /// The mean work of a step in the part of an ended stage from one share of its steps to another, over the mean
    /// of all: 1 if it is not counted.
    double relative_work(double from, double to) const;
    /// The share of its steps that a stage of known length has made.
    double share() const;

  private:
    /// The state after a step, work counted from the first mark.
    struct Mark {
        double step, inverse_temperature, seconds, work;
    };
    /// At a step between two marks.
    Mark at_step(double step) const;
    double window() const;
    std::optional<double> left(double Mark::*what) const;

    std::vector<Mark> marks_;
    double steps_in_all_ = 0, inverse_temperature_end_ = 1, seconds_of_last_step_ = 0;
    bool has_ended_ = false;
};

} // namespace pearlite::app
