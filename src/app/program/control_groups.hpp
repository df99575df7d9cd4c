#pragma once
/// The limits that the kernel's control groups set to this process (a container's, or those of a SLURM job).

#include <functional>
#include <string>

namespace pearlite::app {

/// The first number in a file of the kernel; infinity where there is none, or "max".
double number_in(const std::string& file);

/// Calls visit(directory, is_version_2) for this process's control group of a controller ("memory", "cpu") and for
/// those around it. A directory ends in '/'. Strings: libstdc++ 12 frees a path twice where memory ends in joining it.
void for_each_control_group(const std::string& controller, const std::function<void(const std::string&, bool)>& visit);

/// Cores' worth of time that control groups leave to this process; infinity without a limit.
double core_quota();

} // namespace pearlite::app
