#include "app/run/pace.hpp"

#include <algorithm>
#include <cmath>

namespace pearlite::app {

namespace {

constexpr std::size_t most_marks = 4096;

} // namespace

Pace::Pace(const algorithm::Progress& progress, double seconds)
    : marks_{{static_cast<double>(progress.step), progress.inverse_temperature, seconds, 0}} {}

void Pace::add(const algorithm::Progress& progress, double seconds, double work) {
    const auto& last = marks_.back();
    const Mark mark{static_cast<double>(progress.step), progress.inverse_temperature, seconds, last.work + work};
    steps_in_all_ = static_cast<double>(progress.steps);
    inverse_temperature_end_ = progress.inverse_temperature_end;
    if (mark.step > last.step)
        seconds_of_last_step_ = (seconds - last.seconds) / (mark.step - last.step);
    if (marks_.size() > 1 && mark.step <= last.step)
        marks_.back() = mark; // other ranks' steps are not always known
    else
        marks_.push_back(mark);
    if (marks_.size() < most_marks)
        return;
    for (std::size_t k = 1; 2 * k < marks_.size(); ++k)
        marks_[k] = marks_[2 * k];
    const auto newest = marks_.back();
    marks_.resize(marks_.size() / 2);
    marks_.back() = newest;
}

void Pace::end(double seconds, double work) {
    const auto last = marks_.back();
    marks_.push_back({last.step + 1, inverse_temperature_end_, seconds, last.work + work});
    end();
}

double Pace::share() const {
    return steps_in_all_ > 0 ? std::clamp(marks_.back().step / steps_in_all_, 0.0, 1.0) : 0;
}

Pace::Mark Pace::at_step(double step) const {
    const auto after = std::find_if(marks_.begin(), marks_.end(), [&](const Mark& mark) { return mark.step >= step; });
    if (after == marks_.begin() || after == marks_.end())
        return after == marks_.end() ? marks_.back() : marks_.front();
    const auto &high = *after, &low = *std::prev(after);
    const double share = (step - low.step) / (high.step - low.step);
    const auto between = [&](double Mark::*what) { return low.*what + share * (high.*what - low.*what); };
    return {step, between(&Mark::inverse_temperature), between(&Mark::seconds), between(&Mark::work)};
}

/// Steps: a third of those seen.
double Pace::window() const {
    return std::max(1.0, std::floor(steps() / 3));
}

std::optional<double> Pace::steps_left() const {
    const auto& last = marks_.back();
    if (has_ended_)
        return 0;
    if (!is_adaptive())
        return std::max(0.0, steps_in_all_ - last.step);
    if (!is_under_way())
        return 0;
    if (steps() < 2)
        return {};
    const double m = window();
    const double middle = at_step(last.step - m).inverse_temperature;
    const double before = middle - at_step(last.step - 2 * m).inverse_temperature;
    const double after = last.inverse_temperature - middle;
    if (!(before > 0) || !(after > 0))
        return {};
    const double way = (inverse_temperature_end_ - last.inverse_temperature) / after; // in steps as long as the last m
    const double growth = after / before;                                             // of a step within m steps
    if (growth < 1 + 1e-3)
        return m * way;
    return m * std::log1p(way * (growth - 1) / growth) / std::log(growth);
}

std::optional<double> Pace::left(double Mark::*what) const {
    const auto steps_to_come = steps_left();
    if (!steps_to_come || !(steps() > 0))
        return steps_to_come == 0.0 ? steps_to_come : std::nullopt;
    const double seen = is_adaptive() ? window() : steps();
    return (marks_.back().*what - at_step(marks_.back().step - seen).*what) / seen * *steps_to_come;
}

std::optional<double> Pace::seconds_left() const {
    return left(&Mark::seconds);
}

std::optional<double> Pace::work_left() const {
    return left(&Mark::work);
}

double Pace::relative_work(double from, double to) const {
    if (!(work() > 0) || !(steps() > 0) || !(to > from))
        return 1;
    const double first = marks_.front().step, all = steps();
    const double part = at_step(first + to * all).work - at_step(first + from * all).work;
    return part / (to - from) / work();
}

} // namespace pearlite::app
