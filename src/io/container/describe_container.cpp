#include "io/container/field_table.hpp"
#include "io/files/stamp.hpp"

#include "io/container/container.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>

namespace pearlite::io {
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
