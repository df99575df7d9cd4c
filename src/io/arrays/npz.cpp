#include "io/arrays/npz.hpp"

#include "pearlite/core/error.hpp"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cstring>
#include <memory>
#include <minizip/unzip.h>
#include <optional>
#include <string_view>
#include <vector>

namespace pearlite::io {

namespace {

static_assert(std::endian::native == std::endian::little);

constexpr Index most_numbers = Index{1} << 40;

struct Close {
    void operator()(void* zip) const { unzClose(zip); }
};
using Zip = std::unique_ptr<void, Close>;

[[noreturn]] void refuse(const std::filesystem::path& file, const std::string& array, const std::string& what) {
    throw InputError(fmt::format("{}: {}.npy: {}", file.string(), array, what));
}

/// The bytes of a member of the archive; its checksum is right.
std::vector<char> member(const std::filesystem::path& file, const std::string& array) {
    const Zip zip(unzOpen64(file.c_str()));
    if (!zip)
        throw InputError(fmt::format("{}: cannot be read as an archive, expected an .npz file", file.string()));
    if (unzLocateFile(zip.get(), (array + ".npy").c_str(), 1) != UNZ_OK)
        throw InputError(
            fmt::format("{}: no array \"{}\" in this file, expected an .npz with it", file.string(), array));
    unz_file_info64 info{};
    if (unzGetCurrentFileInfo64(zip.get(), &info, nullptr, 0, nullptr, 0, nullptr, 0) != UNZ_OK ||
        unzOpenCurrentFile(zip.get()) != UNZ_OK)
        refuse(file, array, "damaged, expected an array of NumPy");
    std::vector<char> bytes;
    std::vector<char> piece(1 << 16);
    // The size that the archive states may be wrong: bytes are taken as they come.
    for (int n = 0; (n = unzReadCurrentFile(zip.get(), piece.data(), static_cast<unsigned>(piece.size()))) != 0;) {
        if (n < 0)
            refuse(file, array, "damaged, expected an array of NumPy");
        bytes.insert(bytes.end(), piece.begin(), piece.begin() + n);
    }
    if (unzCloseCurrentFile(zip.get()) != UNZ_OK)
        refuse(file, array, "damaged (its checksum is wrong), expected an array of NumPy");
    return bytes;
}

/// The text after "'key': " in the header, up to a comma outside parentheses or to the end.
std::string_view entry(std::string_view header, std::string_view key) {
    const auto found = header.find(fmt::format("'{}':", key));
    if (found == std::string_view::npos)
        return {};
    auto rest = header.substr(found + key.size() + 3);
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    const auto end = rest.starts_with('(') ? rest.find(')') : rest.find_first_of(",}");
    return rest.substr(0, end == std::string_view::npos ? end : end + (rest.starts_with('(') ? 1 : 0));
}

/// The numbers in "(3, 4)".
std::optional<std::vector<Index>> shape_of(std::string_view text) {
    if (text.size() < 2 || text.front() != '(' || text.back() != ')')
        return {};
    text = text.substr(1, text.size() - 2);
    std::vector<Index> shape;
    while (true) {
        text.remove_prefix(std::min(text.find_first_not_of(", "), text.size()));
        if (text.empty())
            return shape;
        Index size = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
        if (error != std::errc() || size < 0)
            return {};
        shape.push_back(size);
        text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    }
}

template <class T>
Matrix numbers(const char* bytes, Index rows, Index columns, bool is_by_column) {
    Matrix values(rows, columns);
    for (Index j = 0; j < columns; ++j)
        for (Index i = 0; i < rows; ++i) {
            const Index place = is_by_column ? j * rows + i : i * columns + j;
            T value;
            std::memcpy(&value, bytes + place * static_cast<Index>(sizeof(T)), sizeof value);
            values(i, j) = static_cast<double>(value);
        }
    return values;
}

} // namespace

Matrix read_npz(const std::filesystem::path& file, const std::string& array) {
    const auto bytes = member(file, array);
    constexpr std::string_view magic = "\x93NUMPY";
    const std::string_view whole(bytes.data(), bytes.size());
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
    if (bytes.size() < 12 || !whole.starts_with(magic))
        refuse(file, array, "no array of NumPy");
    const bool is_long = byte(6) >= 2;
    const std::size_t begin = is_long ? 12 : 10;
    const std::size_t length =
        is_long ? byte(8) | byte(9) << 8U | byte(10) << 16U | std::size_t{byte(11)} << 24U : byte(8) | byte(9) << 8U;
    if (bytes.size() < begin + length)
        refuse(file, array, "cut short, expected a whole array of NumPy");
    const auto header = whole.substr(begin, length);
    const auto type = entry(header, "descr");
    const auto shape = shape_of(entry(header, "shape"));
    if (!shape || shape->empty() || shape->size() > 2)
        refuse(file, array, fmt::format("shape {}, expected one or two dimensions", entry(header, "shape")));
    const Index rows = shape->front(), columns = shape->size() == 2 ? shape->back() : 1;
    if (rows < 1 || columns < 1)
        refuse(file, array, fmt::format("shape {}, expected at least one number", entry(header, "shape")));
    const bool is_by_column = entry(header, "fortran_order") == "True";
    const auto as = [&]<class T>(T) {
        const auto size = static_cast<Index>(sizeof(T));
        if (rows > most_numbers || columns > most_numbers || rows > most_numbers / columns ||
            static_cast<Index>(bytes.size() - begin - length) < rows * columns * size)
            refuse(file, array, "cut short, expected a whole array of NumPy");
        return numbers<T>(bytes.data() + begin + length, rows, columns, is_by_column);
    };
    if (type == "'<f8'")
        return as(double());
    if (type == "'<f4'")
        return as(float());
    if (type == "'<i8'")
        return as(std::int64_t());
    if (type == "'<i4'")
        return as(std::int32_t());
    refuse(file, array, fmt::format("type {}, expected float64, float32, int64 or int32, little-endian", type));
}

} // namespace pearlite::io
