#pragma once
/// The first 512 bytes of a container: its kind, its length, and the checksum that proves it whole.
///
///     pearlite container
///     schema 1
///     kind checkpoint
///     bytes 123456
///     sha256 <64 hexadecimal digits>
///     complete
///
/// and newlines up to byte 512. The checksum is SHA-256 over the lines before it followed by the SHA-256 of each 4 MiB
/// piece of the rest of the file, so that ranks can share the work and no byte of the file is outside it.

#include "io/files/posix_file.hpp"

#include "io/files/digest.hpp"

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace pearlite::io {

inline constexpr std::size_t stamp_bytes = 512;
inline constexpr std::uint64_t piece_bytes = std::uint64_t{4} << 20;

struct Stamp {
    int schema = 0;
    std::string kind;
    std::uint64_t bytes = 0; ///< of the whole file
    std::string sha256;      ///< hexadecimal

    friend bool operator==(const Stamp&, const Stamp&) = default;
};

/// Kinds are short words of small letters, so that they fit the stamp and its lines.
bool is_legal_kind(std::string_view kind);

std::array<std::byte, stamp_bytes> render(const Stamp& stamp);

/// Opens a file and reads its stamp, which must agree with the file's length; the checksum is not looked at. FileError:
/// absent, not a regular file, not a container, another schema, damaged, cut short.
struct StampedFile {
    PosixFile file;
    Stamp stamp;
};
StampedFile open_stamped(const std::filesystem::path& path);

/// Collective: the checksum of the file's bytes with this stamp's lines before it; every rank hashes every n-th piece.
/// `file` may be a different descriptor on each rank. On every rank.
std::string container_checksum(const parallel::Communicator& ranks, const PosixFile& file, const Stamp& stamp);

/// Collective: open_stamped() on every rank, and whether the checksum is that of the stamp.
struct OpenedContainer {
    PosixFile file;
    Stamp stamp;
    bool is_whole = false;
};
OpenedContainer open_container(const parallel::Communicator& ranks, const std::filesystem::path& path);

} // namespace pearlite::io
