#include "app/result/results_file.hpp"

#include "app/posterior/prediction_results.hpp"
#include "app/result/search_results.hpp"

#include "app/commands/build_info.hpp"

#include <numeric>

namespace pearlite::app {

namespace {

void write_trace(io::Writer& writer, const algorithm::Trace& trace) {
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

} // namespace

void write_results(const Job& job, Run& run, const RunResult& result) {
    io::Writer writer(job.ranks);
    writer("configuration", job.configuration);
    writer("build/version", build_id());
    writer("build/compiler", compiler());
    writer("build/libraries", library_versions());
    // Whatever has arrays of its own writes these; all ranks must name the same ones.
    if (result.search) {
        write_search(job.ranks, writer, *result.search);
        writer.commit(job.directory / "results.h5", "results");
        return;
    }
    if (result.has_path)
        write_trace(writer, result.trace);
    if (!result.parameter_names.empty())
        writer("samples/names", result.parameter_names);
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

} // namespace pearlite::app
