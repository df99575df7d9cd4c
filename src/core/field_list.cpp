#include "core/field_list.hpp"

#include "pearlite/core/detail/contract.hpp"

#include <array>

namespace pearlite {

namespace {

/// A value of the variant's alternative `kind`.
template <class Variant, std::size_t... k>
Variant value_of_kind(Index kind, std::index_sequence<k...>) {
    static const std::array<Variant, sizeof...(k)> values{Variant(std::in_place_index<k>)...};
    PEARLITE_EXPECTS(kind >= 0 && kind < static_cast<Index>(values.size()));
    return values[static_cast<std::size_t>(kind)];
}

void list(Fields& f, auto& value) {
    f("value", value);
}
void list(Fields& f, Matrix& value) {
    Index rows = value.rows(), columns = value.cols();
    std::vector<double> numbers(value.data(), value.data() + value.size());
    f("rows", rows);
    f("columns", columns);
    f("numbers", numbers);
    value = Eigen::Map<const Matrix>(numbers.data(), rows, columns);
}
void list(Fields& f, ShardedField& field) {
    auto type = static_cast<std::int64_t>(field.type), bytes = static_cast<std::int64_t>(field.item_bytes);
    f("type", type);
    f("item_bytes", bytes);
    f("items", field.items);
    if (!f.is_reading())
        return;
    field.type = static_cast<ItemType>(type);
    field.item_bytes = static_cast<std::size_t>(bytes);
    field.pack = [](Index, Index, std::span<std::byte>) {};
    field.unpack = [](Index, Index, std::span<const std::byte>) {};
}

} // namespace

void FieldList::enter(std::string_view group) {
    prefix_.append(group).append("/");
}

void FieldList::leave() {
    const auto before = prefix_.rfind('/', prefix_.size() - 2);
    prefix_.resize(before == std::string::npos ? 0 : before + 1);
}

void FieldList::list_to(Fields& f) {
    for (auto& entry : entries_)
        std::visit(
            [&]<class T>(T& value) {
                if constexpr (std::is_same_v<T, ShardedField>)
                    f.sharded(entry.name, value);
                else
                    f(entry.name, value);
            },
            entry.value);
}

void FieldList::fields(Fields& f) {
    auto n = static_cast<std::int64_t>(entries_.size());
    f("entries", n);
    entries_.resize(static_cast<std::size_t>(n));
    for (auto& entry : entries_) {
        auto kind = static_cast<std::int64_t>(entry.value.index());
        f("kind", kind);
        f("name", entry.name);
        if (f.is_reading())
            entry.value = value_of_kind<Value>(kind, std::make_index_sequence<std::variant_size_v<Value>>{});
        std::visit([&](auto& value) { list(f, value); }, entry.value);
    }
}

} // namespace pearlite
