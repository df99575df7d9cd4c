#include "app/summary/write_durably.hpp"

#include "pearlite/core/error.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>

namespace pearlite::app {

void write_durably(const std::filesystem::path& file, const std::string& text) {
    const auto temporary = file.parent_path() / ("." + file.filename().string() + ".tmp");
    const int descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    bool good = descriptor >= 0;
    for (std::size_t written = 0; good && written < text.size();) {
        const auto n = ::write(descriptor, text.data() + written, text.size() - written);
        good = n > 0;
        written += good ? static_cast<std::size_t>(n) : 0;
    }
    good = good && ::fsync(descriptor) == 0;
    const int reason = errno;
    if (descriptor >= 0)
        ::close(descriptor);
    std::error_code error;
    if (good)
        std::filesystem::rename(temporary, file, error);
    if (!good || error) {
        std::error_code ignored;
        std::filesystem::remove(temporary, ignored);
        throw FileError(fmt::format("{}: cannot write: {}", file.string(),
                                    error ? error.message() : std::system_category().message(reason)));
    }
}

} // namespace pearlite::app
