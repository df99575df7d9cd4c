#include "algorithm/plans/optimised_schedule.hpp"

#include "algorithm/plans/run_settings.hpp"

#include <fmt/format.h>

#include <cmath>

namespace pearlite::algorithm {

void OptimisedSchedule::keys(Keys& k) {
    if (kind == Kind::gms13) {
        pilot_trajectories = 1000;
        hold_knots = 10;
        hold_sweeps = 6000;
    }
    k("pilot_steps", pilot_steps, within(4, largest_step),
      "temperatures of the survey; where no other pilot has gone before they are even in b");
    k("pilot_trajectories", pilot_trajectories, within(10, largest_population),
      about("trajectories of the survey, which never enter the run").default_is("100, for gms13 1000"));
    k.when("kind", kind, {Kind::varopt_m, Kind::gms13}, [&] {
        k("hold_knots", hold_knots, within(2, 10'000),
          about("temperatures at which the survey stays to measure autocorrelations, for gms13 averages")
              .default_is("32, for gms13 10"));
        k("hold_sweeps", hold_sweeps, within(kind == Kind::gms13 ? 6 : 0, 1'000'000),
          about("moves at each of them: fewer where 20 autocorrelation times take less, and 0 takes the growth of "
                "Var[log w] in the survey instead; for gms13 as many, of which the first sixth is not counted")
              .default_is("400, for gms13 6000"));
    });
    k.when("kind", kind, {Kind::varopt, Kind::varopt_m, Kind::equal_rejection}, [&] {
        k("smoothing", smoothing,
          {{"length", Smoothing::length, "local linear regression of log Var[u] in the length int sqrt(Var[u]) db"},
           {"temperature", Smoothing::temperature, "convolution of Var[u] in b (Kiwaki 2015)"},
           {"none", Smoothing::none, "none"}},
          "how the survey's numbers are smoothed");
        k.when("smoothing", smoothing, {Smoothing::length, Smoothing::temperature}, [&] {
            if (smoothing == Smoothing::temperature)
                smoothing_width = 0.01;
            k("smoothing_width", smoothing_width, between(0, 1),
              about("standard deviation of the window, the whole length or range being 1")
                  .default_is("0.02, or 0.01 in temperature"));
        });
    });
    k.when("kind", kind, {Kind::varopt, Kind::varopt_m}, [&] {
        k("floor", shape.floor, within(0.0, 1.0),
          "share of even steps, which keeps steps below 1/floor even ones; 0 is plain VAROPT, whose longest steps can "
          "lose the trajectories");
        k("cap", shape.cap, at_least(1.0), "the longest step, in even ones (Kiwaki 2015, Algorithm 3)");
        k("solver", solver,
          {{"quadrature", Solver::quadrature, "the optimal schedule in closed form"},
           {"fixed-point", Solver::fixed_point, "iterations of Kiwaki's equation (9), integrated once"}},
          "how the variational problem is solved; both agree");
        k.when("kind", kind, Kind::varopt_m, [&] {
            k("functional", functional,
              {{"auto", Functional::automatic,
                "finite where the lag of the other exceeds 0.1 standard deviations of u"},
               {"integral", Functional::integral, "(1/K) int b'^2 Var[u] tau ds, the limit of many steps"},
               {"finite", Functional::finite, "its sum over K steps, in which memories end at the start of the path"}},
              "the variance that the schedule minimises");
        });
        k("refine", refine,
          "each round of replicates (algorithm.target_error) takes its schedule from the weights of the round before");
        k("target_error", target_error, above(0),
          "wanted standard error of log Z of all trajectories of a replicate: takes as many steps as its prediction "
          "needs, at most `steps`");
    });
}

SurveySettings OptimisedSchedule::survey_settings(Index block, const random::Seed& seed) const {
    using Holds = SurveySettings::Holds;
    SurveySettings settings{pilot_steps, pilot_trajectories, block, seed};
    settings.knots = hold_knots;
    settings.hold_sweeps = hold_sweeps;
    if (holds())
        settings.holds = kind == Kind::gms13 ? Holds::mean : Holds::tau;
    return settings;
}

path::PathProfile OptimisedSchedule::profile_of(const SurveyRecord& survey) const {
    auto profile = survey.profile;
    const auto smooth = [&](std::vector<double>& values) {
        if (smoothing == Smoothing::length)
            values = path::smoothed_in_length(profile.inverse_temperature, values, smoothing_width);
        else if (smoothing == Smoothing::temperature)
            values = path::smoothed_in_temperature(profile.inverse_temperature, values, smoothing_width);
    };
    smooth(profile.variance_u);
    smooth(profile.rejection_rate);
    if (kind == Kind::varopt_m && !survey.has_tau) {
        auto friction = survey.friction;
        smooth(friction);
        for (std::size_t i = 0; i < friction.size(); ++i)
            profile.tau[i] = std::max(1.0, friction[i] / profile.variance_u[i]);
    }
    return profile;
}

path::Schedule OptimisedSchedule::with_steps(const path::PathProfile& profile, const SurveyRecord& survey, Index steps,
                                             bool is_finite) const {
    const auto& b = profile.inverse_temperature;
    switch (kind) {
    case Kind::equal_rejection:
        return path::equal_length_schedule(steps, b, profile.rejection_rate, {.floor = 0, .cap = {}});
    case Kind::gms13: {
        // At the start a likelihood may be zero, and E[u] infinite: the next temperature stands in.
        const auto first = std::ranges::find_if(profile.mean_u, [](double mean) { return std::isfinite(mean); });
        std::vector<double> knots{0.0}, means{first == profile.mean_u.end() ? 0 : *first};
        knots.insert(knots.end(), survey.knots.inverse_temperature.begin(), survey.knots.inverse_temperature.end());
        means.insert(means.end(), survey.knots.mean_u.begin(), survey.knots.mean_u.end());
        return path::gms13_schedule(steps, knots, means);
    }
    default:
        if (is_finite)
            return path::finite_steps_schedule(steps, profile, shape);
        const auto limit = profile.speed_limit(kind == Kind::varopt_m);
        return solver == Solver::quadrature ? path::equal_length_schedule(steps, b, limit, shape)
                                            : path::fixed_point_schedule(steps, b, limit, shape);
    }
}

path::Schedule OptimisedSchedule::schedule_of(const SurveyRecord& survey, Index steps, Index trajectories) const {
    const auto profile = profile_of(survey);
    if (!target_error)
        return best_of(profile, survey, steps);
    // The relative variance of a mean of n normal weights is (exp V - 1)/n: the fewest steps with V small enough.
    const double wanted = std::log1p(static_cast<double>(trajectories) * *target_error * *target_error);
    Index low = 3, high = steps;
    while (low < high) {
        const Index middle = low + (high - low) / 2;
        if (path::cost_of(with_steps(profile, survey, middle, false), profile).finite_steps <= wanted)
            high = middle;
        else
            low = middle + 1;
    }
    return best_of(profile, survey, low);
}

path::Schedule OptimisedSchedule::best_of(const path::PathProfile& profile, const SurveyRecord& survey,
                                          Index steps) const {
    constexpr double largest_lag = 0.1; // of the limit of many steps
    const auto schedule = with_steps(profile, survey, steps, false);
    const bool is_finite = kind == Kind::varopt_m && functional != Functional::integral &&
                           (functional == Functional::finite || path::cost_of(schedule, profile).lag > largest_lag);
    return is_finite ? with_steps(profile, survey, steps, true) : schedule;
}

std::string OptimisedSchedule::cost() const {
    return fmt::format("{} trajectories x {} temperatures{}", pilot_trajectories, pilot_steps,
                       holds() ? fmt::format(", held at {} of them for {}{} moves", hold_knots,
                                             kind == Kind::gms13 ? "" : "up to ", hold_sweeps)
                               : "");
}

SurveyRecord refined_survey(const std::vector<Trace>& replicates) {
    constexpr std::size_t most_points = 4000; // of a profile that is smoothed
    const auto& points = replicates.front().inverse_temperature;
    const std::size_t stride = (points.size() - 1) / most_points + 1;
    const auto n = static_cast<double>(replicates.size());
    SurveyRecord record;
    auto& profile = record.profile;
    std::vector<double> variance; // of the log weights
    for (std::size_t k = 0; k < points.size();
         k = k + 1 == points.size() ? k + 1 : std::min(k + stride, points.size() - 1)) {
        double mean_u = 0, variance_u = 0, spread = 0;
        for (const auto& trace : replicates) {
            mean_u += trace.mean_u[k] / n;
            variance_u += trace.variance_u[k] / n;
            spread += std::log(trace.ess.front() / trace.ess[k]) / n;
        }
        profile.inverse_temperature.push_back(points[k]);
        profile.mean_u.push_back(mean_u);
        profile.variance_u.push_back(variance_u);
        variance.push_back(spread);
    }
    record.repaired = path::repair(profile.variance_u);
    profile.tau.assign(variance.size(), 1.0);
    profile.rejection_rate = profile.variance_u; // no pairs are recorded, and no schedule is made of them
    // Several steps of the run are one here: V grows by D^2 g tau in each of them.
    record.friction = path::friction_of_growth(profile.inverse_temperature, variance, profile.variance_u);
    for (std::size_t i = 0; i < variance.size(); ++i)
        record.friction[i] = std::max(record.friction[i] * static_cast<double>(stride), profile.variance_u[i]);
    return record;
}

std::vector<Index> learnt_rows(std::span<const double> learnt_at, const path::Schedule& schedule) {
    std::vector<Index> rows{0};
    const auto last = std::ssize(learnt_at) - 1;
    for (Index k = 1; k <= schedule.steps(); ++k) {
        const auto next = std::lower_bound(learnt_at.begin(), learnt_at.end(), schedule[k]) - learnt_at.begin();
        rows.push_back(std::clamp<Index>(next, 1, last));
    }
    return rows;
}

} // namespace pearlite::algorithm
