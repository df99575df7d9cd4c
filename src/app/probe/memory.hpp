#pragma once
/// Memory: what this process holds, what is free, and whether a run fits.

#include "app/commands/commands.hpp"

namespace pearlite::app {

/// Bytes of memory that this process holds now.
double resident_bytes();
/// Bytes that processes on this machine can still take, within the limits of this process's control group; 0 if it does
/// not tell.
double available_bytes();

/// InputError that names the key if what a run is known to hold on each of so many ranks, its particles and
/// temperatures, is alone more than the memory that is free here.
void require_memory(const Prepared& prepared, int ranks);

} // namespace pearlite::app
