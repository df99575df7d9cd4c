#include "algorithm/plans/tables.hpp"

#include "algorithm/common/annealed_population.hpp"
#include "algorithm/plans/entries.hpp"
#include "algorithm/plans/pilot.hpp"
#include "path/registry.hpp"
#include "pearlite/core/detail/contract.hpp"
#include "pearlite/io/arrays.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace pearlite::algorithm {

namespace {

/// Stands for a name or a number that the program chooses.
constexpr const char* automatic = "auto";

} // namespace

void RunSettings::keys(Keys& k, const Facts& facts) {
    k("seed", seed.value, "the same seed gives the same bits on any number of ranks");
    k("generator", seed.generator,
      {{"philox", random::Generator::philox, "Philox4x32-10: fast on any CPU"},
       {"ars", random::Generator::ars,
        "ARS4x32-7: twice as fast as Philox or more on CPUs with AES instructions, far slower on others"}},
      "generator of the random numbers; another one gives other numbers");
    if (facts.has_block)
        k("block", block, within(1, {facts.largest_block, "the model's largest block"}),
          about("particles that are stored and moved together; part of the result").default_is(facts.block_default));
    if (facts.has_balance)
        k("balance", balance, "move blocks between ranks so that they cost the same; changes no number");
    k.seconds_or(automatic, "checkpoint_every", checkpoint_every_seconds,
                 "time between two checkpoints; \"auto\": the one that loses least, from the measured cost of a "
                 "checkpoint and run.mean_time_between_failures (Daly 2006)");
    k.seconds("mean_time_between_failures", mean_time_between_failures,
              "mean time between failures of the whole job: that of a node divided by the number of nodes; for "
              "checkpoint_every = \"auto\"");
    k.seconds("time_limit", time_limit_seconds,
              "time after which to stop with a checkpoint; --time-limit on the command line overrides it");
    k("short", is_short, "take the keys in [short] in place of those in their tables: the short form of a long job");
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
    k.when("kind", kind, "moments", [&] {
        if (inverse_temperature_end != 1)
            k.error("inverse_temperature_end", "a path of averaged moments ends at the model; expected 1");
        moments.keys(k);
    });
    if (!traits.continuous) // a bridge is a path of densities
        return;
    k.when("kind", kind, "bridge", [&] {
        if (inverse_temperature_end != 1)
            k.error("inverse_temperature_end", "a bridge ends at the posterior; expected 1");
        bridge.keys(k, traits);
    });
}

model::ModelTraits PathSettings::along(model::ModelTraits traits) const {
    const auto all = path::paths();
    const auto entry = std::find_if(all.begin(), all.end(), [&](const auto& e) { return e.name == kind; });
    if (entry != all.end() && !entry->keeps_gradient)
        traits.has_gradient = false;
    return traits;
}

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

KernelSettings::KernelSettings(const model::ModelTraits& traits) {
    for (const auto& entry : kernel::kernels_for(traits)) {
        suitable.push_back({entry, entry.factory()});
        suitable.back().factory->suit(traits);
    }
    kind = suitable.size() == 1 ? suitable.front().entry.name : automatic;
    moves.number = chosen().moves;
    for (const auto& entry : entries())
        if (auto algorithm = entry->pilot(); algorithm && objection_to(*entry, traits).empty()) {
            algorithm->suit(traits);
            pilots.push_back({entry->name(), std::move(algorithm)});
        }
    pilot_algorithm = annealed_population_name();
}

void KernelSettings::list_kind(Keys& k) {
    std::vector<std::string> names;
    std::string about;
    if (suitable.size() > 1) {
        names.emplace_back(automatic);
        about = "auto, the first of these that the model suits";
    }
    for (const auto& each : suitable) {
        names.push_back(each.entry.name);
        about += (about.empty() ? "" : "; ") + (suitable.size() == 1 ? "" : each.entry.name + ", ") + each.entry.about;
    }
    k("kind", kind, names, "the transition: " + about);
}

