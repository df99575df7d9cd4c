#include "app/sweep/run_sweep.hpp"

#include "app/configured/memory.hpp"
#include "app/program/amounts.hpp"
#include "app/program/build_info.hpp"
#include "app/run/checkpoint.hpp"
#include "app/run/heartbeat.hpp"
#include "app/run/process_time.hpp"
#include "app/run/signals.hpp"
#include "app/run/watchdog.hpp"
#include "app/sweep/cost.hpp"
#include "app/sweep/dealer.hpp"
#include "app/sweep/sweep_files.hpp"
#include "app/written/run_directory.hpp"
#include "io/container/checkpoints.hpp"
#include "parallel/agreement.hpp"
#include "pearlite/app/command_line.hpp"

#include <cstdio>
#include <numeric>

namespace pearlite::app {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

constexpr double stop_unit = 4; ///< reasons to stop are multiples of a quarter

class SweepSession {
  public:
    SweepSession(const SweepJob& job, const Catalogue& models, const Sweep& sweep, Reporter& reporter)
        : job_(job), models_(models), sweep_(sweep), reporter_(reporter), journal_(job.directory, job.ranks.rank()) {
        find_open_runs();
        order_open_runs();
        form_groups();
    }

    void work();
    /// Collective, after work(): the reason to stop, or 0.
    double stop() const { return static_cast<double>(dealer_->count().stop) / stop_unit; }
    SweepProgress progress();

  private:
    void find_open_runs();
    void order_open_runs();
    void form_groups();
    std::optional<Index> take_run();
    void report_failure(const EndedRun& ended);
    /// Nothing if the run was stopped.
    std::optional<EndedRun> make(Index run);
    std::optional<EndedRun> make_or_throw(Index run);
    void raise_stop(double reason) { dealer_->raise_stop(static_cast<Index>(reason * stop_unit)); }
    std::unique_ptr<Run> restored(const Job& job, const Prepared& prepared, std::vector<std::string>& warnings);
    double beat();
    void show_progress();

    double cost_of(Index run) const { return costs_[at(sweep_.setting_of(run))]; }

    const SweepJob& job_;
    const Catalogue& models_;
    const Sweep& sweep_;
    Reporter& reporter_;
    Journal journal_;

