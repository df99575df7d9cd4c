/// Text in other encodings, and files that are no text: each is refused with its place and in words. Fails where such a
/// file is read and its names or values are lost, or kept in a form that no result can hold.

#include "io/files/text_file.hpp"

#include "io/arrays/frame.hpp"
#include "io/input_files.hpp"
#include "pearlite/io/arrays.hpp"
#include "pearlite/io/configuration.hpp"

#include <gmock/gmock.h>

namespace pearlite::io {
namespace {

using namespace std::string_literals;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using testing::mistake;
using ::testing::StartsWith;
using testing::TemporaryDirectory;

std::string table_mistake(std::string_view content) {
    return mistake([](const auto& path) { Frame::read(path); }, "a.csv", content);
}

/// The text in UTF-16 with a byte-order mark, if `mark`.
std::string utf16(std::string_view text, bool is_little, bool mark) {
    std::string wide = mark ? (is_little ? "\xff\xfe"s : "\xfe\xff"s) : ""s;
    for (const char c : text) {
        wide += is_little ? c : '\0';
        wide += is_little ? '\0' : c;
    }
    return wide;
}

TEST(TextFile, NamesLineColumnAndEncodingOfOtherText) {
    EXPECT_THAT(table_mistake("y,gr\xf6\xdf"
                              "e,z\n1,2,3\n"),
                AllOf(StartsWith("a.csv:1: column 2: the byte 0xF6 is not UTF-8, the text seems to be Latin-1"),
                      HasSubstr("iconv -f LATIN1 -t UTF-8 "), EndsWith("a.csv > utf8-a.csv")));
    EXPECT_THAT(table_mistake("y,x\n1,\"a, b\"\n2,\xe4\n"), StartsWith("a.csv:3: column 2: "));
    EXPECT_THAT(table_mistake("y\tx\r1\t2\r3\t\xe4\r"), StartsWith("a.csv:3: column 2: "));
    EXPECT_THAT(table_mistake("y,x\n1,\x80 12\n"), HasSubstr("Windows-1252"));
    EXPECT_THAT(table_mistake("gr\xc3\xb6\xc3\x9f"
                              "e\n\xf6\n"),
                HasSubstr("mixes encodings"));
    for (const bool is_little : {false, true})
        for (const bool mark : {false, true})
            EXPECT_THAT(table_mistake(utf16("y,x\n1,2\n", is_little, mark)),
                        AllOf(StartsWith("a.csv:1: column 1: is text in UTF-16"), HasSubstr("iconv -f UTF-16")));
    EXPECT_THAT(table_mistake("y,x\n1,2\n3,\0004\n"s), StartsWith("a.csv:3: column 2: a byte of value 0"));
    // Longer forms than necessary, surrogates, beyond the last character, cut short.
    for (const auto* wrong :
         {"\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xf8\x88\x80\x80", "\xe2\x82"})
        EXPECT_THAT(table_mistake("y\n"s + wrong), HasSubstr("a.csv:2: column 1: the byte 0x")) << wrong;
    EXPECT_THAT(mistake([](const auto& path) { Configuration::load(path); }, "a.toml", "[model]\nname = \"\xe4\"\n"),
                AllOf(StartsWith("a.toml:2:9: the byte 0xE4"), HasSubstr("iconv")));
    EXPECT_THAT(mistake(read_columns, "a.dat", "# \xe4\n1 2\n"), StartsWith("a.dat:1: column 1: "));
}

TEST(TextFile, ReadsUtf8WithAndWithoutAMark) {
    const TemporaryDirectory directory;
    for (const std::string mark : {"", "\xef\xbb\xbf"}) {
        const auto frame = Frame::read(directory.write("a.csv", mark + "y,größe,€ 𝛼\n1,2,3\n"));
        EXPECT_EQ(frame.names(), (std::vector<std::string>{"y", "größe", "€ 𝛼"}));
        EXPECT_TRUE(Configuration::load(directory.write("a.toml", mark + "[model]\n")).has_section("model"));
    }
}

TEST(TextFile, DescribesOtherFilesInWords) {
    const std::pair<std::string, const char*> files[] = {{"PK\x03\x04 xl", "Excel workbook (.xlsx)"},
                                                         {"\xd0\xcf\x11\xe0", "old Excel workbook (.xls)"},
                                                         {"\x1f\x8b\x08", "compressed by gzip"},
                                                         {"\x89HDF\r\n\x1a\n", "HDF5"},
                                                         {"%PDF-1.7\n", "PDF"},
                                                         {"\n <!DOCTYPE html>\n<html>", "web page"},
                                                         {"<HTML><body>", "web page"},
                                                         {"<?xml version=\"1.0\"?>", "XML"},
                                                         {"PAR1\x15", "Parquet"},
                                                         {"RDX3\nX", "workspace of R"},
                                                         {"{\"y\": [1, 2]}", "JSON"},
                                                         {"[{\"y\": 1}]", "JSON"}};
    for (const auto& [bytes, words] : files)
        EXPECT_THAT(table_mistake(bytes), AllOf(StartsWith("a.csv: is "), HasSubstr(words))) << words;
}

} // namespace
} // namespace pearlite::io