void KernelSettings::list_moves(Keys& k, const Facts& facts) {
    moves.number = facts.keeps_states ? 1 : chosen().moves;
    if (facts.is_adaptive && !facts.keeps_states && moves.number == 1)
        moves.number.reset();
    auto about_moves =
        about("transitions per temperature; auto: as many as the mobility takes, chosen by the pilot, or online");
    about_moves.default_is(moves.number ? std::to_string(*moves.number) : automatic);
    if (facts.may_keep_states) {
        about_moves.sentence += "; with algorithm.waste_free between two states of a chain";
        about_moves.default_rule += ", or 1 if algorithm.waste_free is given";
    }
    k.number_or(automatic, "moves", moves.number, within(1, 1'000'000), about_moves);
    k.when("moves is auto", !moves.number, [&] {
        k("mobility", moves.mobility, above(0).up_to(1),
          about("wanted mean squared jump over twice the variance, of points or of energies, at each temperature; less "
                "where a step to the next temperature is short")
              .default_is("0.7, or 0.2 where many scans mix, too"));
        k("most_moves", moves.most, within(1, 1'000'000), "transitions per temperature, at most");
    });
    for (const auto& each : suitable)
        k.when("kind", kind, each.entry.name, [&] { each.factory->keys(k); });
}

void KernelSettings::list_pilot(Keys& k, const Facts& facts) {
    std::vector<SuitablePilot> able;
    std::vector<std::string> names;
    std::string about_all;
    for (const auto& each : pilots)
        if (facts.needs_reference_alone ? each.algorithm->leaves_reference() : each.algorithm->leaves_path()) {
            able.push_back(each);
            names.push_back(each.name);
            about_all += (about_all.empty() ? "" : "; ") + each.name + ", " + each.algorithm->about();
        }
    k("pilot_algorithm", pilot_algorithm, names,
      fmt::format("the algorithm of the pilot, of those that leave {}: {}",
                  facts.needs_reference_alone ? "particles of the posterior" : "temperatures and proposals",
                  about_all));
    auto limits = at_least({16, "16"}); // a schema does not check it: a default below it is legal
    if (facts.most_pilot_particles > 0)
        limits.up_to(facts.most_pilot_particles);
    k("pilot_particles", pilot_particles, limits,
      about("particles of the pilot").default_is(facts.pilot_particles_default));
    for (const auto& each : able)
        k.when("pilot_algorithm", pilot_algorithm, each.name, [&] { each.algorithm->keys(k); });
}

std::string KernelSettings::learning_sentence() const {
    std::string sentence;
    for (const auto& each : suitable)
        if (each.entry.learns)
            sentence += "kind is " + each.entry.name + " or ";
    return sentence + "moves is auto or schedule.kind is adaptive";
}

void KernelSettings::keys(Keys& k, const Facts& facts) {
    list_kind(k);
    list_moves(k, facts);
    if (!facts.may_adapt)
        return list_pilot(k, facts);
    const auto list_adaptation = [&] {
        k("adapt", pilot, {{"pilot", true}, {"online", false}},
          "where proposals, automatic moves and adaptive temperatures come from: a pilot whose particles are thrown "
          "away, or the run itself");
        k.when("adapt", pilot, true, [&] { list_pilot(k, facts); });
    };
    if (std::all_of(suitable.begin(), suitable.end(), [](const auto& each) { return each.entry.learns; }))
        return list_adaptation();
    const bool has_something = learns() || facts.is_adaptive;
    if (k.is_reading() && !has_something)
        pilot = false;
    k.when(learning_sentence(), has_something, list_adaptation);
}

const KernelSettings::Suitable& KernelSettings::chosen_kernel() const {
    if (kind == automatic)
        return suitable.front();
    const auto found =
        std::find_if(suitable.begin(), suitable.end(), [this](const auto& each) { return each.entry.name == kind; });
    PEARLITE_EXPECTS(found != suitable.end());
    return *found;
}

const PilotAlgorithm& KernelSettings::chosen_pilot() const {
    const auto found =
        std::find_if(pilots.begin(), pilots.end(), [this](const auto& each) { return each.name == pilot_algorithm; });
    PEARLITE_EXPECTS(found != pilots.end());
    return *found->algorithm;
}

std::string KernelSettings::pilot_name_text() const {
    return pilot_algorithm == annealed_population_name() ? "" : ", by " + pilot_algorithm;
}

std::string KernelSettings::moves_text() const {
    return moves.number ? std::to_string(*moves.number) : fmt::format("up to {}", moves.most);
}

} // namespace pearlite::algorithm
