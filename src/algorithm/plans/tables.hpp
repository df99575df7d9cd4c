#pragma once
/// The tables [run], [path], [schedule] and [kernel] of the algorithms that anneal, each a struct that lists its keys.
/// A second argument of keys() holds the facts that the keys depend on.

#include "algorithm/moments/moment_settings.hpp"
#include "algorithm/plans/bridge_settings.hpp"
#include "algorithm/plans/optimised_schedule.hpp"
#include "algorithm/survey/spread_temperatures.hpp"
#include "kernel/registry.hpp"
#include "path/schedule.hpp"
#include "pearlite/core/keys.hpp"
#include "pearlite/model/detail/model_traits.hpp"
#include "pearlite/model/target.hpp"
#include "pearlite/random/detail/generator.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace pearlite::algorithm {

class PilotAlgorithm;

/// Random numbers are addressed by slots of 40 bits, and steps of 32.
inline constexpr Index largest_population = Index{1} << 40;
inline constexpr Index largest_step = 4'000'000'000;
/// Every temperature is recorded on every rank.
inline constexpr Index most_temperatures = 100'000'000;

/// The default of run.block where a model chooses it, in words.
inline constexpr const char* block_of_model = "the model's, 16 unless its page says otherwise";

struct RunSettings {
    struct Facts {
        bool has_block = true;          ///< false: a block is a temperature, or a chain
        bool has_balance = false;       ///< blocks may change their ranks
        std::string block_default = {}; ///< in words, if the model chooses it
        Index largest_block = 4096;
    };

    random::Seed seed = 1;
    Index block = 16;
    bool balance = true;
    std::optional<double> checkpoint_every_seconds = 300; ///< none: from their cost and the failures
    double mean_time_between_failures = 86400;            ///< of the job, seconds
    std::optional<double> time_limit_seconds;
    bool is_short = false; ///< applied by io::Configuration

    void keys(Keys& k, const Facts& facts);
};

struct PathSettings {
    std::string kind; ///< the name of an entry of path/registry.hpp
    double inverse_temperature_end = 1;
    BridgeSettings bridge;
    MomentSettings moments;

    void keys(Keys& k, const model::ModelTraits& traits);
    /// The path begins at a reference that is fitted as the run begins.
    bool is_bridge() const { return kind == "bridge"; }
    /// The path goes through members of an exponential family that are fitted as the run begins.
    bool averages_moments() const { return kind == "moments"; }
    /// Traits of the model along the chosen path.
    model::ModelTraits along(model::ModelTraits traits) const;
};

/// Inverse temperatures of the algorithms that anneal.
struct ScheduleSettings {
    using Kind = ScheduleKind;

    Kind kind = Kind::linear;
    Index steps = 1000; ///< temperatures after the first
    double epsilon = 1e-3, ratio = 100;
    std::vector<double> knots, shares;
    InputFile file;
    double conditional_ess = 0.95;
    std::optional<double> log_weight_sd;
    bool spreads = false; ///< temperatures of a pilot are spread anew, for independent trajectories
    algorithm::Spread spread;
    OptimisedSchedule optimised;
    double end = 1;                      ///< of the path
    std::optional<path::Schedule> fixed; ///< absent: adaptive; of an optimised schedule as many even steps, until known

    /// Reading also makes `fixed`; mistakes of its shape are recorded. `may_optimise`: a survey can come before the
    /// run.
    void keys(Keys& k, bool may_optimise);
    /// A survey of the path makes the schedule.
    bool is_optimised() const { return kind >= Kind::varopt; }
    /// The temperatures that the configuration gives; null if a run or a pilot finds them.
    const path::Schedule* given() const { return fixed && !is_optimised() ? &*fixed : nullptr; }
    path::Temperatures temperatures() const;

  private:
    void list_shape(Keys& k);
    path::Schedule made() const;
};

/// Moves of the algorithms that anneal, or of a pilot.
struct KernelSettings {
    struct Facts {
        bool is_adaptive = true;                  ///< the schedule is adaptive
        bool may_adapt = true;                    ///< the algorithm has the choice between a pilot and itself
        std::string pilot_particles_default = {}; ///< in words, if it depends on other keys
        Index most_pilot_particles = 0;           ///< 0: any number
        bool may_keep_states = false;             ///< the algorithm may be one that keeps every state of chains
        bool keeps_states = false;                ///< and is: a move between two states is then the default
        bool needs_reference_alone = false;       ///< of a pilot: neither temperatures nor proposals
    };
    struct Suitable {
        kernel::KernelEntry entry;
        std::shared_ptr<kernel::KernelFactory> factory;
    };
    struct SuitablePilot {
        std::string name;
        std::shared_ptr<PilotAlgorithm> algorithm;
    };

    /// Settings with the defaults for a model.
    explicit KernelSettings(const model::ModelTraits& traits);

    std::vector<Suitable> suitable; ///< kernels that move the model's states, the default first
    std::string kind;               ///< the name of one of them, or "auto", the first
    kernel::MoveSettings moves;
    bool pilot = true;
    std::vector<SuitablePilot> pilots; ///< algorithms that can be the pilot of a run of the model
    std::string pilot_algorithm;       ///< the name of one of them
    Index pilot_particles = 1024;

    void keys(Keys& k, const Facts& facts);
    const kernel::KernelEntry& chosen() const { return chosen_kernel().entry; }
    /// Whether proposals or numbers of moves are learnt of a population.
    bool learns() const { return chosen().learns || !moves.number; }
    /// The chosen kernel for a target; `learnt`: the settings that a pilot's kernel learnt, null before any tuning.
    std::unique_ptr<kernel::Kernel> kernel_for(const std::shared_ptr<const model::Target>& target,
                                               const Matrix* learnt = nullptr) const {
        return chosen_kernel().factory->make(target, moves, learnt);
    }
    /// Moves at a temperature as far as they are known beforehand: 0 if their number is automatic.
    Index known_moves() const { return moves.number.value_or(0); }
    /// "5", or "up to 500".
    std::string moves_text() const;
    const PilotAlgorithm& chosen_pilot() const;
    /// ", by annealed-importance"; empty for the default.
    std::string pilot_name_text() const;

  private:
    const Suitable& chosen_kernel() const;
    void list_kind(Keys& k);
    void list_moves(Keys& k, const Facts& facts);
    void list_pilot(Keys& k, const Facts& facts);
    /// "kind is random-walk or hmc or moves is auto": when there is something to adapt, besides an adaptive schedule.
    std::string learning_sentence() const;
};

} // namespace pearlite::algorithm
