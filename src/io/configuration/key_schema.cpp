#include "io/configuration/configuration_state.hpp"

#include "io/configuration/key_description.hpp"

#include <nlohmann/json.hpp>

namespace pearlite::io {
namespace {

using Json = nlohmann::ordered_json;
using Type = KeyDescription::Type;

Json names_of(const std::vector<NamedOption>& options) {
    Json names = Json::array();
    for (const auto& option : options)
        names.push_back(option.name);
    return names;
}

/// Adds the range of a key; an end that depends on other keys is not checked.
void add_limits(Json& schema, const KeyDescription& key) {
    const auto add = [&](const Bound& bound, bool exists, const std::string& name) {
        if (!exists || !bound.formula.empty())
            return;
        if (key.type == Type::integer)
            schema[name] = static_cast<Index>(bound.value);
        else
            schema[name] = bound.value;
    };
    add(key.limits.low, key.limits.has_low(), key.limits.open_low ? "exclusiveMinimum" : "minimum");
    add(key.limits.high, key.limits.has_high(), key.limits.open_high ? "exclusiveMaximum" : "maximum");
}

Json value_schema(const KeyDescription& key) {
    Json text{{"type", "string"}};
    Json option = text;
    if (!key.options.empty())
        option = Json{{"enum", names_of(key.options)}};
    switch (key.type) {
    case Type::integer:
        return {{"type", "integer"}};
    case Type::number:
        return {{"type", "number"}};
    case Type::boolean:
        return {{"type", "boolean"}};
    case Type::text:
        return text;
    case Type::choice:
        return option;
    case Type::numbers:
        return {{"type", "array"}, {"items", {{"type", "number"}}}};
    case Type::choices:
        return {{"type", "array"}, {"items", option}, {"uniqueItems", true}};
    case Type::seconds:
        return {{"anyOf", {{{"type", "number"}, {"minimum", 0}}, text}}};
    case Type::data_file:
    case Type::file:
        return {{"type", "string"}, {"minLength", 1}};
    case Type::ignored:
        break;
    }
    return Json::object();
}

Json key_schema(const KeyDescription& key) {
    Json schema = value_schema(key);
    add_limits(schema, key);
    if (!key.word.empty())
        schema = Json{{"anyOf", {schema, {{"enum", {key.word}}}}}};
    const std::string condition = conditions_text(key);
    std::string sentence = key.about.sentence;
    sentence += key.about.measured_in.empty() ? "" : " (" + key.about.measured_in + ")";
    sentence += key.about.default_rule.empty() ? "" : "; default " + key.about.default_rule;
    sentence += condition.empty() ? "" : "; only if " + condition;
    schema["description"] = sentence;
    if (key.standard && key.type != Type::numbers && key.type != Type::choices)
        schema["default"] = Json::parse(*key.standard, nullptr, false);
    return schema;
}

const KeyDescription* find(const TableDescription& table, const std::string& name) {
    const auto found =
        std::find_if(table.keys.begin(), table.keys.end(), [&](const auto& key) { return key.name == name; });
    return found == table.keys.end() ? nullptr : &*found;
}

/// The schema of tables in which a condition holds; null for a sentence.
Json condition_schema(const TableDescription& table, const Condition& condition) {
    if (condition.kind == Condition::Kind::sentence)
        return nullptr;
    Json required{{"required", {condition.key}}};
    if (condition.kind == Condition::Kind::given)
        return required;
    if (condition.kind == Condition::Kind::not_given)
        return {{"not", required}};
    Json values = Json::array();
    for (const auto& value : condition.values)
        values.push_back(condition.is_text ? Json(value) : Json::parse(value));
    Json schema{{"properties", {{condition.key, {{"enum", values}}}}}};
    const auto* key = find(table, condition.key);
    const auto is_default = [&](const Json& value) { return key->standard && Json::parse(*key->standard) == value; };
    const bool may_hold_by_default =
        key == nullptr || !key->about.default_rule.empty() || std::any_of(values.begin(), values.end(), is_default);
    if (!may_hold_by_default)
        schema["required"] = {condition.key};
    return schema;
}

/// The schema of tables in which a key has a meaning; null if it cannot be expressed. A key that is listed in several
/// branches has a schema for each branch.
Json need_of(const TableDescription& table, const std::string& name) {
    Json branches = Json::array();
    for (const auto& key : table.keys) {
        if (key.name != name)
            continue;
        Json needs = Json::array();
        for (const auto& condition : key.conditions)
            if (auto schema = condition_schema(table, condition); !schema.is_null())
                needs.push_back(schema);
        if (needs.empty())
            return nullptr;
        branches.push_back(needs.size() == 1 ? needs.front() : Json{{"allOf", needs}});
    }
    return branches.size() == 1 ? branches.front() : Json{{"anyOf", branches}};
}

/// The one schema of a key's branches, or any of them.
Json merged(const Json& first, const Json& second) {
    if (first == second)
        return first;
    Json all = first.size() == 1 && first.contains("anyOf") ? first["anyOf"] : Json::array({first});
    if (std::find(all.begin(), all.end(), second) == all.end())
        all.push_back(second);
    return {{"anyOf", all}};
}

Json table_schema(const TableDescription& table) {
    Json schema{{"type", "object"}, {"properties", Json::object()}};
    Json dependencies = Json::object(), required = Json::array();
    for (const auto& key : table.keys) {
        auto& properties = schema["properties"];
        const auto own = key_schema(key);
        properties[key.name] = properties.contains(key.name) ? merged(properties[key.name], own) : own;
        if (key.about.presence == About::Presence::required && key.conditions.empty())
            required.push_back(key.name);
        if (auto need = need_of(table, key.name); !need.is_null())
            dependencies[key.name] = need;
    }
    if (!required.empty())
        schema["required"] = required;
    if (!dependencies.empty())
        schema["dependencies"] = dependencies;
    schema["additionalProperties"] = !table.is_complete;
    return schema;
}

/// The schema of configurations whose `table`.name is one of `names`.
Json names_one_of(const std::string& table, const std::vector<std::string>& names) {
    const Json inner{{"properties", {{"name", {{"enum", names}}}}}, {"required", {"name"}}};
    return {{"properties", {{table, inner}}}, {"required", {table}}};
}

class Schema {
  public:
    explicit Schema(const ConfigurationDescription& all) : all_(all) {}

