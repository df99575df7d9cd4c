#pragma once
/// An HDF5 file in memory that stores only the pages HDF5 has touched.
///
/// HDF5 crashes when metadata cannot be written at closing, and a full disk is an ordinary event in a long run.
/// Therefore HDF5 never writes to a disk here. It lays the file out in memory, with datasets of any size, since space
/// that is merely allocated takes no memory; then this program writes the pages, and a failure of its calls is an
/// ordinary error. HDF5 does not learn of a lack of memory either: the bytes are dropped, and lacks_pages() is true
/// after the file is closed.

#include "io/container/hdf5_handle.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>

namespace pearlite::io {

/// Bytes by file offset; bytes that were never written read as zero.
class SparseFile {
  public:
    static constexpr std::size_t page_bytes = 4096;
    using Page = std::array<std::byte, page_bytes>;

    void write(std::uint64_t offset, std::span<const std::byte> bytes);
    /// Like write, for callers that may not see an exception: sets lacks_pages() where memory ends.
    void write_if_possible(std::uint64_t offset, std::span<const std::byte> bytes) noexcept;
    void read(std::uint64_t offset, std::span<std::byte> bytes) const;

    /// The touched pages by page number; a page may reach beyond size().
    const std::map<std::uint64_t, Page>& pages() const { return pages_; }
    bool lacks_pages() const { return lacks_pages_; }
    /// Length of the file, known once HDF5 has closed it.
    std::uint64_t size() const { return size_; }
    void resize(std::uint64_t bytes) { size_ = bytes; }

  private:
    std::map<std::uint64_t, Page> pages_;
    std::uint64_t size_ = 0;
    bool lacks_pages_ = false;
};

/// Creates an HDF5 file in `file`, which must outlive the handle. `creation` is a file-creation property list; the
/// access properties in force are those of `access`, whose driver is replaced.
Hdf5Handle create_in_memory(SparseFile& file, hid_t creation, hid_t access);

} // namespace pearlite::io
