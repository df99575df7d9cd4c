#include "io/arrays/frame.hpp"

#include "io/input_files.hpp"

#include <gmock/gmock.h>

namespace pearlite::io {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::input_error;
using testing::mistake;
using testing::TemporaryDirectory;

using Names = std::vector<std::string>;

Frame frame_of(std::string_view content, const std::string& name = "a.csv") {
    const TemporaryDirectory directory;
    return Frame::read(directory.write(name, content));
}

template <class Read>
std::string mistake_of(std::string_view content, const Read& read) {
    return mistake([&](const auto& path) { read(Frame::read(path)); }, "a.csv", content);
}

TEST(Frame, ReadsNumbersWordsAndLevels) {
    const auto frame = frame_of("y,colour,n\n0,red,10\n1,\"dark, green\",9\n0,red,10\n");
    EXPECT_EQ(frame.names(), (Names{"y", "colour", "n"}));
    EXPECT_EQ(frame.rows(), 3);
    EXPECT_EQ(frame.zeros_and_ones("y"), (Vector{{0.0, 1.0, 0.0}}));
    EXPECT_EQ(frame.counts("n"), (Vector{{10.0, 9.0, 10.0}}));
    EXPECT_THAT(frame.levels("colour"), ElementsAre("dark, green", "red"));
    EXPECT_THAT(frame.levels("n"), ElementsAre("9", "10")); // in the order of numbers, not of the alphabet
    EXPECT_THAT(frame.codes("colour", frame.levels("colour")), ElementsAre(1, 0, 1));
    EXPECT_TRUE(frame.is_numeric(2));
    EXPECT_FALSE(frame.is_numeric(1));
}

TEST(Frame, ColumnsBetweenBlanksHaveNamesOfTheirPlaces) {
    const auto frame = frame_of("# a remark\n 1  2.5\n\n3\t4\n", "a.dat");
    EXPECT_EQ(frame.names(), (Names{"column1", "column2"}));
    EXPECT_EQ(frame.numbers("column2"), (Vector{{2.5, 4.0}}));
}

TEST(Frame, RowsThatLackAValueAreLeftOut) {
    auto frame = frame_of("a,b,c\n1,NA,3\n4,5,\n7,8,9\n");
    EXPECT_EQ(frame.drop_rows_with(Names{"", "NA"}, Names{"a", "b"}), 1);
    EXPECT_EQ(frame.numbers("b"), (Vector{{5.0, 8.0}}));
    EXPECT_THAT(input_error([&] { frame.numbers("c"); }), HasSubstr("a.csv:3: column 3 ('c'): got \"\""));
    EXPECT_THAT(input_error([&] {
                    frame.drop_rows_with(Names{"5", "8"}, Names{"b"});
                }),
                HasSubstr("a value is missing in every row"));
}

TEST(Frame, NamesLineAndColumnOfEveryMistake) {
    const auto nothing = [](const Frame&) {};
    const auto numbers = [](const Frame& frame) { frame.numbers("b"); };
    const auto dates = [](const Frame& frame) { frame.check_dates("b"); };
    EXPECT_EQ(mistake_of("", nothing), "a.csv: the file is empty, expected a header line and rows of values");
    EXPECT_EQ(mistake_of("a,b\n", nothing), "a.csv: no rows, expected at least one");
    EXPECT_EQ(mistake_of("a,b\n1\n", nothing), "a.csv:2: wrong number of columns (got 1), expected 2 as in line 1");
    EXPECT_EQ(mistake_of("a,b\n1,2\n\n3,4\n", nothing), "a.csv:3: blank line, expected a row of values");
    EXPECT_EQ(mistake_of("a,a\n1,2\n", nothing),
              "a.csv:1: column 2: the name 'a' stands twice, expected different names");
    EXPECT_EQ(mistake_of("1,2\n3,4\n", nothing),
              "a.csv:1: numbers only (got \"1,2\"), expected a header line with the names of the columns");
    EXPECT_EQ(mistake_of("a,\"b\n1,2\n", nothing), "a.csv:1: column 2: a quote is not closed, expected \"");
    EXPECT_EQ(mistake_of("a,c\n1,2\n", numbers), "a.csv: there is no column 'b', the columns are a, c");
    for (const char* field : {"x", "", "nan", "inf", "1e999", "1;2", "0,5"})
        EXPECT_THAT(mistake_of(std::string("a,b\n1,2\n3,") + field + "\n", numbers), HasSubstr("a.csv:3: ")) << field;
    EXPECT_EQ(mistake_of("a,b\n1,2\n", [](const Frame& frame) { frame.zeros_and_ones("b"); }),
              "a.csv:2: column 2 ('b'): got \"2\", expected 0 or 1");
    EXPECT_EQ(mistake_of("a,b\n1,-2\n", [](const Frame& frame) { frame.counts("b"); }),
              "a.csv:2: column 2 ('b'): got \"-2\", expected a whole number of at least 0");
    EXPECT_EQ(mistake_of("a,b\n1,z\n",
                         [](const Frame& frame) {
                             frame.codes("b", Names{"x", "y"});
                         }),
              "a.csv:2: column 2 ('b'): got \"z\", expected one of x, y");
    for (const char* date : {"2024-02-30", "24-02-03", "2024/02/03", "2024-2-3", "3 Feb 2024", "2024-02-0x", ""})
        EXPECT_EQ(mistake_of(std::string("a,b\n1,") + date + "\n", dates),
                  std::string("a.csv:2: column 2 ('b'): got \"") + date + "\", expected a date, YYYY-MM-DD");
    EXPECT_EQ(mistake_of("a,b\n1,2024-02-29\n2,2024-02-29\n", dates),
              "a.csv:3: column 2 ('b'): got \"2024-02-29\", expected a date later than that of the row before");
    EXPECT_NO_THROW(frame_of("a,b\n1,2024-02-29\n2,2024-03-01\n").check_dates("b"));
}

} // namespace
} // namespace pearlite::io
