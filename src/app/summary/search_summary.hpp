#pragma once
/// The parts of summary.json that belong to a search. Private to the sources of the layer.

#include "app/result/run.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace pearlite::app {

/// One sentence: how good is the best energy?
std::string search_verdict(const SearchResult& search);
/// Adds "best", "replicates" and to `diagnostics` what the replicates have in common.
void add_search(nlohmann::ordered_json& summary, nlohmann::ordered_json& diagnostics, const SearchResult& search);
/// What of the search says that its settings did not suit it.
std::vector<std::string> search_warnings(const SearchResult& search);
/// Lines for a person, from what add_search wrote.
std::string describe_search(const nlohmann::ordered_json& summary);

} // namespace pearlite::app
