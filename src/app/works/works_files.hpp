#pragma once
/// Works from files of other programs, and their units of energy.

#include "pearlite/core/types.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace pearlite::app {

/// How a trajectory's record becomes its work.
struct WorkIntegral {
    enum class Of { lambda, force };
    Of of = Of::lambda;
    double velocity = 0; ///< of the forward process, for forces
};

/// Works as they were read, in the file's unit, and from where.
struct WorksRead {
    Vector works;
    std::string column;                ///< "column 2 ('work')"
    std::vector<std::string> not_used; ///< the other columns
    Index infinite = 0;                ///< works of weight 0
};

/// From a file, one work per line, in `column` (ForeignTable::place_of). From a directory, with an `integral`, one
/// record per file (.xvg, .dat, .txt, .csv; in the order of their names): the first column has ascending times, and
/// `column` has dH/dlambda or forces. All records begin and end at the same time, with as many lines and the same
/// columns. With lambda going evenly from 0 to 1, or back, W is the mean of dH/dlambda over time, by trapezoids, times
/// 1 or -1; of a pulling force, its integral over time times the velocity, or minus it where the process runs back.
/// `infinite`: the infinity that a work may be, +inf where it has the sign of its own process. InputError with file and
/// line.
WorksRead read_works(const std::filesystem::path& path, const std::string& column,
                     const std::optional<WorkIntegral>& integral, bool is_reverse, double infinite);

/// Hexadecimal SHA-256 of a file of works; of a directory, that of the lines "SHA-256  name" of its records, sorted by
/// name, which sha256sum prints.
std::string sha256_of_works(const std::filesystem::path& path);

/// InputError unless the records of both directories span the same time: the reverse process is the forward one
/// backwards.
void check_durations(const std::filesystem::path& forward, const std::filesystem::path& reverse);

// Units of energies.

/// A unit of free energy, in which one nat, or kT, is per_nat.
struct EnergyUnit {
    std::string name = "kT";
    double per_nat = 1;
};

/// `units`: kT, kJ/mol or kcal/mol; the latter two at a temperature in kelvin; or any unit with `beta`, 1/(kT).
/// InputError for a temperature that is missing or of no use. `what`: "works", in messages.
EnergyUnit energy_unit(const std::string& units, const std::optional<double>& temperature,
                       const std::optional<double>& beta, const std::string& what);

} // namespace pearlite::app
