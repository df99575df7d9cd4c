#pragma once
/// The memory that this process holds, the memory that is free, and a check that a run fits.

#include "app/configured/prepare.hpp"

namespace pearlite::app {

/// Bytes of memory that this process holds now.
double resident_bytes();
/// Bytes that processes on this machine can still take, within the limits of this process's control group; 0 if the
/// machine does not report them.
double available_bytes();

/// InputError that names the key if the known part of a run's memory on each of `ranks` ranks, its particles and
/// temperatures, exceeds the memory that is free here.
void require_memory(const Prepared& prepared, int ranks);

} // namespace pearlite::app
