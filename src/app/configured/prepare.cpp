#include "app/configured/prepare.hpp"

#include "app/configured/memory.hpp"
#include "io/configuration/key_reader.hpp"
#include "models/registry.hpp"
#include "path/registry.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sstream>

namespace pearlite::app {

namespace {

/// The entry of the catalogue that the configuration names.
const ModelEntry& read_entry(const Catalogue& models, io::Configuration& configuration, io::Section& section) {
    std::vector<std::string> names;
    for (const auto& entry : models)
        names.push_back(entry.traits.name);
    std::optional<std::string> only;
    if (names.size() == 1)
        only = names.front();
    const auto name = section.choice("name", names, only);
    const auto entry = std::find_if(models.begin(), models.end(), [&](const auto& e) { return e.traits.name == name; });
    // Without the model its keys and the defaults are unknown, so that no other key can be checked.
    if (entry == models.end()) {
        configuration.check_asked();
        throw ContractViolation("an unknown model passed the check of its name");
    }
    return *entry;
}

/// The integers of [model], from which its sizes follow.
struct Sizes {
    std::string text; ///< "random_visible = 100000, ..."
    double largest = 1, second = 1;
    double product_bytes() const { return sizeof(double) * largest * second; }
};

Sizes sizes_in(const io::Configuration& configuration) {
    std::istringstream lines(configuration.resolved());
    Sizes sizes;
    std::string table;
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("["))
            table = line;
        const auto value = line.find(" = ");
        if (table == "[model]" && value != std::string::npos &&
            line.find_first_not_of("0123456789", value + 3) == std::string::npos) {
            sizes.text += (sizes.text.empty() ? "" : ", ") + line;
            const double size = std::stod(line.substr(value + 3));
            sizes.second = std::max(sizes.second, std::min(size, sizes.largest));
            sizes.largest = std::max(sizes.largest, size);
        }
    }
    return sizes;
}

/// InputError where a matrix of the two greatest sizes cannot be had.
std::unique_ptr<BuiltModel> build(const ModelEntry& entry, io::Configuration& configuration, io::Section& section) {
    try {
        return entry.build(configuration, section);
    } catch (const std::bad_alloc&) {
        const auto sizes = sizes_in(configuration);
        if (sizes.product_bytes() < available_bytes())
            throw;
        throw InputError(fmt::format("[model]: a model \"{}\" of these sizes ({}) takes more memory than there is, "
                                     "expected smaller ones",
                                     entry.traits.name, sizes.text));
    }
}

/// The use of a model, for messages.
const char* words_for(model::Task task) {
    switch (task) {
    case model::Task::search:
        return "is an energy to be searched";
    case model::Task::training:
        return "is trained";
    case model::Task::annealing:
        break;
    }
    return "is annealed";
}

/// A model is annealed, searched or trained. An algorithm that does not suit it is recorded as a mistake, and the
/// default takes its place.
const AlgorithmEntry& read_algorithm(io::Configuration& configuration, const ModelTraits& traits) {
    auto section = configuration.section("algorithm");
    const auto task = traits.task();
    std::vector<std::string> names, suitable;
    for (const auto& entry : algorithms()) {
        names.push_back(entry.name);
        if (entry.task == task)
            suitable.push_back('"' + entry.name + '"');
    }
    // The plan reads this key again; here it decides which plan that is.
    const bool has_first_defaults =
        !section.has("name") && section.has("defaults") && task == model::Task::annealing &&
        section.choice("defaults", algorithm::releases_of_defaults, algorithm::name_of_present_defaults) ==
            algorithm::name_of_first_defaults;
    const auto& standard =
        standard_algorithm(traits, has_first_defaults ? algorithm::Defaults::first : algorithm::Defaults::present);
    const auto name = section.choice("name", names, standard.name);
    if (std::find(names.begin(), names.end(), name) == names.end())
        return standard;
    const auto refuse = [&](const std::string& why) -> const AlgorithmEntry& {
        section.refuse_choice("name", why);
        return standard;
    };
    const auto& algorithm = algorithm_of_name(name);
    if (algorithm.task != task)
        return refuse(fmt::format("got \"{}\", but this model {}; expected one of {}", name, words_for(task),
                                  fmt::join(suitable, ", ")));
    const auto objection = algorithm::objection_to(algorithm, traits);
    if (objection.empty())
        return algorithm;
    return refuse(fmt::format("got \"{}\": {}; expected another algorithm", name, objection));
}

} // namespace

