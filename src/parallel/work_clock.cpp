#include "parallel/work_clock.hpp"

#include <ctime>

namespace pearlite::parallel {

double work_seconds() {
    std::timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

} // namespace pearlite::parallel
