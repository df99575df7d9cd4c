#pragma once
/// Time since the start of the process, from which batch systems count: a process loads data and makes the model before
/// the first step. May be called in signal handlers. Private to this layer.

#include <algorithm>
#include <cstdint>
#include <ctime>

namespace pearlite::app {

using Nanoseconds = std::int64_t;

inline constexpr Nanoseconds nanoseconds_per_second = 1'000'000'000;

/// On the monotonic clock.
inline Nanoseconds present_time() {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * nanoseconds_per_second + time.tv_nsec;
}

inline const Nanoseconds process_start = present_time();

inline double seconds_since_process_start() {
    return static_cast<double>(present_time() - process_start) / static_cast<double>(nanoseconds_per_second);
}

/// At most a century.
inline Nanoseconds nanoseconds(double seconds) {
    return static_cast<Nanoseconds>(std::clamp(seconds, 0.0, 3e9) * static_cast<double>(nanoseconds_per_second));
}

} // namespace pearlite::app
