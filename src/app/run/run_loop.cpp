#include "app/run/run_loop.hpp"

#include "app/program/build_info.hpp"
#include "app/run/checkpoint.hpp"
#include "app/run/heartbeat.hpp"
#include "app/run/watchdog.hpp"
#include "app/written/summary.hpp"
#include "io/files/temporary_file.hpp"
#include "parallel/agreement.hpp"

namespace pearlite::app {

namespace {

RunFacts facts_of(const Job& job, const algorithm::Progress& progress, double seconds, double updates,
                  const Resources& resources) {
    RunFacts facts;
    facts.model = job.model_name;
    facts.algorithm = job.algorithm;
    facts.seed = job.plan->run().seed.value;
    facts.generator = random::name_of(job.plan->run().seed.generator);
    facts.files = job.files;
    facts.block = job.plan->block();
    facts.ranks = job.ranks.size();
    facts.wall_seconds = seconds;
    facts.updates_per_second = seconds > 0 ? updates / seconds : 0;
    facts.unit = job.plan->unit();
    if (job.ranks.size() > 1)
        facts.work = progress.work;
    facts.resources = resources;
    // A sweep chooses the ranks of its runs, whose tables do not depend on them.
    if (auto idle = job.plan->idle_ranks(job.ranks.size()); !idle.empty() && !job.is_in_sweep())
        facts.warnings.push_back(std::move(idle));
    return facts;
}

/// On the root. Shows the estimates of a run whose files cannot be written, and keeps them elsewhere. Returns where.
std::string rescue(const Job& job, const std::string& summary, Reporter& reporter) {
    std::error_code error;
    const auto place = std::filesystem::temp_directory_path(error) / fmt::format("pearlite-{}.json", job.run_id);
    bool is_written = !error;
    try {
        if (is_written)
            io::write_durably(place, summary);
    } catch (const FileError&) {
        is_written = false;
    }
    reporter.result(describe_text(summary), is_written ? place : std::filesystem::path("no file"));
    return is_written ? fmt::format("; the estimates are above and in {}", place.string())
                      : "; the estimates are above and in no file";
}

/// Collective. Writes results.h5: configuration, build, and the fields of the parts.
void write_results(const Job& job, const ResultParts& parts) {
    io::Writer writer(job.ranks);
    writer("configuration", job.configuration);
    writer("build/version", build_id());
    writer("build/compiler", compiler());
    writer("build/kernels", kernel_path());
    writer("build/libraries", library_versions());
    for (const auto& part : parts)
        part->write_fields(writer);
    writer.commit(job.directory / "results.h5", "results");
}

/// A run on its way to its end.
class RunLoop {
  public:
    RunLoop(const Job& job, Run& run, Reporter& reporter)
        : job_(job),
          run_(run),
          reporter_(reporter),
          heartbeat_(job),
          has_files_(job.keeps_results && !job.is_in_sweep()),
          end_is_saved_(job.is_resumed && run.finished()) {
        Watchdog::follow(job.directory, job.ranks.is_root(), job.time_limit_seconds);
        Watchdog::watch(Watchdog::Stage::step);
    }

    /// Collective. Steps until the run has finished or shall stop; returns why it stops (stop_reason).
    double make_steps();
    /// Collective. Ends a stopped run with a checkpoint.
    void stop(double reason);
    /// Collective. Ends a finished run with its results; returns summary.json on the root.
    std::string finish();

  private:
    RunFacts facts(const Resources& resources) const {
        return facts_of(job_, run_.progress(), heartbeat_.elapsed(), updates_, resources);
    }
    ProgressEntry entry(const PartialResult& known) const {
        return {run_.progress(), known.log_ratio, reporter_.seconds_left()};
    }
    void checkpoint();
    /// Whether a checkpoint could be written; a warning with the consequence if not.
    bool try_checkpoint(const char* consequence);
    void record_progress();
    void write_everything(const ResultParts& parts, const std::string& summary);
    /// Calls write(). A failed write at the end is no loss: the last checkpoint holds everything but the work after it.
    /// A `summary` that is not empty is shown and kept elsewhere.
    template <class Write>
    void with_advice(const Write& write, const std::string& summary);

