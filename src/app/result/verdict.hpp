#pragma once
/// The verdict on a result. Parts contribute findings: what was looked at, and what it says. verdict.cpp alone turns
/// them into a word, a sentence and a colour.

#include "estimator/evidence/estimate.hpp"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pearlite::app {

/// Whether the findings support a result, from best to worst.
enum class Support {
    supported,    ///< an error bar, and nothing speaks against it
    doubtful,     ///< an error bar, with doubts
    withheld,     ///< a value without an error bar
    refused,      ///< no value
    contradicted, ///< far from the known answer
};

/// Something that was looked at.
struct Finding {
    /// The heaviest decides; a confirmation outweighs doubts.
    enum class Weight { note, doubt, confirmation, no_error_bar, no_value, contradiction };

    std::string looked_at; ///< "overlap of the states"
    Weight weight = Weight::note;
    std::string sentence = {}; ///< of the verdict if this decides; empty: that of the weight
    std::optional<double> figure = {}, limit = {};
};

struct Verdict {
    Support support = Support::supported;
    std::string sentence;
};

struct Headline {
    std::string label = {}; ///< of the value: "log evidence", "best energy"; empty if the run has no such number
    std::optional<double> value = {};
    std::optional<double> standard_error = {};
    std::optional<estimator::Interval> interval95 = {};
    std::optional<double> exact = {}; ///< the known answer
    std::string method = {};          ///< the estimator, and the method of its error
    std::vector<Finding> findings = {};
    std::string account = {}; ///< the sampler's own sentence, for any verdict that no contradiction decides

    /// With a doubt for each warning of any part.
    Verdict verdict(const std::vector<std::string>& warnings) const;
};

/// The headline of a result without any.
Headline no_headline();

/// The entry of summary.json: label, value, standard_error, interval95, exact, method as far as known, and support with
/// its word and its colour (of CSS).
nlohmann::ordered_json headline_entry(const Headline& headline, Support support);

/// Lines for a person from summary.json: the number with its interval, and the verdict after its word.
std::string describe_headline(const nlohmann::ordered_json& summary);

/// Whether a word of summary.json is that of a supported result.
bool is_supported(std::string_view word);
/// Whether a summary's result is.
bool has_supported_result(const nlohmann::ordered_json& summary);

} // namespace pearlite::app
