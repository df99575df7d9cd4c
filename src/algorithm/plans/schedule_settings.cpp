#include "algorithm/plans/schedule_settings.hpp"

#include "algorithm/plans/run_settings.hpp"
#include "pearlite/io/arrays.hpp"

#include <fmt/format.h>

namespace pearlite::algorithm {

void ScheduleSettings::keys(Keys& k, bool may_optimise) {
    About about_kind("how the inverse temperatures lie between 0 and the end of the path");
    if (kind == Kind::adaptive)
        about_kind.default_is("\"adaptive\", or \"linear\" if steps is given");
    if (k.is_reading() && k.has("steps") && !k.has("kind"))
        kind = Kind::linear;
    std::vector<Choice<Kind>> kinds{{"linear", Kind::linear, "even steps"},
                                    {"geometric", Kind::geometric, "even in log b from epsilon to 1, times the end"},
                                    {"exponential", Kind::exponential, "steps that grow by a constant factor"},
                                    {"piecewise", Kind::piecewise, "linear between knots"},
                                    {"sm08", Kind::sm08, "dense towards the end (Salakhutdinov & Murray 2008)"},
                                    {"file", Kind::file, "one inverse temperature a line"},
                                    {"adaptive", Kind::adaptive, "chosen during the run, or by a pilot"}};
    if (may_optimise)
        kinds.insert(kinds.end(),
                     {{"varopt", Kind::varopt, "least Var[log w] for perfect mixing, from a survey (Kiwaki 2015)"},
                      {"varopt-m", Kind::varopt_m,
                       "least Var[log w] for the mixing that a survey measures (Sivak & Crooks 2012)"},
                      {"gms13", Kind::gms13, "moments of a survey (Grosse, Maddison & Salakhutdinov 2013)"},
                      {"equal-rejection", Kind::equal_rejection,
                       "swaps of neighbours rejected equally often, from a survey (Syed et al. 2022)"}});
    k("kind", kind, Choices<Kind>(kinds), about_kind);
    k.when("kind", kind, Kind::adaptive, [&] {
        k("conditional_ess", conditional_ess, between(0, 1),
          "conditional effective sample size of a step, as a fraction; nearer to 1 means more temperatures");
        k("log_weight_sd", log_weight_sd, above(0), "no step's log weights have a larger standard deviation");
        if (!spreads)
            return;
        k("log_weight_variance", spread.log_weight_variance, above(0),
          "wanted variance of the final log weights: the pilot's temperatures are spread anew, as many as that takes");
        k("most_steps", spread.most_steps, within(3, largest_step), "temperatures after the first, at most");
    });
    list_shape(k);
    if (may_optimise) {
        optimised.kind = kind;
        k.when("kind", kind, {Kind::varopt, Kind::varopt_m, Kind::gms13, Kind::equal_rejection},
               [&] { optimised.keys(k); });
    }
    if (!k.is_reading() || kind == Kind::adaptive)
        return;
    fixed = path::linear_schedule(3, 1); // stands in for a schedule that cannot be made
    try {
        if (end > 0)
            fixed = made();
    } catch (const InputError& wrong) {
        k.error(kind == Kind::file ? "file" : kind == Kind::piecewise ? "knots" : "steps", wrong.what());
    }
}

void ScheduleSettings::list_shape(Keys& k) {
    k.when("kind", kind, Kind::file, [&] {
        k("file", file,
          about("the inverse temperatures in the last column, from 0 up to path.inverse_temperature_end")
              .must_be_given());
    });
    k.when("kind is not file", kind != Kind::file, [&] { // one configuration serves a family of kinds
        if (!k.is_reading() || kind != Kind::adaptive)
            k("steps", steps, within(3, most_temperatures),
              "temperatures after the first; beside \"adaptive\" without effect");
    });
    k.when("kind", kind, Kind::geometric, [&] {
        k("epsilon", epsilon, between(0, 1), "the first inverse temperature above 0, as a fraction of the end");
    });
    k.when("kind", kind, Kind::piecewise, [&] {
        k("knots", knots,
          about("inverse temperatures at which the pieces end, the last being the end").must_be_given());
        k("shares", shares, about("share of the steps in each piece").must_be_given());
    });
    k.when("kind", kind, Kind::exponential, [&] { k("ratio", ratio, above(0), "the last step over the first"); });
}

path::Schedule ScheduleSettings::made() const {
    switch (kind) {
    case Kind::file: {
        if (file.path.empty())
            return path::linear_schedule(3, end);
        const Matrix values = io::read_columns(file.path).values;
        const Vector last = values.col(values.cols() - 1);
        for (Index k = 1; k < last.size(); ++k)
            if (!(last(k) > last(k - 1)))
                throw InputError(fmt::format("{}: number {} of the last column is {} after {}, expected numbers that "
                                             "increase",
                                             file.path.string(), k + 1, last(k), last(k - 1)));
        path::Schedule schedule(std::vector<double>(last.begin(), last.end()));
        if (schedule.end() != end)
            throw InputError(file.path.string() + ": the schedule ends at " + std::to_string(schedule.end()) +
                             ", but path.inverse_temperature_end is " + std::to_string(end));
        return schedule;
    }
    case Kind::linear:
    case Kind::varopt:
    case Kind::varopt_m:
    case Kind::gms13:
    case Kind::equal_rejection:
        return path::linear_schedule(steps, end);
    case Kind::geometric:
        return path::geometric_schedule(steps, end, epsilon);
    case Kind::exponential:
        return path::exponential_schedule(steps, end, ratio);
    case Kind::piecewise: {
        auto relative = knots;
        for (double& knot : relative)
            knot /= end;
        return path::piecewise_schedule(steps, end, relative, shares);
    }
    default:
        return path::sm08_schedule(steps, end);
    }
}

path::Temperatures ScheduleSettings::temperatures() const {
    if (given())
        return *fixed;
    path::AdaptiveSchedule adaptive{end, conditional_ess};
    if (log_weight_sd)
        adaptive.log_weight_sd = *log_weight_sd;
    return adaptive;
}

} // namespace pearlite::algorithm
