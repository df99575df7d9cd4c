#include "app/result/parts/part.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>

namespace pearlite::app {

namespace {

struct Wording {
    const char *word, *colour;
};

Wording wording_of(Support support) {
    static constexpr std::array<Wording, 5> wordings{{{"supported", "green"},
                                                      {"doubtful", "orange"},
                                                      {"no error bar", "orange"},
                                                      {"refused", "red"},
                                                      {"contradicted", "red"}}};
    return wordings[static_cast<std::size_t>(support)];
}

} // namespace

nlohmann::ordered_json headline_entry(const Headline& headline) {
    auto entry = nlohmann::ordered_json::object();
    if (!headline.label.empty())
        entry["label"] = headline.label;
    if (headline.value)
        entry["value"] = *headline.value;
    if (headline.standard_error)
        entry["standard_error"] = *headline.standard_error;
    if (headline.interval95)
        entry["interval95"] = {headline.interval95->low, headline.interval95->high};
    if (headline.exact)
        entry["exact"] = *headline.exact;
    if (!headline.method.empty())
        entry["method"] = headline.method;
    const auto wording = wording_of(headline.support);
    entry["support"] = {{"word", wording.word}, {"colour", wording.colour}};
    return entry;
}

std::string describe_headline(const nlohmann::ordered_json& summary) {
    std::string text, word;
    if (const auto entry = summary.find("headline"); entry != summary.end()) {
        if (entry->contains("value")) {
            text = fmt::format("  {}: {:.4f}", entry->value("label", ""), entry->value("value", 0.0));
            if (entry->contains("standard_error"))
                text += fmt::format(" +- {:.4f}", entry->value("standard_error", 0.0));
            if (const auto interval = entry->find("interval95"); interval != entry->end())
                text += fmt::format(", 95 % interval {:.4f} to {:.4f}", interval->at(0).get<double>(),
                                    interval->at(1).get<double>());
            if (entry->contains("exact"))
                text += fmt::format("; exact {:.4f}", entry->value("exact", 0.0));
            text += "\n";
        }
        if (const auto support = entry->find("support"); support != entry->end())
            word = support->value("word", "") + ": ";
    }
    if (summary.contains("verdict"))
        text += "  verdict: " + word + summary.value("verdict", "") + "\n";
    return text;
}

} // namespace pearlite::app
