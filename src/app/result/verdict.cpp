#include "app/result/verdict.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

namespace pearlite::app {

namespace {

struct Wording {
    const char *word, *colour, *sentence;
};

const Wording& wording_of(Support support) {
    static constexpr std::array<Wording, 5> wordings{{
        {"supported", "green", "the diagnostics support the estimate and its error bar"},
        {"doubtful", "orange", "an error bar is given, but the diagnostics carry warnings"},
        {"no error bar", "orange", "the diagnostics do not support an error bar"},
        {"refused", "red", "no estimate"},
        {"contradicted", "red", "the estimate contradicts the exact value"},
    }};
    return wordings[static_cast<std::size_t>(support)];
}

Support support_of(Finding::Weight weight) {
    switch (weight) {
    case Finding::Weight::note:
    case Finding::Weight::confirmation:
        return Support::supported;
    case Finding::Weight::doubt:
        return Support::doubtful;
    case Finding::Weight::no_error_bar:
        return Support::withheld;
    case Finding::Weight::no_value:
        return Support::refused;
    case Finding::Weight::contradiction:
        return Support::contradicted;
    }
    return Support::refused;
}

} // namespace

Verdict Headline::verdict(const std::vector<std::string>& warnings) const {
    auto all = findings;
    for (const auto& warning : warnings)
        all.push_back({warning, Finding::Weight::doubt});
    const auto heaviest = std::ranges::max_element(all, {}, &Finding::weight);
    const Finding decides = heaviest == all.end() ? Finding() : *heaviest;
    Verdict verdict{support_of(decides.weight), decides.sentence};
    const bool is_contradicted = decides.weight == Finding::Weight::contradiction && !decides.sentence.empty();
    if (!account.empty() && !is_contradicted)
        verdict.sentence = account;
    if (verdict.sentence.empty())
        verdict.sentence = wording_of(verdict.support).sentence;
    return verdict;
}

Headline no_headline() {
    Headline none;
    none.findings = {{"the result", Finding::Weight::no_value}};
    return none;
}

nlohmann::ordered_json headline_entry(const Headline& headline, Support support) {
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
    const auto& wording = wording_of(support);
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

bool is_supported(std::string_view word) {
    return word == wording_of(Support::supported).word;
}

bool has_supported_result(const nlohmann::ordered_json& summary) {
    const nlohmann::ordered_json::json_pointer word("/headline/support/word");
    return summary.contains(word) && is_supported(summary.at(word).get<std::string>());
}

} // namespace pearlite::app
