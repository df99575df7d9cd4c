#include "pearlite/app/commands.hpp"
#include "pearlite/core/error.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace pearlite::app {

Prepared prepare(const Catalogue& models, io::Configuration configuration) {
    auto section = configuration.section("model");
    std::vector<std::string> names;
    for (const auto& entry : models)
        names.push_back(entry.traits.name);
    std::optional<std::string> only;
    if (names.size() == 1)
        only = names.front();
    Prepared prepared;
    prepared.model_name = section.choice("name", names, only);
    const auto entry = std::find_if(models.begin(), models.end(), [&](const auto& candidate) {
        return candidate.traits.name == prepared.model_name;
    });
    // Without the model its keys and the defaults are unknown: nothing else can be judged.
    if (entry == models.end()) {
        configuration.check_asked();
        throw ContractViolation("an unknown model passed the check of its name");
    }
    prepared.traits = entry->traits;
    prepared.model = entry->build(configuration, section);
    auto traits = entry->traits;
    if (traits.search && prepared.model)
        std::erase_if(traits.search->default_operations,
                      [&](const std::string& name) { return !prepared.model->suits(name); });
    using sampler::ReverseStart;
    const std::vector<ReverseStart> any{ReverseStart::exact, ReverseStart::mode, ReverseStart::data,
                                        ReverseStart::weighted};
    prepared.plan = read_plan(configuration, traits, prepared.model ? prepared.model->reverse_starts() : any);
    if (const auto objection = entry->objection(prepared.plan.algorithm); !objection.empty())
        configuration.error("algorithm.name", objection);
    if (prepared.plan.search && prepared.model && !configuration.has_errors())
        try {
            prepared.model->check(prepared.plan);
        } catch (const InputError& error) {
            configuration.error("kernel.operations", error.what());
        }
    configuration.check();
    if (!prepared.plan.search)
        prepared.model->check(prepared.plan);
    prepared.resolved = configuration.resolved();
    prepared.unused = configuration.unused();
    return prepared;
}

std::string describe_unused(const Prepared& prepared) {
    if (prepared.unused.empty())
        return {};
    return fmt::format("ignored, {} has no use for it: {}", algorithm_name(prepared.plan.algorithm),
                       fmt::join(prepared.unused, ", "));
}

} // namespace pearlite::app
