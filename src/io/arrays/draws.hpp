#pragma once
/// Draws of a posterior as samplers write them.

#include "pearlite/io/arrays.hpp"

#include <filesystem>
#include <string>
#include <string_view>

namespace pearlite::io {

/// The element of an array as Stan's users write it: "theta.1.2" is "theta[1,2]".
std::string with_brackets(std::string_view name);
/// The column of CmdStan's for a parameter. Indices of an array follow points: "theta[1,2]" is "theta.1.2". All other
/// characters that no name of R may have are underscores, since readers take points for indices: "diet[rich]:age" is
/// "diet_rich_age".
std::string with_points(std::string_view name);

/// Comma-separated numbers under a header line, as CmdStan and its Pathfinder write them: lines that start with # may
/// stand anywhere, and rows before "# Adaptation terminated" are of the warm-up and left out, as are columns whose
/// names end with __, which are the sampler's own. Names are with_brackets(). Numbers may be NaN or infinite.
/// InputError with the line's number for a row of another length and for a field that is no number, and for no rows.
Table read_draws(const std::filesystem::path& file);

} // namespace pearlite::io
