#pragma once
/// SHA-256 (through OpenSSL), of bytes here and of fields that the ranks hold together.

#include "core/fields.hpp"
#include "parallel/communicator.hpp"

#include <array>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace pearlite::io {

class Sha256 {
  public:
    using Digest = std::array<std::byte, 32>;
    Sha256();
    Sha256(Sha256&&) noexcept;
    Sha256& operator=(Sha256&&) noexcept;
    ~Sha256();
    void add(std::span<const std::byte> bytes);
    void add(std::string_view text) { add(std::as_bytes(std::span(text))); }
    /// Ends the hash; the object is then spent.
    Digest finish();
    std::string finish_hex();

  private:
    struct Implementation;
    std::unique_ptr<Implementation> implementation_;
};

std::string hex(const Sha256::Digest& digest);

/// SHA-256 of a file's contents, in hexadecimal digits. FileError if it cannot be read.
std::string sha256_of_file(const std::filesystem::path& path);

/// Collective: the digest of a sharded field, the same for any number of ranks, on every rank. Items are hashed in runs
/// of `run` items (a block) by their owners, whose local items must begin and end at multiples of `run` or at the end;
/// the digest is the SHA-256 of items, item_bytes and run as int64 and of the runs' digests in global order.
Sha256::Digest digest(const parallel::Communicator& ranks, const ShardedField& field, Index run);

} // namespace pearlite::io