    std::map<Index, EndedRun> ended_before_; ///< on the root
    std::vector<Index> open_;                ///< runs to be made, those that take longest first
    std::vector<double> costs_;              ///< seconds on one rank, of a run of each setting
    double all_costs_ = 0;
    std::vector<int> sizes_; ///< of the groups
    std::optional<Dealer> dealer_;
    parallel::Communicator team_ = parallel::Communicator::alone();
    Clock::time_point started_ = Clock::now();
    double busy_ = 0; ///< seconds of this rank in runs
};

void SweepSession::find_open_runs() {
    std::string is_finished(at(sweep_.runs()), '0');
    parallel::on_root(job_.ranks, [&] {
        ended_before_ = read_journals(job_.directory);
        for (const auto& [run, ended] : ended_before_)
            if (run >= 0 && run < sweep_.runs() && !ended.failed())
                is_finished[at(run)] = '1';
    });
    is_finished = job_.ranks.broadcast(is_finished);
    for (Index run = 0; run < sweep_.runs(); ++run)
        if (is_finished[at(run)] == '0')
            open_.push_back(run);
}

void SweepSession::order_open_runs() {
    costs_ = costs_of_settings(job_.ranks, models_, sweep_, ended_before_, open_);
    std::stable_sort(open_.begin(), open_.end(), [&](Index a, Index b) { return cost_of(a) > cost_of(b); });
    for (const Index run : open_)
        all_costs_ += cost_of(run);
}

void SweepSession::form_groups() {
    const int ranks = job_.ranks.size();
    if (const auto size = static_cast<int>(std::min<Index>(sweep_.settings().ranks_per_run, ranks)); size > 0) {
        sizes_.assign(at(ranks / size), size);
        for (int spare = ranks % size; spare > 0; --spare)
            ++sizes_[at(spare) % sizes_.size()];
        std::stable_sort(sizes_.begin(), sizes_.end(), std::greater<>());
    } else {
        std::vector<RunCost> costs;
        for (const Index run : open_)
            costs.push_back({cost_of(run), sweep_.facts()[at(sweep_.setting_of(run))].useful_ranks});
        sizes_ = deal_ranks(ranks, std::move(costs));
    }
    std::vector<int> leaders;
    for (int first = 0; const int size : sizes_)
        leaders.push_back(std::exchange(first, first + size));
    if (sizes_.size() == 1)
        team_ = job_.ranks;
    else if (sizes_.front() > 1) {
        const auto next = std::upper_bound(leaders.begin(), leaders.end(), job_.ranks.rank());
        const auto own = job_.ranks.split(static_cast<int>(next - leaders.begin()));
        team_ = own.size() > 1 ? own : parallel::Communicator::alone();
    }
    std::vector<double> costs;
    for (const Index run : open_)
        costs.push_back(cost_of(run));
    dealer_.emplace(job_.ranks, std::move(leaders), std::move(costs));
    if (ranks > 1)
        reporter_.info(fmt::format("{} run(s) to make by {} group(s) of {}{} rank(s)", open_.size(), sizes_.size(),
                                   sizes_.back() == sizes_.front() ? "" : fmt::format("{} to ", sizes_.back()),
                                   sizes_.front()));
}

/// Collective in the team. The place of the next run in the order.
std::optional<Index> SweepSession::take_run() {
    Watchdog::follow(job_.directory, team_.is_root(), job_.time_limit_seconds);
    Watchdog::advise(resuming(job_.directory) + " goes on");
    Watchdog::watch(Watchdog::Stage::others);
    Index place = std::ssize(open_);
    if (team_.is_root()) {
        const bool is_late = job_.time_limit_seconds && seconds_since_process_start() + 0.1 >= *job_.time_limit_seconds;
        if (const int signal = StopSignals::received(); signal > 0)
            raise_stop(signal);
        else if (is_late)
            raise_stop(by_time_limit);
        else
            place = dealer_->next().value_or(place);
    }
    team_.broadcast(std::span(&place, 1));
    return place < std::ssize(open_) ? std::optional(place) : std::nullopt;
}

void SweepSession::work() {
    std::exception_ptr error;
    try {
        while (const auto place = take_run()) {
            const auto begin = Clock::now();
            const auto ended = make(open_[at(*place)]);
            busy_ += seconds_since(begin);
            if (!ended)
                break;
            parallel::on_root(team_, [&] {
                journal_.add(*ended);
                dealer_->ended(*place, ended->failed(), seconds_since(begin));
                if (ended->failed())
                    report_failure(*ended);
            });
            beat();
        }
        parallel::on_root(team_, [&] { journal_.sync(); });
    } catch (...) {
        error = std::current_exception();
        // Other members of the team wait for this rank if only this rank has the error; the top of the program ends the
        // job.
        if (team_.size() > 1 && !is_agreed(error))
            throw;
        if (team_.is_root())
            raise_stop(by_time_limit);
    }
    Watchdog::watch(Watchdog::Stage::others);
    dealer_->close([this] { show_progress(); });
    parallel::agree(job_.ranks, error);
}

/// Called at once, on the rank that has the error.
void SweepSession::report_failure(const EndedRun& ended) {
    const auto text = fmt::format("run {} failed: {}: {}", ended.run, sweep_.describe(ended.run), ended.error);
    if (job_.ranks.is_root())
        reporter_.warn(text);
    else
        std::fputs(fmt::format("warning: {}\n", text).c_str(), stderr);
}

std::optional<EndedRun> SweepSession::make(Index run) {
    try {
        return make_or_throw(run);
    } catch (...) {
        const auto error = std::current_exception();
        EndedRun ended;
        ended.run = run;
        ended.error = describe(error).message;
        ended.ranks = team_.size();
        if (team_.size() == 1 || is_agreed(error))
            return ended;
        // The others of the team do not know. The job ends; a resume finds the failure.
        journal_.add(ended);
        throw;
    }
}

std::optional<EndedRun> SweepSession::make_or_throw(Index run) {
    const auto begin = Clock::now();
    const bool keeps_runs = sweep_.settings().keep == SweepSettings::Keep::runs;
    Prepared prepared;
    parallel::together(team_, [&] {
        prepared = prepare(models_, sweep_.configuration_of(run));
        require_memory(prepared, team_.size());
    });
    Job job = job_of(team_, directory_of_run(job_.directory, run), prepared, {}, {});
    job.run_id = job_.run_id;
    job.time_limit_seconds = job_.time_limit_seconds;
    job.data_directory = job_.data_directory;
    job.sweep_directory = job_.directory;
    job.keeps_results = keeps_runs;
    job.on_beat = [this] { return beat(); };
    parallel::on_root(team_, [&] {
        std::error_code error;
        fs::create_directories(job.directory, error);
        if (error)
            throw FileError(fmt::format("{}: cannot make this directory: {}", job.directory.string(), error.message()));
    });
    Watchdog::follow(job.directory, team_.is_root(), job.time_limit_seconds);
    Watchdog::advise(resuming(job_.directory) + " makes this run again");
    Watchdog::watch(Watchdog::Stage::start);
    std::vector<std::string> warnings;
    auto run_ = restored(job, prepared, warnings);
    job.is_resumed = run_ != nullptr;
    if (!run_) {
        run_ = std::make_unique<Run>(team_, *prepared.plan, *prepared.model);
        run_->begin();
    }
    Reporter log(team_.is_root() && keeps_runs, job.directory / "run.log", job.is_resumed, Reporter::Screen::off);
    log.info(fmt::format("run {} of a sweep: {}{}", run, sweep_.describe(run), job.is_resumed ? "; resumed" : ""));
    for (const auto& warning : warnings)
        log.warn(warning);
    const auto ending = log.watch([&] { return run_to_end(job, *run_, log); });
    if (ending.stop > 0) {
        if (team_.is_root())
            raise_stop(ending.stop);
        return {};
    }
    EndedRun ended;
    ended.run = run;
    ended.seconds = seconds_since(begin);
    ended.ranks = team_.size();
    parallel::on_root(team_, [&] {
        const auto summary = Json::parse(ending.summary);
        ended.verdict = summary.value("verdict", "");
        ended.scalars = scalars_of(summary);
        std::error_code ignored;
        if (!keeps_runs)
            fs::remove_all(job.directory, ignored);
    });
    return ended;
}

/// Collective in the team. The run as its checkpoint has it; null if there is none that fits.
std::unique_ptr<Run> SweepSession::restored(const Job& job, const Prepared& prepared,
                                            std::vector<std::string>& warnings) {
    Index checkpoints = 0;
    parallel::on_root(team_, [&] { checkpoints = std::ssize(io::list_checkpoints(job.directory)); });
    if (team_.max(checkpoints) == 0)
        return nullptr;
    std::unique_ptr<Run> run;
    try {
        const auto found = io::restore_newest(team_, job.directory, [&](io::Reader& reader) {
            require_same_run(job.run_id, reader);
            std::string configuration;
            reader("configuration", configuration);
            if (configuration != prepared.resolved)
                throw FileError(job.directory.string() + ": a checkpoint of another run");
            run = std::make_unique<Run>(team_, *prepared.plan, *prepared.model);
            warnings.clear();
            restore_checkpoint(job, *run, reader, warnings);
        });
        warnings.insert(warnings.begin(), found.warnings.begin(), found.warnings.end());
        advise_to_resume(job, found.path);
    } catch (const FileError& error) {
        if (team_.size() > 1 && !error.is_agreed())
            throw;
        warnings = {fmt::format("begun again: {}", error.what())};
        return nullptr;
    }
    return run;
}

/// Between steps of a run. The reason to stop that another group has found, or 0.
double SweepSession::beat() {
    const auto stop = dealer_->serve();
    if (job_.ranks.is_root())
        show_progress();
    return static_cast<double>(stop) / stop_unit;
}

/// On rank 0.
void SweepSession::show_progress() {
    const Index finished = dealer_->count().finished, failed = dealer_->count().failed;
    const Index left = std::ssize(open_) - finished - failed;
    const Index running = std::min<Index>(left, std::ssize(sizes_));
    const double done = dealer_->done_cost() / std::max(all_costs_, 1e-300), elapsed = seconds_since(started_);
    const auto before = static_cast<Index>(sweep_.runs() - std::ssize(open_));
    reporter_.progress(fmt::format("{} of {} runs done{}, {} running, {} left  ETA {}", before + finished,
                                   sweep_.runs(), failed > 0 ? fmt::format(", {} failed", failed) : "", running,
                                   left - running,
                                   done > 0 ? format_duration(elapsed * std::max(0.0, 1 - done) / done) : "?"));
}

SweepProgress SweepSession::progress() {
    SweepProgress all;
    all.finished = sweep_.runs() - std::ssize(open_) + dealer_->count().finished;
    all.failed = dealer_->count().failed;
    all.ranks = job_.ranks.size();
    all.wall_seconds = job_.ranks.max(seconds_since(started_));
    const auto busy = job_.ranks.all_gather(busy_);
    all.busy_share = std::accumulate(busy.begin(), busy.end(), 0.0) /
                     std::max(1e-9, all.wall_seconds * static_cast<double>(all.ranks));
    return all;
}

} // namespace

int run_sweep(const SweepJob& job, const Catalogue& models, const Sweep& sweep, Reporter& reporter) {
    SweepSession session(job, models, sweep, reporter);
    session.work();
    reporter.end_progress();
    const auto progress = session.progress();
    if (const double stop = session.stop(); stop > 0 && progress.finished + progress.failed < sweep.runs()) {
        parallel::on_root(job.ranks, [&] { write_stopped_sweep(job.directory, sweep, progress); });
        reporter.info(fmt::format("stopped by {} with {} of {} runs done; {} goes on", stop_reason(stop),
                                  progress.finished + progress.failed, sweep.runs(), resuming(job.directory)));
        return exit_stopped;
    }
    parallel::on_root(job.ranks, [&] {
        write_finished_sweep(job.directory, sweep, read_journals(job.directory), progress);
        const auto found = describe_finished_sweep(job.directory);
        reporter.note("finished\n" + found);
        reporter.result(found, job.directory / "tables.md");
    });
    return progress.failed > 0 ? exit_failed : exit_finished;
}

} // namespace pearlite::app
