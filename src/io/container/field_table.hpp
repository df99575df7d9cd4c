#pragma once
/// The contents of a container: the type and shape of each field, and the place of its bytes in the file.
///
/// Every dataset of a container is contiguous and its types are this machine's own, so a reader needs HDF5 for the
/// table alone and takes the values with plain reads.

#include "core/fields.hpp"
#include "io/files/posix_file.hpp"
#include "io/files/sparse_file.hpp"
#include "pearlite/core/detail/contract.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pearlite::io {

enum class FieldType { text, boolean, float64, int64, uint64, bytes, other };

const char* name_of(FieldType type);

struct FieldEntry {
    std::string name; ///< with its groups, "batch-3/log_weight"
    FieldType type = FieldType::other;
    std::uint64_t element_bytes = 0;
    std::vector<std::uint64_t> shape; ///< empty for a scalar
    std::uint64_t offset = 0;         ///< from the start of the file; meaningless for a field of no bytes

    std::uint64_t elements() const;
    std::uint64_t bytes() const { return elements() * element_bytes; }
    /// "float64 [3 x 4]", "int64".
    std::string description() const;
};

/// The same form for a type that a reader expects; a negative extent stands for any.
std::string describe_type(FieldType type, const std::vector<std::int64_t>& shape);

/// The type under which a field is stored; a text's element has `element_bytes` bytes, the last of them zero.
Hdf5Handle stored_type(FieldType type, std::uint64_t element_bytes);

/// All fields in the order in which they were written (within each group). FileError if HDF5 refuses the file.
std::vector<FieldEntry> read_field_table(const std::filesystem::path& path);

/// A field to be laid out: lay_out() sets entry.offset; `values` (entry.bytes() of them, in stored form) may be left
/// empty if the bytes are written later.
struct PlannedField {
    FieldEntry entry;
    std::span<const std::byte> values;
};

/// Lays the fields out as an HDF5 file with a user block for the stamp, contiguous and in their order, sets their
/// offsets and fills `file` with HDF5's metadata and the values given. The same fields give the same bytes. FileError
/// if HDF5 refuses (a name used both for a field and for a group).
void lay_out(std::vector<PlannedField>& fields, SparseFile& file);

// The groups that a writer or reader is in, and the full names that follow.

class NameScope {
  public:
    void enter(std::string_view group) { prefixes_.push_back(full(group) + "/"); }
    void leave() {
        PEARLITE_EXPECTS(!prefixes_.empty());
        prefixes_.pop_back();
    }
    /// A name is one or more parts with a slash between them, and no part is "." or "..", which HDF5 takes for itself.
    std::string full(std::string_view name) const {
        const std::string bounded = std::string(1, '/').append(name).append("/");
        for (const char* illegal : {"//", "/./", "/../"})
            PEARLITE_EXPECTS(bounded.find(illegal) == std::string::npos);
        return prefixes_.empty() ? std::string(name) : prefixes_.back() + std::string(name);
    }

  private:
    std::vector<std::string> prefixes_;
};

// The bytes of a sharded field, in and out of a file.

FieldType stored_field_type(ItemType type);

/// How a sharded field is stored: bytes as [items x item_bytes]; numbers as [items], or [items x numbers per item] if
/// an item is not one number.
std::vector<std::uint64_t> stored_shape(const ShardedField& field);

/// A field whose items are this rank's to write or read; ContractViolation if its numbers cannot be.
void check_local_part(const ShardedField& field);

/// This rank's items, to or from a dataset that begins at `offset`; in buffers of at most 1 MiB (or one item).
void write_local_items(const ShardedField& field, PosixFile& file, std::uint64_t offset);
void read_local_items(const ShardedField& field, const PosixFile& file, std::uint64_t offset);

} // namespace pearlite::io
