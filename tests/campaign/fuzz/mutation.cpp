#include "campaign/fuzz/mutation.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace pearlite::fuzz {
namespace {

/// A place in a text that may be its end.
std::size_t place(const std::string& text, random::Stream& stream) {
    return stream.index(text.size() + 1);
}

/// A short piece of a text: where it begins, and its length.
std::pair<std::size_t, std::size_t> piece(const std::string& text, random::Stream& stream) {
    constexpr std::size_t longest = 64;
    const std::size_t begin = place(text, stream);
    return {begin, stream.index(std::min(longest, text.size() - begin) + 1)};
}

void change_byte(std::string& text, random::Stream& stream) {
    constexpr std::string_view odd("\x00\x01\x7f\x80\xff\n\r\t \"',;#.-+=[]{}0aE", 26);
    if (text.empty())
        return;
    char& byte = text[stream.index(text.size())];
    if (stream.bernoulli(0.4))
        byte = static_cast<char>(byte ^ (1 << stream.index(8)));
    else
        byte = stream.bernoulli(0.5) ? odd[stream.index(odd.size())] : static_cast<char>(stream.index(256));
}

/// 1, 2, 4 or 8 bytes become a whole number at the edge of what they hold, in either order of bytes.
void change_word(std::string& text, random::Stream& stream) {
    const std::size_t bytes = std::size_t{1} << stream.index(4);
    if (text.size() < bytes)
        return;
    const std::array<std::uint64_t, 10> odd{
        0, 1, 2, 0x7f, 0xff, 0x7fffffff, 0xffffffff, std::uint64_t{1} << 63, ~std::uint64_t{0}, stream.bits64()};
    const auto word = odd[stream.index(odd.size())] + stream.index(3) - 1;
    const bool is_big_endian = stream.bernoulli(0.3);
    const std::size_t begin = stream.index(text.size() - bytes + 1);
    for (std::size_t i = 0; i < bytes; ++i)
        text[begin + i] = static_cast<char>(word >> 8 * (is_big_endian ? bytes - 1 - i : i));
}

/// A number in the text becomes another one.
void change_number(std::string& text, random::Stream& stream) {
    constexpr const char* digits = "0123456789";
    const std::size_t found = text.find_first_of(digits, place(text, stream));
    if (found == std::string::npos)
        return change_byte(text, stream);
    const std::size_t end = std::min(text.find_first_not_of("0123456789.eE", found), text.size());
    text.replace(found, end - found, stream.bernoulli(0.5) ? std::to_string(stream.index(12)) : odd_number(stream));
}

void cut(std::string& text, random::Stream& stream) {
    const auto [begin, length] = piece(text, stream);
    text.erase(begin, length);
}

void copy(std::string& text, const std::string& from, random::Stream& stream) {
    const auto [begin, length] = piece(from, stream);
    const auto copied = from.substr(begin, length);
    if (stream.bernoulli(0.5))
        text.insert(place(text, stream), copied);
    else
        text.replace(std::min(place(text, stream), text.size()), length, copied);
}

void change_once(std::string& text, const std::string& other, random::Stream& stream) {
    switch (stream.index(8)) {
    case 0:
    case 1:
        return change_byte(text, stream);
    case 2:
        return change_word(text, stream);
    case 3:
    case 4:
        return change_number(text, stream);
    case 5:
        return cut(text, stream);
    case 6:
        return copy(text, std::string(text), stream);
    default:
        if (stream.bernoulli(0.2))
            text.resize(place(text, stream));
        else
            copy(text, other, stream);
    }
}

} // namespace

std::string mutated_bytes(std::string input, const std::string& other, random::Stream& stream) {
    constexpr std::size_t largest = std::size_t{1} << 16;
    const auto changes = 1 + stream.index(stream.bernoulli(0.5) ? 2 : 8);
    for (std::uint64_t k = 0; k < changes; ++k)
        change_once(input, other, stream);
    if (input.size() > std::max(largest, 2 * other.size()))
        input.resize(largest);
    return input;
}

std::string odd_number(random::Stream& stream) {
    static const std::vector<std::string> numbers{"-1",
                                                  "0",
                                                  "-0",
                                                  "1e308",
                                                  "1e309",
                                                  "-1e309",
                                                  "1e-320",
                                                  "nan",
                                                  "-nan",
                                                  "inf",
                                                  "-inf",
                                                  "2147483647",
                                                  "2147483648",
                                                  "-2147483649",
                                                  "4294967296",
                                                  "9223372036854775807",
                                                  "9223372036854775808",
                                                  "-9223372036854775808",
                                                  "18446744073709551616",
                                                  "0x10",
                                                  "1e",
                                                  "1.",
                                                  ".5",
                                                  "+1",
                                                  "1_000",
                                                  "1e999999999",
                                                  "00001",
                                                  "0.1e1",
                                                  "1000000",
                                                  "256",
                                                  "65536",
                                                  "16777217",
                                                  "1e18",
                                                  "0.5",
                                                  std::string(400, '9'),
                                                  "1" + std::string(30, '0')};
    return one_of(numbers, stream);
}

} // namespace pearlite::fuzz
