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

/// Tables as spreadsheets and statistical programs write them. Fails where a column, a row or a value goes astray.
TEST(Frame, ReadsTablesOfOtherPrograms) {
    const Names names{"y", "x"};
    const Vector y{{1.5, 3.0}}, x{{2.0, 4.25}};
    const std::pair<const char*, const char*> tables[] = {
        {"a.csv", "y;x\n1.5;2\n3;4.25\n"},
        {"a.csv", "y;x\r\n1,5;2\r\n3;4,25\r\n"},
        {"a.csv", "\"y\";\"x\"\n1,5;2\n3;4,25"},
        {"a.tsv", "y\tx\n1.5\t2\n3\t4.25\n"},
        {"a.csv", "y\tx\n1,5\t2\n3\t4,25\n"},
        {"a.txt", "y\tx\n1.5\t2\n3\t4.25\n"},
        {"a.txt", "y x\n1.5 2\n3 4.25\n"},
        {"a.csv", "# made by a program, today\n#\n\ny,x\n1.5,2\n3,4.25\n"},
        {"a.csv", "# a remark\n# y,x\n1.5,2\n3,4.25\n"},
        {"a.csv", "sep=;\ny;x\n1,5;2\n3;4,25\n"},
        {"a.csv", "y,x\r1.5,2\r3,4.25\r"},
        {"a.csv", "y,x\n1.5,2\n3,4.25\n\n \n"},
    };
    for (const auto& [name, text] : tables) {
        const auto frame = frame_of(text, name);
        EXPECT_EQ(frame.names(), names) << text;
        EXPECT_EQ(frame.numbers("y"), y) << text;
        EXPECT_EQ(frame.numbers("x"), x) << text;
    }
    for (const auto& [name, text] : {std::pair("a.csv", "\"y\",\"x\"\n\"a\",1.5,2\n\"b\",3,4.25\n"),
                                     std::pair("a.txt", "\"y\" \"x\"\n\"a\" 1.5 2\n\"b b\" 3 4.25\n")}) {
        const auto frame = frame_of(text, name); // names of rows, as R writes them
        EXPECT_EQ(frame.names(), (Names{"", "y", "x"}));
        EXPECT_EQ(frame.numbers("x"), x);
    }
    const auto frame = frame_of("body mass,\"note\nof\"\n1,\"first line\nsecond, \"\"line\"\"\"\n2,b\nz,c\n");
    EXPECT_EQ(frame.names(), (Names{"body mass", "note of"}));
    EXPECT_EQ(frame.text(0, 1), "first line\nsecond, \"line\"");
    EXPECT_THAT(input_error([&] { frame.numbers("body mass"); }), HasSubstr("a.csv:6: column 1 ('body mass'): got"));
}

/// A comma is a decimal one only where nothing speaks against it.
TEST(Frame, RefusesCommasThatMayBeOthers) {
    const auto numbers = [](const Frame& frame) { frame.numbers("x"); };
    EXPECT_THAT(mistake_of("y;x\n1;1,5\n2.5;2\n", numbers), HasSubstr("a.csv:2: column 2 ('x'): got \"1,5\""));
    EXPECT_THAT(mistake_of("y\tx\n1\t1,500\n", numbers), HasSubstr("a.csv:2: column 2 ('x'): got \"1,500\""));
    EXPECT_THAT(mistake_of("y,x\n1,5,2\n", numbers), HasSubstr("a.csv:2: wrong number of columns (got 3)"));
    EXPECT_THAT(mistake_of("x\n1,5\n", numbers), HasSubstr("a.csv:2: wrong number of columns (got 2)"));
    EXPECT_THAT(frame_of("y;x\n1;1,5\n").remarks(), ElementsAre(HasSubstr("commas in numbers are decimal points")));
}

TEST(Frame, MissingValuesOfAColumnAreNotANumber) {
    const auto frame = frame_of("y\n1\nNA\n3\n");
    const auto values = frame.numbers_or_missing("y", Names{"", "NA"});
    EXPECT_EQ(values(0), 1);
    EXPECT_TRUE(std::isnan(values(1)));
    EXPECT_EQ(values(2), 3);
    EXPECT_EQ(frame.line(1), 3);
    EXPECT_THAT(input_error([&] { frame.numbers_or_missing("y", Names{"?"}); }), HasSubstr("a.csv:3: column 1 ('y')"));
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