    const Job& job_;
    Run& run_;
    Reporter& reporter_;
    Heartbeat heartbeat_;
    bool has_files_, end_is_saved_;
    double updates_ = 0;
};

double RunLoop::make_steps() {
    // A run that dies before its first periodic checkpoint still resumes, from its beginning; a sweep begins it anew.
    if (!job_.is_resumed && !job_.is_in_sweep())
        checkpoint();
    bool stops = false;
    Orders orders;
    auto progress = run_.progress();
    while (!run_.finished() && !stops) {
        updates_ += static_cast<double>(progress.updates_per_step);
        const bool was_in_pilot = progress.in_pilot;
        const Index stage = progress.stages_before;
        run_.step();
        orders = heartbeat_.after_step();
        if (orders.settle)
            run_.settle();
        progress = run_.progress();
        if (progress.stages_before != stage && !progress.warning.empty())
            reporter_.warn(progress.warning);
        if (heartbeat_.beat_now()) {
            reporter_.progress(progress, job_.plan->unit());
            if (job_.goes_on && job_.ranks.is_root() && !job_.goes_on(progress))
                heartbeat_.wish_to_stop();
        }
        if (orders.stop > 0) {
            Watchdog::watch(Watchdog::Stage::step); // the checkpoint has all of the patience
            run_.settle();
        }
        stops = orders.stop > 0 && !run_.finished();
        if (orders.checkpoint && !stops && !run_.finished())
            try_checkpoint("the run goes on, the previous one is still there");
        if (progress.in_pilot != was_in_pilot)
            heartbeat_.pace_changed();
    }
    reporter_.end_progress();
    return stops ? orders.stop : 0;
}

void RunLoop::stop(double reason) {
    with_advice([&] { checkpoint(); }, {});
    const Watchdog::Files files;
    const auto resources = resources_of(job_.ranks);
    const auto known = run_.partial_result();
    parallel::on_root(job_.ranks,
                      [&] { write_summary(job_.directory, summary_text(facts(resources), "stopped", entry(known))); });
    reporter_.info(fmt::format("stopped by {} at step {} with a checkpoint; {} goes on", stop_reason(reason),
                               run_.progress().step, resuming(job_.directory)));
}

std::string RunLoop::finish() {
    if (has_files_ && !end_is_saved_) {
        Watchdog::watch(Watchdog::Stage::step);
        end_is_saved_ = try_checkpoint("the results follow");
    }
    Watchdog::watch(Watchdog::Stage::results);
    const auto result = run_.result();
    const Watchdog::Files files;
    const auto resources = resources_of(job_.ranks);
    std::string summary;
    parallel::on_root(job_.ranks, [&] { summary = summary_text(facts(resources), result); });
    if (!job_.keeps_results)
        return summary;
    with_advice([&] { write_everything(result.parts, summary); }, has_files_ ? summary : "");
    if (job_.ranks.is_root())
        reporter_.note(fmt::format("finished\n{}", describe_text(summary)));
    return summary;
}

void RunLoop::checkpoint() {
    const double begin = heartbeat_.elapsed();
    save_checkpoint(job_, run_);
    record_progress();
    heartbeat_.checkpoint_took(heartbeat_.elapsed() - begin);
}

bool RunLoop::try_checkpoint(const char* consequence) {
    try {
        checkpoint();
        reporter_.checkpoint(run_.progress());
        return true;
    } catch (const FileError& error) {
        if (job_.ranks.size() > 1 && !error.is_agreed())
            throw;
        reporter_.warn(fmt::format("no checkpoint: {}; {}", error.what(), consequence));
        heartbeat_.checkpoint_took(0);
        return false;
    }
}

/// For `status` and `report`; a checkpoint is complete without it.
void RunLoop::record_progress() {
    if (!has_files_ || run_.finished())
        return;
    const auto known = run_.partial_result();
    const auto known_facts = facts(resources_of(job_.ranks));
    const Watchdog::Files files;
    try {
        write_progress(job_, known_facts, entry(known), known.parts);
    } catch (const FileError& error) {
        if (job_.ranks.size() > 1 && !error.is_agreed())
            throw;
        reporter_.warn(
            fmt::format("cannot write progress.h5, so `status` and `report` show old progress: {}", error.what()));
    }
}

void RunLoop::write_everything(const ResultParts& parts, const std::string& summary) {
    write_results(job_, parts);
    parallel::on_root(job_.ranks, [&] {
        const io::DiskWait wait;
        for (const auto& part : parts)
            part->write_files(job_.directory);
        write_posterior(job_, parts);
        write_summary(job_.directory, summary);
        remove_progress(job_.directory);
    });
}

template <class Write>
void RunLoop::with_advice(const Write& write, const std::string& summary) {
    try {
        write();
    } catch (const std::exception& error) {
        // Whatever went wrong, in a part, a library or a file system, costs no estimates.
        const auto rescued = summary.empty() ? "" : rescue(job_, summary, reporter_);
        const auto advice =
            fmt::format("{}{}; once it can be written, {} goes on from the last checkpoint{}",
                        pearlite::describe(std::current_exception()).message, rescued, resuming(job_.resumable()),
                        end_is_saved_ ? ", which holds the finished run" : "");
        if (const auto* known = dynamic_cast<const Error*>(&error))
            throw_in_place_of(*known, ErrorKind::file, advice);
        throw FileError(advice);
    }
}

} // namespace

Ending run_to_end(const Job& job, Run& run, Reporter& reporter) {
    RunLoop loop(job, run, reporter);
    if (const auto ranks = run.describe_ranks(); !ranks.empty())
        reporter.info(ranks);
    const double reason = loop.make_steps();
    Ending ending{reason};
    if (reason == 0)
        ending.summary = loop.finish();
    else
        loop.stop(reason);
    Watchdog::rest();
    return ending;
}

} // namespace pearlite::app
