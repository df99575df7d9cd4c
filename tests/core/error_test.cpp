#include "pearlite/core/detail/contract.hpp"
#include "pearlite/core/error.hpp"

#include <gmock/gmock.h>
#include <new>

using namespace pearlite;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

namespace {

template <class Thrown>
ErrorReport report_of(const Thrown& thrown) {
    return describe(std::make_exception_ptr(thrown));
}

void expect_report(const ErrorReport& report, ErrorKind kind, const std::string& message) {
    EXPECT_EQ(report.kind, kind);
    EXPECT_EQ(report.message, message);
}

TEST(Error, ThrowsTheClassOfItsKind) {
    EXPECT_THROW(throw_error(ErrorKind::input, "m"), InputError);
    EXPECT_THROW(throw_error(ErrorKind::file, "m"), FileError);
    EXPECT_THROW(throw_error(ErrorKind::numerical, "m"), NumericalError);
    EXPECT_THROW(throw_error(ErrorKind::contract, "m"), ContractViolation);
    for (const ErrorKind kind : {ErrorKind::other, ErrorKind::none}) {
        try {
            throw_error(kind, "message");
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::other);
            EXPECT_STREQ(error.what(), "message");
        }
    }
}

TEST(Error, DescribesWhatWasThrown) {
    expect_report(describe(nullptr), ErrorKind::none, "");
    expect_report(report_of(InputError("a")), ErrorKind::input, "a");
    expect_report(report_of(FileError("b")), ErrorKind::file, "b");
    expect_report(report_of(NumericalError("c")), ErrorKind::numerical, "c");
    expect_report(report_of(ContractViolation("d")), ErrorKind::contract, "d");
    expect_report(report_of(Error(ErrorKind::none, "e")), ErrorKind::other, "e");
    expect_report(report_of(std::bad_alloc()), ErrorKind::other, "out of memory");
    expect_report(report_of(std::out_of_range("f")), ErrorKind::other, "f");
    expect_report(report_of(7), ErrorKind::other, "unknown error");
}

TEST(Error, DescriptionSurvivesTheRoundTrip) {
    for (const int kind : {1, 2, 3, 4, 5}) {
        try {
            throw_error(static_cast<ErrorKind>(kind), "kept");
        } catch (...) {
            expect_report(describe(std::current_exception()), static_cast<ErrorKind>(kind), "kept");
        }
    }
}

TEST(Contract, HoldsInSilence) {
    EXPECT_NO_THROW(PEARLITE_EXPECTS(1 + 1 == 2));
    EXPECT_NO_THROW(PEARLITE_ENSURES(true));
}

TEST(Contract, ViolationSaysWhatAndWhereWithoutDirectories) {
    try {
        PEARLITE_EXPECTS(1 + 1 == 3);
        FAIL();
    } catch (const ContractViolation& violation) {
        EXPECT_THAT(violation.what(), AllOf(HasSubstr("precondition"), HasSubstr("1 + 1 == 3"),
                                            HasSubstr("error_test.cpp:"), Not(HasSubstr("/"))));
    }
    try {
        PEARLITE_ENSURES(false);
        FAIL();
    } catch (const ContractViolation& violation) {
        EXPECT_THAT(violation.what(), HasSubstr("postcondition"));
    }
}

} // namespace
