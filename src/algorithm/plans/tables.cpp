#include "algorithm/plans/tables.hpp"

#include "path/registry.hpp"
#include "pearlite/core/detail/contract.hpp"
#include "pearlite/io/arrays.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace pearlite::algorithm {

void RunSettings::keys(Keys& k, const Facts& facts) {
    k("seed", seed, "the same seed gives the same bits on any number of ranks");
    if (facts.has_block)
        k("block", block, within(1, {facts.largest_block, "the model's largest block"}),
          about("particles that are stored and moved together; part of the result").default_is(facts.block_default));
    if (facts.has_balance)
        k("balance", balance, "move blocks between ranks so that they cost the same; changes no number");
    k.seconds("checkpoint_every", checkpoint_every_seconds, "time between two checkpoints");
    k.seconds("time_limit", time_limit_seconds,
              "stop with a checkpoint after so long; --time-limit on the command line wins");
}

void PathSettings::keys(Keys& k, const model::ModelTraits& traits) {
    std::vector<std::string> names;
    std::string about;
    for (const auto& entry : path::paths()) {
        names.push_back(entry.name);
        about += (about.empty() ? "" : "; or ") + entry.name + ", " + entry.about;
    }
    const auto& offered = traits.path_kinds.empty() ? names : traits.path_kinds;
    kind = offered.front();
    k("kind", kind, names, "the path, of those that the model offers: " + about);
    if (std::find(offered.begin(), offered.end(), kind) == offered.end()) {
        k.error("kind", fmt::format("got \"{}\", which this model does not offer; expected \"{}\"", kind,
                                    fmt::join(offered, "\" or \"")));
        kind = offered.front();
    }
    k("inverse_temperature_end", inverse_temperature_end, above(0).up_to(traits.largest_inverse_temperature),
      "where the path ends; below 1 the posterior is a tempered one");
}

void ScheduleSettings::keys(Keys& k) {
    k("kind", kind,
      {{"linear", Kind::linear, "even steps"},
       {"geometric", Kind::geometric, "even in log b from epsilon to 1, times the end"},
       {"exponential", Kind::exponential, "steps that grow by a constant factor"},
       {"piecewise", Kind::piecewise, "linear between knots"},
       {"sm08", Kind::sm08, "dense towards the end (Salakhutdinov & Murray 2008)"},
       {"file", Kind::file, "one inverse temperature a line"},
       {"adaptive", Kind::adaptive, "chosen during the run, or by a pilot"}},
      "how the inverse temperatures lie between 0 and the end of the path");
    k.when("kind", kind, Kind::adaptive, [&] {
        k("conditional_ess", conditional_ess, between(0, 1),
          "conditional effective sample size of a step, as a fraction; nearer to 1 means more temperatures");
        k("log_weight_sd", log_weight_sd, above(0), "no step's log weights have a larger standard deviation");
    });
    list_shape(k);
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
    k.when("kind", kind, {Kind::linear, Kind::geometric, Kind::exponential, Kind::piecewise, Kind::sm08},
           [&] { k("steps", steps, within(3, largest_step), "temperatures after the first"); });
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
        path::Schedule schedule(std::vector<double>(last.begin(), last.end()));
        if (schedule.end() != end)
            throw InputError(file.path.string() + ": the schedule ends at " + std::to_string(schedule.end()) +
                             ", but path.inverse_temperature_end is " + std::to_string(end));
        return schedule;
    }
    case Kind::linear:
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

ScheduleSettings::Temperatures ScheduleSettings::temperatures() const {
    if (fixed)
        return *fixed;
    algorithm::AdaptiveSchedule adaptive{end, conditional_ess};
    if (log_weight_sd)
        adaptive.log_weight_sd = *log_weight_sd;
    return adaptive;
}

KernelSettings::KernelSettings(const model::ModelTraits& traits)
    : suitable(kernel::kernels_for(traits)), kind(suitable.front().name), moves(suitable.front().moves) {}

void KernelSettings::list_kind(Keys& k) {
    std::vector<std::string> names;
    std::string about;
    for (const auto& entry : suitable) {
        names.push_back(entry.name);
        about += (about.empty() ? "" : "; or ") + (suitable.size() == 1 ? "" : entry.name + ", ") + entry.about;
    }
    k("kind", kind, names, "the transition: " + about);
}

void KernelSettings::keys(Keys& k, const Facts& facts) {
    list_kind(k);
    moves = chosen().moves;
    k("moves", moves, within(1, 1'000'000), "transitions per temperature");
    const auto list_pilot = [&] {
        auto limits = at_least({16, "16"}); // a schema does not check it: a default below it is legal
        if (facts.most_pilot_particles > 0)
            limits.up_to(facts.most_pilot_particles);
        k("pilot_particles", pilot_particles, limits,
          about("particles of the pilot").default_is(facts.pilot_particles_default));
    };
    if (!facts.may_adapt)
        return list_pilot();
    const auto list_adaptation = [&] {
        k("adapt", pilot, {{"pilot", true}, {"online", false}},
          "where proposal scales and adaptive temperatures come from: a pilot whose particles are thrown away, or the "
          "run itself");
        k.when("adapt", pilot, true, list_pilot);
    };
    std::string when; // is there something to adapt?
    for (const auto& entry : suitable)
        when += entry.learns ? "kind is " + entry.name + " or " : "";
    if (std::all_of(suitable.begin(), suitable.end(), [](const auto& entry) { return entry.learns; }))
        return list_adaptation();
    const bool has_something = chosen().learns || facts.is_adaptive;
    if (k.is_reading() && !has_something)
        pilot = false;
    k.when(when + "schedule.kind is adaptive", has_something, list_adaptation);
}

const kernel::KernelEntry& KernelSettings::chosen() const {
    const auto found =
        std::find_if(suitable.begin(), suitable.end(), [this](const auto& entry) { return entry.name == kind; });
    PEARLITE_EXPECTS(found != suitable.end());
    return *found;
}

} // namespace pearlite::algorithm
