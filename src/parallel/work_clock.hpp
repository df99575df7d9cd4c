#pragma once
/// The cost of work on this rank.

namespace pearlite::parallel {

/// Processor seconds of this thread, from an arbitrary beginning: waiting, and time given to other programs, do
/// not count. A call takes some 0.3 us. The clock may decide which rank gets which work; results never depend on it.
double work_seconds();

} // namespace pearlite::parallel
