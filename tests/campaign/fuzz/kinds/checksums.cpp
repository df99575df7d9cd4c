#include "campaign/fuzz/kinds/checksums.hpp"

#include "campaign/fuzz/mutation.hpp"

#include <string_view>

namespace pearlite::fuzz {

namespace {

/// CRC-32 of ISO 3309, bit by bit.
std::uint32_t crc32_of(std::string_view bytes) {
    std::uint32_t crc = ~std::uint32_t{0};
    for (const char byte : bytes) {
        crc ^= static_cast<unsigned char>(byte);
        for (int bit = 0; bit < 8; ++bit)
            crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xedb88320U : 0U);
    }
    return ~crc;
}

enum class Order { big_endian, little_endian };

/// Where byte i of a word of 4 bytes counts, in bits.
int shift_of(Order order, std::size_t i) {
    return static_cast<int>(8 * (order == Order::big_endian ? 3 - i : i));
}

std::uint32_t word_at(std::string_view bytes, std::size_t place, Order order) {
    std::uint32_t word = 0;
    for (std::size_t i = 0; i < 4; ++i)
        word |= std::uint32_t{static_cast<unsigned char>(bytes[place + i])} << shift_of(order, i);
    return word;
}

void set_word(std::string& bytes, std::size_t place, std::uint32_t word, Order order) {
    for (std::size_t i = 0; i < 4; ++i)
        bytes[place + i] = static_cast<char>(word >> shift_of(order, i));
}

} // namespace

std::string with_png_checksums(std::string image) {
    constexpr std::size_t signature = 8, around = 12; // length, kind and checksum of a chunk
    for (std::size_t at = signature; at + around <= image.size();) {
        const std::size_t length = word_at(image, at, Order::big_endian);
        if (length > image.size() - at - around)
            break;
        const auto crc = crc32_of(std::string_view(image).substr(at + 4, length + 4));
        set_word(image, at + 8 + length, crc, Order::big_endian);
        at += around + length;
    }
    return image;
}

std::string with_zip_checksums(std::string archive) {
    // The directory at the end repeats the checksum, and says where a member begins.
    constexpr std::size_t entry = 46, member = 30;
    for (std::size_t at = 0; (at = archive.find("PK\x01\x02", at)) != std::string::npos; ++at) {
        if (archive.size() - at < entry)
            break;
        const auto word = [&](std::size_t place) { return word_at(archive, place, Order::little_endian); };
        const std::size_t length = word(at + 20), begin = word(at + 42);
        if (word(at + 10) << 16 != 0 || begin > archive.size() || archive.size() - begin < member)
            continue; // compressed, or elsewhere
        const std::size_t names = word(begin + 26), data = begin + member + (names & 0xffff) + (names >> 16);
        if (data > archive.size() || archive.size() - data < length)
            continue;
        const auto crc = crc32_of(std::string_view(archive).substr(data, length));
        set_word(archive, at + 16, crc, Order::little_endian);
        set_word(archive, begin + 14, crc, Order::little_endian);
    }
    return archive;
}

InputKind checked_kind(InputKind kind, std::string (*with_checksums)(std::string)) {
    kind.mutate = [=](const std::string& input, random::Stream& stream) {
        return with_checksums(mutated_bytes(input, input, stream));
    };
    return kind;
}

} // namespace pearlite::fuzz
