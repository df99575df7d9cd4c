#include "io/arrays/images.hpp"

#include "io/input_files.hpp"

#include <cstdlib>
#include <fstream>
#include <gmock/gmock.h>
#include <numeric>

namespace pearlite::io {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::input_error;
using ::testing::StartsWith;
using testing::TemporaryDirectory;
using namespace std::string_literals;

std::string image_mistake(std::string_view content) {
    return testing::mistake(read_binary_image, "a.pgm", content);
}

/// Every format of the image 0 1 1 / 1 0 1.
void expect_example(std::string_view content) {
    const TemporaryDirectory directory;
    const BinaryImage image = read_binary_image(directory.write("a", content));
    EXPECT_EQ(image.rows, 2);
    EXPECT_EQ(image.columns, 3);
    EXPECT_THAT(image.pixels, ElementsAre(0, 1, 1, 1, 0, 1)) << content;
}

TEST(ReadBinaryImage, reads_every_format) {
    expect_example("2 3\n0 1 1\n1 0 1\n");
    expect_example("2 3 0 1 1 1 0 1");
    expect_example("\r\n2 3\r\n0 1 1 1 0 1\r\n");
    expect_example("P1\n3 2\n1 0 0\n0 1 0\n");
    expect_example("P1#black is 1\n3 # columns\n2\n100010");
    expect_example("P2 3 2 9 0 9 9 9 0 9");
    expect_example("P2\n# made by hand\n3 2\n255\n0 255 255\n255 0 255\n");
    expect_example("P4\n3 2\n\x80\x5f"s); // the last five bits of a row mean nothing
    expect_example("P5\n3 2\n255\n\x00\xff\xff\xff\x00\xff"s);
    expect_example("P5 3 2 10\n\x00\n\n\n\x00\n"s); // pixels that look like line ends
    expect_example("P5\n3 2\n65535\n\x00\x00\xff\xff\xff\xff\xff\xff\x00\x00\xff\xff"s);
}

TEST(ReadBinaryImage, reads_rows_of_several_bytes) {
    const TemporaryDirectory directory;
    const BinaryImage image = read_binary_image(directory.write("a", "P4 10 2 \xfe\x80\x7f\x40"s));
    EXPECT_THAT(image.pixels, ElementsAre(0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0));
}

TEST(ReadBinaryImage, names_mistakes_of_header_and_format) {
    EXPECT_EQ(image_mistake(""),
              "a.pgm: unknown format, expected a binary image: PNG, PGM (P2, P5), PBM (P1, P4), or text "
              "(rows, columns, then 0 and 1)");
    for (const char* content : {"P6\n3 2\n255\n", "P3 1 1 1 0 0 0", "P7\n", "P5", "P51 1 1 0", "GIF89a", " -2 3", "P"})
        EXPECT_THAT(image_mistake(content), StartsWith("a.pgm: unknown format, expected ")) << content;
    EXPECT_EQ(image_mistake("P5\n3"),
              "a.pgm:2: the file ends before the number of rows, expected a number of 1 to 65536");
    EXPECT_EQ(image_mistake("P5\n3 2"),
              "a.pgm:2: the file ends before the largest grey level, expected a number of 1 to 65535");
    EXPECT_EQ(image_mistake("P5\n0 2\n"),
              "a.pgm:2: the number of columns is wrong (got \"0\"), expected a number of 1 to 65536");
    EXPECT_EQ(image_mistake("P5\n3 70000\n"),
              "a.pgm:2: the number of rows is wrong (got \"70000\"), expected a number of 1 to 65536");
    EXPECT_THAT(image_mistake("P5\n3 99999999999999999999\n"), HasSubstr("the number of rows is wrong"));
    EXPECT_THAT(image_mistake("P5\n3x 2\n"), HasSubstr("a.pgm:2: the number of columns is wrong (got \"3x\")"));
    EXPECT_THAT(image_mistake("P5\n3 2\n65536\n"), HasSubstr("a.pgm:3: the largest grey level is wrong"));
    EXPECT_THAT(image_mistake("2 -3\n0 0"), HasSubstr("a.pgm:1: the number of columns is wrong (got \"-3\")"));
    EXPECT_THAT(image_mistake("2\n# no comments in text\n3"), HasSubstr("a.pgm:2: the number of columns is wrong"));
    testing::expect_unreadable(read_binary_image, "a.pgm");
}

TEST(ReadBinaryImage, names_mistakes_of_pixels) {
    EXPECT_EQ(image_mistake("P5\n3 2\n255\n\xff\xff"),
              "a.pgm, byte 11: wrong number of bytes for the pixels (got 2), expected 6 (2 rows of 3)");
    EXPECT_EQ(image_mistake("P5\n3 2\n255\n\xff\xff\xff\xff\xff\xff\xff"),
              "a.pgm, byte 11: wrong number of bytes for the pixels (got 7), expected 6 (2 rows of 3)");
    EXPECT_THAT(image_mistake("P5\n3 2\n256\n\xff\xff\xff\xff\xff\xff"), HasSubstr("(got 6), expected 12"));
    EXPECT_THAT(image_mistake("P5\n65536 65536\n255\n\xff"), HasSubstr("expected 4294967296"));
    EXPECT_EQ(image_mistake("P5\n3 2\n255"),
              "a.pgm:3: no blank at the end of the header, expected one before the pixels");
    EXPECT_EQ(image_mistake("P5\n3 2\n255\n\xff\xff\xff\xff\x80\xff"),
              "a.pgm: the pixel of row 2, column 2 is grey (got level 128), expected 0 or 255 only");
    EXPECT_EQ(image_mistake("P2\n3 2\n9\n0 9 9 9 5 9"),
              "a.pgm: the pixel of row 2, column 2 is grey (got level 5), expected 0 or 9 only");
    EXPECT_EQ(image_mistake("P2\n3 2\n9\n0 9 9 9 0 10"),
              "a.pgm:4: the pixel of row 2, column 3 is wrong (got \"10\"), expected a number of 0 to 9");
    EXPECT_EQ(image_mistake("P2\n3 2\n9\n0 9 9\n9 0\n"),
              "a.pgm:6: the file ends before the pixel of row 2, column 3, expected a number of 0 to 9");
    EXPECT_EQ(image_mistake("P2\n65536 65536\n9\n0 9"),
              "a.pgm:3: 4 characters are left for the pixels, expected at least one for each of 65536 rows and 65536 "
              "columns");
    EXPECT_EQ(image_mistake("P1\n3 2\n101\n0 1\n"),
              "a.pgm:5: the file ends before the pixel of row 2, column 3, expected 0 or 1");
    EXPECT_EQ(image_mistake("P1\n3 2\n101\n0 2 1\n"),
              "a.pgm:4: the pixel of row 2, column 2 is wrong (got \"2\"), expected 0 or 1");
    EXPECT_EQ(image_mistake("P1\n3 2\n101\n0 0 1\n1"),
              "a.pgm:5: data after the image (\"1\"), expected one of 2 rows and 3 columns");
    EXPECT_EQ(image_mistake("P4\n10 2\n\xff\xff\xff"),
              "a.pgm, byte 8: wrong number of bytes for the pixels (got 3), expected 4 (2 rows of 2)");
    EXPECT_EQ(image_mistake("2 3\n0 1 1\n1 0 2\n"),
              "a.pgm:3: the pixel of row 2, column 3 is wrong (got \"2\"), expected a number of 0 to 1");
    EXPECT_THAT(image_mistake("2 3\n011101\n      "), HasSubstr("a.pgm:2: the pixel of row 1, column 1 is wrong"));
    EXPECT_THAT(image_mistake("2 3\n0 1 1\n1 0 1 1\n"), HasSubstr("a.pgm:3: data after the image"));
}

TEST(WritePng, is_read_back) {
    const TemporaryDirectory directory;
    BinaryImage image{37, 21, {}};
    for (Index i = 0; i < image.rows * image.columns; ++i)
        image.pixels.push_back(i * i % 7 < 3);
    const auto file = directory.write("a.png", std::string(5000, 'x'));
    write_png(file, image);
    const BinaryImage copy = read_binary_image(file);
    EXPECT_EQ(copy.rows, image.rows);
    EXPECT_EQ(copy.columns, image.columns);
    EXPECT_EQ(copy.pixels, image.pixels);
    EXPECT_THROW(write_png(directory.path() / "none" / "a.png", image), FileError);
    image.rows = 36;
    EXPECT_THROW(write_png(file, image), ContractViolation);
}

TEST(ReadPng, names_what_is_wrong) {
    const TemporaryDirectory directory;
    const BinaryImage image{2, 3, {0, 1, 1, 0, 0, 1}};
    const auto file = directory.path() / "a.png";
    write_png(file, image);
    std::string whole;
    {
        std::ifstream in(file, std::ios::binary);
        whole.assign(std::istreambuf_iterator<char>(in), {});
    }
    for (const std::size_t length : {8UL, 20UL, whole.size() / 2, whole.size() - 14})
        EXPECT_THAT(input_error([&] { read_binary_image(directory.write("b.png", whole.substr(0, length))); }),
                    HasSubstr("b.png: not a whole PNG image"))
            << length;
}

TEST(PublishedData, micrographs_have_their_known_sizes) {
    const char* data = std::getenv("PEARLITE_DATA_DIR");
    if (data == nullptr)
        GTEST_SKIP() << "PEARLITE_DATA_DIR is not set: published data are not read";
    const std::filesystem::path directory = data;
    const auto white = [](const BinaryImage& image) {
        return std::accumulate(image.pixels.begin(), image.pixels.end(), Index{0});
    };
    const BinaryImage steel = read_binary_image(directory / "ferrite_pearlite/ferrite_pearlite_240x320.txt");
    EXPECT_EQ(steel.rows, 240);
    EXPECT_EQ(steel.columns, 320);
    EXPECT_EQ(white(steel), 42572);
    const BinaryImage truth = read_binary_image(directory / "image/micrograph_two_phase_320x240.pgm");
    EXPECT_EQ(truth.rows, 240);
    EXPECT_EQ(truth.columns, 320);
    EXPECT_NEAR(static_cast<double>(white(truth)) / 76800, 0.528, 5e-4);
}

} // namespace
} // namespace pearlite::io
