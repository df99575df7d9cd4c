#include "app/written/summary.hpp"

#include "app/posterior/posterior_arrays.hpp"
#include "app/program/amounts.hpp"
#include "app/program/build_info.hpp"
#include "app/result/parts/kinds.hpp"
#include "io/files/temporary_file.hpp"
#include "target/named_data.hpp"

#include <fstream>
#include <sys/resource.h>

namespace pearlite::app {

namespace {

/// The ratios of the busiest rank's work to the mean, and the number of deals.
Json balance(const population::WorkAccount& work) {
    return {{"imbalance", work.busiest / work.mean},
            {"imbalance_of_equal_runs", work.busiest_of_equal_runs / work.mean},
            {"deals", work.deals},
            {"blocks_moved", work.blocks_moved}};
}

/// The headline of the first part that has one.
Headline headline_of(const RunResult& result) {
    for (const auto& part : result.parts)
        if (auto headline = part->headline())
            return *headline;
    return no_headline();
}

/// The lines of a part. `is_new`: nothing has changed the summary since it was made, and a part of another form hides
/// no other.
template <class Describe>
std::string lines_of(const Describe& describe, bool is_new) {
    try {
        return describe();
    } catch (const Json::exception& error) {
        if (!is_new)
            throw;
        return fmt::format("  lines that cannot be shown: {}\n", error.what());
    }
}

/// Lines for a person: estimates with errors beside exact values, posterior, warnings, digest.
std::string describe(const Json& summary, bool is_new) {
    std::string text = fmt::format("{}, {}: {}\n", summary.value("model", "?"), summary.value("algorithm", "?"),
                                   summary.value("status", "?"));
    text += lines_of([&] { return describe_headline(summary); }, is_new);
    const auto diagnostics = summary.value("diagnostics", Json::object());
    for (const auto& warning : diagnostics.value("warnings", Json::array()))
        text += "  warning: " + warning.get<std::string>() + "\n";
    for (const auto& file : summary.value("files", Json::array()))
        text += fmt::format("  file: {} ({}), SHA-256 {:.16}...\n", file.value("path", ""), file.value("key", ""),
                            file.value("sha256", ""));
    for (const auto& kind : kinds_of_parts())
        if (kind.describe)
            text += lines_of([&] { return kind.describe(summary); }, is_new);
    if (summary.contains("digest"))
        text += "  digest " + summary.value("digest", "") + "\n";
    const auto timing = summary.value("timing", Json::object());
    text += fmt::format("  {} on {} rank(s), {} {}/s\n", format_duration(timing.value("wall_seconds", 0.0)),
                        whole_at(summary, "ranks", 1), format_rate(timing.value("updates_per_second", 0.0)),
                        timing.value("unit", ""));
    if (const auto busiest = timing.find("busiest_rank"); busiest != timing.end())
        text += fmt::format("  memory: {:.0f} MiB on the rank that needed most\n",
                            busiest->value("peak_memory_bytes", 0.0) / (1 << 20));
    if (const auto balance = timing.find("balance"); balance != timing.end() && whole_at(*balance, "deals") > 0)
        text += fmt::format(
            "  the busiest rank did {:.2f} times the mean; with equally many blocks it would have been {:.2f}\n",
            balance->value("imbalance", 0.0), balance->value("imbalance_of_equal_runs", 0.0));
    return text;
}

/// The first entries of every summary.
Json head_of(const RunFacts& facts, const std::string& status) {
    Json head{{"schema", 1},
              {"algorithm", facts.algorithm},
              {"model", facts.model},
              {"seed", facts.seed},
              {"ranks", facts.ranks},
              {"block", facts.block},
              {"build", build_id()},
              {"status", status},
              {"generator", facts.generator},
              {"files", Json::array()}};
    for (const auto& [key, path, sha256] : facts.files)
        head["files"].push_back({{"key", key}, {"path", path.string()}, {"sha256", sha256}});
    return head;
}

void add_diagnostics(Json& summary, SummaryParts& parts, const std::vector<std::string>& warnings) {
    parts.diagnostics["warnings"] = warnings;
    summary["diagnostics"] = parts.diagnostics;
}

void add_timing(Json& summary, const RunFacts& facts) {
    summary["timing"] = {
        {"wall_seconds", facts.wall_seconds}, {"updates_per_second", facts.updates_per_second}, {"unit", facts.unit}};
    const auto& messages = facts.resources.messages;
    summary["timing"]["busiest_rank"] = {{"peak_memory_bytes", facts.resources.peak_memory_bytes},
                                         {"sent_bytes", messages.sent_bytes},
                                         {"reduced_words", messages.reduced_words},
                                         {"collected_bytes", messages.collected_bytes},
                                         {"sends", messages.sends},
                                         {"reductions", messages.reductions},
                                         {"other_collectives", messages.other_collectives}};
    if (facts.work && facts.work->mean > 0)
        summary["timing"]["balance"] = balance(*facts.work);
}

Json json_of(const ProgressEntry& current) {
    const auto& progress = current.progress;
    const bool has_iterations = progress.iterations_per_step > 1;
    Json entry{{"in_pilot", progress.in_pilot},
               {"unit", has_iterations ? "iteration" : "step"},
               {"done", progress.step * progress.iterations_per_step}};
    if (progress.steps > 0)
        entry["of"] = progress.steps * progress.iterations_per_step;
    if (!progress.stage.empty())
        entry["stage"] = progress.stage;
    else if (progress.best_energy) {
        entry["best_energy"] = json_number(*progress.best_energy);
        entry["temperature"] = progress.temperature;
    } else {
        if (progress.variables > 0)
            entry["variables"] = std::lround(progress.inverse_temperature * static_cast<double>(progress.variables));
        else
            entry["inverse_temperature"] = progress.inverse_temperature;
        entry["ess"] = json_number(progress.ess);
    }
    if (current.log_ratio && progress.stage.empty()) {
        entry["log_ratio"] = json_number(current.log_ratio->value);
        if (current.log_ratio->standard_error)
            entry["standard_error"] = json_number(*current.log_ratio->standard_error);
    }
    if (current.seconds_left)
        entry["seconds_left"] = json_number(*current.seconds_left);
    return entry;
}

/// Replaces numbers that are not finite by texts, as json_number() does.
void make_finite(Json& json) {
    if (json.is_number_float())
        json = json_number(json.get<double>());
    else if (json.is_structured())
        for (auto& entry : json)
            make_finite(entry);
}

/// The text of a file. Bytes of names that are not UTF-8 are replaced: nothing may cost the estimates.
std::string text_of(Json& summary) {
    make_finite(summary);
    return summary.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

/// Calls write(), whose failure is a remark on the part.
template <class Write>
void try_part(std::vector<std::string>& remarks, const Write& write) {
    try {
        write();
    } catch (const std::exception&) {
        remarks.push_back(fmt::format("a part of the summary could not be written: {}",
                                      pearlite::describe(std::current_exception()).message));
    }
}

} // namespace

std::string summary_text(const RunFacts& facts, const RunResult& result) {
    auto summary = head_of(facts, "finished");
    SummaryParts parts;
    auto warnings = facts.warnings;
    warnings.insert(warnings.end(), result.remarks.begin(), result.remarks.end());
    for (const auto& part : result.parts)
        try_part(warnings, [&] { part->write_summary(parts); });
    const auto headline = headline_of(result);
    const auto verdict = headline.verdict(parts.warnings);
    summary["headline"] = headline_entry(headline, verdict.support);
    summary["verdict"] = verdict.sentence;
    summary.update(parts.entries);
    warnings.insert(warnings.end(), parts.warnings.begin(), parts.warnings.end());
    add_diagnostics(summary, parts, warnings);
    summary["digest"] = result.digest;
    add_timing(summary, facts);
    return text_of(summary);
}

std::string summary_text(const RunFacts& facts, const std::string& status, const ProgressEntry& entry,
                         const ResultParts& known) {
    auto summary = head_of(facts, status);
    summary["progress"] = json_of(entry);
    SummaryParts parts;
    auto warnings = facts.warnings;
    for (const auto& part : known)
        try_part(warnings, [&] { part->write_summary(parts); });
    summary.update(parts.entries);
    add_diagnostics(summary, parts, warnings);
    add_timing(summary, facts);
    return text_of(summary);
}

void write_summary(const std::filesystem::path& directory, const std::string& text) {
    io::write_durably(directory / "summary.json", text);
}

Json read_summary(const std::filesystem::path& directory) {
    std::ifstream in(directory / "summary.json");
    auto summary = Json::parse(in, nullptr, false);
    return summary.is_object() ? summary : Json::object();
}

std::string read_status(const std::filesystem::path& directory) {
    const auto summary = read_summary(directory);
    const auto status = summary.find("status");
    return status != summary.end() && status->is_string() ? status->get<std::string>() : std::string();
}

std::string describe_summary(const std::filesystem::path& directory) {
    try {
        return describe(read_summary(directory), false);
    } catch (const Json::exception&) {
        throw InputError(fmt::format("{}: damaged; expected what a run wrote", (directory / "summary.json").string()));
    }
}

std::string describe_text(const std::string& summary) {
    return describe(Json::parse(summary), true);
}

Resources resources_of(const parallel::Communicator& ranks) {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const auto mine = parallel::message_count();
    std::array<double, 7> most{};
    std::ranges::transform(std::array{static_cast<Index>(usage.ru_maxrss) * 1024, mine.reductions, mine.reduced_words,
                                      mine.other_collectives, mine.collected_bytes, mine.sends, mine.sent_bytes},
                           most.begin(), [](Index number) { return static_cast<double>(number); });
    ranks.max(most); // exact: below 2^53
    const auto at = [&](std::size_t k) { return static_cast<Index>(most[k]); };
    return {at(0), {at(1), at(2), at(3), at(4), at(5), at(6)}};
}

namespace {

constexpr const char* file_name = "progress.h5";

} // namespace

void write_progress(const Job& job, const RunFacts& facts, const ProgressEntry& entry, const ResultParts& known) {
    io::Writer writer(job.ranks);
    writer("configuration", job.configuration);
    writer("build/version", build_id());
    writer("build/compiler", compiler());
    writer("build/libraries", library_versions());
    for (const auto& part : known)
        part->write_fields(writer);
    writer("summary", job.ranks.is_root() ? summary_text(facts, "running", entry, known) : std::string());
    writer.commit(job.directory / file_name, "results");
}

std::optional<std::string> read_progress(const std::filesystem::path& directory) {
    const auto file = directory / file_name;
    std::error_code error;
    if (!std::filesystem::exists(file, error))
        return {};
    try {
        io::Reader reader(parallel::Communicator::alone(), file, "results");
        std::string summary;
        reader("summary", summary);
        return summary;
    } catch (const FileError&) { // a newer one may just be taking its place
        return {};
    }
}

void remove_progress(const std::filesystem::path& directory) {
    std::error_code ignored;
    std::filesystem::remove(directory / file_name, ignored);
}

std::filesystem::file_time_type last_written(const std::filesystem::path& directory) {
    auto newest = std::filesystem::file_time_type::min();
    for (const auto* name : {file_name, "summary.json"}) {
        std::error_code error;
        if (const auto written = std::filesystem::last_write_time(directory / name, error); !error)
            newest = std::max(newest, written);
    }
    return newest;
}

bool is_progress_file(const std::string& name) {
    return name == file_name;
}

namespace {

/// A data point for each observation of an array has the array's name and dimension.
void name_by_data(LabelledArray& log_likelihood, const std::vector<LabelledArray>& observed) {
    if (observed.size() != 1 || observed.front().dimensions.size() != 1)
        return;
    log_likelihood.name = observed.front().name;
    if (observed.front().size() == log_likelihood.dimensions.back().size)
        log_likelihood.dimensions.back() = observed.front().dimensions.front();
}

/// Takes the arrays that `is_wanted` out of the draws, but for all of them.
std::vector<LabelledArray> taken(std::vector<LabelledArray>& draws,
                                 const std::function<bool(const LabelledArray&)>& is_wanted) {
    std::vector<LabelledArray> found;
    if (draws.size() > 1)
        std::erase_if(draws, [&](auto& array) {
            if (!is_wanted(array))
                return false;
            found.push_back(std::move(array));
            return true;
        });
    return found;
}

/// Takes log_lik, by which Stan programs call the log likelihoods of the data points.
std::vector<LabelledArray> taken_log_likelihood(std::vector<LabelledArray>& draws) {
    return taken(draws, [](const LabelledArray& array) { return array.name == "log_lik"; });
}

/// Takes y_rep, by which Stan programs call data that might have been, as "y", the name that the data have.
std::vector<LabelledArray> taken_replicates(std::vector<LabelledArray>& draws,
                                            const std::vector<LabelledArray>& observed) {
    const auto data_of = [&](const LabelledArray& array) {
        return std::ranges::find_if(observed, [&](const LabelledArray& data) {
            return array.name == data.name + model::replicate_suffix && array.dimensions.size() > 2 &&
                   std::ranges::equal(std::span(array.dimensions).subspan(2), data.dimensions, {},
                                      &LabelledDimension::size, &LabelledDimension::size);
        });
    };
    auto replicates = taken(draws, [&](const LabelledArray& array) { return data_of(array) != observed.end(); });
    for (auto& array : replicates) {
        const auto& data = *data_of(array);
        array.name = data.name;
        std::ranges::copy(data.dimensions, array.dimensions.begin() + 2);
    }
    return replicates;
}

/// The groups in the order of the file.
std::vector<io::NetcdfGroup> groups_of(const ResultParts& parts) {
    PosteriorArrays arrays;
    for (const auto& part : parts)
        part->write_posterior(arrays);
    if (arrays.draws.empty())
        return {};
    std::vector<LabelledArray> observed;
    for (const auto& group : arrays.further)
        if (group.name == "observed_data")
            observed = group.arrays;
    auto pointwise = taken_log_likelihood(arrays.draws);
    for (auto& array : arrays.log_likelihood) {
        name_by_data(array, observed);
        pointwise.push_back(std::move(array));
    }
    auto replicates = taken_replicates(arrays.draws, observed);
    std::vector<io::NetcdfGroup> groups{{"posterior", std::move(arrays.draws)}, {"sample_stats", {}}};
    auto& statistics = groups.back().arrays;
    for (const auto* some : {&arrays.of_draws, &arrays.of_steps, &arrays.of_run})
        statistics.insert(statistics.end(), some->begin(), some->end());
    if (!pointwise.empty())
        groups.push_back({"log_likelihood", std::move(pointwise)});
    if (!replicates.empty())
        groups.push_back({"posterior_predictive",
                          std::move(replicates),
                          {{"names_in_the_program_end_in", model::replicate_suffix}}});
    for (auto& group : arrays.further)
        if (!group.arrays.empty())
            groups.push_back(std::move(group));
    return groups;
}

} // namespace

void write_posterior(const Job& job, const ResultParts& parts) {
    auto groups = groups_of(parts);
    if (groups.empty())
        return;
    // No time of creation: equal runs leave equal files.
    const std::vector<io::NetcdfGroup::Attribute> library{{"inference_library", "pearlite"},
                                                          {"inference_library_version", PEARLITE_VERSION}};
    for (auto& group : groups)
        group.attributes.insert(group.attributes.begin(), library.begin(), library.end());
    groups.front().attributes.insert(groups.front().attributes.end(),
                                     {{"model_name", job.model_name},
                                      {"algorithm", job.algorithm},
                                      {"seed", std::to_string(job.plan->run().seed.value)},
                                      {"build", build_id()}});
    io::write_netcdf(job.directory / "posterior.nc", groups, library);
}

} // namespace pearlite::app
