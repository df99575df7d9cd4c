#include "app/commands/describe_configuration.hpp"

#include "app/configured/prepare.hpp"
#include "app/sweep/sweep.hpp"

#include <fmt/format.h>

namespace pearlite::app {

namespace {

using Names = std::vector<std::string>;
using Tables = std::vector<io::TableDescription>;

/// [model] and [algorithm] begin with the key `name`.
io::KeyDescription name_key(const Names& names, About about) {
    io::KeyDescription key;
    key.name = "name";
    key.type = io::KeyDescription::Type::choice;
    for (const auto& name : names)
        key.options.push_back({name});
    key.about = std::move(about);
    return key;
}

Tables model_tables(const Catalogue& models) {
    Tables tables;
    for (const auto& entry : models) {
        auto described = io::describe_keys(
            "model", entry.keys ? entry.keys : [](Keys&) {});
        for (auto& table : described)
            table.models = {entry.traits.name};
        auto& table = described.front();
        table.is_complete = static_cast<bool>(entry.keys);
        About about(entry.description);
        if (models.size() == 1)
            about.default_is("\"" + entry.traits.name + "\"");
        else
            about.must_be_given();
        table.keys.insert(table.keys.begin(), name_key({entry.traits.name}, about));
        std::move(described.begin(), described.end(), std::back_inserter(tables));
    }
    return tables;
}

bool suits(const AlgorithmEntry& algorithm, const ModelTraits& traits) {
    return algorithm.task == traits.task() && algorithm::objection_to(algorithm, traits).empty();
}

/// The text of a table without its owners.
std::string text_of(const io::TableDescription& table) {
    return io::keys_as_markdown({{table.table, {}, {}, table.keys}});
}

bool add_name(Names& names, const std::string& name) {
    if (std::find(names.begin(), names.end(), name) != names.end())
        return false;
    names.push_back(name);
    return true;
}

/// Joins tables of equal text whose `same` names are equal, by uniting their `other` names.
Tables joined(const Tables& tables, Names io::TableDescription::*same, Names io::TableDescription::*other) {
    Tables found;
    Names texts;
    for (const auto& table : tables) {
        const auto text = text_of(table);
        std::size_t k = 0;
        while (k < found.size() &&
               !(texts[k] == text && found[k].table == table.table && found[k].*same == table.*same))
            ++k;
        if (k == found.size()) {
            found.push_back(table);
            texts.push_back(text);
        } else {
            for (const auto& name : table.*other)
                add_name(found[k].*other, name);
        }
    }
    return found;
}

/// The tables of every algorithm, for the models that suit it. Models and algorithms with the same tables share them.
Tables algorithm_tables(const Catalogue& models) {
    Tables all;
    for (const auto& algorithm : algorithms()) {
        Tables own;
        Names suitable;
        for (const auto& entry : models) {
            if (!suits(algorithm, entry.traits))
                continue;
            suitable.push_back(entry.traits.name);
            const auto plan = algorithm.plan(entry.traits);
            for (auto& table : io::describe_keys("algorithm", [&](Keys& k) { plan->keys(k); })) {
                table.models = {entry.traits.name};
                table.algorithms = {algorithm.name};
                own.push_back(std::move(table));
            }
        }
        for (auto& table : joined(own, &io::TableDescription::algorithms, &io::TableDescription::models)) {
            if (table.models == suitable)
                table.models.clear(); // all that the algorithm takes
            all.push_back(std::move(table));
        }
    }
    return joined(all, &io::TableDescription::models, &io::TableDescription::algorithms);
}

/// Sorts tables in the order in which people write them.
void sort_by_table(Tables& tables) {
    const Names order{"run", "model", "prior", "path", "schedule", "kernel", "algorithm"};
    const auto place = [&](const auto& table) { return std::find(order.begin(), order.end(), table.table); };
    std::stable_sort(tables.begin(), tables.end(), [&](const auto& a, const auto& b) { return place(a) < place(b); });
}

} // namespace

io::ConfigurationDescription describe_configuration(const Catalogue& models) {
    io::ConfigurationDescription all;
    for (const auto& entry : models) {
        auto& model = all.models.emplace_back();
        model.name = entry.traits.name;
        model.standard_algorithm = standard_algorithm(entry.traits).name;
        model.first_algorithm = standard_algorithm(entry.traits, algorithm::Defaults::first).name;
        for (const auto& algorithm : algorithms())
            if (suits(algorithm, entry.traits))
                model.algorithms.push_back(algorithm.name);
    }
    all.tables = model_tables(models);
    auto of_algorithms = algorithm_tables(models);
    ModelTraits density, searched, trained;
    density.continuous = true;
    searched.search.emplace();
    trained.is_trained = true;
    const auto about_algorithm =
        about("the algorithm")
            .default_is(fmt::format("\"{}\", of an exact density \"{}\", of a search \"{}\", of training \"{}\"",
                                    standard_algorithm({}).name, standard_algorithm(density).name,
                                    standard_algorithm(searched).name, standard_algorithm(trained).name));
    for (auto& table : of_algorithms)
        if (table.table == "algorithm")
            table.keys.insert(table.keys.begin(), name_key(table.algorithms, about_algorithm));
    std::move(of_algorithms.begin(), of_algorithms.end(), std::back_inserter(all.tables));
    sort_by_table(all.tables);
    auto of_sweeps = io::describe_keys("sweep", [](Keys& k) { SweepSettings().keys(k); });
    of_sweeps.front().is_complete = false; // the swept keys
    all.tables.push_back(std::move(of_sweeps.front()));
    return all;
}

} // namespace pearlite::app
