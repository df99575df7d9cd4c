#include "app/commands/command.hpp"
#include "app/commands/options.hpp"
#include "app/configured/prepare.hpp"
#include "app/program/build_info.hpp"
#include "app/tune/schedule_tuning.hpp"
#include "app/tune/tuning.hpp"
#include "io/configuration/configuration_edit.hpp"
#include "io/files/temporary_file.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <iterator>

namespace pearlite::app {

namespace {

namespace fs = std::filesystem;

struct TuneOptions {
    std::filesystem::path configuration;
    std::vector<std::string> overrides;
    std::optional<std::filesystem::path> data_directory;
    std::optional<std::filesystem::path> output; ///< default <toml stem>-tuned.toml
    bool overwrite = false;
    Index pilot_particles = 256;
};

std::string tunable_models(const Catalogue& models) {
    std::string names;
    for (const auto& entry : models)
        if (!entry.traits.particles_key.empty())
            names += (names.empty() ? "" : ", ") + entry.traits.name;
    return names.empty() ? "a model with estimate(), particles() and set_particles()" : names;
}

/// "smc" or "annealed-importance", say.
std::string tunable_algorithms() {
    std::string names;
    for (const auto& algorithm : algorithms())
        if (algorithm.can_tune_likelihood)
            names += (names.empty() ? "\"" : " or \"") + algorithm.name + "\"";
    return names;
}

/// Mistakes with their places in the configuration.
void check_tunable(const Catalogue& models, io::Configuration& configuration, const Prepared& prepared,
                   const TunableLikelihood* likelihood) {
    if (!likelihood && prepared.traits.particles_key.empty())
        configuration.error("model.name", fmt::format("the likelihood of {} is not estimated from particles; expected "
                                                      "one of {}",
                                                      prepared.model_name, tunable_models(models)));
    else if (!likelihood)
        configuration.error("model.likelihood", "got \"exact\"; expected \"estimated\": there are particles to choose");
    if (!prepared.algorithm->can_tune_likelihood)
        configuration.error("algorithm.name",
                            fmt::format("got \"{}\"; expected {}, for whose weights the cost is known",
                                        prepared.algorithm->name, tunable_algorithms()));
    configuration.check_asked();
}

void check_output(const fs::path& output, const TuneOptions& options) {
    std::error_code error;
    if (fs::equivalent(output, options.configuration, error) && !options.overwrite)
        throw InputError(fmt::format("{}: is the configuration itself; --overwrite replaces it", output.string()));
    if (fs::exists(output, error) && !options.overwrite)
        throw InputError(
            fmt::format("{}: exists; --overwrite replaces it, -o FILE.toml writes another", output.string()));
    const auto directory = output.has_parent_path() ? output.parent_path() : fs::path(".");
    if (!fs::is_directory(directory, error))
        throw InputError(fmt::format("{}: no such directory; expected one for -o", directory.string()));
}

/// The configuration as it was written, in its short form if that is what was tuned.
std::string text_of(const TuneOptions& options) {
    std::ifstream in(options.configuration, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    return io::with_short_form(text, options.configuration.string(), options.overrides);
}

/// The overrides to write: text_of() has applied run.short.
std::vector<std::string> overrides_of(const TuneOptions& options) {
    auto overrides = options.overrides;
    std::erase_if(overrides, [](const std::string& each) { return each.starts_with("run.short="); });
    return overrides;
}

/// Checks that the new configuration can be read from `output`: files beside the old one may be missing beside the new.
void check_readable_there(const Catalogue& models, const fs::path& output, const TuneOptions& options) {
    const auto text = io::with_overrides(text_of(options), options.configuration.string(), overrides_of(options));
    prepare(models, io::Configuration::parse(text, output.string(), fs::absolute(output).parent_path(), {},
                                             options.data_directory));
}

nlohmann::ordered_json json_of(const Prepared& prepared, const Tuning& tuning, const std::vector<std::string>& names,
                               const std::string& setting) {
    nlohmann::ordered_json mode = nlohmann::ordered_json::array(), sizes = mode;
    for (std::size_t k = 0; k < names.size(); ++k)
        mode.push_back({{"name", names[k]}, {"value", tuning.mode(static_cast<Index>(k))}});
    for (const auto& size : tuning.measured) {
        const double variance = tuning.cost.gamma2 / static_cast<double>(size.particles);
        sizes.push_back({{"particles", size.particles},
                         {"variance", variance},
                         {"variance_measured", size.variance},
                         {"seconds_measured", size.seconds},
                         {"relative_cost", tuning.cost.at(variance) / tuning.cost.at(tuning.optimal_variance)}});
    }
    return {{"schema", 1},
            {"model", prepared.model_name},
            {"seed", prepared.plan->run().seed.value},
            {"build", build_id()},
            {"setting", setting},
            {"particles", tuning.particles},
            {"variance", tuning.variance},
            {"optimal_particles", tuning.optimal_particles},
            {"optimal_variance", tuning.optimal_variance},
            {"gamma2", tuning.cost.gamma2},
            {"gamma2_standard_error", tuning.gamma2_standard_error},
            {"seconds_base", tuning.cost.seconds_base},
            {"seconds_per_particle", tuning.cost.seconds_per_particle},
            {"schedule_tau", tuning.cost.schedule_tau},
            {"mode", mode},
            {"sizes", sizes}};
}

/// The plan, if a survey makes its schedule; null for any other.
const algorithm::AnnealingPlan* plan_with_survey(const Prepared& prepared) {
    const auto* plan = dynamic_cast<const algorithm::AnnealingPlan*>(prepared.plan.get());
    return plan && plan->temperatures().is_optimised() ? plan : nullptr;
}

/// The configuration with the schedule of a file in place of an optimised one, without overrides of [schedule].
std::string with_schedule_file(const TuneOptions& options, const fs::path& file) {
    std::vector<std::string> overrides;
    for (const auto& each : overrides_of(options))
        if (!each.starts_with("schedule."))
            overrides.push_back(each);
    overrides.emplace_back("schedule.kind=file");
    overrides.push_back(fmt::format("schedule.file={}", file.filename().string()));
    const auto name = options.configuration.string();
    return io::with_overrides(io::without_table(text_of(options), name, "schedule"), name, overrides);
}

int tune_schedule_command(const parallel::Communicator& ranks, const TuneOptions& options, const Prepared& prepared,
                          const algorithm::AnnealingPlan& plan, const fs::path& output) {
    auto schedule_file = output;
    schedule_file.replace_extension(".schedule");
    parallel::on_root(ranks, [&] {
        check_output(output, options);
        check_output(schedule_file, options);
        with_schedule_file(options, schedule_file);
    });
    if (ranks.is_root())
        fmt::print("{}, {}: choosing the schedule by a survey of the path, on {} rank(s), seed {}\n",
                   prepared.model_name, prepared.algorithm->name, ranks.size(), plan.run().seed.value);
    const auto tuning = tune_schedule(ranks, plan, plan.along_path(prepared.model->target()));
    parallel::on_root(ranks, [&] {
        io::write_durably(schedule_file, tuning.file(options.configuration.filename().string()));
        io::write_durably(output, with_schedule_file(options, schedule_file));
        auto json = output;
        nlohmann::ordered_json written{{"schema", 1},
                                       {"model", prepared.model_name},
                                       {"algorithm", prepared.algorithm->name},
                                       {"seed", plan.run().seed.value},
                                       {"build", build_id()}};
        written.update(tuning.json());
        io::write_durably(json.replace_extension(".json"), written.dump(2) + "\n");
        fmt::print("{}wrote {} and {}\n", tuning.describe(), output.string(), schedule_file.string());
    });
    return 0;
}

/// Collective.
int tune(const parallel::Communicator& ranks, const Catalogue& models, const TuneOptions& options) {
    const auto output = options.output.value_or(options.configuration.stem().string() + "-tuned.toml");
    Prepared prepared;
    std::unique_ptr<TunableLikelihood> likelihood;
    bool variance_by_point = false;
    parallel::together(ranks, [&] {
        auto configuration = io::Configuration::load(options.configuration, options.overrides, options.data_directory);
        prepared = prepare(models, configuration);
        if (plan_with_survey(prepared))
            return configuration.check_asked();
        likelihood = TunableLikelihood::of(prepared.model->target().get());
        check_tunable(models, configuration, prepared, likelihood.get());
        variance_by_point = configuration.section("model").has("likelihood_variance");
    });
    require_same_inputs(ranks, inputs_of(prepared));
    if (const auto* plan = plan_with_survey(prepared))
        return tune_schedule_command(ranks, options, prepared, *plan, output);
    parallel::on_root(ranks, [&] {
        check_output(output, options);
        check_readable_there(models, output, options);
    });
    const auto say = [&](const std::string& text) {
        if (ranks.is_root()) {
            std::fputs(text.c_str(), stdout);
            std::fflush(stdout);
        }
    };
    say(fmt::format("{}: choosing the number of particles of its estimated likelihood, on {} rank(s), seed {}\n",
                    prepared.model_name, ranks.size(), prepared.plan->run().seed.value));
    const auto tuning =
        tune_likelihood(ranks, *likelihood, dynamic_cast<const algorithm::AnnealingPlan&>(*prepared.plan),
                        {.pilot_particles = options.pilot_particles,
                         .report = [&](const std::string& what) { say("  " + what + "\n"); }});
    const auto& names = likelihood->quantity_names();
    say("\n" + describe(tuning, names));
    if (prepared.traits.particles_key.empty()) {
        say("the model names no key of [model] for it (particles_key): nothing is written\n");
        return 0;
    }
    const auto setting = variance_by_point
                             ? fmt::format("model.likelihood_variance={:.3g}", tuning.variance)
                             : fmt::format("model.{}={}", prepared.traits.particles_key, tuning.particles);
    parallel::on_root(ranks, [&] {
        auto overrides = overrides_of(options);
        overrides.push_back(setting);
        io::write_durably(output, io::with_overrides(text_of(options), options.configuration.string(), overrides));
        auto json = output;
        io::write_durably(json.replace_extension(".json"), json_of(prepared, tuning, names, setting).dump(2) + "\n");
    });
    say(fmt::format("wrote {}: {}\n", output.string(), setting));
    return 0;
}

} // namespace

CommandEntry tune_command_entry() {
    return {"tune",
            "choose the number of particles of an estimated likelihood, or survey the path for an optimised schedule; "
            "write a new configuration",
            [](CLI::App& command, const CommandContext& context) -> Action {
                const auto options = std::make_shared<TuneOptions>();
                add_configuration_options(command, options->configuration, options->overrides);
                command.add_option("-o,--output", options->output,
                                   "the new configuration (default <toml stem>-tuned.toml here)");
                command.add_flag("--overwrite", options->overwrite, "replace that file if it exists");
                add_data_option(command, options->data_directory);
                command
                    .add_option("--pilot-particles", options->pilot_particles, "of the population that finds the mode")
                    ->check(CLI::Range(Index{16}, Index{1'000'000}))
                    ->capture_default_str();
                return {.distributed = [options, &models = context.models](const auto& ranks) {
                    return tune(ranks, models, *options);
                }};
            }};
}

} // namespace pearlite::app
