#include "io/files/whole_file.hpp"

#include "pearlite/core/error.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <linux/magic.h>
#include <sys/vfs.h>

namespace pearlite::io {
namespace {

/// A phrase for a file without contents, such as a directory or a device; empty for all other files, and for a path
/// that does not exist.
std::string kind_of_odd_file(const std::filesystem::path& file) {
    using std::filesystem::file_type;
    std::error_code ignored;
    switch (std::filesystem::status(file, ignored).type()) {
    case file_type::directory:
        return "a directory";
    case file_type::fifo:
        return "a pipe";
    case file_type::socket:
        return "a socket";
    case file_type::character:
    case file_type::block:
        return "a device";
    default:
        break;
    }
    struct statfs system {};
    if (::statfs(file.c_str(), &system) == 0 && (system.f_type == PROC_SUPER_MAGIC || system.f_type == SYSFS_MAGIC)) {
        return "a file of the kernel";
    }
    return {};
}

std::ifstream open_input(const std::filesystem::path& file, const std::string& expected) {
    if (const std::string kind = kind_of_odd_file(file); !kind.empty()) {
        throw InputError(file.string() + ": is " + kind + ", expected " + expected);
    }
    errno = 0;
    std::ifstream stream(file, std::ios::binary);
    if (!stream.is_open()) {
        const std::string reason = errno == 0 ? "it does not open" : std::strerror(errno);
        throw InputError(file.string() + ": cannot be read (" + reason + "), expected " + expected);
    }
    return stream;
}

} // namespace

void require_readable_file(const std::filesystem::path& file, const std::string& expected) {
    open_input(file, expected);
}

std::string read_whole_file(const std::filesystem::path& file, const std::string& expected) {
    std::ifstream stream = open_input(file, expected);
    std::string content(std::istreambuf_iterator<char>(stream), {});
    if (stream.bad()) {
        throw InputError(file.string() + ": cannot be read to its end, expected " + expected);
    }
    return content;
}

} // namespace pearlite::io
