#include "app/run/run_loop.hpp"

#include "app/result/run.hpp"
#include "app/run/heartbeat.hpp"
#include "app/run/watchdog.hpp"
#include "app/written/posterior_file.hpp"
#include "app/written/progress_file.hpp"

#include "app/program/build_info.hpp"
#include "io/container/checkpoints.hpp"
#include "io/files/digest.hpp"
#include "io/files/temporary_file.hpp"
#include "parallel/agreement.hpp"
#include "pearlite/core/error.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pearlite::app {

namespace {

/// Checkpoints are ordered by their stage, of which a pilot has one or more, and in each by step.
constexpr Index steps_of_stage = 10'000'000'000;

RunFacts facts_of(const Job& job, const Run& run, double seconds, double updates, const Resources& resources) {
    RunFacts facts;
    facts.model = job.model_name;
    facts.algorithm = job.algorithm;
    facts.seed = job.plan->run().seed.value;
    facts.generator = random::name_of(job.plan->run().seed.generator);
    facts.block = job.plan->block();
    facts.ranks = job.ranks.size();
    facts.wall_seconds = seconds;
    facts.updates_per_second = seconds > 0 ? updates / seconds : 0;
    facts.unit = job.plan->unit();
    facts.work = run.work();
    facts.resources = resources;
    // A sweep chooses the ranks of its runs, whose tables do not depend on them.
    if (auto idle = job.plan->idle_ranks(job.ranks.size()); !idle.empty() && !job.is_in_sweep())
        facts.warnings.push_back(std::move(idle));
    return facts;
}

/// Hashes the temperatures that a configuration gives, perhaps by naming a file; empty for an adaptive schedule.
std::string schedule_sha256(const algorithm::Plan& plan) {
    const auto* schedule = plan.schedule();
    if (!schedule)
        return {};
    io::Sha256 hash;
    hash.add(std::as_bytes(std::span(schedule->points())));
    return hash.finish_hex();
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

} // namespace

std::string fingerprint_of(const BuiltModel& model) {
    io::Sha256 hash;
    model::Fingerprint sink([&](std::span<const std::byte> bytes) { hash.add(bytes); });
    model.fingerprint(sink);
    return hash.finish_hex();
}

void save_checkpoint(const Job& job, Run& run) {
    io::Writer writer(job.ranks);
    writer("configuration", job.configuration);
    io::Sha256 hash;
    hash.add(job.configuration);
    writer("configuration_sha256", hash.finish_hex());
    writer("run_id", job.run_id);
    writer("data_directory", job.data_directory);
    writer("model_fingerprint", fingerprint_of(*job.model));
    writer("schedule_sha256", schedule_sha256(*job.plan));
    writer("build", build_id());
    writer("cpu", cpu_features());
    writer.enter("state");
    run.save(writer);
    writer.leave();
    const Index step = run.stage() * steps_of_stage + run.progress().step;
    const Watchdog::Rest slow_disks_may_take_their_time;
    io::commit_checkpoint(job.ranks, writer, job.directory, step);
    advise_to_resume(job, io::checkpoint_path(job.directory, step));
}

void require_same_run(const std::string& run_id, io::Reader& reader) {
    if (run_id.empty() || !reader.has("run_id"))
        return;
    std::string id;
    reader("run_id", id);
    if (id != run_id)
        throw_agreed(ErrorKind::file,
                     fmt::format("it belongs to another run, {}; the run of this directory is {}", id, run_id));
}

void advise_to_resume(const Job& job, const std::filesystem::path& checkpoint) {
    Watchdog::advise(
        fmt::format("the last one is {}; {} goes on from it", checkpoint.string(), resuming(job.resumable())));
}

void restore_checkpoint(const Job& job, Run& run, io::Reader& reader, std::vector<std::string>& warnings) {
    std::string fingerprint, schedule, build, cpu;
    reader("model_fingerprint", fingerprint);
    if (fingerprint != fingerprint_of(*job.model))
        throw InputError(
            fmt::format("{}: the model or its data ({}) are not those the checkpoint was made with; resume "
                        "with the same data files",
                        job.directory.string(), job.model_name));
    reader("schedule_sha256", schedule);
    if (schedule != schedule_sha256(*job.plan))
        throw InputError(
            fmt::format("{}: the inverse temperatures are not those the checkpoint was made with; resume with "
                        "the same schedule file",
                        job.directory.string()));
    reader("build", build);
    reader("cpu", cpu);
    if (build != build_id())
        warnings.push_back(
            fmt::format("the checkpoint was made by {}, this is {}: the bits of the result may differ from "
                        "those of an uninterrupted run",
                        build, build_id()));
    else if (bits_depend_on_cpu() && cpu != cpu_features())
        warnings.push_back(
            fmt::format("the checkpoint was made on a CPU with {}, this one has {}: the bits of the result "
                        "may differ from those of an uninterrupted run",
                        cpu, cpu_features()));
    reader.enter("state");
    try {
        run.restore(reader);
    } catch (const ContractViolation& broken) { // such as a number of particles that the particles do not have
        throw_in_place_of(broken, ErrorKind::file,
                          fmt::format("its contents contradict each other: {}", broken.what()));
    }
    reader.leave();
}

Ending run_to_end(const Job& job, Run& run, Reporter& reporter) {
    Heartbeat heartbeat(job);
    Watchdog::follow(job.directory, job.ranks.is_root(), job.time_limit_seconds);
    Watchdog::watch(Watchdog::Stage::step);
    double updates = 0;
    bool stop = false;
    Orders orders;
    if (const auto ranks = run.describe_ranks(); !ranks.empty())
        reporter.info(ranks);

    const bool has_files = job.keeps_results && !job.is_in_sweep();
    const auto standing = [&](const SoFar& known) {
        return Standing{run.progress(), run.in_pilot(), known.log_ratio, reporter.seconds_left()};
    };
    // For `status` and `report`; a checkpoint is complete without it.
    const auto record_progress = [&] {
        if (!has_files || run.finished())
            return;
        const auto known = run.so_far();
        const auto facts = facts_of(job, run, heartbeat.elapsed(), updates, resources_of(job.ranks));
        const Watchdog::Rest slow_disks_may_take_their_time;
        try {
            write_progress(job, facts, standing(known), known.parts);
        } catch (const FileError& error) {
            if (job.ranks.size() > 1 && !error.is_agreed())
                throw;
            reporter.warn(
                fmt::format("cannot write progress.h5, so `status` and `report` show old progress: {}", error.what()));
        }
    };
    const auto checkpoint = [&] {
        const double begin = heartbeat.elapsed();
        save_checkpoint(job, run);
        record_progress();
        heartbeat.checkpoint_took(heartbeat.elapsed() - begin);
    };
    // A run that dies before its first periodic checkpoint still resumes, from its beginning; a sweep begins it anew.
    if (!job.is_resumed && !job.is_in_sweep())
        checkpoint();
    const auto try_checkpoint = [&](const char* consequence) {
        try {
            checkpoint();
            reporter.checkpoint(run.progress(), run.in_pilot());
            return true;
        } catch (const FileError& error) {
            if (job.ranks.size() > 1 && !error.is_agreed())
                throw;
            reporter.warn(fmt::format("no checkpoint: {}; {}", error.what(), consequence));
            heartbeat.checkpoint_took(0);
            return false;
        }
    };
    bool end_is_saved = job.is_resumed && run.finished();

    while (!run.finished() && !stop) {
        updates += static_cast<double>(run.updates_per_step());
        const bool was_in_pilot = run.in_pilot();
        run.step();
        orders = heartbeat.after_step();
        if (orders.settle)
            run.settle();
        if (heartbeat.beat_now())
            reporter.progress(run.progress(), run.in_pilot(), run.stage(), run.updates_per_step(), job.plan->unit());
        if (orders.stop > 0) {
            Watchdog::watch(Watchdog::Stage::step); // the checkpoint has all of the patience
            run.settle();
        }
        stop = orders.stop > 0 && !run.finished();
        if (orders.checkpoint && !stop && !run.finished())
            try_checkpoint("the run goes on, the previous one is still there");
        if (run.in_pilot() != was_in_pilot)
            heartbeat.pace_changed();
    }
    reporter.end_progress();

    // A failed write at the end is no loss: the last checkpoint holds everything but the work after it.
    const auto with_advice = [&](const auto& write, const std::string& summary) {
        try {
            write();
        } catch (const FileError& error) {
            const auto rescued = summary.empty() ? "" : rescue(job, summary, reporter);
            throw_in_place_of(error, ErrorKind::file,
                              fmt::format("{}{}; once it can be written, {} goes on from the last checkpoint{}",
                                          error.what(), rescued, resuming(job.resumable()),
                                          end_is_saved ? ", which holds the finished run" : ""));
        }
    };
    if (!stop && has_files && !end_is_saved) {
        Watchdog::watch(Watchdog::Stage::step);
        end_is_saved = try_checkpoint("the results follow");
    }
    if (stop) {
        with_advice(checkpoint, {});
        Watchdog::rest();
        const auto resources = resources_of(job.ranks);
        const auto known = run.so_far();
        parallel::on_root(job.ranks, [&] {
            const auto facts = facts_of(job, run, heartbeat.elapsed(), updates, resources);
            write_summary(job.directory, summary_text(facts, "stopped", standing(known)));
        });
        reporter.info(fmt::format("stopped by {} at step {} with a checkpoint; {} goes on", stop_reason(orders.stop),
                                  run.progress().step, resuming(job.directory)));
        return {orders.stop};
    }
    Watchdog::watch(Watchdog::Stage::results);
    const auto result = run.result();
    Ending ending;
    Watchdog::rest();
    const auto resources = resources_of(job.ranks);
    parallel::on_root(job.ranks, [&] {
        ending.summary = summary_text(facts_of(job, run, heartbeat.elapsed(), updates, resources), result);
    });
    if (!job.keeps_results)
        return ending;
    with_advice(
        [&] {
            write_results(job, result.parts);
            parallel::on_root(job.ranks, [&] {
                for (const auto& part : result.parts)
                    part->write_files(job.directory);
                write_posterior(job, result.parts);
                write_summary(job.directory, ending.summary);
                remove_progress(job.directory);
            });
        },
        has_files ? ending.summary : "");
    if (job.ranks.is_root())
        reporter.note(fmt::format("finished\n{}", describe_text(ending.summary)));
    return ending;
}

} // namespace pearlite::app
