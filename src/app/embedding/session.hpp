#pragma once
/// Runs in a process with a main() of another language, which may have started MPI itself, and models of
/// its functions.

#include "algorithm/common/settings.hpp"
#include "pearlite/app/catalogue.hpp"
#include "pearlite/kernel/detail/box_functions.hpp"
#include "pearlite/model/detail/density_functions.hpp"
#include "target/joint_functions.hpp"

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace pearlite::app {

/// A run, with the options that `pearlite run` and `pearlite resume` take.
struct Task {
    std::string configuration;       ///< TOML
    std::string name;                ///< stands for the file in messages
    std::filesystem::path base;      ///< where the configuration's relative paths start
    std::filesystem::path directory; ///< of the run
    bool overwrite = false;
    bool resume = false; ///< go on with the run in the directory, if there is one, of this configuration and model
    std::optional<std::string> time_limit, patience;
    std::optional<Index> step_limit;
    std::optional<std::filesystem::path> data_directory;
    bool prints_progress = true; ///< on the standard error stream
    /// On rank 0, between steps; false stops the run with a checkpoint. Not for sweeps.
    std::function<bool(const algorithm::Progress&)> goes_on = {};
};

struct Ended {
    bool finished = true;
    int signal = 0;   ///< that stopped the run, or 0
    std::string text; ///< of a finished run, on rank 0: its result in words
};

/// One session in a process. MPI is started here unless it is running already, and ended by whoever started it.
class Session {
  public:
    /// InputError if this CPU lacks instructions. `host`: the program in messages; `way_to_resume`: "the same call
    /// with resume=True".
    Session(std::string host, std::string way_to_resume);
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    int rank() const;
    int size() const;

    /// Collective. Throws the error that a command would have printed, on all ranks. An error that only this rank has
    /// ends the job, after a call of `last_words`.
    Ended run(const Catalogue& models, const Task& task, const std::function<void()>& last_words) const;

    /// Collective. The lowest rank with is_it, if there is one.
    std::optional<int> first_that(bool is_it) const;
    /// Collective.
    std::string broadcast(const std::string& text, int root) const;
    /// Collective, within some seconds: whether all ranks have come here.
    bool all_arrive(double seconds) const;
    [[noreturn]] static void abort(int status);

  private:
    struct Mpi;
    std::unique_ptr<Mpi> mpi_;
};

// Models that exist before a configuration is read: functions of another language.

/// A prior and a likelihood, annealed along the tempered path.
ModelEntry density_entry(const std::string& name, std::shared_ptr<const model::DensityFunctions> density);
/// A joint density, bridged; its key start_scale is that of Stan programs.
ModelEntry joint_density_entry(const std::string& name, std::shared_ptr<const model::JointFunctions> functions);
/// An energy in a box, which is searched for its minimum. InputError unless the box has lower bounds below upper ones.
ModelEntry energy_entry(const std::string& name, std::shared_ptr<const kernel::BoxFunctions> energy);

} // namespace pearlite::app
