#include "app/configured/memory.hpp"

#include "app/program/control_groups.hpp"

#include <fmt/format.h>

#include <fstream>
#include <unistd.h>

namespace pearlite::app {

namespace {

/// Bytes that this process's control group and those around it can still take.
double left_in_control_groups() {
    double left = infinity;
    for_each_control_group("memory", [&](const std::string& group, bool is_second) {
        const double limit = number_in(group + (is_second ? "memory.max" : "memory.limit_in_bytes"));
        const double used = number_in(group + (is_second ? "memory.current" : "memory.usage_in_bytes"));
        if (limit < infinity)
            left = std::min(left, std::max(0.0, limit - std::min(limit, used)));
    });
    return left;
}

double available_on_machine() {
    std::ifstream file("/proc/meminfo");
    std::string name;
    double kibibytes = 0;
    while (file >> name >> kibibytes) {
        if (name == "MemAvailable:")
            return 1024 * kibibytes;
        file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
    }
    return 0;
}

void require(const std::string& key, double bytes, double available, int ranks) {
    constexpr double gibibyte = 1024.0 * 1024 * 1024;
    if (bytes > available)
        throw InputError(fmt::format("{}: takes at least {:.3g} GiB on each of {} rank(s), where {:.3g} GiB are free; "
                                     "expected a smaller number, or more memory",
                                     key, bytes / gibibyte, ranks, available / gibibyte));
}

} // namespace

double resident_bytes() {
    std::ifstream file("/proc/self/statm");
    double size = 0, resident = 0;
    file >> size >> resident;
    return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

double available_bytes() {
    const double on_machine = available_on_machine();
    return on_machine > 0 ? std::min(on_machine, left_in_control_groups()) : 0;
}

void require_memory(const Prepared& prepared, int ranks) {
    const double available = available_bytes();
    if (!prepared.plan || !prepared.model || available == 0)
        return;
    constexpr double of_temperature = 100; // bytes: itself, and a dozen numbers that are recorded at it
    if (const auto* schedule = prepared.plan->schedule())
        require("schedule.steps", of_temperature * static_cast<double>(schedule->steps() + 1), available, ranks);
    const auto workload = prepared.plan->workload(*prepared.model);
    require(prepared.plan->memory_key(),
            workload.bytes / static_cast<double>(std::min<Index>(ranks, std::max<Index>(workload.useful_ranks, 1))),
            available, ranks);
}

} // namespace pearlite::app
