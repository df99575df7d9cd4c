#include "io/files/whole_file.hpp"

#include "pearlite/core/error.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

namespace pearlite::io {
namespace {

std::ifstream open_input(const std::filesystem::path& file, const std::string& expected) {
    std::error_code ignored;
    if (std::filesystem::is_directory(file, ignored)) {
        throw InputError(file.string() + ": is a directory, expected " + expected);
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
