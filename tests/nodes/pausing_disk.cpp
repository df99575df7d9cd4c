// Preloaded into a job, it makes one rank wait in a sync of a file, so that a test can cut a link in that time.
//   PEARLITE_PAUSED_RANK    the rank
//   PEARLITE_PAUSED_FILE    a part of the file's name
//   PEARLITE_PAUSED_SYNC    the number of the sync of such files, from 1
//   PEARLITE_PAUSE          a path: PATH.begun is made, and the rank goes on when there is PATH.ended
#include <array>
#include <atomic>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <fcntl.h>
#include <string>
#include <unistd.h>

namespace {

constexpr useconds_t a_while = 10'000;
constexpr int longest = 12'000; // of these: two minutes

std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr ? value : "";
}

bool is_meant(int file) {
    if (variable("PEARLITE_PAUSE").empty() || variable("PEARLITE_PAUSED_RANK") != variable("OMPI_COMM_WORLD_RANK"))
        return false;
    std::array<char, PATH_MAX> path{};
    const auto link = "/proc/self/fd/" + std::to_string(file);
    if (readlink(link.c_str(), path.data(), path.size() - 1) < 0)
        return false;
    const std::string whole(path.data());
    if (whole.substr(whole.rfind('/') + 1).find(variable("PEARLITE_PAUSED_FILE")) == std::string::npos)
        return false;
    static std::atomic<int> n_syncs{0};
    return ++n_syncs == std::atoi(variable("PEARLITE_PAUSED_SYNC").c_str());
}

void wait_for_the_test() {
    const auto path = variable("PEARLITE_PAUSE");
    close(open((path + ".begun").c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0644));
    for (int times = 0; times < longest && access((path + ".ended").c_str(), F_OK) != 0; ++times)
        usleep(a_while);
}

} // namespace

extern "C" int fsync(int file) {
    if (is_meant(file))
        wait_for_the_test();
    static const auto next = reinterpret_cast<int (*)(int)>(dlsym(RTLD_NEXT, "fsync"));
    return next(file);
}
