#include "campaign/fuzz/kinds/drawn_keys.hpp"

#include "campaign/fuzz/mutation.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <sstream>

namespace pearlite::fuzz {

namespace {

using Type = io::KeyDescription::Type;

/// Whole numbers are drawn near their lower end, since a model of the largest legal size takes minutes to build.
constexpr double usual_span = 40;

std::string quoted(const std::string& text) {
    return '"' + text + '"';
}

bool belongs(const std::vector<std::string>& names, const std::string& name) {
    return names.empty() || std::ranges::count(names, name) > 0;
}

std::string whole_number(const io::KeyDescription& key, random::Stream& stream) {
    const double low = key.limits.has_low() ? key.limits.low.value : -3;
    const double high = std::min(key.limits.has_high() ? key.limits.high.value : low + usual_span, low + usual_span);
    switch (stream.index(8)) {
    case 0:
        return fmt::format("{:.0f}", low);
    case 1:
        return fmt::format("{:.0f}", high);
    case 2:
        return fmt::format("{:.0f}", low - 1); // outside
    case 3:
        return key.word.empty() ? key.standard.value_or("1") : quoted(key.word);
    default:
        return fmt::format("{:.0f}", std::floor(stream.uniform(low, high + 1)));
    }
}

std::string number(const io::KeyDescription& key, random::Stream& stream) {
    const double low = key.limits.has_low() ? key.limits.low.value : -5;
    const double high = key.limits.has_high() ? key.limits.high.value : low + 8;
    switch (stream.index(10)) {
    case 0:
        return fmt::format("{}", low);
    case 1:
        return fmt::format("{}", high);
    case 2:
        return one_of<std::string>({"1e-300", "1e300", "-1e300", "nan", "inf", "-inf", "0.0", "5e-324", "1e16"},
                                   stream);
    case 3:
        return key.standard.value_or("0.5");
    default:
        return fmt::format("{}", stream.uniform(low, high));
    }
}

std::string listed(std::uint64_t most, random::Stream& stream, const std::function<std::string()>& draw) {
    std::vector<std::string> elements(stream.index(most + 1));
    std::ranges::generate(elements, draw);
    return fmt::format("[{}]", fmt::join(elements, ", "));
}

std::string any_text(random::Stream& stream) {
    return quoted(
        one_of<std::string>({"", "x", "y", "auto", "normal(0, 1)", "uniform(0, 1)", "gamma(2, 3)", "normal(0,",
                             "inverse-gamma(1, 1e-300)", "A\\\"B", "mu", "intercept", "a:b", "x1", "1-2:3"},
                            stream));
}

/// Another type, or nonsense.
std::string mistaken(random::Stream& stream) {
    return one_of<std::string>({"true", "1", "-1", "0.5", "\"text\"", "[]", "[1, \"a\"]", "[[1]]", "{a = 1}",
                                "1979-05-27", "07:32:00", "9223372036854775807", "-9223372036854775808", "1e309", "nan",
                                "''", "\"\"\"\n\"\"\"", "[1, 2, 3]", "\"\\u0000\""},
                               stream);
}

/// "key" of "key = value"; empty for other lines.
std::string key_of(const std::string& line) {
    const auto equals = line.find(" = ");
    return equals == std::string::npos ? "" : line.substr(0, equals);
}

} // namespace

DrawnKeys::DrawnKeys(io::ConfigurationDescription all, std::vector<std::string> files)
    : all_(std::move(all)), files_(std::move(files)) {
    files_.emplace_back("absent.csv");
}

std::string DrawnKeys::value(const io::KeyDescription& key, random::Stream& stream) const {
    if (stream.bernoulli(0.02))
        return mistaken(stream);
    switch (key.type) {
    case Type::integer:
        return whole_number(key, stream);
    case Type::number:
        return number(key, stream);
    case Type::boolean:
        return stream.bernoulli(0.5) ? "true" : "false";
    case Type::choice:
        return key.options.empty() ? any_text(stream) : quoted(one_of(key.options, stream).name);
    case Type::numbers:
        return listed(4, stream, [&] { return number(key, stream); });
    case Type::choices:
        return listed(3, stream, [&] {
            return key.options.empty() ? any_text(stream) : quoted(one_of(key.options, stream).name);
        });
    case Type::seconds:
        return one_of<std::string>({"0", "1", "1e300", "\"1:00:00\"", "\"1-00:00:00\"", "\":\"", "-1"}, stream);
    case Type::data_file:
    case Type::file:
        return quoted(one_of(files_, stream));
    case Type::text:
        return stream.bernoulli(0.3) && key.standard ? *key.standard : any_text(stream);
    case Type::ignored:
        break;
    }
    return mistaken(stream);
}

std::string DrawnKeys::line(const io::KeyDescription& key, random::Stream& stream) const {
    return key.name + " = " + value(key, stream) + "\n";
}

std::string DrawnKeys::configuration(random::Stream& stream) const {
    const auto& model = one_of(all_.models, stream);
    const auto& algorithm = one_of(model.algorithms, stream);
    std::string text;
    for (const auto& table : all_.tables) {
        const bool is_swept = table.table == "sweep";
        if (!belongs(table.models, model.name) || !belongs(table.algorithms, algorithm) ||
            (is_swept && !stream.bernoulli(0.05)))
            continue;
        text += "[" + table.table + "]\n";
        for (const auto& key : table.keys) {
            const bool is_name = key.name == "name" && (table.table == "model" || table.table == "algorithm");
            const bool is_required = key.about.presence == About::Presence::required;
            const bool is_conditional = !key.conditions.empty();
            if (is_name)
                text += "name = " + quoted(table.table == "model" ? model.name : algorithm) + "\n";
            else if (stream.bernoulli(is_required ? 0.9 : is_conditional ? 0.05 : 0.2))
                text += line(key, stream);
        }
        if (is_swept)
            text += "algorithm.replicates = [1, 2]\nrun.seed = [1, 2, 3]\n";
    }
    if (stream.bernoulli(0.1)) {
        text += "[short]\n";
        for (int k = 0; k < 3; ++k) {
            const auto& table = one_of(all_.tables, stream);
            if (!table.keys.empty())
                text += table.table + "." + line(one_of(table.keys, stream), stream);
        }
    }
    return text;
}

std::string DrawnKeys::value_of(const std::string& name, random::Stream& stream) const {
    std::vector<const io::KeyDescription*> same;
    for (const auto& table : all_.tables)
        for (const auto& key : table.keys)
            if (key.name == name)
                same.push_back(&key);
    return same.empty() ? mistaken(stream) : value(*one_of(same, stream), stream);
}

std::string DrawnKeys::edited(const std::string& configuration, random::Stream& stream) const {
    std::vector<std::string> lines;
    std::istringstream in(configuration);
    for (std::string text; std::getline(in, text);)
        lines.push_back(text);
    const auto changes = 1 + stream.index(3);
    for (std::uint64_t k = 0; k < changes; ++k) {
        const auto at = stream.index(lines.size() + 1);
        const auto name = at < lines.size() ? key_of(lines[at]) : "";
        if (!name.empty() && stream.bernoulli(0.6)) {
            lines[at] = name + " = " + value_of(name, stream);
        } else if (at < lines.size() && stream.bernoulli(0.3)) {
            lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(at));
        } else {
            const auto& table = one_of(all_.tables, stream);
            if (!table.keys.empty())
                lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(at),
                             (stream.bernoulli(0.3) ? "[" + table.table + "]\n" : "") +
                                 line(one_of(table.keys, stream), stream));
        }
    }
    return fmt::format("{}\n", fmt::join(lines, "\n"));
}

} // namespace pearlite::fuzz
