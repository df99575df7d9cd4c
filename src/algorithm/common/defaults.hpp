#pragma once
/// The release whose defaults hold where a configuration says nothing: algorithm.defaults.

#include <string>
#include <vector>

namespace pearlite::algorithm {

enum class Defaults { first, present };

/// The values of algorithm.defaults.
constexpr const char *name_of_first_defaults = "0.1", *name_of_present_defaults = "0.2";
inline const std::vector<std::string> releases_of_defaults{name_of_present_defaults, name_of_first_defaults};

} // namespace pearlite::algorithm
