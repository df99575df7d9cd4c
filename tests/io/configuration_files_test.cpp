#include "pearlite/io/configuration.hpp"

#include "io/input_files.hpp"

#include <gmock/gmock.h>

namespace pearlite::io {
namespace {

using testing::DataDirectoryVariable;
using ::testing::HasSubstr;
using testing::input_error;
using ::testing::StartsWith;
using testing::TemporaryDirectory;

TEST(ConfigurationLoad, says_why_a_file_cannot_be_read) {
    const TemporaryDirectory directory;
    const std::string absent = (directory.path() / "absent.toml").string();
    EXPECT_EQ(input_error([&] { Configuration::load(absent); }),
              absent + ": cannot be read (No such file or directory), expected a TOML configuration");
    EXPECT_EQ(input_error([&] { Configuration::load(directory.path()); }),
              directory.path().string() + ": is a directory, expected a TOML configuration");
    const auto bad = directory.write("bad.toml", "size");
    EXPECT_THAT(input_error([&] { Configuration::load(bad); }), StartsWith(bad.string() + ":1:"));
}

TEST(ConfigurationDataDirectory, comes_from_the_argument_then_the_environment) {
    const TemporaryDirectory directory;
    const auto file = directory.write("run.toml", "");
    {
        const DataDirectoryVariable variable{std::nullopt};
        EXPECT_EQ(Configuration::load(file).data_directory(), std::nullopt);
        EXPECT_EQ(Configuration::load(file).directory(), directory.path());
        EXPECT_EQ(Configuration::load(file, {}, "/data").data_directory(), "/data");
    }
    {
        const DataDirectoryVariable variable{"/elsewhere"};
        EXPECT_EQ(Configuration::load(file).data_directory(), "/elsewhere");
        EXPECT_EQ(Configuration::load(file, {}, "/data").data_directory(), "/data");
    }
    const DataDirectoryVariable variable{""};
    EXPECT_EQ(Configuration::load(file).data_directory(), std::nullopt);
}

TEST(ConfigurationFiles, data_files_lie_under_the_data_directory) {
    const TemporaryDirectory directory;
    const auto data = directory.write("data/bayes/pine.csv", "x\n1\n");
    const std::string text = "[model]\ndata = 'bayes/pine.csv'\n";
    Configuration c = Configuration::parse(text, "run.toml", "/", {}, directory.path() / "data");
    EXPECT_EQ(c.section("model").data_file("data"), data);
    EXPECT_EQ(c.section("model").data_file("more", "bayes/pine.csv"), data);
    EXPECT_NO_THROW(c.check());
    EXPECT_EQ(c.resolved(), "[model]\ndata = \"bayes/pine.csv\"\nmore = \"bayes/pine.csv\"\n");

    Configuration absolute = Configuration::parse("", "run.toml", "/", {"model.data=" + data.string()});
    EXPECT_EQ(absolute.section("model").data_file("data"), data);
}

TEST(ConfigurationFiles, a_missing_data_file_says_where_it_was_looked_for) {
    const TemporaryDirectory directory;
    const DataDirectoryVariable variable{std::nullopt};
    const std::string expected =
        ", expected a file beside the configuration, or under the data directory (--data-dir or PEARLITE_DATA_DIR)";
    const auto look = [&](const std::string& value, const std::optional<std::filesystem::path>& data) {
        Configuration c = Configuration::parse("", "run.toml", "/", {"model.data=" + value}, data);
        EXPECT_EQ(c.section("model").data_file("data"), std::nullopt);
        return input_error([&] { c.check(); });
    };
    const std::string here = directory.path().string();
    EXPECT_EQ(look("a.csv", directory.path()),
              "--set model.data=a.csv: model.data: no such file " + here + "/a.csv (got \"a.csv\")" + expected);
    EXPECT_EQ(look("a.csv", {}),
              "--set model.data=a.csv: model.data: no data directory is set (got \"a.csv\")" + expected);
    EXPECT_EQ(look("a.csv", directory.path() / "no"),
              "--set model.data=a.csv: model.data: there is no data directory " + here + "/no (got \"a.csv\")" +
                  expected);
    EXPECT_THAT(look(".", directory.path()), HasSubstr(" is a directory (got \".\")"));
    EXPECT_THAT(look("/no/such.csv", directory.path()), HasSubstr("no such file /no/such.csv"));
    EXPECT_THAT(look("''", directory.path()), HasSubstr("empty file name (got \"\")"));
    EXPECT_THAT(look("3", directory.path()), HasSubstr("wrong type (got 3)"));
}

TEST(ConfigurationFiles, other_files_lie_beside_the_configuration) {
    const TemporaryDirectory directory;
    const auto schedule = directory.write("schedules/slow.csv", "x\n1\n");
    const auto file =
        directory.write("jobs/run.toml", "[schedule]\nfile = '../schedules/slow.csv'\nother = 'no.csv'\n");
    Configuration c = Configuration::load(file);
    EXPECT_EQ(c.section("schedule").file("file"), schedule);
    EXPECT_EQ(c.resolved(), "[schedule]\nfile = \"" + schedule.string() + "\"\n");
    EXPECT_EQ(c.section("schedule").file("other"), std::nullopt);
    EXPECT_EQ(input_error([&] { c.check(); }),
              file.string() + ":3: schedule.other: no such file " + (directory.path() / "jobs/no.csv").string() +
                  " (got \"no.csv\"), expected a file, relative to the configuration's "
                  "directory");
}

} // namespace
} // namespace pearlite::io
