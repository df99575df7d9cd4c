#pragma once
/// What a configuration asks for, apart from its model: read once, checked as a whole, the same for every algorithm.

#include "pearlite/app/algorithm.hpp"
#include "pearlite/app/posterior_plan.hpp"
#include "pearlite/app/search_plan.hpp"
#include "pearlite/io/configuration.hpp"
#include "pearlite/path/schedule.hpp"
#include "pearlite/sampler/reverse_start.hpp"
#include "pearlite/sampler/smc.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

namespace pearlite::app {

/// Names of sampler::ReverseStart in configurations, in the order of the enumeration.
const std::vector<std::string>& reverse_start_names();

/// What of a model the rest of a configuration depends on.
struct ModelTraits {
    std::string name;
    Index default_block = 16;
    Index largest_block = 4096;
    bool continuous = false; ///< moved by a generic kernel with tuned proposals; else by the model's own transition
    double largest_inverse_temperature = 1;  ///< of path.inverse_temperature_end
    bool is_time_reversible = false;         ///< trajectories can run backwards
    std::optional<SearchTraits> search = {}; ///< of an energy to be searched; else the model is annealed
    std::string particles_key = {};          ///< key of [model] with the particles of an estimated likelihood
};

struct Plan {
    // [run]
    std::uint64_t seed = 1;
    Index block = 16;
    double checkpoint_every_seconds = 300;
    std::optional<double> time_limit_seconds;
    // [path] and [schedule]
    double inverse_temperature_end = 1;
    std::optional<path::Schedule> schedule; ///< absent: adaptive
    double conditional_ess = 0.95;
    std::optional<double> log_weight_sd; ///< of an adaptive schedule's steps, at most
    // [kernel]
    Index moves = 1;
    bool pilot = false; ///< temperatures and proposals from a pilot; otherwise online
    Index pilot_particles = 0;
    // [algorithm]
    Algorithm algorithm = Algorithm::annealed_importance;
    Index particles = 0; ///< trajectories; forward ones; replicas at all temperatures, 0 while these are not known
    Index batches = 1;
    sampler::SmcSettings smc;
    Index reverse_trajectories = 0;
    sampler::ReverseStart reverse_start = sampler::ReverseStart::weighted;
    Index equilibration = 0; ///< steps of the reverse starts
    Index replicas = 0;      ///< independent systems of parallel tempering
    Index scans = 0;         ///< moves and swaps, burn-in included
    Index burn_in = 0;
    bool cold_from_mode = false;            ///< how the colder part of the ladder starts
    std::optional<double> cold_from;        ///< where that begins
    std::optional<PosteriorPlan> posterior; ///< of the algorithms without a path
    std::optional<SearchPlan> search;       ///< of the algorithms that search for low energies
};

/// The temperatures of a sampler, or of its pilot.
std::variant<path::Schedule, sampler::AdaptiveSchedule> schedule_of(const Plan& plan);

/// Reads every table but [model]. `reverse_starts` are those that the model has, the default first. Mistakes are
/// recorded in the configuration; call its check() afterwards.
Plan read_plan(io::Configuration& configuration, const ModelTraits& traits,
               const std::vector<sampler::ReverseStart>& reverse_starts);

} // namespace pearlite::app
