#pragma once
/// The result of a run in a reader's words: one number, and whether to believe it.

#include "estimator/evidence/estimate.hpp"

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace pearlite::app {

/// Whether the diagnostics support a result, from best to worst.
enum class Support {
    supported,    ///< an error bar, and nothing speaks against it
    doubtful,     ///< an error bar, with warnings
    withheld,     ///< a value without an error bar
    refused,      ///< no value
    contradicted, ///< far from the known answer
};

struct Headline {
    std::string label = {}; ///< of the value: "log evidence", "best energy"; empty if the run has no such number
    std::optional<double> value = {};
    std::optional<double> standard_error = {};
    std::optional<estimator::Interval> interval95 = {};
    std::optional<double> exact = {}; ///< the known answer
    std::string method = {};          ///< the estimator, and the method of its error
    Support support = Support::supported;
    std::string sentence = {}; ///< the verdict
};

/// The entry of summary.json: label, value, standard_error, interval95, exact, method as far as known, and support with
/// its word and its colour (of CSS).
nlohmann::ordered_json headline_entry(const Headline& headline);

/// Lines for a person from summary.json: the number with its interval, and the verdict after its word.
std::string describe_headline(const nlohmann::ordered_json& summary);

} // namespace pearlite::app