Prepared prepare(const Catalogue& models, io::Configuration configuration) {
    auto section = configuration.section("model");
    const auto& entry = read_entry(models, configuration, section);
    Prepared prepared;
    prepared.model_name = entry.traits.name;
    prepared.model = build(entry, configuration, section);
    prepared.traits = entry.traits;
    auto& traits = prepared.traits;
    if (prepared.model && traits.search)
        std::erase_if(traits.search->default_operations,
                      [&](const std::string& name) { return !prepared.model->suits(name); });
    const auto target = prepared.model ? prepared.model->target() : nullptr;
    if (target) {
        traits.reverse_starts = model::reverse_starts_of(*target);
        traits.path_kinds = path::kinds_of(*target, traits.lacks_prior ? "bridge" : "");
        traits.has_gradient = target->offers<model::DensityGradient>() != nullptr;
        traits.has_metric = target->offers<model::DensityMetric>() != nullptr;
        const auto* density = target->offers<model::DensityFunctions>();
        traits.has_prior_density = density && density->offers<model::PriorDensity>();
        if (density)
            traits.dimension = density->dimension();
        traits.has_estimated_likelihood = density && density->is_estimated();
        traits.has_normalised_prior = density && density->log_prior_normaliser() == 0.0;
    }

    if (const auto growth = prepared.model ? prepared.model->growth() : nullptr)
        traits.growth_orders = growth->orders();

    prepared.algorithm = &read_algorithm(configuration, traits);
    prepared.plan = prepared.algorithm->plan(traits);
    io::KeyReader reader(configuration, "algorithm");
    prepared.plan->keys(reader);
    if (prepared.model && !configuration.has_errors())
        for (const auto& [key, why] : prepared.plan->misfits(*prepared.model))
            configuration.error(key, why);
    if (target)
        try {
            if (auto along = prepared.plan->along_path(target); along != target)
                prepared.model = model::annealed(std::move(along));
        } catch (const InputError& error) {
            configuration.error("path.kind", error.what());
        }
    configuration.check();
    prepared.resolved = configuration.resolved();
    prepared.files = configuration.files();
    prepared.remarks = configuration.remarks();
    prepared.unused = configuration.unused();
    return prepared;
}

std::unique_ptr<algorithm::Plan> plan_again(const Prepared& prepared, io::Configuration configuration) {
    auto plan = prepared.algorithm->plan(prepared.traits);
    io::KeyReader reader(configuration, "algorithm");
    plan->keys(reader);
    return configuration.has_errors() ? nullptr : std::move(plan);
}

Inputs inputs_of(const Prepared& prepared) {
    return {prepared.resolved, prepared.files, fingerprint_of(*prepared.model)};
}

std::string describe_unused(const Prepared& prepared) {
    if (prepared.unused.empty())
        return {};
    return fmt::format("ignored, {} has no use for it: {}", prepared.algorithm->name, fmt::join(prepared.unused, ", "));
}

Catalogue built_in_models() {
    return models::built_in();
}

const std::vector<AlgorithmEntry>& algorithms() {
    return algorithm::entries();
}

const AlgorithmEntry& standard_algorithm(const ModelTraits& traits, algorithm::Defaults defaults) {
    switch (traits.task()) {
    case model::Task::search:
        return algorithm_of_name("pisaa");
    case model::Task::training:
        return algorithm_of_name("contrastive-divergence");
    case model::Task::annealing:
        break;
    }
    // Annealed importance sampling keeps its weights unbiased where likelihoods are estimated (AISEL), and a model's
    // own moves may be as cheap as a temperature.
    const bool is_exact_density = traits.continuous && !traits.has_estimated_likelihood && traits.particles_key.empty();
    return algorithm_of_name(is_exact_density && defaults == algorithm::Defaults::present ? "smc"
                                                                                          : "annealed-importance");
}

const AlgorithmEntry& algorithm_of_name(const std::string& name) {
    for (const auto& entry : algorithms())
        if (entry.name == name)
            return entry;
    throw ContractViolation("there is no algorithm called " + name);
}

} // namespace pearlite::app
