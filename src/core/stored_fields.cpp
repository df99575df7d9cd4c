#include "core/stored_fields.hpp"

#include <algorithm>

namespace pearlite {

namespace {

void enter_group(std::string& prefix, std::string_view group) {
    prefix.append(group).append("/");
}
void leave_group(std::string& prefix) {
    const auto before = prefix.rfind('/', prefix.size() - 2);
    prefix.resize(before == std::string::npos ? 0 : before + 1);
}

} // namespace

void StoringFields::operator()(std::string_view name, std::string& value) {
    writer_(name, std::vector<char>(value.begin(), value.end()));
}

void StoringFields::operator()(std::string_view name, std::vector<std::string>& value) {
    writer_(name, value.size());
    for (auto& text : value)
        (*this)(name, text);
}

void StoringFields::operator()(std::string_view name, Matrix& value) {
    writer_(name, Index{value.rows()});
    writer_(name, std::vector<double>(value.data(), value.data() + value.size()));
}

void StoringFields::sharded(std::string_view name, const ShardedField& field) {
    auto& shard = shards_.emplace_back();
    shard.name = prefix_ + std::string(name);
    shard.type = field.type;
    shard.item_bytes = field.item_bytes;
    shard.items = field.items;
    shard.first_local = field.first_local;
    shard.local = field.local;
    shard.data.resize(static_cast<std::size_t>(field.local) * field.item_bytes);
    field.pack(0, field.local, shard.data);
}

void StoringFields::enter(std::string_view group) {
    enter_group(prefix_, group);
}
void StoringFields::leave() {
    leave_group(prefix_);
}

StoredFields StoringFields::take() {
    return {writer_.bytes(), std::move(shards_)};
}

void RestoringFields::operator()(std::string_view name, std::string& value) {
    std::vector<char> text;
    reader_(name, text);
    value.assign(text.begin(), text.end());
}

void RestoringFields::operator()(std::string_view name, std::vector<std::string>& value) {
    std::size_t size = 0;
    reader_(name, size);
    value.clear();
    for (std::size_t k = 0; k < size; ++k)
        (*this)(name, value.emplace_back());
}

void RestoringFields::operator()(std::string_view name, Matrix& value) {
    Index rows = 0;
    std::vector<double> numbers;
    reader_(name, rows);
    reader_(name, numbers);
    const auto size = static_cast<Index>(numbers.size());
    value = Eigen::Map<const Matrix>(numbers.data(), rows, rows == 0 ? 0 : size / rows);
}

void RestoringFields::sharded(std::string_view name, const ShardedField& field) {
    const auto shard = std::find_if(stored_.shards.begin(), stored_.shards.end(),
                                    [&](const auto& s) { return s.name == prefix_ + std::string(name); });
    PEARLITE_EXPECTS(shard != stored_.shards.end());
    PEARLITE_EXPECTS(shard->items == field.items && shard->first_local == field.first_local &&
                     shard->local == field.local && shard->item_bytes >= field.item_bytes);
    const auto count = static_cast<std::size_t>(field.local);
    std::vector<std::byte> items(count * field.item_bytes);
    for (std::size_t i = 0; i < count && field.item_bytes > 0; ++i)
        std::memcpy(items.data() + i * field.item_bytes, shard->data.data() + i * shard->item_bytes, field.item_bytes);
    field.unpack(0, field.local, items);
}

void RestoringFields::enter(std::string_view group) {
    enter_group(prefix_, group);
}
void RestoringFields::leave() {
    leave_group(prefix_);
}

void append_piece(std::vector<std::byte>& to, std::span<const std::byte> piece) {
    const std::uint64_t size = piece.size();
    const auto head = std::as_bytes(std::span(&size, 1));
    to.insert(to.end(), head.begin(), head.end());
    to.insert(to.end(), piece.begin(), piece.end());
}

std::span<const std::byte> take_piece(std::span<const std::byte>& rest) {
    std::uint64_t size = 0;
    ByteReader head(rest);
    head("size", size);
    PEARLITE_EXPECTS(size <= rest.size() - sizeof size);
    const auto piece = rest.subspan(sizeof size, size);
    rest = rest.subspan(sizeof size + size);
    return piece;
}

void bytes_field(Fields& f, std::string_view name, std::vector<std::byte>& bytes) {
    auto size = static_cast<std::int64_t>(bytes.size());
    std::vector<std::int64_t> words((bytes.size() + 7) / 8);
    if (!bytes.empty())
        std::memcpy(words.data(), bytes.data(), bytes.size());
    f(std::string(name) + "_size", size);
    f(name, words);
    if (!f.is_reading())
        return;
    PEARLITE_EXPECTS(size >= 0 && (static_cast<std::size_t>(size) + 7) / 8 == words.size());
    bytes.resize(static_cast<std::size_t>(size));
    if (!bytes.empty())
        std::memcpy(bytes.data(), words.data(), bytes.size());
}

} // namespace pearlite
