#pragma once
/// The bytes of a sharded field, in and out of a file.

#include "io/container/field_table.hpp"
#include "io/files/posix_file.hpp"

#include "core/fields.hpp"

#include <cstdint>
#include <vector>

namespace pearlite::io {

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
