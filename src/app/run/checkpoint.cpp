#include "app/run/checkpoint.hpp"

#include "app/program/build_info.hpp"
#include "app/run/watchdog.hpp"
#include "io/container/checkpoints.hpp"

namespace pearlite::app {

namespace {

/// Checkpoints are ordered by their stage, of which a pilot has one or more, and in each by step.
constexpr Index steps_of_stage = 10'000'000'000;

/// Hashes the temperatures that a configuration gives, perhaps by naming a file; empty for an adaptive schedule.
std::string schedule_sha256(const algorithm::Plan& plan) {
    const auto* schedule = plan.schedule();
    if (!schedule)
        return {};
    io::Sha256 hash;
    hash.add(std::as_bytes(std::span(schedule->points())));
    return hash.finish_hex();
}

} // namespace

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
    const auto progress = run.progress();
    const Index step = progress.stages_before * steps_of_stage + progress.step;
    const Watchdog::Files files;
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

} // namespace pearlite::app
