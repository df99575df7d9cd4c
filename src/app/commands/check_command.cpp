#include "app/commands/command.hpp"
#include "app/commands/options.hpp"
#include "app/configured/job.hpp"
#include "app/configured/memory.hpp"
#include "app/probe/check_derivatives.hpp"
#include "app/probe/probe.hpp"
#include "app/sweep/sweep.hpp"
#include "parallel/agreement.hpp"

#include <fmt/format.h>

#include <cstdio>

namespace pearlite::app {

namespace {

struct CheckOptions {
    std::filesystem::path configuration;
    std::vector<std::string> overrides;
    std::optional<std::filesystem::path> data_directory;
    double probe_seconds = 0.2; ///< of steps that are tried; 0: none
};

/// The configuration again, with these assignments.
using LoadWith = std::function<io::Configuration(const std::vector<std::string>& assignments)>;

Probe probe_of(const parallel::Communicator& ranks, const Prepared& prepared, double seconds, const LoadWith& load) {
    const auto plan_with = [&](const std::vector<std::string>& assignments) {
        try {
            return plan_again(prepared, load(assignments));
        } catch (const InputError&) {
            return std::unique_ptr<algorithm::Plan>();
        }
    };
    return probe(ranks, {*prepared.model, *prepared.plan, plan_with}, seconds, monotonic_seconds);
}

void print(const parallel::Communicator& ranks, const std::string& text) {
    if (ranks.is_root())
        std::fputs(text.c_str(), stdout);
}

/// The first run, on as many ranks as there are.
int check_sweep(const parallel::Communicator& ranks, const Catalogue& models, const CheckOptions& options,
                io::Configuration configuration) {
    const Sweep sweep(ranks, models, std::move(configuration));
    auto text = describe_sweep(sweep);
    if (options.probe_seconds > 0) {
        Prepared prepared;
        parallel::together(ranks, [&] { prepared = prepare(models, sweep.configuration_of(0)); });
        const auto found = probe_of(ranks, prepared, options.probe_seconds, [&](const auto& assignments) {
            return sweep.grid().configuration(0, assignments);
        });
        text += found.prediction && sweep.runs() > 1
                    ? fmt::format("# time: {} runs like the first would take {} on these ranks, one after another\n",
                                  sweep.runs(),
                                  about_seconds(found.prediction->seconds() * static_cast<double>(sweep.runs())))
                    : "";
        text += "# the first run:\n" +
                describe_probe(found, prepared.plan->workload(*prepared.model), prepared.plan->unit(), ranks.size());
    }
    print(ranks, text);
    return 0;
}

std::string remarks_on(const Prepared& prepared) {
    std::string text;
    const auto target = prepared.model->target();
    for (const auto& remark : prepared.remarks)
        text += "# " + remark + "\n";
    for (const auto& remark :
         {target ? check_gradient(*target) : "", target ? check_metric(*target) : "", describe_unused(prepared)})
        if (!remark.empty())
            text += "# " + remark + "\n";
    return text;
}

/// Collective.
int check(const parallel::Communicator& ranks, const Catalogue& models, const CheckOptions& options) {
    const auto load = [&](const std::vector<std::string>& assignments) {
        auto overrides = options.overrides;
        overrides.insert(overrides.end(), assignments.begin(), assignments.end());
        return io::Configuration::load(options.configuration, overrides, options.data_directory);
    };
    std::optional<io::Configuration> sweep;
    Prepared prepared;
    Inputs inputs;
    parallel::together(ranks, [&] {
        auto configuration = load({});
        if (is_sweep(configuration))
            sweep = std::move(configuration);
        else
            prepared = prepare(models, std::move(configuration));
        if (!sweep) {
            require_memory(prepared, ranks.size());
            inputs = inputs_of(prepared);
        }
    });
    require_same_inputs(ranks, inputs);
    if (sweep)
        return check_sweep(ranks, models, options, *std::move(sweep));
    std::string remarks;
    parallel::on_root(ranks, [&] { remarks = remarks_on(prepared); });
    for (const auto& remark : remarks_on_ranks(ranks, prepared.plan.get()))
        remarks += "# ranks: " + remark + "\n";
    print(ranks, prepared.resolved + "\n" + prepared.plan->cost(*prepared.model) + remarks);
    if (options.probe_seconds > 0) {
        const auto found = probe_of(ranks, prepared, options.probe_seconds, load);
        print(ranks,
              describe_probe(found, prepared.plan->workload(*prepared.model), prepared.plan->unit(), ranks.size()));
    }
    return 0;
}

} // namespace

CommandEntry check_command_entry() {
    return {"check", "validate a configuration; print it resolved, with its cost in time and memory",
            [](CLI::App& command, const CommandContext& context) -> Action {
                const auto options = std::make_shared<CheckOptions>();
                add_configuration_options(command, options->configuration, options->overrides);
                add_data_option(command, options->data_directory);
                command
                    .add_option("--probe", options->probe_seconds,
                                "seconds of steps that are tried for a prediction; 0: none")
                    ->check(CLI::NonNegativeNumber)
                    ->capture_default_str();
                return {.distributed = [options, &models = context.models](const auto& ranks) {
                    return check(ranks, models, *options);
                }};
            }};
}

} // namespace pearlite::app
