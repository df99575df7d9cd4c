#include "io/files/stamp.hpp"

#include "io/container/container.hpp"
#include "parallel/agreement.hpp"

#include <algorithm>
#include <charconv>
#include <fcntl.h>
#include <optional>

namespace pearlite::io {
namespace {

constexpr std::string_view magic = "pearlite container\n";

std::string lines_before_checksum(const Stamp& stamp) {
    return std::string(magic) + "schema " + std::to_string(stamp.schema) + "\nkind " + stamp.kind + "\nbytes " +
           std::to_string(stamp.bytes) + "\n";
}

// Takes "<key> <value>\n" off the front of the text; no value if it does not begin so.
std::optional<std::string> take_line(std::string_view& text, std::string_view key) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos || end <= key.size() || !text.starts_with(key) || text[key.size()] != ' ')
        return {};
    std::string value(text.substr(key.size() + 1, end - key.size() - 1));
    text.remove_prefix(end + 1);
    return value;
}

template <class Integer>
std::optional<Integer> parse(const std::optional<std::string>& digits) {
    Integer value{};
    if (!digits)
        return {};
    const char* const end = digits->data() + digits->size();
    const auto result = std::from_chars(digits->data(), end, value);
    return result.ec == std::errc{} && result.ptr == end ? std::optional(value) : std::nullopt;
}

void check_schema(const std::string& name, int schema) {
    const std::string found = name + " is a container of schema " + std::to_string(schema);
    const std::string known = ", this program reads schema " + std::to_string(container_schema);
    if (schema > container_schema)
        throw FileError(found + ", written by a newer version" + known);
    if (schema < container_schema)
        throw FileError(found + ", written by an older version" + known);
}

Stamp parse_stamp(const std::string& name, std::string_view text) {
    std::string_view rest = text.substr(magic.size());
    const FileError damaged(name + " is damaged: its stamp is not readable");
    Stamp stamp;
    const auto schema = parse<int>(take_line(rest, "schema"));
    if (!schema)
        throw damaged;
    check_schema(name, *schema);
    stamp.schema = *schema;
    const auto kind = take_line(rest, "kind");
    const auto bytes = parse<std::uint64_t>(take_line(rest, "bytes"));
    const auto sha256 = take_line(rest, "sha256");
    if (!kind || !is_legal_kind(*kind) || !bytes || !sha256 || sha256->size() != 64)
        throw damaged;
    stamp.kind = *kind;
    stamp.bytes = *bytes;
    stamp.sha256 = *sha256;
    // A stamp that parses must also be written in exactly this form, including "complete", the padding and the numbers.
    if (std::memcmp(render(stamp).data(), text.data(), stamp_bytes) != 0)
        throw damaged;
    return stamp;
}

std::uint64_t count_pieces(std::uint64_t file_bytes) {
    return (file_bytes - stamp_bytes + piece_bytes - 1) / piece_bytes;
}

Sha256::Digest hash_range(const PosixFile& file, std::uint64_t begin, std::uint64_t end) {
    constexpr std::uint64_t buffer_bytes = std::uint64_t{1}
                                           << 18; // stays in a core's cache between reading and hashing
    std::vector<std::byte> buffer(std::min(buffer_bytes, end - begin));
    Sha256 hash;
    for (std::uint64_t offset = begin; offset < end; offset += buffer.size()) {
        const auto bytes = std::span(buffer).first(std::min<std::uint64_t>(buffer.size(), end - offset));
        file.read(bytes, offset);
        hash.add(bytes);
    }
    return hash.finish();
}

Stamp read_stamp(const PosixFile& file) {
    const std::string name = file.path().string();
    const std::uint64_t file_bytes = file.size();
    std::string text(std::min<std::uint64_t>(file_bytes, stamp_bytes), '\0');
    file.read(std::as_writable_bytes(std::span(text)), 0);
    const std::size_t compared = std::min(text.size(), magic.size());
    if (text.empty() || text.compare(0, compared, magic, 0, compared) != 0)
        throw FileError(name + " is not a Pearlite container" + (text.empty() ? ": it is empty" : ""));
    if (text.size() < stamp_bytes)
        throw FileError(name + " is cut short: " + std::to_string(file_bytes) + " bytes are left of it");
    Stamp stamp = parse_stamp(name, text);
    if (file_bytes != stamp.bytes)
        throw FileError(name + (file_bytes < stamp.bytes ? " is cut short: " : " is damaged: ") +
                        std::to_string(file_bytes) + " bytes, not " + std::to_string(stamp.bytes));
    return stamp;
}

} // namespace

bool is_legal_kind(std::string_view kind) {
    const auto is_small_letter = [](char c) { return c >= 'a' && c <= 'z'; };
    return !kind.empty() && kind.size() <= 32 && std::ranges::all_of(kind, is_small_letter);
}

std::array<std::byte, stamp_bytes> render(const Stamp& stamp) {
    const std::string text = lines_before_checksum(stamp) + "sha256 " + stamp.sha256 + "\ncomplete\n";
    PEARLITE_EXPECTS(text.size() <= stamp_bytes);
    std::array<std::byte, stamp_bytes> bytes{};
    bytes.fill(std::byte{'\n'});
    std::memcpy(bytes.data(), text.data(), text.size());
    return bytes;
}

StampedFile open_stamped(const std::filesystem::path& path) {
    // Without O_NONBLOCK a FIFO under this name would make the program wait for ever.
    PosixFile file(path, O_RDONLY | O_NONBLOCK);
    if (file.is_directory())
        throw FileError(path.string() + " is a directory, not a container file");
    if (!file.is_regular())
        throw FileError(path.string() + " is not a regular file");
    Stamp stamp = read_stamp(file);
    return {std::move(file), std::move(stamp)};
}

std::string container_checksum(const parallel::Communicator& ranks, const PosixFile& file, const Stamp& stamp) {
    PEARLITE_EXPECTS(stamp.bytes >= stamp_bytes);
    const auto n_ranks = static_cast<std::uint64_t>(ranks.size());
    const auto n_pieces = count_pieces(stamp.bytes);
    std::vector<Sha256::Digest> mine;
    parallel::together(ranks, [&] {
        for (auto piece = static_cast<std::uint64_t>(ranks.rank()); piece < n_pieces; piece += n_ranks) {
            const std::uint64_t begin = stamp_bytes + piece * piece_bytes;
            mine.push_back(hash_range(file, begin, std::min(begin + piece_bytes, stamp.bytes)));
        }
    });

    const auto gathered = ranks.all_gather(std::span<const Sha256::Digest>(mine));
    // Rank r hashed pieces r, r + n, r + 2n ...; its digests stand together in `gathered`.
    std::vector<std::uint64_t> next(n_ranks, 0);
    for (std::uint64_t rank = 1; rank < n_ranks; ++rank)
        next[rank] = next[rank - 1] + (n_pieces + n_ranks - rank) / n_ranks;
    Sha256 hash;
    hash.add(lines_before_checksum(stamp));
    for (std::uint64_t piece = 0; piece < n_pieces; ++piece)
        hash.add(gathered[next[piece % n_ranks]++]);
    return hex(hash.finish());
}

OpenedContainer open_container(const parallel::Communicator& ranks, const std::filesystem::path& path) {
    std::optional<StampedFile> opened;
    parallel::together(ranks, [&] { opened.emplace(open_stamped(path)); });
    const bool is_whole = container_checksum(ranks, opened->file, opened->stamp) == opened->stamp.sha256;
    return {std::move(opened->file), std::move(opened->stamp), is_whole};
}

} // namespace pearlite::io
