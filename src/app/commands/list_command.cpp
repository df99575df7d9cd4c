#include "app/commands/command.hpp"

#include "app/configured/prepare.hpp"
#include "kernel/registry.hpp"
#include "kernel/search/box/box_operation.hpp"
#include "pearlite/app/command_line.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>

namespace pearlite::app {

namespace {

using model::Task;

std::string list_models(const std::string& title, const Catalogue& models, Task task) {
    auto text = title + "\n";
    for (const auto& entry : models)
        if (entry.traits.task() == task)
            text += fmt::format("  {:<24}{}\n", entry.traits.name, entry.description);
    return text;
}

std::string list_algorithms(const std::string& title, Task task) {
    auto text = "\n" + title + "\n";
    for (const auto& algorithm : algorithms())
        if (algorithm.task == task)
            text += fmt::format("  {:<24}{}\n", algorithm.name, algorithm.about);
    return text;
}

/// "native", or "auto" where there is a choice.
std::string kernel_name(const ModelTraits& traits) {
    const auto suitable = kernel::kernels_for(traits);
    return suitable.size() == 1 ? suitable.front().name : "auto";
}

/// The kernels among which models of continuous parameters have the choice.
std::string list_kernels(const Catalogue& models) {
    const auto chooses = [](const auto& entry) {
        return entry.traits.task() == Task::annealing && entry.traits.continuous;
    };
    const auto entry = std::find_if(models.begin(), models.end(), chooses);
    if (entry == models.end())
        return {};
    std::string text = "\nkernels of continuous parameters (kernel.kind), auto being the first that suits a model:\n";
    for (const auto& kernel : kernel::kernels_for(entry->traits))
        text += fmt::format("  {:<24}{}\n", kernel.name, kernel.about);
    return text;
}

/// Annealed models with the algorithms that suit them.
std::string list_combinations(const Catalogue& models) {
    std::string text = "\nwhich go together, and the kernel that moves:\n";
    for (const auto& entry : models) {
        if (entry.traits.task() != Task::annealing)
            continue;
        std::vector<std::string> suitable;
        std::map<std::string, std::vector<std::string>> unsuitable; // by reason
        for (const auto& algorithm : algorithms()) {
            if (algorithm.task != Task::annealing || (algorithm.grows && !entry.traits.grows))
                continue;
            const auto objection = algorithm::objection_to(algorithm, entry.traits);
            (objection.empty() ? suitable : unsuitable[objection]).push_back(algorithm.name);
        }
        text +=
            fmt::format("  {:<24}{:<13}{}", entry.traits.name, kernel_name(entry.traits), fmt::join(suitable, ", "));
        for (const auto& [reason, names] : unsuitable)
            text += fmt::format("; not {}: {}", fmt::join(names, ", "), reason);
        text += "\n";
    }
    return text;
}

/// Every search suits every searched model.
std::string list_operations(const Catalogue& models) {
    std::string text = "\nall of them go together; kernel.operations, those made by default first:\n";
    for (const auto& entry : models) {
        if (!entry.traits.search)
            continue;
        const auto& standard = entry.traits.search->default_operations;
        auto others = entry.traits.search->operations;
        std::erase_if(others, [&](const auto& name) {
            return std::find(standard.begin(), standard.end(), name) != standard.end();
        });
        text += fmt::format("  {:<24}{}{}\n", entry.traits.name, fmt::join(standard, ", "),
                            others.empty() ? "" : fmt::format("; also {}", fmt::join(others, ", ")));
    }
    return text;
}

/// The operations of all models whose states are points of a box.
std::string list_box_operations(const Catalogue& models) {
    if (std::none_of(models.begin(), models.end(),
                     [](const auto& entry) { return entry.traits.search && entry.traits.search->is_box; }))
        return {};
    std::string text = "\noperations on points of a box:\n";
    for (const auto& entry : kernel::box_operations())
        text += fmt::format("  {:<24}{}\n", entry.operation.name, entry.about);
    return text;
}

} // namespace

int list_command(const Catalogue& models) {
    const auto has = [&](Task task) {
        return std::any_of(models.begin(), models.end(),
                           [&](const auto& entry) { return entry.traits.task() == task; });
    };
    std::string text;
    const auto list = [&](Task task, const char* title) {
        if (!has(task))
            return false;
        text += (text.empty() ? "" : "\n") + list_models(title, models, task) +
                list_algorithms("algorithms for them:", task);
        return true;
    };
    if (list(Task::annealing, "models to be annealed, for their evidence and posterior:"))
        text += list_combinations(models);
    if (list(Task::search, "models to be searched for the state of lowest energy:"))
        text += list_operations(models) + list_box_operations(models);
    list(Task::training, "models to be trained by examples:");
    text += list_kernels(models);
    std::fputs(text.c_str(), stdout);
    return 0;
}

CommandEntry list_command_entry() {
    return {"list", "models, algorithms, and which go together",
            [](CLI::App&, const CommandContext& context) -> Action {
                return {.serial = [&models = context.models] { return list_command(models); }};
            }};
}

} // namespace pearlite::app
