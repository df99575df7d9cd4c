#pragma once
/// The end of a command that computes a result from files, without a run: `works`, `mbar`; and
/// the part with the free energy.

#include "app/works/works_files.hpp"
#include "app/written/run_directory.hpp"
#include "app/written/summary.hpp"

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

namespace pearlite::app {

class ResultOfFiles {
  public:
    /// The time of the command counts from here on.
    ResultOfFiles(const parallel::Communicator& ranks, std::optional<std::filesystem::path> directory)
        : ranks_(ranks), directory_(std::move(directory)) {}

    /// Collective. Makes the run directory, if there is to be one, once the files have been found good. InputError if
    /// it holds an earlier run that is not to be replaced.
    void take_directory(bool overwrite);

    /// Collective. Writes results.h5, which has `command` for its configuration, and summary.json, and prints the
    /// summary on rank 0. `facts` hold the model, algorithm, seed, block and unit; `items` is the number of units.
    void write(RunFacts facts, const RunResult& result, const std::string& command, Index items) const;

  private:
    parallel::Communicator ranks_;
    std::optional<std::filesystem::path> directory_;
    std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
    DirectoryLock lock_;
};

// Works, and the free energy difference in the user's unit, as parts of a result.

class FreeEnergyPart final : public ResultPart {
  public:
    /// Works of one direction, and where they come from.
    struct Direction {
        std::string source;
        population::Shards works;
        WorksRead read;   ///< without the works
        std::string sign; ///< of the process whose sign the works in the file have
    };
    /// `diagnostics` have the statistical inefficiencies.
    FreeEnergyPart(Direction forward, Direction reverse, std::optional<estimator::Estimate> headline,
                   std::vector<algorithm::Diagnostic> diagnostics, EnergyUnit unit)
        : forward_(std::move(forward)),
          reverse_(std::move(reverse)),
          headline_(std::move(headline)),
          diagnostics_(std::move(diagnostics)),
          unit_(std::move(unit)) {}

    void write_fields(io::Writer& writer) override;
    void write_summary(SummaryParts& summary) const override;

  private:
    Json entry_of(const Direction& direction, const std::string& name) const;

    Direction forward_, reverse_;
    std::optional<estimator::Estimate> headline_; ///< of log Z/Z_0
    std::vector<algorithm::Diagnostic> diagnostics_;
    EnergyUnit unit_;
};

} // namespace pearlite::app
