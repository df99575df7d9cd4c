#include "pearlite/app/run_loop.hpp"

#include "best_files.hpp"
#include "posterior_file.hpp"
#include "prediction_results.hpp"
#include "search_results.hpp"

#include "pearlite/app/build_info.hpp"
#include "pearlite/app/signals.hpp"
#include "pearlite/core/error.hpp"
#include "pearlite/io/checkpoints.hpp"
#include "pearlite/parallel/agreement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <numeric>

namespace pearlite::app {

namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Checkpoints are ordered by step; the main run's come after any pilot's.
constexpr Index pilot_step_span = 10'000'000'000;

// Below any signal's number: of two reasons on different ranks the greater one is told.
constexpr double by_step_limit = 0.25, by_time_limit = 0.5;

/// What all ranks agree to do after this step.
struct Orders {
    double stop = 0; ///< why: 0 not at all, a signal's number, or one of the limits below
    bool checkpoint = false;
};

/// Agreement among ranks between steps, about every 20 ms: often enough for signals, rarely enough to cost nothing.
class Heartbeat {
  public:
    Heartbeat(const Job& job) : job_(job), started_(Clock::now()), last_checkpoint_(started_), last_beat_(started_) {}

    /// Collective, with the same number of steps on every rank.
    Orders after_step() {
        ++steps_;
        const bool at_limit = job_.step_limit && steps_ >= *job_.step_limit;
        if (--steps_to_beat_ > 0 && !at_limit)
            return {};
        const int signal = StopSignals::received();
        std::array<double, 3> wishes{signal > 0 ? signal : at_limit ? by_step_limit : 0.0, 0.0, 0.0};
        if (job_.ranks.is_root()) {
            const double margin = 2 * checkpoint_seconds_ + 0.1;
            if (job_.time_limit_seconds && seconds_since(started_) + margin >= *job_.time_limit_seconds)
                wishes[0] = std::max(wishes[0], by_time_limit);
            wishes[1] = seconds_since(last_checkpoint_) >= job_.plan.checkpoint_every_seconds ? 1.0 : 0.0;
            const double per_step = seconds_since(last_beat_) / static_cast<double>(steps_ - steps_at_beat_);
            wishes[2] = std::clamp(std::floor(0.02 / std::max(per_step, 1e-9)), 1.0, 100000.0);
        }
        job_.ranks.max(std::span(wishes));
        steps_to_beat_ = static_cast<Index>(wishes[2]);
        if (job_.step_limit)
            steps_to_beat_ = std::min(steps_to_beat_, std::max<Index>(1, *job_.step_limit - steps_));
        steps_at_beat_ = steps_;
        last_beat_ = Clock::now();
        return {wishes[0], wishes[1] > 0};
    }
    void checkpoint_took(double seconds) {
        checkpoint_seconds_ = seconds;
        last_checkpoint_ = last_beat_ = Clock::now();
    }
    /// What steps cost has changed: what they cost before says nothing about when to look up next.
    void pace_changed() {
        steps_at_beat_ = steps_;
        steps_to_beat_ = 1;
        last_beat_ = Clock::now();
    }
    Index steps() const { return steps_; }
    double elapsed() const { return seconds_since(started_); }
    bool beat_now() const { return steps_ == steps_at_beat_; }

