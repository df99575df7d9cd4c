#pragma once
/// Times for people.

#include <string>

namespace pearlite::app {

/// Two digits and a unit that suits them: "0.35 ms", "40 s", "3.5 h".
std::string about_seconds(double seconds);

} // namespace pearlite::app
