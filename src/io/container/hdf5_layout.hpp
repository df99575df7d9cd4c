#pragma once
/// The layout of a new container: the place of each field's bytes.

#include "io/container/field_table.hpp"
#include "io/files/sparse_file.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace pearlite::io {

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