  private:
    const Job& job_;
    Clock::time_point started_, last_checkpoint_, last_beat_;
    Index steps_ = 0, steps_at_beat_ = 0, steps_to_beat_ = 1;
    double checkpoint_seconds_ = 0;
};

std::string stop_reason(double stop) {
    if (stop == by_step_limit)
        return "the step limit";
    return stop == by_time_limit ? "the time limit" : fmt::format("signal {:.0f}", stop);
}

/// Ranks are dealt to replicates first, and those of one replicate to its chains.
int idle_ranks(const SearchPlan& search, int ranks) {
    const auto groups = static_cast<int>(std::min<Index>(search.replicates, ranks));
    int idle = 0;
    for (int group = 0; group < groups; ++group) {
        const int members = (ranks - group + groups - 1) / groups;
        idle += static_cast<int>(std::max<Index>(0, members - search.settings.chains));
    }
    return idle;
}

RunFacts facts_of(const Job& job, const Run& run, double seconds, double updates) {
    RunFacts facts{job.model_name, job.plan, job.ranks.size(), seconds, seconds > 0 ? updates / seconds : 0,
                   job.unit,       {},       run.work()};
    if (job.plan.search) {
        const auto& search = *job.plan.search;
        if (const int idle = idle_ranks(search, job.ranks.size()))
            facts.warnings.push_back(fmt::format("{} of {} ranks had no work: {} replicate(s) of {} chain(s)", idle,
                                                 job.ranks.size(), search.replicates, search.settings.chains));
        return facts;
    }
    const Index n_blocks = (job.plan.particles + job.plan.block - 1) / job.plan.block;
    if (n_blocks > 0 && n_blocks < job.ranks.size())
        facts.warnings.push_back(fmt::format("{} of {} ranks had no work: {} {} in blocks of {} make {} block(s)",
                                             job.ranks.size() - n_blocks, job.ranks.size(), job.plan.particles,
                                             job.plan.algorithm == Algorithm::pseudo_marginal ? "chains" : "particles",
                                             job.plan.block, n_blocks));
    return facts;
}

/// Of the temperatures that a configuration gives, perhaps by naming a file; empty for an adaptive schedule.
std::string schedule_sha256(const Plan& plan) {
    if (!plan.schedule)
        return {};
    io::Sha256 hash;
    hash.add(std::as_bytes(std::span(plan.schedule->points())));
    return hash.finish_hex();
}

void write_trace(io::Writer& writer, const sampler::Trace& trace) {
    std::vector<std::int64_t> steps(trace.inverse_temperature.size());
    std::iota(steps.begin(), steps.end(), std::int64_t{0});
    writer.enter("per_step");
    writer("step", steps);
    writer("inverse_temperature", trace.inverse_temperature);
    writer("ess", trace.ess);
    writer("log_ratio", trace.log_ratio);
    writer("mean_u", trace.mean_u);
    writer("variance_u", trace.variance_u);
    if (!trace.acceptance.empty())
        writer("acceptance", trace.acceptance);
    if (!trace.resampled.empty()) {
        writer("resampled", trace.resampled);
        writer("eves", trace.eves);
    }
    writer.leave();
}

/// The chain that each draw belongs to.
std::vector<std::int64_t> chain_of_draws(const RunResult& result) {
    std::vector<std::int64_t> chain(result.draw_log_weights.size());
    for (std::size_t i = 0; i < chain.size(); ++i)
        chain[i] = static_cast<std::int64_t>(i / (chain.size() / static_cast<std::size_t>(result.chains)));
    return chain;
}

void write_results(const Job& job, Run& run, const RunResult& result) {
    io::Writer writer(job.ranks);
    writer("configuration", job.configuration);
    writer("build/version", build_id());
    writer("build/compiler", compiler());
    writer("build/libraries", library_versions());
    // Whatever has arrays of its own writes these; all ranks must name the same ones.
    if (job.plan.search) {
        write_search(job.ranks, writer, result.search.value_or(SearchResult{}));
        writer.commit(job.directory / "results.h5", "results");
        return;
    }
    if (!is_at_posterior(job.plan.algorithm)) // these have no path
        write_trace(writer, result.trace);
    if (!result.parameter_names.empty()) {
        writer("samples/names", result.parameter_names);
        writer("samples/values", Matrix(result.draws.transpose()));
        writer("samples/log_weight", result.draw_log_weights);
        if (result.has_densities) {
            writer("samples/log_prior", result.draw_log_prior);
            writer("samples/log_likelihood", result.draw_log_likelihood);
        }
        if (job.plan.algorithm == Algorithm::pseudo_marginal)
            writer("samples/chain", chain_of_draws(result));
    }
    if (result.predicts)
        write_predictions(writer, result.predictions);
    if (!result.batch_log_ratios.empty())
        writer("batches/log_ratio", result.batch_log_ratios);
    const bool images = job.ranks.max(Index{result.images ? 1 : 0}) > 0;
    if (images) {
        const auto& sheet = result.images.value_or(Images{});
        writer("images/pixels", sheet.pixels);
        writer("images/rows", sheet.rows);
        writer("images/columns", sheet.columns);
    }
    for (const auto& array : result.outcome.arrays)
        writer(array.path, array.values);
    run.result_fields(writer);
    writer.commit(job.directory / "results.h5", "results");
}

} // namespace

