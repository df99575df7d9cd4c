#pragma once
/// Amounts as people read them.

#include <string>

namespace pearlite::app {

/// "1:02:03" or "4.2 s".
std::string format_duration(double seconds);
/// "5.3e+09", "812".
std::string format_rate(double per_second);

} // namespace pearlite::app
