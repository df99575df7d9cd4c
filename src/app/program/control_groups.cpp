#include "app/program/control_groups.hpp"

#include "pearlite/core/types.hpp"

#include <algorithm>
#include <fstream>

namespace pearlite::app {

double number_in(const std::string& file) {
    std::ifstream in(file);
    double number = 0;
    return in >> number ? number : infinity;
}

void for_each_control_group(const std::string& controller, const std::function<void(const std::string&, bool)>& visit) {
    std::ifstream groups("/proc/self/cgroup");
    for (std::string line; std::getline(groups, line);) {
        // "0::/a/b" of version 2, "7:cpu,cpuacct:/a/b" of version 1
        const auto first = line.find(':'), last = line.find(':', first + 1);
        const bool is_second = line.starts_with("0::");
        const auto controllers = "," + line.substr(first + 1, last - first - 1) + ",";
        if (last == std::string::npos || (!is_second && controllers.find("," + controller + ",") == std::string::npos))
            continue;
        const std::string root = is_second ? "/sys/fs/cgroup" : "/sys/fs/cgroup/" + controller;
        auto group = line.substr(last + 1); // from '/'
        for (group += group.ends_with('/') ? "" : "/"; !group.empty(); group.resize(group.rfind('/') + 1)) {
            visit(root + group, is_second);
            group.pop_back();
        }
    }
}

double core_quota() {
    double cores = infinity;
    for_each_control_group("cpu", [&](const std::string& group, bool is_second) {
        double quota = number_in(group + "cpu.cfs_quota_us"), period = number_in(group + "cpu.cfs_period_us");
        if (std::ifstream in(group + "cpu.max"); is_second && !(in >> quota >> period))
            quota = infinity;
        if (quota > 0 && quota < infinity && period > 0)
            cores = std::min(cores, quota / period);
    });
    return cores;
}

} // namespace pearlite::app
