#include "io/container/container.hpp"
#include "io/container/field_table.hpp"
#include "io/files/stamp.hpp"
#include "parallel/agreement.hpp"

#include <algorithm>
#include <charconv>

namespace pearlite::io {

namespace {

std::map<std::string, FieldEntry, std::less<>> by_name(std::vector<FieldEntry> entries) {
    std::map<std::string, FieldEntry, std::less<>> fields;
    for (FieldEntry& entry : entries) {
        std::string name = entry.name;
        fields.emplace(std::move(name), std::move(entry));
    }
    return fields;
}

constexpr std::int64_t any_extent = -1;

bool fits(const FieldEntry& entry, FieldType type, const std::vector<std::int64_t>& shape) {
    const auto same = [](std::uint64_t found, std::int64_t expected) {
        return expected == any_extent || found == static_cast<std::uint64_t>(expected);
    };
    return entry.type == type && std::ranges::equal(entry.shape, shape, same);
}

} // namespace

struct Reader::Implementation {
    parallel::Communicator ranks;
    PosixFile file;
    std::map<std::string, FieldEntry, std::less<>> fields;
    NameScope scope;

    const FieldEntry& find(std::string_view name, FieldType type, const std::vector<std::int64_t>& shape) const {
        const std::string full = scope.full(name);
        const auto found = fields.find(full);
        if (found == fields.end())
            throw FileError(file.path().string() + " has no field '" + full + "'");
        if (!fits(found->second, type, shape))
            throw FileError(file.path().string() + ": field '" + full + "' is " + found->second.description() +
                            ", expected " + describe_type(type, shape));
        return found->second;
    }

    // Collective. The values as stored, on every rank.
    template <class T>
    void read_into(const FieldEntry& entry, std::span<T> values) const {
        PEARLITE_EXPECTS(values.size_bytes() == entry.bytes());
        parallel::together(ranks, [&] { file.read(std::as_writable_bytes(values), entry.offset); });
    }

    template <class T>
    T scalar(std::string_view name, FieldType type) const {
        T value{};
        read_into(find(name, type, {}), std::span(&value, 1));
        return value;
    }

    template <class Narrow, class Wide>
    Narrow narrowed(std::string_view name, Wide value) const {
        if (!std::in_range<Narrow>(value))
            throw FileError(file.path().string() + ": field '" + scope.full(name) + "' is " + std::to_string(value) +
                            ", outside the range of its type");
        return static_cast<Narrow>(value);
    }

    template <class T>
    std::vector<T> vector(std::string_view name, FieldType type) const {
        const FieldEntry& entry = find(name, type, {any_extent});
        std::vector<T> values(entry.elements());
        read_into(entry, std::span(values));
        return values;
    }

