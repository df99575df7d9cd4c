#pragma once
/// The commands behind the command line.

#include "algorithm/plans/algorithm.hpp"
#include "app/run/progress.hpp"
#include "io/configuration/key_description.hpp"
#include "pearlite/app/catalogue.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace pearlite::app {

/// A configuration given as text, without a file.
struct ConfigurationText {
    std::string text;           ///< TOML
    std::filesystem::path base; ///< where relative paths start
};

struct RunOptions {
    std::filesystem::path configuration;   ///< a file, or the name of `text` in messages
    std::optional<ConfigurationText> text; ///< in place of that file
    std::vector<std::string> overrides;
    std::optional<std::filesystem::path> directory; ///< default runs/<toml stem>
    std::optional<std::filesystem::path> data_directory;
    std::optional<std::string> time_limit; ///< seconds or [D-]HH:MM:SS
    std::optional<Index> step_limit;
    std::optional<std::string> patience; ///< likewise: time of a step after a stop signal or the limit
    bool overwrite = false;
    Reporter::Screen screen = Reporter::Screen::on;
};
struct CheckOptions {
    std::filesystem::path configuration;
    std::vector<std::string> overrides;
    std::optional<std::filesystem::path> data_directory;
    double probe_seconds = 0.2; ///< of steps that are tried; 0: none
};
struct ResumeOptions {
    std::filesystem::path directory;
    std::optional<std::filesystem::path> data_directory;
    std::optional<std::string> time_limit;
    std::optional<Index> step_limit;
    std::optional<std::string> patience;
    Reporter::Screen screen = Reporter::Screen::on;
    /// If given, the run must be the one that these options would begin. A finished run is restored all the same.
    std::optional<RunOptions> expected;
};

struct TuneOptions {
    std::filesystem::path configuration;
    std::vector<std::string> overrides;
    std::optional<std::filesystem::path> data_directory;
    std::optional<std::filesystem::path> output; ///< default <toml stem>-tuned.toml
    bool overwrite = false;
    Index pilot_particles = 256;
};

struct KeysOptions {
    std::string table; ///< "run", "model.ising", "algorithm.smc"; empty: all
    bool as_markdown = false, as_json_schema = false;
};

struct ReportOptions {
    std::filesystem::path directory; ///< of a run or of a sweep
    std::filesystem::path support_directory;
    // For sweeps:
    std::vector<std::string> scalars;   ///< shown instead of those that the configuration chose
    std::optional<std::string> against; ///< the only swept key that scalars are drawn against
    std::optional<double> above;        ///< distances to this value are drawn
    bool runs = false;                  ///< make the report of every single run too
    // For runs:
    bool follow = false; ///< draw it again with each checkpoint, until the run ends
};

struct StanOptions {
    std::filesystem::path program; ///< model.stan
    std::filesystem::path support_directory;
    std::optional<std::filesystem::path> library; ///< default: the program's name with .so
    bool again = false;                           ///< compile even if nothing has changed
};

struct NewOptions {
    std::string kind; ///< "model", "likelihood" or "energy"
    std::string name; ///< of the folder and of all in it
    std::filesystem::path support_directory;
};

struct WorksOptions {
    std::filesystem::path forward, reverse; ///< tables of works
    std::string column;                     ///< by name or number; empty: the last
    std::string units = "kT";
    std::optional<double> temperature, beta; ///< in kelvin; in nats per unit of work
    bool same_sign = false;                  ///< reverse works have the sign of the forward process
    std::string integrate;                   ///< "lambda" or "force": directories of records; empty: files of works
    std::optional<double> velocity;          ///< of the forward process, for forces
    std::uint64_t seed = 1;
    Index block = 16;                               ///< works that are summed in order
    std::optional<std::filesystem::path> directory; ///< for results; none: they are shown only
    bool overwrite = false;
};

struct MbarOptions {
    std::filesystem::path file; ///< reduced potentials of samples of several states
    std::string state = "state";
    std::vector<std::string> leave_out;
    std::string units = "kT";
    std::optional<double> temperature, beta;
    std::optional<std::filesystem::path> directory;
    bool overwrite = false;
};

/// Collective; exit status.
int run_command(const parallel::Communicator& ranks, const Catalogue& models, const RunOptions& options);
int resume_command(const parallel::Communicator& ranks, const Catalogue& models, const ResumeOptions& options);
int tune_command(const parallel::Communicator& ranks, const Catalogue& models, const TuneOptions& options);
int check_command(const parallel::Communicator& ranks, const Catalogue& models, const CheckOptions& options);
int works_command(const parallel::Communicator& ranks, const WorksOptions& options);
int mbar_command(const parallel::Communicator& ranks, const MbarOptions& options);

/// Commands without MPI.
int list_command(const Catalogue& models);
int keys_command(const Catalogue& models, const KeysOptions& options);
int show_command(const std::filesystem::path& file);
int compare_command(const std::vector<std::filesystem::path>& directories);
int status_command(const std::vector<std::filesystem::path>& directories);
int draws_command(const std::filesystem::path& directory, const std::optional<std::filesystem::path>& file);
/// Makes a folder with a user's own model, which builds and runs, from the templates of share/pearlite.
int new_command(const NewOptions& options);
// Run programs of share/pearlite beside this program, else of `support_directory`; they return the exit status.
int report_command(const ReportOptions& options);
int stan_command(const StanOptions& options);

/// A configuration read in full: model built, plan made, every mistake reported. Throws InputError.
struct Prepared {
    std::string model_name;
    ModelTraits traits;
    std::unique_ptr<BuiltModel> model;
    const algorithm::Algorithm* algorithm = nullptr;
    std::unique_ptr<algorithm::Plan> plan;
    std::string resolved;
    std::vector<std::string> unused; ///< settings that only alternatives to the algorithm use
};
/// The configuration that is to be run.
io::Configuration load_configuration(const RunOptions& options);
/// One line on the unused keys; empty if there are none.
std::string describe_unused(const Prepared& prepared);
Prepared prepare(const Catalogue& models, io::Configuration configuration);
/// The plan of another configuration of the same model and algorithm; null if a key of its tables is wrong.
std::unique_ptr<algorithm::Plan> plan_again(const Prepared& prepared, io::Configuration configuration);

/// Models, the algorithms that suit them, and the keys of every table.
io::ConfigurationDescription describe_configuration(const Catalogue& models);

} // namespace pearlite::app