    Json whole() const {
        Json schema{{"$schema", "http://json-schema.org/draft-07/schema#"},
                    {"title", "Configuration of Pearlite"},
                    {"type", "object"},
                    {"properties", Json::object()},
                    {"additionalProperties", false}};
        for (const auto& table : all_.tables)
            for (const auto& algorithm : table.algorithms)
                schema["definitions"]["runs-" + algorithm] = runs(algorithm);
        auto& properties = schema["properties"];
        for (const auto& table : all_.tables)
            if (table.table != sweep)
                add_names(properties, table);
        // The settings of a sweep may have any model and algorithm.
        schema["if"] = {{"not", {{"required", {sweep}}}}};
        schema["then"] = of_one_run(properties);
        for (const auto& table : all_.tables)
            if (table.table == sweep)
                properties[sweep] = sweep_schema(table, properties);
        properties["short"] = short_schema(properties);
        return schema;
    }

  private:
    static constexpr const char* sweep = "sweep";

    Json of_one_run(const Json& names) const {
        Json schema = Json::object();
        if (all_.models.size() > 1)
            schema["required"] = {"model"};
        for (const auto& entry : names.items())
            schema["allOf"].push_back(only_where_known(entry.key()));
        for (const auto& model : all_.models)
            schema["allOf"].push_back(
                {{"if", is_model({model.name})}, {"then", optional_name("algorithm", model.algorithms)}});
        for (const auto& table : all_.tables)
            if (table.table != sweep)
                schema["allOf"].push_back(
                    {{"if", is_for(table)}, {"then", {{"properties", {{table.table, table_schema(table)}}}}}});
        return schema;
    }

    /// Keys of the tables that the whole has.
    static Json short_schema(const Json& tables) {
        Json schema{{"type", "object"}, {"properties", Json::object()}, {"additionalProperties", false}};
        for (const auto& entry : tables.items())
            schema["properties"][entry.key()] = {{"$ref", "#/properties/" + entry.key()}};
        return schema;
    }

    /// Its own keys, lists of values for the keys of the other tables, and variants, which are tables of plain values.
    static Json sweep_schema(const TableDescription& own, const Json& names) {
        const Json list{{"type", "array"}, {"minItems", 1}};
        auto schema = table_schema(own);
        schema["additionalProperties"] = false;
        Json variant{{"type", "object"},
                     {"properties",
                      {{"name", {{"type", "string"}}},
                       {"axis", {{"type", "string"}}},
                       {"replicates", {{"type", "integer"}, {"minimum", 1}}}}},
                     {"required", {"name"}},
                     {"additionalProperties", false}};
        std::string tables;
        for (const auto& [table, keys] : names.items()) {
            tables += (tables.empty() ? "" : "|") + table;
            variant["properties"][table] = keys;
            auto lists = keys;
            for (auto& key : lists["properties"])
                key = list;
            if (lists["additionalProperties"] == true)
                lists["additionalProperties"] = list;
            schema["properties"][table] = lists;
        }
        const auto dotted = "^(" + tables + ")\\..";
        schema["patternProperties"] = {{dotted, list}};
        variant["patternProperties"] = {{dotted, {{"not", {{"type", "object"}}}}}};
        schema["properties"]["variant"] = {{"type", "array"}, {"minItems", 1}, {"items", variant}};
        schema["properties"]["figure"] = {{"type", "array"}, {"minItems", 1}, {"items", figure_schema()}};
        return schema;
    }

