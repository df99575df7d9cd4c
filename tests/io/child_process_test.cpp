#include "io/files/child_process.hpp"

#include "pearlite/core/error.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <optional>

namespace pearlite::io {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string refusal_of(FileReader read) {
    try {
        read_in_child_process(read, {"numbers.h5"});
    } catch (const InputError& error) {
        return error.what();
    }
    return "none";
}

/// By a child of this process, and by one of the process that is ready.
class ReadApart : public ::testing::TestWithParam<bool> {
  protected:
    void SetUp() override {
        if (GetParam())
            ready_.emplace();
    }
    std::optional<ReadyToRead> ready_;
};

TEST_P(ReadApart, MatricesArriveWhole) {
    const Matrix small{{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}};
    for (int repeat = 0; repeat < 3; ++repeat) {
        const auto read = read_in_child_process(
            [](const ReadRequest& request) {
                const Matrix values{{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}};
                return std::vector<Matrix>{values, Matrix(0, request.largest), Matrix::Constant(1000, 300, 0.5),
                                           Matrix(std::ssize(request.name), request.least_dimensions)};
            },
            {"numbers.h5", "four", 7, 2});
        ASSERT_EQ(read.size(), 4);
        EXPECT_EQ(read[0], small);
        EXPECT_EQ(read[1].cols(), 7);
        EXPECT_EQ(read[2], Matrix::Constant(1000, 300, 0.5));
        EXPECT_EQ(read[3].rows(), 4);
        EXPECT_EQ(read[3].cols(), 2);
    }
}

TEST_P(ReadApart, ErrorsOfTheReaderAreThrown) {
    EXPECT_EQ(refusal_of([](const ReadRequest&) -> std::vector<Matrix> { throw InputError("no rows, expected some"); }),
              "no rows, expected some");
    EXPECT_THROW(
        read_in_child_process([](const ReadRequest&) -> std::vector<Matrix> { throw FileError("gone"); }, {"a"}),
        FileError);
}

TEST_P(ReadApart, ACrashIsADamagedFile) {
    EXPECT_THAT(refusal_of([](const ReadRequest&) -> std::vector<Matrix> {
                    std::raise(SIGSEGV);
                    return {};
                }),
                AllOf(HasSubstr("numbers.h5: is damaged, expected"), HasSubstr("crashes")));
}

TEST_P(ReadApart, SoIsAReaderWithoutEnd) {
    EXPECT_THAT(refusal_of([](const ReadRequest&) -> std::vector<Matrix> {
                    std::atomic<bool> goes_on = true;
                    while (goes_on) {
                    }
                    return {};
                }),
                AllOf(HasSubstr("numbers.h5: is damaged, expected"), HasSubstr("no end")));
}

INSTANTIATE_TEST_SUITE_P(ByChild, ReadApart, ::testing::Values(false));
INSTANTIATE_TEST_SUITE_P(ByReadyProcess, ReadApart, ::testing::Values(true));

} // namespace
} // namespace pearlite::io
