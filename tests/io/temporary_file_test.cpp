#include "io/files/temporary_file.hpp"

#include "io/container_support.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pearlite::io {
namespace {

using ::testing::ElementsAre;
using testing::names_in;

class TemporaryFileTest : public ::testing::Test {
  protected:
    testing::TemporaryDirectory directory;
    std::filesystem::path place = directory.path() / "a.txt";
};

TEST_F(TemporaryFileTest, IsPutInPlaceOrGone) {
    write_durably(place, "old");
    {
        TemporaryFile file(place);
        file.file().write(std::as_bytes(std::span("new", 3)), 0);
        EXPECT_TRUE(is_temporary(file.path())) << file.path();
        EXPECT_EQ(names_in(directory.path()).size(), 2U);
    }
    EXPECT_THAT(names_in(directory.path()), ElementsAre("a.txt"));
    EXPECT_EQ(testing::file_bytes(place), "old");
    TemporaryFile file(place);
    file.file().write(std::as_bytes(std::span("new", 3)), 0);
    file.put_in_place();
    EXPECT_THAT(names_in(directory.path()), ElementsAre("a.txt"));
    EXPECT_EQ(testing::file_bytes(place), "new");
}

TEST_F(TemporaryFileTest, TwoAtATimeHaveNamesOfTheirOwn) {
    const TemporaryFile first(place), second(place);
    EXPECT_NE(first.path(), second.path());
}

TEST_F(TemporaryFileTest, ALinkInItsPlaceIsReplacedAndNotFollowed) {
    testing::write_bytes(directory.path() / "foreign", "mine");
    std::filesystem::create_symlink(directory.path() / "foreign", place);
    write_durably(place, "new");
    EXPECT_EQ(testing::file_bytes(directory.path() / "foreign"), "mine");
    EXPECT_FALSE(std::filesystem::is_symlink(place));
    EXPECT_EQ(testing::file_bytes(place), "new");
}

TEST_F(TemporaryFileTest, LeftOversAreRecognised) {
    for (const char* name : {".a.h5.0123456789abcdef.tmp", ".b.c.ffffffffffffffff.tmp"})
        EXPECT_TRUE(is_temporary(name)) << name;
    for (const char* name :
         {"a.h5.0123456789abcdef.tmp", ".a.h5.tmp", ".a.0123456789abcdeg.tmp", ".a.0123456789abcde.tmp",
          ".0123456789abcdef.tmp", ".a.0123456789abcdef.tmp~", ".a-0123456789abcdef.tmp", ".tmp", ""})
        EXPECT_FALSE(is_temporary(name)) << name;
    testing::write_bytes(directory.path() / ".a.h5.0123456789abcdef.tmp", "half");
    testing::write_bytes(directory.path() / ".notes.tmp", "mine");
    remove_temporary_files(directory.path());
    EXPECT_THAT(names_in(directory.path()), ElementsAre(".notes.tmp"));
}

TEST_F(TemporaryFileTest, AFullDiskLeavesTheOldFile) {
    write_durably(place, "old");
    {
        const testing::FileSizeLimit limit(100);
        EXPECT_THAT(testing::file_error([&] { write_durably(place, std::string(1000, 'x')); }),
                    ::testing::HasSubstr("a.txt: cannot write: "));
    }
    EXPECT_THAT(names_in(directory.path()), ElementsAre("a.txt"));
    EXPECT_EQ(testing::file_bytes(place), "old");
    EXPECT_THROW(write_durably(directory.path() / "absent" / "a.txt", "new"), FileError);
}

} // namespace
} // namespace pearlite::io