void save_checkpoint(const Job& job, Run& run) {
    io::Writer writer(job.ranks);
    writer("configuration", job.configuration);
    io::Sha256 hash;
    hash.add(job.configuration);
    writer("configuration_sha256", hash.finish_hex());
    writer("data_directory", job.data_directory);
    writer("model_fingerprint", job.model->fingerprint());
    writer("schedule_sha256", schedule_sha256(job.plan));
    writer("build", build_id());
    writer("cpu", cpu_features());
    writer.enter("state");
    run.save(writer);
    writer.leave();
    io::commit_checkpoint(job.ranks, writer, job.directory,
                          run.in_pilot() ? run.progress().step : pilot_step_span + run.progress().step);
}

void restore_checkpoint(const Job& job, Run& run, io::Reader& reader, std::vector<std::string>& warnings) {
    std::string fingerprint, schedule, build, cpu;
    reader("model_fingerprint", fingerprint);
    if (fingerprint != job.model->fingerprint())
        throw InputError(
            fmt::format("{}: the model or its data ({}) are not those the checkpoint was made with; resume "
                        "with the same data files",
                        job.directory.string(), job.model_name));
    reader("schedule_sha256", schedule);
    if (schedule != schedule_sha256(job.plan))
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
    else if (cpu != cpu_features())
        warnings.push_back(
            fmt::format("the checkpoint was made on a CPU with {}, this one has {}: the bits of the result "
                        "may differ from those of an uninterrupted run",
                        cpu, cpu_features()));
    reader.enter("state");
    run.restore(reader);
    reader.leave();
}

Ending run_to_end(const Job& job, Run& run, Reporter& reporter) {
    Heartbeat heartbeat(job);
    double updates = 0;
    bool stop = false;
    Orders orders;

    const auto checkpoint = [&] {
        const auto start = Clock::now();
        save_checkpoint(job, run);
        heartbeat.checkpoint_took(seconds_since(start));
    };
    // A run that dies before its first periodic checkpoint still resumes, from its beginning.
    if (!job.is_resumed)
        checkpoint();

    while (!run.finished() && !stop) {
        updates += static_cast<double>(run.updates_per_step());
        const bool was_in_pilot = run.in_pilot();
        run.step();
        orders = heartbeat.after_step();
        if (heartbeat.beat_now())
            reporter.progress(run.progress(), run.in_pilot(), run.updates_per_step(), job.unit);
        stop = orders.stop > 0 && !run.finished();
        if (orders.checkpoint && !stop && !run.finished())
            try {
                checkpoint();
            } catch (const FileError& error) {
                reporter.warn(
                    fmt::format("no checkpoint: {}; the run goes on, the previous one is still there", error.what()));
                heartbeat.checkpoint_took(0);
            }
        if (run.in_pilot() != was_in_pilot)
            heartbeat.pace_changed();
    }
    reporter.end_progress();

    // What cannot be written at the end is not lost: the last checkpoint holds all but what came after it.
    const auto with_advice = [&](const auto& write) {
        try {
            write();
        } catch (const FileError& error) {
            throw FileError(fmt::format("{}; once it can be written, `{} resume {}` goes on from the last checkpoint",
                                        error.what(), program_name(), job.directory.string()));
        }
    };
    if (stop) {
        with_advice(checkpoint);
        parallel::on_root(job.ranks, [&] {
            write_summary(job.directory, facts_of(job, run, heartbeat.elapsed(), updates), nullptr);
        });
        reporter.info(fmt::format("stopped by {} at step {} with a checkpoint; `{} resume {}` goes on",
                                  stop_reason(orders.stop), run.progress().step, program_name(),
                                  job.directory.string()));
        return Ending::stopped;
    }
    const auto result = run.result();
    with_advice([&] {
        write_results(job, run, result);
        parallel::on_root(job.ranks, [&] {
            if (result.search)
                write_best_files(job.directory, result.search->best);
            write_posterior(job.directory, job.model_name, job.plan, result);
            write_summary(job.directory, facts_of(job, run, heartbeat.elapsed(), updates), &result);
        });
    });
    return Ending::finished;
}

} // namespace pearlite::app
