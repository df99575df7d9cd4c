#pragma once
/// The contents of a container: the type and shape of each field, and the place of its bytes in the file.
///
/// Every dataset of a container is contiguous and its types are this machine's own, so a reader needs HDF5 for the
/// table alone and takes the values with plain reads.

#include "io/container/hdf5_handle.hpp"
#include "io/files/sparse_file.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
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

} // namespace pearlite::io
