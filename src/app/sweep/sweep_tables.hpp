#pragma once
/// The table of a sweep as files: CSV, Markdown, HDF5.

#include "app/sweep/sweep.hpp"
#include "app/sweep/table.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace pearlite::app {

/// The scalars that tables for people show: those that [sweep] names, else the headline.
struct ShownScalars {
    std::vector<std::string> names, warnings;
};
ShownScalars shown_scalars(const Sweep& sweep, const SweepTable& table);

/// A row a run; a row a setting and scalar; a row a pair of settings and scalar.
std::string csv_of_runs(const Sweep& sweep, const SweepTable& table);
std::string csv_of_settings(const Sweep& sweep, const SweepTable& table);
std::string csv_of_pairs(const Sweep& sweep, const SweepTable& table);

/// A table of settings with mean +- standard error of the scalars, sd, and coverage where exact values are known; and
/// with common seeds one of the differences from the first value of each axis.
std::string markdown_tables(const Sweep& sweep, const SweepTable& table, const std::vector<std::string>& scalars);

/// All of it, for the report.
void write_container(const std::filesystem::path& file, const Sweep& sweep, const SweepTable& table);

} // namespace pearlite::app
