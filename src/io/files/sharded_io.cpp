#include "io/files/sharded_io.hpp"

#include "pearlite/core/detail/contract.hpp"

#include <algorithm>

namespace pearlite::io {
namespace {

// Small enough to stay in a core's cache between packing and writing.
constexpr std::size_t restored_bytes = std::size_t{1} << 20;

// Calls transfer(first, count, buffer, file offset) for one buffer after another of this rank's items.
template <class Transfer>
void for_each_buffer(const ShardedField& field, std::uint64_t dataset_offset, Transfer&& transfer) {
    if (field.local == 0 || field.item_bytes == 0)
        return;
    const auto items_per_buffer = std::max<Index>(1, static_cast<Index>(restored_bytes / field.item_bytes));
    std::vector<std::byte> buffer(static_cast<std::size_t>(std::min(items_per_buffer, field.local)) * field.item_bytes);
    for (Index first = 0; first < field.local; first += items_per_buffer) {
        const Index count = std::min(items_per_buffer, field.local - first);
        const auto item = static_cast<std::uint64_t>(field.first_local + first);
        transfer(first, count, std::span(buffer).first(static_cast<std::size_t>(count) * field.item_bytes),
                 dataset_offset + item * field.item_bytes);
    }
}

} // namespace

FieldType stored_field_type(ItemType type) {
    switch (type) {
    case ItemType::float64:
        return FieldType::float64;
    case ItemType::int64:
        return FieldType::int64;
    case ItemType::bytes:
        break;
    }
    return FieldType::bytes;
}

std::vector<std::uint64_t> stored_shape(const ShardedField& field) {
    const auto items = static_cast<std::uint64_t>(field.items);
    if (field.type == ItemType::bytes)
        return {items, field.item_bytes};
    if (field.item_bytes == sizeof(double))
        return {items};
    return {items, field.item_bytes / sizeof(double)};
}

void check_local_part(const ShardedField& field) {
    PEARLITE_EXPECTS(field.items >= 0 && field.local >= 0 && field.first_local >= 0);
    PEARLITE_EXPECTS(field.first_local <= field.items && field.local <= field.items - field.first_local);
    PEARLITE_EXPECTS(field.type == ItemType::bytes || field.item_bytes % sizeof(double) == 0);
}

void write_local_items(const ShardedField& field, PosixFile& file, std::uint64_t offset) {
    for_each_buffer(field, offset, [&](Index first, Index count, std::span<std::byte> buffer, std::uint64_t position) {
        field.pack(first, count, buffer);
        file.write(buffer, position);
        file.start_writing_back(position, buffer.size());
    });
}

void read_local_items(const ShardedField& field, const PosixFile& file, std::uint64_t offset) {
    for_each_buffer(field, offset, [&](Index first, Index count, std::span<std::byte> buffer, std::uint64_t position) {
        file.read(buffer, position);
        field.unpack(first, count, buffer);
    });
}

} // namespace pearlite::io
