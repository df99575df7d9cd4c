#include "io/files/text_file.hpp"

#include "io/files/posix_file.hpp"
#include "pearlite/core/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

namespace pearlite::io {

namespace {

constexpr std::string_view utf8_mark = "\xef\xbb\xbf";

struct ContentsKind {
    std::string_view begin;
    const char* name;
};

/// First bytes of files that tables and configurations are mistaken for.
constexpr std::array contents_kinds{
    ContentsKind{"PK\x03\x04", "an Excel workbook (.xlsx) or another zip archive; save its sheet as CSV (UTF-8)"},
    ContentsKind{"\xd0\xcf\x11\xe0",
                 "an old Excel workbook (.xls) or another Office document; save its sheet as CSV (UTF-8)"},
    ContentsKind{"\x1f\x8b", "compressed by gzip; gunzip writes the text"},
    ContentsKind{"BZh9", "compressed by bzip2; bunzip2 writes the text"},
    ContentsKind{"\xfd"
                 "7zXZ",
                 "compressed by xz; unxz writes the text"},
    ContentsKind{"\x28\xb5\x2f\xfd", "compressed by zstd; unzstd writes the text"},
    ContentsKind{"7z\xbc\xaf", "a 7z archive"},
    ContentsKind{"\x89HDF\r\n", "an HDF5 file"},
    ContentsKind{"CDF\x01", "a NetCDF file"},
    ContentsKind{"CDF\x02", "a NetCDF file"},
    ContentsKind{"\x93NUMPY", "an array of NumPy (.npy)"},
    ContentsKind{"PAR1\x15", "a Parquet file"},
    ContentsKind{{"ARROW1\0", 7}, "an Arrow or Feather file"},
    ContentsKind{"RDX2\n", "a workspace of R (.rda)"},
    ContentsKind{"RDX3\n", "a workspace of R (.rda)"},
    ContentsKind{"SQLite format 3", "an SQLite database"},
    ContentsKind{"MATLAB 5.0", "a MATLAB file (.mat)"},
    ContentsKind{"<stata_dta>", "a Stata file (.dta)"},
    ContentsKind{"$FL2", "an SPSS file (.sav)"},
    ContentsKind{"%PDF-", "a PDF document"},
    ContentsKind{"%!PS", "a PostScript document"},
    ContentsKind{"{\\rtf", "a rich text document (.rtf); save it as plain text"},
    ContentsKind{"\x89PNG", "a PNG image"},
    ContentsKind{"\xff\xd8\xff", "a JPEG image"},
    ContentsKind{"GIF87a", "a GIF image"},
    ContentsKind{"GIF89a", "a GIF image"},
    ContentsKind{"\x7f"
                 "ELF",
                 "a program or library"},
};

bool begins_with_words(std::string_view text, std::string_view lower_case) {
    return text.size() >= lower_case.size() &&
           std::equal(lower_case.begin(), lower_case.end(), text.begin(), [](char a, char b) {
               return a == (b >= 'A' && b <= 'Z' ? static_cast<char>(b - 'A' + 'a') : b);
           });
}

/// The number of bytes of the well-formed character at the begin of the text; 0 for one that is none.
std::size_t character_length(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char first = byte(0);
    const std::size_t length = first < 0x80                     ? 1
                               : first >= 0xc2 && first <= 0xdf ? 2
                               : first >= 0xe0 && first <= 0xef ? 3
                               : first >= 0xf0 && first <= 0xf4 ? 4
                                                                : 0;
    if (length == 0 || text.size() < length)
        return 0;
    for (std::size_t i = 1; i < length; ++i)
        if (byte(i) < 0x80 || byte(i) > 0xbf)
            return 0;
    // Longer forms than necessary, surrogates, and numbers beyond the last character.
    const bool is_wrong = (first == 0xe0 && byte(1) < 0xa0) || (first == 0xed && byte(1) > 0x9f) ||
                          (first == 0xf0 && byte(1) < 0x90) || (first == 0xf4 && byte(1) > 0x8f);
    return is_wrong ? 0 : length;
}

/// The first byte that is no part of a character, or is zero.
std::optional<std::size_t> first_fault(std::string_view text) {
    std::size_t i = 0;
    while (i < text.size()) {
        std::uint64_t eight = 0;
        if (i + sizeof eight <= text.size()) {
            std::memcpy(&eight, text.data() + i, sizeof eight);
            const bool has_zero = ((eight - 0x0101010101010101U) & ~eight & 0x8080808080808080U) != 0;
            if ((eight & 0x8080808080808080U) == 0 && !has_zero) {
                i += sizeof eight;
                continue;
            }
        }
        const std::size_t length = text[i] == '\0' ? 0 : character_length(text.substr(i));
        if (length == 0)
            return i;
        i += length;
    }
    return {};
}

/// "file:3: column 2: " or "file:3:7: " of a byte of the text.
std::string place_of(std::string_view text, std::size_t byte, const std::string& source, TextColumns columns) {
    std::size_t line = 1, begin = 0;
    for (std::size_t i = 0; i < byte; ++i) {
        const bool is_end = text[i] == '\n' || (text[i] == '\r' && !(i + 1 < text.size() && text[i + 1] == '\n'));
        if (is_end) {
            ++line;
            begin = i + 1;
        }
    }
    const auto before = text.substr(begin, byte - begin);
    if (columns == TextColumns::fields) {
        std::size_t column = 1;
        bool is_quoted = false;
        for (const char c : before) {
            is_quoted = c == '"' ? !is_quoted : is_quoted;
            column += !is_quoted && (c == ',' || c == ';' || c == '\t') ? 1 : 0;
        }
        return fmt::format("{}:{}: column {}: ", source, line, column);
    }
    const auto is_first = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; };
    return fmt::format("{}:{}:{}: ", source, line, 1 + std::ranges::count_if(before, is_first));
}

/// The command that writes the file in UTF-8.
std::string conversion(const std::string& source, const char* from) {
    return fmt::format("iconv -f {} -t UTF-8 {} > utf8-{}", from, source,
                       std::filesystem::path(source).filename().string());
}

/// The name of an encoding of two or four bytes a character; null for others.
const char* wide_encoding(std::string_view bytes) {
    using namespace std::string_view_literals;
    if (bytes.starts_with("\xff\xfe\0\0"sv) || bytes.starts_with("\0\0\xfe\xff"sv))
        return "UTF-32";
    if (bytes.starts_with("\xff\xfe"sv) || bytes.starts_with("\xfe\xff"sv))
        return "UTF-16";
    // Without a mark every second byte of the first ones is zero.
    const auto first = bytes.substr(0, 64);
    std::size_t even = 0, odd = 0;
    for (std::size_t i = 0; i < first.size(); ++i)
        (i % 2 == 0 ? even : odd) += first[i] == '\0' ? 1 : 0;
    if (first.size() >= 4 && odd * 5 >= first.size() * 2 && even == 0)
        return "UTF-16LE";
    return first.size() >= 4 && even * 5 >= first.size() * 2 && odd == 0 ? "UTF-16BE" : nullptr;
}

} // namespace