    /// The schema of a figure that the report draws (sweep_figures.hpp).
    static Json figure_schema() {
        const Json text{{"type", "string"}}, number{{"type", "number"}};
        const Json curve{{"type", "object"},
                         {"properties",
                          {{"label", text},
                           {"x", {{"type", "array"}, {"minItems", 1}, {"items", {{"type", {"number", "string"}}}}}},
                           {"y", {{"type", "array"}, {"minItems", 1}, {"items", number}}}}},
                         {"required", {"label", "x", "y"}},
                         {"additionalProperties", false}};
        return {{"type", "object"},
                {"properties",
                 {{"name", {{"type", "string"}, {"pattern", "^[A-Za-z0-9_-][A-Za-z0-9._-]*$"}}},
                  {"title", text},
                  {"scalars", {{"type", "array"}, {"minItems", 1}, {"items", text}}},
                  {"statistic", {{"enum", {"mean", "median", "sd", "bias", "rms-error"}}}},
                  {"against", text},
                  {"known", number},
                  {"logarithmic", {{"type", "boolean"}}},
                  {"published", {{"type", "array"}, {"items", curve}}}}},
                {"required", {"name"}},
                {"additionalProperties", false}};
    }

    /// Every key by name, so that an editor that skips conditions completes names and finds slips.
    static void add_names(Json& properties, const TableDescription& table) {
        auto& own = properties[table.table];
        if (own.is_null())
            own = {{"type", "object"}, {"properties", Json::object()}, {"additionalProperties", false}};
        for (const auto& key : table.keys) {
            auto& entry = own["properties"][key.name];
            if (entry.is_null() || key.name == "name")
                entry = {{"description", key.about.sentence}, {"type", {"string", "number", "boolean", "array"}}};
        }
        if (!table.is_complete)
            own["additionalProperties"] = true;
    }

    Json is_model(const std::vector<std::string>& names) const {
        return names.empty() || all_.models.size() == 1 ? Json(true) : names_one_of("model", names);
    }

    /// A configuration that runs an algorithm, by name or as its model's default.
    Json runs(const std::string& algorithm) const {
        Json any = Json::array({names_one_of("algorithm", {algorithm})});
        const Json named = with_algorithm({{"required", {"name"}}});
        const Json of_first_release =
            with_algorithm({{"properties", {{"defaults", {{"const", "0.1"}}}}}, {"required", {"defaults"}}});
        const auto add_default = [&](std::string ModelDescription::*standard, const Json& release) {
            std::vector<std::string> by_default;
            for (const auto& model : all_.models)
                if (model.*standard == algorithm)
                    by_default.push_back(model.name);
            if (!by_default.empty())
                any.push_back({{"allOf", {{{"not", named}}, release, is_model(by_default)}}});
        };
        add_default(&ModelDescription::standard_algorithm, {{"not", of_first_release}});
        add_default(&ModelDescription::first_algorithm, of_first_release);
        return any.size() == 1 ? any.front() : Json{{"anyOf", any}};
    }

    /// A configuration whose table [algorithm] exists and is as described.
    static Json with_algorithm(const Json& table) {
        return {{"properties", {{"algorithm", table}}}, {"required", {"algorithm"}}};
    }

    Json is_algorithm(const std::vector<std::string>& names) const {
        if (names.empty())
            return true;
        Json any = Json::array();
        for (const auto& name : names)
            any.push_back({{"$ref", "#/definitions/runs-" + name}});
        return any.size() == 1 ? any.front() : Json{{"anyOf", any}};
    }

    Json is_for(const TableDescription& table) const {
        return {{"allOf", {is_model(table.models), is_algorithm(table.algorithms)}}};
    }

    /// The table is unknown where no description of it applies.
    Json only_where_known(const std::string& name) const {
        Json where = Json::array();
        for (const auto& table : all_.tables)
            if (table.table == name)
                where.push_back(is_for(table));
        return {{"if", {{"anyOf", where}}}, {"else", {{"not", {{"required", {name}}}}}}};
    }

    static Json optional_name(const std::string& table, const std::vector<std::string>& names) {
        return {{"properties", {{table, {{"properties", {{"name", {{"enum", names}}}}}}}}}};
    }

    const ConfigurationDescription& all_;
};

} // namespace

std::string keys_as_json_schema(const ConfigurationDescription& configuration) {
    return Schema(configuration).whole().dump(1) + "\n";
}

} // namespace pearlite::io
