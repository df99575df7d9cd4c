#pragma once
/// The journal of a sweep: a line for each run that has ended, in a file of the rank that wrote it; and the
/// scalars of its summary.

#include "app/result/parts/part.hpp"

#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace pearlite::app {

using Scalar = std::pair<std::string, double>;

// The scalars of a run by name, from its summary.

/// Every number of a summary.json, in its order. A name is the path of the number, joined by points; entries of a list
/// are named by their "name", or their "estimator" and "quantity" (and "error_method" where that name is taken), or
/// their number. Intervals are `.low` and `.high`; `warnings` counts them. Other lists of numbers are left out.
std::vector<Scalar> scalars_of(const Json& summary);

/// Whether a scalar depends on the clock, on the machine or on the number of ranks.
bool is_of_machine(const std::string& scalar);

/// The scalars for a short table: the first estimate, the best energy, the ESS, and at the end the time.
std::vector<std::string> headline_of(const std::vector<std::string>& scalars);

/// A run that has ended.
struct EndedRun {
    Index run = 0;
    std::string error; ///< empty: it finished
    std::string verdict;
    double seconds = 0; ///< over all sessions' last
    int ranks = 1;
    std::vector<Scalar> scalars;

    bool failed() const { return !error.empty(); }
};

/// Appends to the journal. If a crash cuts off a line, that run is made again, with the same bits.
class Journal {
  public:
    Journal(const std::filesystem::path& directory, int rank);
    ~Journal();
    Journal(const Journal&) = delete;

    /// FileError if the line cannot be written. Lines reach the device within a second or at the end.
    void add(const EndedRun& ended);
    void sync();

  private:
    /// Throws a FileError with the system's reason.
    [[noreturn]] void fail() const;

    using Clock = std::chrono::steady_clock;
    std::filesystem::path file_;
    int descriptor_ = -1;
    Clock::time_point synced_;
};

/// The ended runs in the journals of a directory, by number. If a run has both a failure and a success, the success
/// counts.
std::map<Index, EndedRun> read_journals(const std::filesystem::path& directory);

} // namespace pearlite::app