std::string kind_of_contents(std::string_view bytes) {
    for (const auto& kind : contents_kinds)
        if (bytes.starts_with(kind.begin))
            return kind.name;
    auto words = without_mark(bytes);
    words.remove_prefix(std::min(words.find_first_not_of(" \t\r\n"), words.size()));
    if (begins_with_words(words, "<!doctype html") || begins_with_words(words, "<html"))
        return "a web page (HTML)";
    return begins_with_words(words, "<?xml") ? "an XML document" : "";
}

std::string_view without_mark(std::string_view text) {
    return text.starts_with(utf8_mark) ? text.substr(utf8_mark.size()) : text;
}

void require_utf8(std::string_view bytes, const std::string& source, const std::string& expected, TextColumns columns) {
    if (const auto kind = kind_of_contents(bytes); !kind.empty())
        throw InputError(fmt::format("{}: is {}, expected {}", source, kind, expected));
    if (const char* wide = wide_encoding(bytes))
        throw InputError(fmt::format("{}is text in {}, expected UTF-8: {}", place_of(bytes, 0, source, columns), wide,
                                     conversion(source, wide)));
    const auto text = without_mark(bytes);
    const auto fault = first_fault(text);
    if (!fault)
        return;
    const auto place = place_of(text, *fault, source, columns);
    if (text[*fault] == '\0')
        throw InputError(fmt::format("{}a byte of value 0, which no text has, expected {}", place, expected));
    const auto is_high = [](char c) { return static_cast<unsigned char>(c) >= 0x80; };
    const auto is_mixed = std::ranges::any_of(text.substr(0, *fault), is_high);
    const auto is_windows = std::ranges::any_of(
        text.substr(*fault), [&](char c) { return is_high(c) && static_cast<unsigned char>(c) < 0xa0; });
    const auto byte = static_cast<unsigned>(static_cast<unsigned char>(text[*fault]));
    if (is_mixed)
        throw InputError(fmt::format("{}the byte 0x{:02X} is not UTF-8, but characters before it are: the file mixes "
                                     "encodings, or is damaged; expected UTF-8",
                                     place, byte));
    throw InputError(fmt::format("{}the byte 0x{:02X} is not UTF-8, the text seems to be {}; expected UTF-8: {}", place,
                                 byte, is_windows ? "Windows-1252" : "Latin-1",
                                 conversion(source, is_windows ? "WINDOWS-1252" : "LATIN1")));
}

std::string read_text_file(const std::filesystem::path& file, const std::string& expected, TextColumns columns) {
    auto text = read_whole_file(file, expected);
    require_utf8(text, file.string(), expected, columns);
    if (text.starts_with(utf8_mark))
        text.erase(0, utf8_mark.size());
    return text;
}

} // namespace pearlite::io
