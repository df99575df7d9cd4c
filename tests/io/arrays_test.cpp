#include "pearlite/io/arrays.hpp"

#include "io/arrays/draws.hpp"

#include "io/input_files.hpp"

#include <gmock/gmock.h>
#include <zlib.h>

namespace pearlite::io {
namespace {

using ::testing::EndsWith;
using testing::expect_unreadable;
using ::testing::HasSubstr;
using testing::input_error;
using testing::mistake;
using testing::TemporaryDirectory;

std::string csv_mistake(std::string_view content) {
    return mistake([](const auto& path) { return read_csv(path); }, "a.csv", content);
}
std::string columns_mistake(std::string_view content) {
    return mistake(read_columns, "a.dat", content);
}

TEST(Draws, ElementsOfArraysAreNamedInTwoWays) {
    for (const auto& [points, brackets] : {std::pair("mu", "mu"), {"theta.3", "theta[3]"}, {"L.1.2", "L[1,2]"}}) {
        EXPECT_EQ(with_points(brackets), points);
        EXPECT_EQ(with_brackets(points), brackets);
    }
}

/// A reader takes points for indices of arrays, and R puts points in place of what it does not allow in names.
TEST(Draws, ColumnsAreNamesOfR) {
    for (const auto& [name, column] : {std::pair("diet[rich]", "diet_rich"),
                                       {"a:b", "a_b"},
                                       {"diet[rich]:age", "diet_rich_age"},
                                       {"Petal.Width", "Petal_Width"},
                                       {"mhv4[>14]", "mhv4_14"},
                                       {"_x", "x"},
                                       {"2nd", "x2nd"},
                                       {"x__", "x"},
                                       {"[ ]", "x"},
                                       {"m[1,2]", "m.1.2"}})
        EXPECT_EQ(with_points(name), column);
}

TEST(ReadCsv, reads_names_and_numbers) {
    const TemporaryDirectory directory;
    const auto file = directory.write("a.csv", "id,y,x\n1,3040,29.2\n2,-1e-3,+.5\n");
    const Table table = read_csv(file);
    EXPECT_EQ(table.names, (std::vector<std::string>{"id", "y", "x"}));
    EXPECT_EQ(table.source, file.string());
    ASSERT_EQ(table.values.rows(), 2);
    ASSERT_EQ(table.values.cols(), 3);
    EXPECT_EQ(table.values(0, 1), 3040);
    EXPECT_EQ(table.values(1, 1), -1e-3);
    EXPECT_EQ(table.values(1, 2), 0.5);
    EXPECT_EQ(table.column("x"), 2);
    EXPECT_EQ(input_error([&] { table.column("z"); }),
              file.string() + ": there is no column 'z', the columns are id, y, x");
}

TEST(ReadCsv, tolerates_quotes_line_ends_and_blank_ends) {
    const TemporaryDirectory directory;
    const auto file =
        directory.write("a.csv", "\xef\xbb\xbf\"\", \"a,b\" ,\"say \"\"x\"\"\"\r\n\"1\" , 2,3\r\n\r\n \n");
    const Table table = read_csv(file);
    EXPECT_EQ(table.names, (std::vector<std::string>{"", "a,b", "say \"x\""}));
    EXPECT_EQ(table.values, (Matrix(1, 3) << 1, 2, 3).finished());
    EXPECT_EQ(read_csv(directory.write("b.csv", "a\n5")).values(0, 0), 5);
}

TEST(ReadCsv, names_line_and_column_of_every_mistake) {
    EXPECT_EQ(csv_mistake(""), "a.csv: the file is empty, expected a header line and rows of numbers");
    EXPECT_EQ(csv_mistake("\n\n"), "a.csv: the file is empty, expected a header line and rows of numbers");
    EXPECT_EQ(csv_mistake("a,b\n"), "a.csv: no rows of numbers, expected at least one");
    EXPECT_EQ(csv_mistake("a,b\n1,2\n3\n"), "a.csv:3: wrong number of columns (got 1), expected 2 as in line 1");
    EXPECT_EQ(csv_mistake("a,b\n1,2,\n"), "a.csv:2: wrong number of columns (got 3), expected 2 as in line 1");
    EXPECT_EQ(csv_mistake("a,b\n1,x2\n"),
              "a.csv:2: column 2 ('b'): not a number (got \"x2\"), expected a finite number");
    EXPECT_THAT(csv_mistake("a,b\n1,\n"), HasSubstr("not a number (got \"\")"));
    for (const char* field : {"nan", "inf", "1e999", "1 2", "1;2", "0x1", "+-1", "+", "1.5.2"}) {
        EXPECT_THAT(csv_mistake("a\n" + std::string(field) + "\n"), HasSubstr("a.csv:2: column 1 ('a'): not a number"))
            << field;
    }
    EXPECT_EQ(csv_mistake("a\n1\n\n2\n"), "a.csv:3: blank line, expected a row of numbers");
    EXPECT_EQ(csv_mistake("1,2\n3,4\n"),
              "a.csv:1: numbers only (got \"1,2\"), expected a header line with the names of the columns");
    EXPECT_EQ(csv_mistake("a,b,a\n1,2,3\n"), "a.csv:1: column 3: the name 'a' stands twice, expected different names");
    EXPECT_EQ(csv_mistake("a,\"b\n1,2\n"), "a.csv:1: column 2: a quote is not closed, expected \"");
    expect_unreadable([](const auto& path) { return read_csv(path); }, "a.csv");
}

TEST(ReadCsv, reads_some_columns_beside_others_that_hold_text) {
    const TemporaryDirectory directory;
    const auto file = directory.write("a.csv", "date,y,x\n1981-10-02,-0.3,1\n1981-10-05,1.4,2\n");
    const Table table = read_csv(file, {"x", "y"});
    EXPECT_EQ(table.names, (std::vector<std::string>{"x", "y"}));
    EXPECT_EQ(table.values, (Matrix(2, 2) << 1, -0.3, 2, 1.4).finished());
    EXPECT_THAT(input_error([&] { read_csv(file, {"z"}); }), EndsWith("the columns are date, y, x"));
    EXPECT_THAT(input_error([&] { read_csv(file, {"date"}); }), HasSubstr("not a number (got \"1981-10-02\")"));
    EXPECT_THAT(input_error([&] { read_csv(directory.write("b.csv", "a,b\n1\n"), {"a"}); }),
                EndsWith("b.csv:2: wrong number of columns (got 1), expected 2 as in line 1"));
}

TEST(ReadLastNumbers, finds_them_among_text) {
    const TemporaryDirectory directory;
    const auto file =
        directory.write("a.txt", "PACIFIC Service\nDay Date Rate\n24 1997/01/02 0.59\n25 x .61\n(C) 2015\n");
    EXPECT_EQ(read_last_numbers(file), (Vector(2) << 0.59, 0.61).finished());
    EXPECT_THAT(input_error([&] { read_last_numbers(directory.write("b.txt", "1 2\nno\n")); }),
                EndsWith("1 lines begin and end with a number, expected at least two"));
    expect_unreadable(read_last_numbers, "a.txt");
}

TEST(ReadLastNumbers, refuses_what_would_join_neighbours) {
    const TemporaryDirectory directory;
    const auto error = [&](const std::string& line) {
        return input_error([&] {
            read_last_numbers(directory.write("c.txt", "Day Date Rate\n24 a 0.59\n" + line + "\n26 c 0.60\n(C)\n"));
        });
    };
    EXPECT_EQ(read_last_numbers(directory.write("d.txt", "Day\n1 a 2\n3 b 4\n\n(C)\n")),
              (Vector(2) << 2, 4).finished());
    EXPECT_THAT(error("25 b nan"), HasSubstr("c.txt:3: not a number (got \"nan\"), expected a line that ends with"));
    EXPECT_THAT(error("25 b 0,592"), HasSubstr("c.txt:3: not a number (got \"0,592\")"));
    EXPECT_THAT(error("25 b"), HasSubstr("c.txt:3: not a number (got \"b\")"));
    EXPECT_THAT(error("25 0.61"), HasSubstr("c.txt:3: wrong number of fields (got 2), expected 3"));
    EXPECT_THAT(error("x25 b 0.61"), HasSubstr("c.txt:3: between lines of the table (got \"x25 b 0.61\")"));
    EXPECT_THAT(error(""), HasSubstr("c.txt:3: between lines of the table (got \"\")"));
}

TEST(ReadBareCsv, reads_numbers_without_a_header) {
    const TemporaryDirectory directory;
    const Table table = read_bare_csv(directory.write("a.csv", "1,0, 2\r\n-1,.5,3\n\n"));
    EXPECT_TRUE(table.names.empty());
    EXPECT_EQ(table.values, (Matrix(2, 3) << 1, 0, 2, -1, 0.5, 3).finished());
}

TEST(ReadBareCsv, names_line_and_column_of_every_mistake) {
    const auto bare_mistake = [](std::string_view content) { return mistake(read_bare_csv, "a.csv", content); };
    EXPECT_EQ(bare_mistake(""), "a.csv: no rows of numbers, expected at least one");
    EXPECT_EQ(bare_mistake("a,b\n1,2\n"), "a.csv:1: column 1: not a number (got \"a\"), expected a finite number");
    EXPECT_EQ(bare_mistake("1,2\n3\n"), "a.csv:2: wrong number of columns (got 1), expected 2 as in line 1");
    EXPECT_EQ(bare_mistake("1\n\n2\n"), "a.csv:2: blank line, expected a row of numbers");
    expect_unreadable(read_bare_csv, "a.csv");
}

TEST(StackRows, puts_the_second_table_under_the_first) {
    const Table first{{"a", "b"}, (Matrix(1, 2) << 1, 2).finished(), "first"};
    const Table second{{}, (Matrix(2, 2) << 3, 4, 5, 6).finished(), "second"};
    const Table stacked = stack_rows(first, second);
    EXPECT_EQ(stacked.names, first.names);
    EXPECT_EQ(stacked.values, (Matrix(3, 2) << 1, 2, 3, 4, 5, 6).finished());
    EXPECT_EQ(input_error([&] {
                  stack_rows(first, {{}, Matrix::Zero(1, 3), "third"});
              }),
              "third: wrong number of columns (got 3), expected 2 as in first");
}

TEST(ReadColumns, reads_numbers_between_blanks) {
    const TemporaryDirectory directory;
    const Table table = read_columns(directory.write("a.dat", "# y x\n1.0  -2\t3\r\n\n  4 5 6 \n"));
    EXPECT_TRUE(table.names.empty());
    EXPECT_EQ(table.values, (Matrix(2, 3) << 1, -2, 3, 4, 5, 6).finished());
    EXPECT_THAT(input_error([&] { table.column("x"); }), EndsWith("there is no column 'x', the columns have no names"));
}

TEST(ReadColumns, names_line_and_column_of_every_mistake) {
    EXPECT_EQ(columns_mistake(""), "a.dat: no rows of numbers, expected at least one");
    EXPECT_EQ(columns_mistake("# nothing\n"), "a.dat: no rows of numbers, expected at least one");
    EXPECT_EQ(columns_mistake("# y x\n1 2\n3 4 5\n"),
              "a.dat:3: wrong number of columns (got 3), expected 2 as in line 2");
    EXPECT_EQ(columns_mistake("1 2\n3 four\n"),
              "a.dat:2: column 2: not a number (got \"four\"), expected a finite number");
    expect_unreadable(read_columns, "a.dat");
}

std::string big_endian(std::uint32_t value) {
    return {static_cast<char>(value >> 24), static_cast<char>(value >> 16), static_cast<char>(value >> 8),
            static_cast<char>(value)};
}

std::string idx_file(std::uint32_t images, std::uint32_t rows, std::uint32_t columns, const std::string& pixels,
                     std::uint32_t magic = 2051) {
    return big_endian(magic) + big_endian(images) + big_endian(rows) + big_endian(columns) + pixels;
}

const std::string pixels_of_two = {'\0', '\x33', '\xff', '\0', '\xff', '\xff'}; // 2 images of 1 x 3; 0x33 is 255 / 5

std::string compressed(const TemporaryDirectory& directory, const std::string& content) {
    const auto path = directory.path() / "compressed.gz";
    const gzFile file = gzopen(path.c_str(), "wb");
    gzwrite(file, content.data(), static_cast<unsigned>(content.size()));
    gzclose(file);
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

TEST(ReadIdx, counts_pixels_of_plain_and_compressed_files) {
    const TemporaryDirectory directory;
    const std::string content = idx_file(2, 1, 3, pixels_of_two);
    for (const std::string& bytes : {content, compressed(directory, content)}) {
        const PixelCounts counts = read_idx_pixel_counts(directory.write("images", bytes));
        EXPECT_EQ(counts.n_images, 2);
        EXPECT_EQ(counts.n_on, Eigen::Vector3d(0, 306.0 / 255, 2));
    }
}

TEST(ReadIdx, checks_header_and_length) {
    const auto idx_mistake = [](const std::string& bytes) { return mistake(read_idx_pixel_counts, "images", bytes); };
    EXPECT_EQ(idx_mistake(""), "images: the data end at byte 0, expected a header of 16 bytes");
    EXPECT_EQ(idx_mistake(idx_file(2, 1, 3, pixels_of_two, 2049)),
              "images, byte 0: wrong magic number (got 2049), expected 2051, images in idx format");
    EXPECT_EQ(
        idx_mistake(idx_file(0, 1, 3, "")),
        "images, byte 4: impossible sizes (got 0 images of 1 x 3), expected at least one image, sides of 1 to 4096 "
        "pixels");
    EXPECT_THAT(idx_mistake(idx_file(2, 0xffffffff, 3, "")),
                HasSubstr("impossible sizes (got 2 images of 4294967295 x 3)"));
    EXPECT_EQ(idx_mistake(idx_file(3, 1, 3, pixels_of_two)),
              "images: the data end at byte 22, expected 3 images of 3 bytes after a header of 16");
    EXPECT_EQ(idx_mistake(idx_file(2, 1, 3, pixels_of_two + "x")),
              "images: data after byte 22, expected 2 images of 3 bytes after a header of 16");
    EXPECT_EQ(idx_mistake(idx_file(3, 4096, 4096, pixels_of_two)),
              "images: a file of 22 bytes cannot hold 3 images of 4096 x 4096 pixels");
    expect_unreadable(read_idx_pixel_counts, "images");
}

TEST(ReadIdx, finds_cut_and_damaged_compressed_data) {
    const TemporaryDirectory directory;
    std::string pixels;
    for (int i = 0; i < 30000; ++i) {
        pixels += static_cast<char>(static_cast<unsigned>(i) * static_cast<unsigned>(i) * 7919U / 13U);
    }
    const std::string whole = compressed(directory, idx_file(100, 10, 30, pixels));
    const auto read = [&](const std::string& bytes) { return read_idx_pixel_counts(directory.write("images", bytes)); };
    EXPECT_EQ(read(whole).n_images, 100);
    EXPECT_THAT(input_error([&] { read(whole.substr(0, whole.size() / 2)); }), HasSubstr("the data end at byte "));
    // The last 8 bytes are checksum and length; without them all pixels are there, but not known to be right.
    EXPECT_THAT(input_error([&] { read(whole.substr(0, whole.size() - 4)); }),
                HasSubstr("the gzip data are cut short after byte 30016, expected a checksum"));
    std::string damaged = whole;
    damaged[whole.size() - 6] = static_cast<char>(damaged[whole.size() - 6] ^ 1);
    EXPECT_THAT(input_error([&] { read(damaged); }), HasSubstr("damaged gzip data"));
}

/// The data directory, or nothing with the test skipped.
#define PEARLITE_NEEDS_DATA(variable)                                                                                  \
    const char* variable = std::getenv("PEARLITE_DATA_DIR");                                                           \
    if (variable == nullptr) {                                                                                         \
        GTEST_SKIP() << "PEARLITE_DATA_DIR is not set: published data are not read";                                   \
    }

TEST(PublishedData, tables_have_their_known_sizes) {
    PEARLITE_NEEDS_DATA(data);
    const std::filesystem::path directory = data;
    const Table pine = read_csv(directory / "bayes/radiata_pine.csv");
    EXPECT_EQ(pine.values.rows(), 42);
    EXPECT_EQ(pine.values(0, pine.column("y")), 3040);
    const Table pima = read_columns(directory / "bayes/pima_standardised_532.dat");
    EXPECT_EQ(pima.values.rows(), 532);
    EXPECT_EQ(pima.values.cols(), 8);
    EXPECT_EQ(pima.values.col(0).sum(), 177);
    const Table spect =
        stack_rows(read_bare_csv(directory / "spect/SPECT.train"), read_bare_csv(directory / "spect/SPECT.test"));
    EXPECT_EQ(spect.values.rows(), 267);
    EXPECT_EQ(spect.values.cols(), 23);
    EXPECT_EQ(spect.values.col(0).sum(), 212);
}

TEST(PublishedData, rbm_weights_and_images_agree) {
    PEARLITE_NEEDS_DATA(data);
    const std::filesystem::path directory = data;
    const RbmArrays rbm = read_rbm(directory / "rbm/rbm_cd25_500.f64");
    EXPECT_EQ(rbm.weights.rows(), 784);
    EXPECT_EQ(rbm.weights.cols(), 500);
    const PixelCounts counts = read_idx_pixel_counts(directory / "mnist/train-images-idx3-ubyte.gz");
    EXPECT_EQ(counts.n_images, 60000);
    ASSERT_EQ(counts.n_on.size(), 784);
    EXPECT_NEAR(counts.n_on.sum() / (784.0 * 60000.0), 0.1306604762738429, 1e-12); // the well-known mean grey level
}

} // namespace
} // namespace pearlite::io
