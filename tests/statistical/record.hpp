#pragma once
/// Lines of a study for the ledger (tests/ledger/ledger.py). One rank writes them.

#include <limits>
#include <span>
#include <string>
#include <vector>

namespace pearlite::calibration {

/// PEARLITE_FIRST_REPLICATE names a file: the study shall run the first replicate of each cell alone and judge nothing.
bool is_first_replicate();

/// A line of that file: all digits of the values, and words.
void record_first(const std::string& cell, std::span<const double> values, const std::vector<std::string>& words = {});

/// A judged figure with its limits, where PEARLITE_FIGURES names a file.
void record_figure(const std::string& name, double value, double low, double high);

/// The value of a wrong twin, which must lie beyond the limits.
void record_twin(const std::string& name, double value, double low, double high);

constexpr double no_limit = std::numeric_limits<double>::infinity();

} // namespace pearlite::calibration
