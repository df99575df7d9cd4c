#include "app/embedding/session.hpp"

#include "app/commands/run_command.hpp"
#include "app/program/build_info.hpp"
#include "app/run/signals.hpp"
#include "app/sweep/sweep_files.hpp"
#include "app/written/summary.hpp"
#include "core/linear_algebra/linear_algebra.hpp"
#include "io/container/checkpoints.hpp"
#include "io/files/child_process.hpp"
#include "models/joint/joint_density.hpp"
#include "parallel/agreement.hpp"
#include "parallel/machines.hpp"
#include "pearlite/app/command_line.hpp"
#include "pearlite/kernel/detail/searched_energy.hpp"
#include "pearlite/path/tempered.hpp"

namespace pearlite::app {

namespace fs = std::filesystem;

struct Session::Mpi {
    int argc = 0;
    char** argv = nullptr;
    io::ReadyToRead ready_to_read;
    std::unique_ptr<parallel::Environment> environment =
        parallel::was_launched() ? std::make_unique<parallel::Environment>(argc, argv) : nullptr;
    parallel::Communicator ranks = parallel::Communicator::world();
};

namespace {

constexpr double patience_with_others = 2; // seconds for errors that the ranks throw alike without a message

template <class Options>
Options session_options(const Task& task) {
    Options options;
    options.data_directory = task.data_directory;
    options.time_limit = task.time_limit;
    options.step_limit = task.step_limit;
    options.patience = task.patience;
    options.goes_on = task.goes_on;
    options.screen = task.prints_progress ? Reporter::Screen::without_result : Reporter::Screen::off;
    return options;
}

RunOptions run_options(const Task& task) {
    auto options = session_options<RunOptions>(task);
    options.configuration = task.name;
    options.text = ConfigurationText{task.configuration, task.base};
    options.directory = task.directory;
    options.overwrite = task.overwrite;
    return options;
}

ResumeOptions resume_options(const Task& task) {
    auto options = session_options<ResumeOptions>(task);
    options.directory = task.directory;
    options.expected = run_options(task);
    return options;
}

/// Whether the directory has a run to go on with.
bool has_run(const parallel::Communicator& ranks, const fs::path& directory) {
    Index has = 0;
    parallel::on_root(ranks,
                      [&] { has = !io::list_checkpoints(directory).empty() || is_sweep_directory(directory) ? 1 : 0; });
    return ranks.max(has) == 1;
}

} // namespace

Session::Session(std::string host, std::string way_to_resume) {
    require_cpu();
    cut_products_alike();
    speak_as(std::move(host), std::move(way_to_resume));
    mpi_ = std::make_unique<Mpi>();
}
Session::~Session() = default;

int Session::rank() const {
    return mpi_->ranks.rank();
}
int Session::size() const {
    return mpi_->ranks.size();
}

Ended Session::run(const Catalogue& models, const Task& task, const std::function<void()>& last_words) const {
    const auto& ranks = mpi_->ranks;
    try {
        Ended ended;
        const int status = task.resume && has_run(ranks, task.directory)
                               ? resume_command(ranks, models, resume_options(task))
                               : run_command(ranks, models, run_options(task));
        if (status == exit_failed) // of a sweep, which has reported its failed runs
            throw_agreed(ErrorKind::other, fmt::format("runs of the sweep in {} have failed, rows.*.jsonl says why",
                                                       task.directory.string()));
        ended.finished = status == exit_finished;
        if (!ended.finished)
            ended.signal = static_cast<int>(ranks.max(Index{StopSignals::received()}));
        parallel::on_root(ranks, [&] {
            if (ended.finished)
                ended.text = is_sweep_directory(task.directory) ? describe_finished_sweep(task.directory)
                                                                : describe_summary(task.directory);
        });
        return ended;
    } catch (...) {
        if (is_agreed(std::current_exception()) || ranks.all_arrive(patience_with_others))
            throw;
        last_words();
        abort(describe(std::current_exception()).kind == ErrorKind::input ? exit_bad_input : exit_failed);
    }
}

std::optional<int> Session::first_that(bool is_it) const {
    const auto& ranks = mpi_->ranks;
    const auto from_behind = ranks.max(Index{is_it ? ranks.size() - ranks.rank() : 0});
    return from_behind > 0 ? std::optional(ranks.size() - static_cast<int>(from_behind)) : std::nullopt;
}
std::string Session::broadcast(const std::string& text, int root) const {
    return mpi_->ranks.broadcast(text, root);
}
bool Session::all_arrive(double seconds) const {
    return mpi_->ranks.all_arrive(seconds);
}
void Session::abort(int status) {
    parallel::Environment::abort(status);
}

namespace {

/// Points of a block are evaluated by one call, whose cost they share.
constexpr Index points_of_a_call = 512;
constexpr Index most_points_of_a_call = 65536;

model::ModelTraits density_traits(const std::string& name) {
    return {name, points_of_a_call, most_points_of_a_call, true, 1, true};
}

std::unique_ptr<BuiltModel> tempered(std::shared_ptr<const model::DensityFunctions> density) {
    return model::annealed(std::make_shared<const path::Tempered>(std::move(density)));
}

} // namespace

ModelEntry density_entry(const std::string& name, std::shared_ptr<const model::DensityFunctions> density) {
    auto traits = density_traits(name);
    traits.has_estimated_likelihood = density->is_estimated();
    return {std::move(traits), "a prior and a likelihood of the program at hand",
            [density = std::move(density)](io::Configuration&, io::Section&) { return tempered(density); }};
}

ModelEntry joint_density_entry(const std::string& name, std::shared_ptr<const model::JointFunctions> functions) {
    auto traits = density_traits(name);
    traits.lacks_prior = true;
    return {std::move(traits), "a joint density of the program at hand",
            [functions = std::move(functions)](io::Configuration&, io::Section& section) {
                const double scale = section.number("start_scale", 2.0, {.low = 0, .open_low = true});
                return tempered(std::make_shared<const models::JointDensity>(functions, scale));
            }};
}

ModelEntry energy_entry(const std::string& name, std::shared_ptr<const kernel::BoxFunctions> energy) {
    kernel::check_box(energy->dimension(), energy->lower(), energy->upper(), energy->is_periodic());
    return model::searched_entry(
        name, "an energy of the program at hand", kernel::box_search_traits(),
        [energy = std::move(energy)](io::Configuration&, io::Section&) { return kernel::searched(energy); });
}

} // namespace pearlite::app