    // The texts' bytes, each element with its final zero.
    std::string raw_text(const FieldEntry& entry) const {
        std::string bytes(entry.bytes(), '\0');
        read_into(entry, std::span(bytes));
        return bytes;
    }
};

Reader::Reader(const parallel::Communicator& ranks, const std::filesystem::path& path, std::string_view kind) {
    OpenedContainer opened = open_container(ranks, path);
    parallel::together(ranks, [&] {
        if (opened.stamp.kind != kind)
            throw FileError(path.string() + " is a " + opened.stamp.kind + " container, expected " + std::string(kind));
    });
    if (!opened.is_whole)
        parallel::together(ranks, [&] { throw FileError(path.string() + " is damaged: its checksum differs"); });
    // HDF5 sees the file only now: it can crash on damaged metadata.
    std::map<std::string, FieldEntry, std::less<>> fields;
    parallel::together(ranks, [&] { fields = by_name(read_field_table(path)); });
    implementation_.reset( // NOLINT(modernize-make-unique): clang 14 makes no aggregates from parentheses
        new Implementation{ranks, std::move(opened.file), std::move(fields), {}});
}

Reader::~Reader() = default;

bool Reader::has(std::string_view name) const {
    return implementation_->fields.contains(implementation_->scope.full(name));
}

void Reader::operator()(std::string_view name, std::string& value) {
    value = implementation_->raw_text(implementation_->find(name, FieldType::text, {}));
    value.pop_back();
}

void Reader::operator()(std::string_view name, double& value) {
    value = implementation_->scalar<double>(name, FieldType::float64);
}

void Reader::operator()(std::string_view name, std::int64_t& value) {
    value = implementation_->scalar<std::int64_t>(name, FieldType::int64);
}

void Reader::operator()(std::string_view name, std::uint64_t& value) {
    value = implementation_->scalar<std::uint64_t>(name, FieldType::uint64);
}

void Reader::operator()(std::string_view name, bool& value) {
    value = implementation_->scalar<std::int8_t>(name, FieldType::boolean) != 0;
}

void Reader::operator()(std::string_view name, int& value) {
    value = implementation_->narrowed<int>(name, implementation_->scalar<std::int64_t>(name, FieldType::int64));
}

void Reader::operator()(std::string_view name, std::uint32_t& value) {
    value =
        implementation_->narrowed<std::uint32_t>(name, implementation_->scalar<std::uint64_t>(name, FieldType::uint64));
}

void Reader::operator()(std::string_view name, std::vector<double>& value) {
    value = implementation_->vector<double>(name, FieldType::float64);
}

void Reader::operator()(std::string_view name, std::vector<std::int64_t>& value) {
    value = implementation_->vector<std::int64_t>(name, FieldType::int64);
}

void Reader::operator()(std::string_view name, std::vector<std::string>& value) {
    const FieldEntry& entry = implementation_->find(name, FieldType::text, {any_extent});
    const std::string bytes = implementation_->raw_text(entry);
    value.clear();
    for (std::size_t at = 0; at < bytes.size(); at += entry.element_bytes)
        value.emplace_back(bytes.c_str() + at); // each ends at its first zero byte
}

void Reader::operator()(std::string_view name, Matrix& value) {
    const FieldEntry& entry = implementation_->find(name, FieldType::float64, {any_extent, any_extent});
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> rows(entry.shape[0], entry.shape[1]);
    implementation_->read_into(entry, std::span(rows.data(), static_cast<std::size_t>(rows.size())));
    value = rows;
}

void Reader::sharded(std::string_view name, const ShardedField& field) {
    const std::vector<std::uint64_t> shape = stored_shape(field);
    const FieldEntry& entry = implementation_->find(name, stored_field_type(field.type), {shape.begin(), shape.end()});
    parallel::together(implementation_->ranks, [&] {
        check_local_part(field);
        read_local_items(field, implementation_->file, entry.offset);
    });
}

bool Reader::has_items(std::string_view name, std::int64_t items) const {
    const auto entry = implementation_->fields.find(implementation_->scope.full(name));
    return entry != implementation_->fields.end() && !entry->second.shape.empty() && items >= 0 &&
           entry->second.shape.front() == static_cast<std::uint64_t>(items);
}

void Reader::enter(std::string_view group) {
    implementation_->scope.enter(group);
}

void Reader::leave() {
    implementation_->scope.leave();
}

void Reader::among(const parallel::Communicator& some, const std::function<void()>& read) {
    const auto all = std::exchange(implementation_->ranks, some);
    try {
        read();
    } catch (...) {
        implementation_->ranks = all;
        throw;
    }
    implementation_->ranks = all;
}

namespace {

constexpr std::uint64_t longest_shown_vector = 8;
constexpr std::size_t longest_shown_text = 72;

std::string print(double value) {
    char digits[32];
    return {digits, std::to_chars(digits, digits + sizeof digits, value).ptr};
}

template <class T>
std::string print_element(const std::byte* at) {
    T value;
    std::memcpy(&value, at, sizeof value);
    if constexpr (std::is_floating_point_v<T>)
        return print(value);
    else
        return std::to_string(value);
}

std::string print_text(const std::byte* at, bool is_scalar, std::uint64_t element_bytes) {
    const auto* const begin = reinterpret_cast<const char*>(at);
    const std::string text = is_scalar ? std::string(begin, element_bytes - 1) : std::string(begin);
    const bool is_printable = std::ranges::none_of(text, [](char c) { return static_cast<unsigned char>(c) < ' '; });
    if (text.size() > longest_shown_text || !is_printable)
        return std::to_string(text.size()) + " bytes of text";
    return std::string(1, '"').append(text).append(1, '"');
}

std::string print_element(const FieldEntry& entry, const std::byte* at) {
    switch (entry.type) {
    case FieldType::text:
        return print_text(at, entry.shape.empty(), entry.element_bytes);
    case FieldType::boolean:
        return *at == std::byte{0} ? "false" : "true";
    case FieldType::float64:
        return print_element<double>(at);
    case FieldType::int64:
        return print_element<std::int64_t>(at);
    case FieldType::uint64:
        return print_element<std::uint64_t>(at);
    case FieldType::bytes:
    case FieldType::other:
        break;
    }
    return {};
}

bool is_shown(const FieldEntry& entry) {
    const bool has_values = entry.type != FieldType::bytes && entry.type != FieldType::other;
    return has_values && entry.shape.size() <= 1 && entry.elements() <= longest_shown_vector;
}

std::string print_values(const FieldEntry& entry, const PosixFile& file) {
    std::vector<std::byte> bytes(entry.bytes());
    file.read(bytes, entry.offset);
    std::string text;
    for (std::uint64_t i = 0; i < entry.elements(); ++i)
        text += (i == 0 ? "" : ", ") + print_element(entry, bytes.data() + i * entry.element_bytes);
    return entry.shape.empty() ? text : std::string(1, '{').append(text).append(1, '}');
}

std::string padded_to(std::string text, std::size_t width) {
    text.resize(std::max(text.size(), width), ' ');
    return text;
}

} // namespace

ContainerListing describe_container(const std::filesystem::path& path) {
    const OpenedContainer opened = open_container(parallel::Communicator::alone(), path);
    std::string text = opened.stamp.kind + " container, schema " + std::to_string(opened.stamp.schema) + ", " +
                       std::to_string(opened.stamp.bytes) + " bytes, checksum ";
    if (!opened.is_whole)
        return {text + "DIFFERS: the file is damaged and its fields are not read\n", false};
    text += "ok\n";
    const std::vector<FieldEntry> entries = read_field_table(path);
    std::size_t name_width = 0;
    std::size_t type_width = 0;
    for (const FieldEntry& entry : entries) {
        name_width = std::max(name_width, entry.name.size());
        type_width = std::max(type_width, entry.description().size());
    }
    for (const FieldEntry& entry : entries) {
        const std::string value = is_shown(entry) ? "  " + print_values(entry, opened.file) : "";
        const std::string type = value.empty() ? entry.description() : padded_to(entry.description(), type_width);
        text += "  " + padded_to(entry.name, name_width) + "  " + type + value + "\n";
    }
    return {text, true};
}

} // namespace pearlite::io
