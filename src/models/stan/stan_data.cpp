#include "models/stan/stan_data.hpp"

#include "target/named_data.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

namespace pearlite::models {

namespace {

using Json = nlohmann::ordered_json;

/// Elements are counted from 1, as in programs.
LabelledDimension dimension_of(const std::string& variable, std::size_t k, Index size) {
    LabelledDimension dimension{fmt::format("{}_dim_{}", variable, k), size};
    for (Index i = 1; i <= size; ++i)
        dimension.labels.push_back(std::to_string(i));
    return dimension;
}

/// Adds a number, or those of an array at this depth of others, to the array; false if they make no array.
bool add_numbers(const Json& json, std::size_t depth, LabelledArray& array) {
    if (json.is_array()) {
        const auto size = static_cast<Index>(json.size());
        if (depth == array.dimensions.size()) {
            if (!array.values.empty())
                return false;
            array.dimensions.push_back(dimension_of(array.name, depth, size));
        }
        return array.dimensions[depth].size == size &&
               std::ranges::all_of(json, [&](const Json& part) { return add_numbers(part, depth + 1, array); });
    }
    if (depth != array.dimensions.size() || !(json.is_number() || json.is_boolean()))
        return false;
    array.is_whole = array.is_whole && !json.is_number_float();
    array.values.push_back(json.is_boolean() ? (json.get<bool>() ? 1.0 : 0.0) : json.get<double>());
    return true;
}

/// Whether the quantities are name[1], ... or the name alone.
bool has_quantity(const std::vector<std::string>& quantities, const std::string& name) {
    return std::ranges::any_of(quantities, [&](const std::string& quantity) {
        return quantity.starts_with(name) && (quantity.size() == name.size() || quantity[name.size()] == '[');
    });
}

} // namespace

model::DataDescription describe_stan_data(const std::string& json, const std::vector<std::string>& quantities) {
    model::DataDescription data{.observed = {}, .constant = {}};
    const auto variables = Json::parse(json, nullptr, false);
    if (!variables.is_object())
        return data;
    const auto is_replicated = [&](const std::string& name) {
        return has_quantity(quantities, name + model::replicate_suffix);
    };
    const auto names = variables.items();
    const bool any = std::any_of(names.begin(), names.end(), [&](const auto& one) { return is_replicated(one.key()); });
    const std::array<std::string, 2> usual{"y", "Y"};
    for (const auto& [name, value] : names) {
        LabelledArray array{name, {}, {}, {}, true};
        if (!add_numbers(value, 0, array))
            continue;
        const bool is_observed = any ? is_replicated(name) : std::ranges::find(usual, name) != usual.end();
        (is_observed ? data.observed : data.constant).push_back(std::move(array));
    }
    return data;
}

} // namespace pearlite::models
