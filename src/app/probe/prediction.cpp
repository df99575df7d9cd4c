#include "app/probe/prediction.hpp"

namespace pearlite::app {

namespace {

/// The last pilot before a stage; null without one.
const Pace* pilot_before(const Course& course, std::size_t stage) {
    for (std::size_t k = stage; k-- > 0;)
        if (course.stages[k].is_pilot)
            return &course.stages[k].pace;
    return nullptr;
}

/// How the steps to come differ from those seen, by the moves of the pilot.
double relative_cost_of_rest(const Course& course, std::size_t stage) {
    const auto& pace = course.stages[stage].pace;
    const auto* pilot = pilot_before(course, stage);
    if (course.stages[stage].is_pilot || pilot == nullptr || pace.is_adaptive() || !pace.is_under_way())
        return 1;
    const double seen = pilot->relative_work(0, pace.share());
    return seen > 0 ? pilot->relative_work(pace.share(), 1) / seen : 1;
}

/// The amount of a stage from its first step to its end.
std::optional<double> whole(const Course& course, std::size_t stage, double seen, std::optional<double> left) {
    return left ? std::optional(seen + *left * relative_cost_of_rest(course, stage)) : left;
}

std::optional<double> seconds_of(const Course& course, std::size_t stage) {
    const auto& pace = course.stages[stage].pace;
    return whole(course, stage, pace.seconds(), pace.seconds_left());
}

std::optional<double> work_of(const Course& course, std::size_t stage) {
    const auto& pace = course.stages[stage].pace;
    return whole(course, stage, pace.work(), pace.work_left());
}

/// Seconds of a stage of the run itself.
std::optional<double> seconds_of(const Rehearsal& first, const Rehearsal& basis, std::size_t k) {
    const auto& stage = basis.course.stages[k];
    const auto divisor = static_cast<double>(stage.is_pilot ? basis.pilot_divisor : basis.divisor);
    if (&basis != &first && k < first.course.stages.size() && stage.is_pilot == first.course.stages[k].is_pilot) {
        const auto& seen = first.course.stages[k].pace;
        const auto more = static_cast<double>(stage.is_pilot ? first.pilot_divisor : first.divisor);
        const auto work = work_of(basis.course, k);
        if (seen.work() > 0 && work && *work > 0) // a step's work shrinks as its particles do
            return more * first.course.stages[k].starting + *work * divisor * (seen.seconds() / seen.work());
    }
    const auto seconds = seconds_of(basis.course, k);
    return seconds ? std::optional(divisor * (stage.starting + *seconds)) : seconds;
}

/// Whether numbers of temperatures or of moves were extrapolated, or are those of fewer particles.
bool has_unknown_steps(const Rehearsal& basis) {
    const auto& pace = basis.course.last().pace;
    return basis.pilot_divisor > 1 || (pace.is_adaptive() && (basis.divisor > 1 || !pace.has_ended()));
}

} // namespace

std::optional<Prediction> predict(const Rehearsal& first, const std::optional<Rehearsal>& smaller) {
    const auto& basis = smaller ? *smaller : first;
    const auto& stages = basis.course.stages;
    if (!basis.course.has_finished && basis.course.last().is_pilot)
        return {};
    Prediction prediction;
    prediction.was_finished = !smaller && first.course.has_finished && first.divisor == 1 && first.pilot_divisor == 1;
    for (std::size_t k = 0; k < stages.size(); ++k) {
        const auto seconds = seconds_of(first, basis, k);
        if (!seconds)
            return {};
        (stages[k].is_pilot ? prediction.pilot : prediction.run) += *seconds;
    }
    prediction.factor = has_unknown_steps(basis)                 ? factor_of_unknown_steps
                        : stages.size() > 1 || basis.divisor > 1 ? factor_after_pilot
                                                                 : factor_of_known_steps;
    return prediction;
}

} // namespace pearlite::app
