#include "io/files/child_process.hpp"

#include "pearlite/core/error.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <csignal>

namespace pearlite::io {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string refusal_of(const std::function<std::vector<Matrix>()>& read) {
    try {
        read_in_child_process("numbers.h5", read);
    } catch (const InputError& error) {
        return error.what();
    }
    return "none";
}

TEST(ReadApart, MatricesArriveWhole) {
    const Matrix small{{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}}, large = Matrix::Constant(1000, 300, 0.5), none(0, 7);
    const auto read = read_in_child_process("numbers.h5", [&] { return std::vector<Matrix>{small, none, large}; });
    ASSERT_EQ(read.size(), 3);
    EXPECT_EQ(read[0], small);
    EXPECT_EQ(read[1].cols(), 7);
    EXPECT_EQ(read[2], large);
}

TEST(ReadApart, ErrorsOfTheReaderAreThrown) {
    EXPECT_EQ(refusal_of([]() -> std::vector<Matrix> { throw InputError("no rows, expected some"); }),
              "no rows, expected some");
    EXPECT_THROW(read_in_child_process("a", []() -> std::vector<Matrix> { throw FileError("gone"); }), FileError);
}

TEST(ReadApart, ACrashIsADamagedFile) {
    EXPECT_THAT(refusal_of([]() -> std::vector<Matrix> {
                    std::raise(SIGSEGV);
                    return {};
                }),
                AllOf(HasSubstr("numbers.h5: is damaged, expected"), HasSubstr("crashes")));
}

TEST(ReadApart, SoIsAReaderWithoutEnd) {
    EXPECT_THAT(refusal_of([]() -> std::vector<Matrix> {
                    std::atomic<bool> goes_on = true;
                    while (goes_on) {
                    }
                    return {};
                }),
                AllOf(HasSubstr("numbers.h5: is damaged, expected"), HasSubstr("no end")));
}

} // namespace
} // namespace pearlite::io
