#pragma once
/// What work costs this rank.

namespace pearlite::parallel {

/// Processor seconds of this thread, from an arbitrary beginning: waiting, and being put aside for other programs, do
/// not count. Reading it takes some 0.3 us. Work may be dealt to ranks by it; results never depend on it.
double work_seconds();

} // namespace pearlite::parallel
