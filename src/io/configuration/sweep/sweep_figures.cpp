// The tables [[sweep.figure]].
#include "io/configuration/sweep/sweep_figures.hpp"

#include <array>
#include <cctype>
#include <cmath>

namespace pearlite::io {

namespace {

constexpr std::array statistics{"mean", "median", "sd", "bias", "rms-error"};

/// A value of a table, and the recorder of its mistakes.
struct Entry {
    const toml::node& node;
    const toml::key& key;
    const Recorder& record;

    void expect(const std::string& what) const {
        record(key.source(),
               "sweep.figure: " + std::string(key.str()) + " is " + toml_text(node) + ", expected " + what);
    }
    template <class Value>
    void read(Value& into, const std::string& what) const {
        if (const auto value = node.value<Value>())
            into = *value;
        else
            expect(what);
    }
    /// Numbers that are finite.
    void read(std::optional<double>& into) const {
        into = node.is_number() ? node.value<double>() : std::nullopt;
        if (!into || !std::isfinite(*into))
            expect("a number");
    }
};

bool is_file_name(const std::string& name) {
    return !name.empty() && name.size() <= 100 && name.front() != '.' &&
           std::all_of(name.begin(), name.end(), [](unsigned char c) {
               return c < 128 && (std::isalnum(c) != 0 || c == '.' || c == '-' || c == '_');
           });
}

void read_curve(const toml::table& table, PublishedCurve& curve, const Recorder& record) {
    const auto expected = [&] {
        record(table.source(), "sweep.figure: published has something else, expected tables { label = \"...\", x = "
                               "[...], y = [...] } with as many numbers, one at least, in y as values in x");
    };
    const auto *x = table["x"].as_array(), *y = table["y"].as_array();
    const auto label = table["label"].value<std::string>();
    if (table.size() != 3 || !label || x == nullptr || y == nullptr || x->empty() || x->size() != y->size())
        return expected();
    curve.label = *label;
    for (const auto& value : *x)
        if (const auto text = value.value<std::string>(); value.is_string())
            curve.x.emplace_back(*text);
        else if (value.is_number())
            curve.x.emplace_back(*value.value<double>());
    for (const auto& value : *y)
        if (value.is_number() && std::isfinite(*value.value<double>()))
            curve.y.push_back(*value.value<double>());
    if (curve.x.size() != x->size() || curve.y.size() != y->size())
        expected();
}

void read_key(const Entry& entry, SweepFigure& figure, const Recorder& record) {
    const auto key = entry.key.str();
    if (key == "name")
        entry.read(figure.name, "a word");
    else if (key == "title")
        entry.read(figure.title, "words");
    else if (key == "statistic") {
        entry.read(figure.statistic, "a word");
        if (std::find(statistics.begin(), statistics.end(), figure.statistic) == statistics.end())
            entry.expect(listed({statistics.begin(), statistics.end()}, "\"", "\""));
    } else if (key == "against")
        entry.read(figure.against, "a swept key");
    else if (key == "known")
        entry.read(figure.known);
    else if (key == "logarithmic") {
        figure.logarithmic = entry.node.value<bool>();
        if (!entry.node.is_boolean())
            entry.expect("true or false");
    } else if (key == "scalars") {
        const auto* list = entry.node.as_array();
        if (list == nullptr || list->empty() || !list->is_homogeneous<std::string>())
            return entry.expect("a list of scalars");
        for (const auto& scalar : *list)
            figure.scalars.push_back(*scalar.value<std::string>());
    } else if (key == "published") {
        const auto* list = entry.node.as_array();
        if (list == nullptr || !list->is_array_of_tables())
            return entry.expect("a list of tables { label, x, y }");
        for (const auto& curve : *list)
            read_curve(*curve.as_table(), figure.published.emplace_back(), record);
    } else
        record(entry.key.source(), "sweep.figure: unknown key '" + std::string(key) +
                                       "', expected name, title, scalars, statistic, against, known, logarithmic, "
                                       "published");
}

} // namespace

std::vector<SweepFigure> read_figures(const toml::node& node, const Recorder& record) {
    std::vector<SweepFigure> figures;
    const auto* list = node.as_array();
    if (list == nullptr || list->empty() || !list->is_array_of_tables()) {
        record(node.source(), "sweep.figure: expected tables [[sweep.figure]], each with a name");
        return figures;
    }
    for (const auto& element : *list) {
        const auto& table = *element.as_table();
        SweepFigure figure;
        for (const auto& [key, value] : table)
            read_key({value, key, record}, figure, record);
        if (!is_file_name(figure.name))
            record(table.source(), "sweep.figure: expected a name of letters, digits, points and dashes, which becomes "
                                   "that of a file");
        else if (std::any_of(figures.begin(), figures.end(), [&](const auto& f) { return f.name == figure.name; }))
            record(table.source(),
                   "sweep.figure: there are two figures \"" + figure.name + "\", expected different names");
        figures.push_back(std::move(figure));
    }
    return figures;
}

} // namespace pearlite::io
