#include "io/files/temporary_file.hpp"

#include "pearlite/core/error.hpp"

#include <algorithm>
#include <fcntl.h>
#include <random>
#include <string_view>

namespace pearlite::io {
namespace {

constexpr std::string_view temporary_suffix = ".tmp";
constexpr std::string_view hexadecimal = "0123456789abcdef";
constexpr std::size_t n_digits = 16;

/// The names of a directory's temporary files differ by chance; they say nothing about a run.
std::string random_digits() {
    std::random_device device;
    std::string text;
    while (text.size() < n_digits)
        text.push_back(hexadecimal[device() % hexadecimal.size()]);
    return text;
}

} // namespace

TemporaryFile::TemporaryFile(const std::filesystem::path& place)
    : place_(place),
      path_(place.parent_path() / std::string(1, '.')
                                      .append(place.filename().string())
                                      .append(".")
                                      .append(random_digits())
                                      .append(temporary_suffix)) {
    file_.emplace(path_, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW);
}

TemporaryFile::~TemporaryFile() {
    std::error_code ignored;
    if (!path_.empty())
        std::filesystem::remove(path_, ignored);
}

void TemporaryFile::put_in_place() {
    file_->sync();
    rename_durably(path_, place_);
    path_.clear();
}

bool is_temporary(const std::filesystem::path& file) {
    const std::string name = file.filename().string();
    const std::size_t end = n_digits + temporary_suffix.size();
    if (name.size() < end + 3 || name.front() != '.' || !name.ends_with(temporary_suffix) ||
        name[name.size() - end - 1] != '.')
        return false;
    const auto middle = std::string_view(name).substr(name.size() - end, n_digits);
    return middle.find_first_not_of(hexadecimal) == std::string_view::npos;
}

void remove_temporary_files(const std::filesystem::path& directory) {
    std::error_code ignored;
    for (const auto& path : paths_in(directory, ignored))
        if (is_temporary(path))
            std::filesystem::remove(path, ignored);
}

void write_durably(const std::filesystem::path& file, std::span<const std::byte> bytes) {
    try {
        TemporaryFile temporary(file);
        temporary.file().reserve(std::max<std::size_t>(bytes.size(), 1));
        temporary.file().write(bytes, 0);
        temporary.put_in_place();
    } catch (const FileError& error) {
        throw FileError(file.string() + ": cannot write: " + error.what());
    }
}

void write_durably(const std::filesystem::path& file, const std::string& text) {
    write_durably(file, std::as_bytes(std::span(text)));
}

} // namespace pearlite::io
