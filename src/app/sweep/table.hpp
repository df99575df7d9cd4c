#pragma once
/// The table of a sweep: a row for each run, and statistics of each setting over its replicates.

#include "app/sweep/journal.hpp"
#include "app/sweep/sweep.hpp"

#include <array>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace pearlite::app {

/// A scalar over the finished replicates of a setting.
struct ScalarStatistics {
    static constexpr std::array<double, 5> levels{0.05, 0.25, 0.5, 0.75, 0.95};

    Index count = 0; ///< of finite values
    double mean = not_known, sd = not_known, standard_error = not_known;
    std::array<double, 5> quantiles{not_known, not_known, not_known, not_known, not_known};
    /// How often 95 % intervals hold the exact value, and its binomial standard error; NaN unless the scalar is an
    /// estimate `x.value` whose runs report `x.interval95` and `x.exact`.
    double coverage = not_known, coverage_standard_error = not_known;

    static constexpr double not_known = std::numeric_limits<double>::quiet_NaN();
};

/// The difference of a scalar between two settings over replicates with common seeds.
struct PairedDifference {
    std::size_t axis = 0;             ///< on which they differ
    Index setting = 0, reference = 0; ///< the reference has the axis's first value
    std::size_t column = 0;
    Index count = 0;
    double mean = 0, sd = 0, standard_error = 0, t = 0;
};

class SweepTable {
  public:
    SweepTable(const Sweep& sweep, const std::map<Index, EndedRun>& ended);

    const std::vector<std::string>& columns() const { return columns_; }
    /// runs x columns, NaN where a run has no such scalar.
    const Matrix& values() const { return values_; }
    bool finished(Index run) const { return finished_[at(run)]; }
    const ScalarStatistics& statistics(Index setting, std::size_t column) const {
        return statistics_[at(setting) * columns_.size() + column];
    }
    const std::vector<PairedDifference>& pairs() const { return pairs_; }
    /// SHA-256 of all numbers that depend on configuration and seeds alone.
    std::string digest() const;

  private:
    ScalarStatistics describe(Index setting, std::size_t column) const;
    void compare_pairs();
    /// The number of a column, or none.
    std::size_t find(const std::string& name) const;

    const Sweep& sweep_;
    std::vector<std::string> columns_;
    Matrix values_;
    std::vector<bool> finished_;
    std::vector<ScalarStatistics> statistics_; ///< [setting x column]
    std::vector<PairedDifference> pairs_;
};

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
