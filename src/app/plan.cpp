#include "pearlite/app/plan.hpp"

#include "pearlite/core/error.hpp"
#include "pearlite/io/arrays.hpp"

#include <algorithm>

namespace pearlite::app {

namespace {

void read_run(io::Configuration& configuration, const ModelTraits& traits, Plan& plan) {
    auto run = configuration.section("run");
    plan.seed = static_cast<std::uint64_t>(run.integer("seed", 1, {.low = 0}));
    if (plan.algorithm != Algorithm::parallel_tempering && !traits.search) // there a block is a temperature, or a chain
        plan.block =
            run.integer("block", plan.algorithm == Algorithm::pseudo_marginal ? 1 : traits.default_block,
                        {.low = 1, .high = traits.largest_block}); // few chains, one after another, for many ranks
    if (plan.algorithm == Algorithm::smc)
        plan.smc.balance = run.boolean("balance", true);
    plan.checkpoint_every_seconds = run.seconds("checkpoint_every", 300);
    if (run.has("time_limit"))
        plan.time_limit_seconds = run.seconds("time_limit");
}

/// A user's schedule: the last column of a file of numbers, one inverse temperature a line.
std::optional<path::Schedule> schedule_from_file(io::Section& section, double end) {
    const auto file = section.file("file");
    if (!file)
        return {};
    const Matrix values = io::read_columns(*file).values;
    const Vector last = values.col(values.cols() - 1);
    path::Schedule schedule(std::vector<double>(last.begin(), last.end()));
    if (schedule.end() != end)
        throw InputError(file->string() + ": the schedule ends at " + std::to_string(schedule.end()) +
                         ", but path.inverse_temperature_end is " + std::to_string(end));
    return schedule;
}

std::optional<path::Schedule> read_fixed_schedule(io::Section& section, const std::string& kind, double end,
                                                  Index default_steps) {
    if (kind == "file")
        return schedule_from_file(section, end);
    const Index steps = section.integer("steps", default_steps, {.low = 3, .high = 4'000'000'000});
    if (steps < 3)
        return {};
    if (kind == "linear")
        return path::linear_schedule(steps, end);
    if (kind == "geometric")
        return path::geometric_schedule(
            steps, end, section.number("epsilon", 1e-3, {.low = 0, .high = 1, .open_low = true, .open_high = true}));
    if (kind == "piecewise") {
        auto knots = section.numbers("knots");
        for (double& knot : knots)
            knot /= end;
        return path::piecewise_schedule(steps, end, knots, section.numbers("shares"));
    }
    if (kind == "exponential")
        return path::exponential_schedule(steps, end, section.number("ratio", 100, {.low = 0, .open_low = true}));
    return path::sm08_schedule(steps, end);
}

void read_schedule(io::Configuration& configuration, Plan& plan) {
    const double end = plan.inverse_temperature_end;
    auto section = configuration.section("schedule");
    const auto kind =
        section.choice("kind", {"linear", "geometric", "exponential", "piecewise", "sm08", "file", "adaptive"},
                       plan.algorithm == Algorithm::smc || plan.posterior ? "adaptive" : "linear");
    if (kind == "adaptive") {
        plan.conditional_ess = section.number("conditional_ess", plan.posterior ? 0.9 : 0.95,
                                              {.low = 0, .high = 1, .open_low = true, .open_high = true});
        if (section.has("log_weight_sd"))
            plan.log_weight_sd = section.number("log_weight_sd", 1, {.low = 0, .open_low = true});
        return;
    }
    plan.schedule = path::linear_schedule(3, 1); // stands in for one that cannot be read
    if (end > 0)
        try {
            if (auto schedule = read_fixed_schedule(section, kind, end,
                                                    plan.algorithm == Algorithm::parallel_tempering ? 31 : 1000))
                plan.schedule = std::move(schedule);
        } catch (const InputError& error) {
            section.error(kind == "file" ? "file" : kind == "piecewise" ? "knots" : "steps", error.what());
        }
}

void read_path(io::Configuration& configuration, const ModelTraits& traits, Plan& plan) {
    auto path = configuration.section("path");
    plan.inverse_temperature_end = path.number(
        "inverse_temperature_end", 1.0, {.low = 0, .high = traits.largest_inverse_temperature, .open_low = true});
    read_schedule(configuration, plan);
}

/// Random numbers are addressed by slots of 40 bits.
constexpr Index largest_population = Index{1} << 40;

void read_nonequilibrium(io::Section& section, const ModelTraits& traits,
                         const std::vector<sampler::ReverseStart>& reverse_starts, Plan& plan) {
    if (!traits.is_time_reversible)
        section.error("name",
                      "the transition of this model cannot run backwards: it is not declared reversible and has no "
                      "reversed form; expected another algorithm");
    plan.particles = section.integer("trajectories", 1024, {.low = 2, .high = largest_population});
    plan.reverse_trajectories =
        section.integer("reverse_trajectories", plan.particles, {.low = 2, .high = largest_population});
    std::vector<std::string> offered;
    for (const auto start : reverse_starts)
        offered.push_back(reverse_start_names()[static_cast<std::size_t>(start)]);
    const auto& names = reverse_start_names();
    const auto place = std::find(names.begin(), names.end(), section.choice("reverse_start", offered, offered.front()));
    if (place != names.end())
        plan.reverse_start = static_cast<sampler::ReverseStart>(place - names.begin());
    const bool is_exact = plan.reverse_start == sampler::ReverseStart::exact;
    plan.equilibration = section.integer("equilibration", is_exact ? 0 : 100, {.low = 0, .high = 1'000'000'000});
}

void read_tempering(io::Section& section, const ModelTraits& traits,
                    const std::vector<sampler::ReverseStart>& reverse_starts, Plan& plan) {
    plan.replicas = section.integer("replicas", std::min<Index>(64, traits.largest_block),
                                    {.low = 1, .high = traits.largest_block});
    plan.scans = section.integer("scans", 2000, {.low = 10, .high = 4'000'000'000});
    plan.burn_in = section.integer("burn_in", plan.scans / 5, {.low = 0, .high = std::max<Index>(plan.scans - 2, 0)});
    plan.block = plan.replicas;
    const bool has_mode =
        std::find(reverse_starts.begin(), reverse_starts.end(), sampler::ReverseStart::mode) != reverse_starts.end();
    if (has_mode) {
        plan.cold_from_mode = section.choice("cold_start", {"mode", "prior"}, "mode") == "mode";
        if (plan.cold_from_mode && section.has("cold_from"))
            plan.cold_from = section.number("cold_from", {}, {.low = 0});
    }
}

/// A model is annealed or searched; what does not suit it is a mistake, and its default stands in.
Algorithm read_algorithm_name(io::Configuration& configuration, const ModelTraits& traits) {
    auto section = configuration.section("algorithm");
    const auto& names = algorithm_names();
    const auto standard = traits.search ? Algorithm::pisaa : Algorithm::annealed_importance;
    const auto name = section.choice("name", names, algorithm_name(standard));
    const auto place = std::find(names.begin(), names.end(), name);
    if (place == names.end())
        return standard;
    const auto algorithm = static_cast<Algorithm>(place - names.begin());
    if (is_at_posterior(algorithm) && !traits.search && !traits.continuous) {
        section.error("name", "got \"" + name +
                                  "\", which works on densities of continuous parameters; this model has "
                                  "states and moves of its own; expected another algorithm");
        return standard;
    }
    if (is_search(algorithm) == traits.search.has_value())
        return algorithm;
    std::string suitable;
    for (std::size_t a = 0; a < names.size(); ++a)
        if (is_search(static_cast<Algorithm>(a)) == traits.search.has_value())
            suitable += (suitable.empty() ? "\"" : ", \"") + names[a] + "\"";
    section.error("name", "got \"" + name + "\", but this model " +
                              (traits.search ? "is an energy to be searched" : "is annealed, not searched") +
                              "; expected one of " + suitable);
    return standard;
}

void read_algorithm(io::Configuration& configuration, const ModelTraits& traits,
                    const std::vector<sampler::ReverseStart>& reverse_starts, Plan& plan) {
    auto section = configuration.section("algorithm");
    if (plan.algorithm == Algorithm::annealed_importance) {
        plan.particles = section.integer("trajectories", 1024, {.low = 2, .high = largest_population});
        return;
    }
    if (plan.algorithm == Algorithm::nonequilibrium)
        return read_nonequilibrium(section, traits, reverse_starts, plan);
    if (plan.algorithm == Algorithm::parallel_tempering)
        return read_tempering(section, traits, reverse_starts, plan);
    plan.particles = section.integer("particles", 1024, {.low = 2, .high = largest_population});
    plan.batches = section.integer("batches", 1, {.low = 1, .high = 10000});
    plan.smc.ess_threshold = section.number("ess_threshold", 0.5, {.low = 0, .high = 1});
    const auto& schemes = population::resampling_names();
    const auto scheme = section.choice("resampling", schemes, "systematic");
    const auto chosen = std::find(schemes.begin(), schemes.end(), scheme);
    if (chosen != schemes.end())
        plan.smc.resampling = static_cast<population::Resampling>(chosen - schemes.begin());
}

void read_kernel(io::Configuration& configuration, const ModelTraits& traits, Plan& plan) {
    auto kernel = configuration.section("kernel");
    kernel.choice("kind", {traits.continuous ? "random-walk" : "native"}, traits.continuous ? "random-walk" : "native");
    plan.moves = kernel.integer("moves", traits.continuous ? 5 : 1, {.low = 1, .high = 1'000'000});

    // Trajectories that share an online scale, or a schedule, are no longer independent: only SMC may take them online.
    const bool is_smc = plan.algorithm == Algorithm::smc;
    const bool adaptive = !plan.schedule;
    if (traits.continuous || adaptive)
        plan.pilot = kernel.choice("adapt", {"pilot", "online"}, is_smc ? "online" : "pilot") == "pilot";
    const bool needs_pilot = plan.algorithm != Algorithm::annealed_importance && traits.continuous;
    if (!is_smc && !plan.pilot && (adaptive || needs_pilot))
        kernel.error("adapt", "got \"online\", but " + algorithm_name(plan.algorithm) +
                                  (adaptive ? " takes an adaptive schedule" : " takes its proposals") +
                                  " from a pilot; expected \"pilot\"");
    if (plan.pilot)
        plan.pilot_particles = kernel.integer(
            "pilot_particles", plan.particles > 0 ? std::min<Index>(plan.particles, 1024) : 1024, {.low = 16});
    const bool is_tempering = plan.algorithm == Algorithm::parallel_tempering;
    const double passes = plan.algorithm == Algorithm::nonequilibrium ? 3 : 1;
    const double temperatures = plan.schedule ? static_cast<double>(plan.schedule->steps()) : 0;
    const double steps = is_tempering ? static_cast<double>(plan.scans)
                                      : passes * temperatures + static_cast<double>(plan.equilibration);
    if (steps * static_cast<double>(plan.moves) > 4e9)
        kernel.error("moves", "all steps x kernel.moves are beyond 4e9, the number of addressed steps");
}

/// [schedule] and [kernel] belong to the pilot, where there is one.
void read_at_posterior(io::Configuration& configuration, const ModelTraits& traits, Plan& plan) {
    auto algorithm = configuration.section("algorithm");
    plan.posterior = read_posterior_plan(algorithm, plan.algorithm);
    plan.posterior->pilot_block = traits.default_block;
    plan.particles = plan.posterior->particles;
    plan.pilot = plan.posterior->from_pilot;
    read_run(configuration, traits, plan);
    if (!plan.pilot)
        return;
    read_schedule(configuration, plan);
    auto kernel = configuration.section("kernel");
    kernel.choice("kind", {"random-walk"}, "random-walk");
    plan.moves = kernel.integer("moves", 5, {.low = 1, .high = 1'000'000});
    plan.pilot_particles = kernel.integer("pilot_particles", 256, {.low = 16, .high = largest_population});
}

} // namespace

const std::vector<std::string>& reverse_start_names() {
    static const std::vector<std::string> names{"exact", "mode", "data", "weighted"};
    return names;
}

std::variant<path::Schedule, sampler::AdaptiveSchedule> schedule_of(const Plan& plan) {
    if (plan.schedule)
        return *plan.schedule;
    sampler::AdaptiveSchedule adaptive{plan.inverse_temperature_end, plan.conditional_ess};
    if (plan.log_weight_sd)
        adaptive.log_weight_sd = *plan.log_weight_sd;
    return adaptive;
}

Plan read_plan(io::Configuration& configuration, const ModelTraits& traits,
               const std::vector<sampler::ReverseStart>& reverse_starts) {
    Plan plan;
    plan.algorithm = read_algorithm_name(configuration, traits);
    if (traits.search) {
        plan.block = 1; // a chain is what ranks own
        read_run(configuration, traits, plan);
        plan.search = read_search_plan(configuration, plan.algorithm, *traits.search, plan.seed);
        plan.particles = plan.search->settings.chains * plan.search->replicates;
        return plan;
    }
    if (is_at_posterior(plan.algorithm)) {
        read_at_posterior(configuration, traits, plan);
        return plan;
    }
    read_algorithm(configuration, traits, reverse_starts, plan);
    read_run(configuration, traits, plan);
    read_path(configuration, traits, plan);
    if (plan.algorithm == Algorithm::parallel_tempering && plan.schedule)
        plan.particles = plan.replicas * (plan.schedule->steps() + 1);
    read_kernel(configuration, traits, plan);
    return plan;
}

} // namespace pearlite::app
