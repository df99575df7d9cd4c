#pragma once
/// A sweep: the settings of [sweep], each with replicates, as runs that are known by their numbers.

#include "algorithm/plans/algorithm.hpp"
#include "app/configured/same_inputs.hpp"
#include "io/configuration/sweep/sweep_grid.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace pearlite::app {

/// The keys of [sweep] beside the swept ones.
struct SweepSettings {
    /// The files that are kept of single runs.
    enum class Keep { runs, table };

    Index replicates = 1;
    bool has_common_seeds = true;
    io::SweepCombination combination = io::SweepCombination::crossed;
    std::vector<std::string> scalars;
    Keep keep = Keep::runs;
    Index ranks_per_run = 0;
    std::optional<double> evaluations, seconds; ///< of each run
    std::string fitted_key;                     ///< that follows from the budget

    bool has_budget() const { return evaluations || seconds; }
    void keys(Keys& k);
};

/// Facts about a setting, the same on all ranks.
struct SweepSetting {
    std::uint64_t seed = 1; ///< run.seed
    std::string fitted;     ///< the assignment of the key that follows from the budget, empty without a budget
    double updates = 0;     ///< predicted for a run; 0: not known beforehand
    double bytes = 0;       ///< of its checkpoint
    Index useful_ranks = 1;
    std::string fingerprint; ///< of its model and data
    std::string model, algorithm, unit;
    std::vector<InputFile> files;
};

class Sweep {
  public:
    /// Collective. Reads the configuration, which has a table [sweep], and prepares every setting. InputError for any
    /// mistake in any setting. `fitted` holds the assignments that were fitted to a budget when a resumed sweep began.
    Sweep(const parallel::Communicator& ranks, const Catalogue& models, io::Configuration configuration,
          const std::vector<std::string>& fitted = {});

    const SweepSettings& settings() const { return settings_; }
    const io::SweepGrid& grid() const { return grid_; }
    /// Collective. InputError unless all ranks have the same files.
    void require_same_files(const parallel::Communicator& ranks) const;
    /// One for each setting of the grid.
    const std::vector<SweepSetting>& facts() const { return facts_; }
    /// The number of runs; the runs of a setting have consecutive numbers.
    Index runs() const { return first_runs_.back(); }
    Index first_run_of(Index setting) const { return first_runs_.at(at(setting)); }
    /// Less than settings().replicates for a variant with fewer replicates.
    Index replicates_of(Index setting) const { return first_run_of(setting + 1) - first_run_of(setting); }
    Index setting_of(Index run) const;
    Index replicate_of(Index run) const { return run - first_run_of(setting_of(run)); }
    /// Below 2^63, so that it can stand in a configuration; independent of the replicates of other settings.
    std::uint64_t seed_of(Index run) const;
    /// "setting 3 (algorithm.chains = 4), replicate 2, seed 17".
    std::string describe(Index run) const;
    io::Configuration configuration_of(Index run) const;
    /// The limit that the configuration sets for a session, in seconds.
    std::optional<double> time_limit_seconds() const { return time_limit_seconds_; }

  private:
    SweepSetting prepare_setting(const Catalogue& models, Index setting, const std::string& fitted);

    io::Configuration base_;
    SweepSettings settings_;
    io::SweepGrid grid_;
    std::vector<Index> first_runs_{0}; ///< of each setting, and the number of all runs
    std::vector<SweepSetting> facts_;
    std::optional<double> time_limit_seconds_;
};

/// Whether a configuration describes a sweep.
bool is_sweep(const io::Configuration& configuration);

/// "4 setting(s) x 16 replicate(s)".
std::string describe_size(const Sweep& sweep);

/// The grid, the predicted cost of each setting and of all, for `check`.
std::string describe_sweep(const Sweep& sweep);

} // namespace pearlite::app
