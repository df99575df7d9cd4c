#include "app/tune/schedule_tuning.hpp"

#include <fmt/format.h>

#include <sstream>

namespace pearlite::app {

ScheduleTuning tune_schedule(const parallel::Communicator& ranks, const algorithm::AnnealingPlan& plan,
                             const algorithm::AnyTarget& target) {
    const auto sampler = plan.sampler_of(ranks, target);
    sampler->begin();
    while (sampler->progress().in_pilot)
        sampler->step();
    const auto* survey = sampler->found().survey;
    PEARLITE_EXPECTS(survey != nullptr);
    ScheduleTuning found;
    found.survey = *survey;
    found.schedule = plan.optimised_schedule(found.survey);
    found.profile = plan.temperatures().optimised.profile_of(found.survey);
    found.cost = path::cost_of(found.schedule, found.profile);
    found.cost_of_linear =
        path::cost_of(path::linear_schedule(found.schedule.steps(), found.schedule.end()), found.profile);
    return found;
}

nlohmann::ordered_json ScheduleTuning::json() const {
    const auto of = [](const path::ScheduleCost& cost_) {
        return nlohmann::ordered_json{{"perfect_mixing", cost_.perfect_mixing},
                                      {"measured_mixing", cost_.measured_mixing},
                                      {"finite_steps", cost_.finite_steps},
                                      {"lag", cost_.lag}};
    };
    return {{"steps", schedule.steps()},
            {"predicted_variance", of(cost)},
            {"predicted_variance_of_linear", of(cost_of_linear)},
            {"tau_is_lower_bound", profile.tau_is_lower_bound},
            {"inverse_temperature", profile.inverse_temperature},
            {"variance_u", profile.variance_u},
            {"tau", profile.tau},
            {"knots",
             {{"inverse_temperature", survey.knots.inverse_temperature},
              {"tau", survey.knots.tau},
              {"sweeps", survey.knots.sweeps},
              {"is_lower_bound", survey.knots.is_lower_bound}}}};
}

std::string ScheduleTuning::describe() const {
    auto text =
        fmt::format("predicted Var[log w] of {} steps: {:.3g}, linear {:.3g} (with perfect mixing {:.2g}, {:.2g})\n",
                    schedule.steps(), cost.finite_steps, cost_of_linear.finite_steps, cost.perfect_mixing,
                    cost_of_linear.perfect_mixing);
    if (!survey.has_tau)
        return text;
    double most = 1, at = 0;
    for (std::size_t j = 0; j < survey.knots.tau.size(); ++j)
        if (survey.knots.tau[j] > most) {
            most = survey.knots.tau[j];
            at = survey.knots.inverse_temperature[j];
        }
    return text +
           fmt::format(
               "the longest autocorrelation time of u is {}{:.3g} moves, at inverse temperature {:.3g}; lag {:.2g} "
               "standard deviations of u\n",
               profile.tau_is_lower_bound ? "at least " : "", most, at, cost.lag);
}

std::string ScheduleTuning::file(const std::string& configuration) const {
    auto text = fmt::format("# inverse temperatures, made by pearlite tune from {}\n", configuration);
    std::istringstream lines(describe());
    for (std::string line; std::getline(lines, line);)
        text += "# " + line + "\n";
    for (const double b : schedule.points())
        text += fmt::format("{}\n", b); // shortest digits that give the number back
    return text;
}

} // namespace pearlite::app
