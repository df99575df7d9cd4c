#include "parallel/agreement.hpp"

#include <gtest/gtest.h>
#include <new>
#include <string>

using namespace pearlite;
using namespace pearlite::parallel;

namespace {

std::string with_rank(std::string message, const Communicator& ranks, int failed) {
    if (ranks.size() > 1)
        message.append(" (rank ").append(std::to_string(failed)).append(" of ").append(std::to_string(ranks.size())) +=
            ")";
    return message;
}

// Runs `work` under agreement on all ranks; the error that came of it.
template <class Work>
ErrorReport outcome(const Communicator& ranks, Work&& work) {
    try {
        together(ranks, work);
    } catch (...) {
        return describe(std::current_exception());
    }
    return {};
}

void expect_report(const ErrorReport& report, ErrorKind kind, const std::string& message) {
    EXPECT_EQ(report.kind, kind);
    EXPECT_EQ(report.message, message);
}

TEST(Agreement, SilenceWhenAllIsWell) {
    const Communicator ranks = Communicator::world();
    int calls = 0;
    for (int repeat = 0; repeat < 100; ++repeat)
        together(ranks, [&] { ++calls; });
    EXPECT_EQ(calls, 100);
}

TEST(Agreement, EveryKindFromEveryRankReachesAll) {
    const Communicator ranks = Communicator::world();
    for (int failed = 0; failed < ranks.size(); ++failed)
        for (const int kind : {1, 2, 3, 4, 5}) {
            const auto report = outcome(ranks, [&] {
                if (ranks.rank() == failed)
                    throw_error(static_cast<ErrorKind>(kind), "step 3, particle 17");
            });
            expect_report(report, static_cast<ErrorKind>(kind), with_rank("step 3, particle 17", ranks, failed));
        }
}

TEST(Agreement, TheTypeIsTheSameOnAllRanks) {
    const Communicator ranks = Communicator::world();
    const int last = ranks.size() - 1;
    EXPECT_THROW(together(ranks,
                          [&] {
                              if (ranks.rank() == last)
                                  throw NumericalError("NaN");
                          }),
                 NumericalError);
    EXPECT_THROW(together(ranks,
                          [&] {
                              if (ranks.rank() == last)
                                  throw InputError("key");
                          }),
                 InputError);
    EXPECT_THROW(together(ranks,
                          [&] {
                              if (ranks.rank() == last)
                                  throw FileError("disk");
                          }),
                 FileError);
}

TEST(Agreement, NoRankIsBlamedForWhatFailsOnAll) {
    const Communicator ranks = Communicator::world();
    const auto report = outcome(ranks, [] { throw InputError("no such file"); });
    expect_report(report, ErrorKind::input, "no such file");
}

TEST(Agreement, TheLowestRankSpeaks) {
    const Communicator ranks = Communicator::world();
    const int lowest = ranks.size() > 2 ? 1 : 0;
    const auto report = outcome(ranks, [&] {
        if (ranks.rank() >= lowest)
            throw NumericalError("from " + std::to_string(ranks.rank()));
    });
    const auto message = "from " + std::to_string(lowest);
    expect_report(report, ErrorKind::numerical, lowest > 0 ? with_rank(message, ranks, lowest) : message);
}

TEST(Agreement, ForeignExceptions) {
    const Communicator ranks = Communicator::world();
    const int last = ranks.size() - 1;
    const auto thrown_by_last = [&](auto thrown) {
        return outcome(ranks, [&] {
            if (ranks.rank() == last)
                throw thrown;
        });
    };
    expect_report(thrown_by_last(std::bad_alloc()), ErrorKind::other, with_rank("out of memory", ranks, last));
    expect_report(thrown_by_last(std::domain_error("d")), ErrorKind::other, with_rank("d", ranks, last));
    expect_report(thrown_by_last(1), ErrorKind::other, with_rank("unknown error", ranks, last));
    expect_report(thrown_by_last(InputError("")), ErrorKind::input, with_rank("", ranks, last));
    const std::string long_message(100'000, 'x');
    expect_report(thrown_by_last(InputError(long_message)), ErrorKind::input, with_rank(long_message, ranks, last));
}

TEST(Agreement, OnRootRunsOnceAndFailsEverywhere) {
    const Communicator ranks = Communicator::world();
    int calls = 0;
    on_root(ranks, [&] { ++calls; });
    EXPECT_EQ(ranks.sum(Index{calls}), 1);
    EXPECT_THROW(on_root(ranks, [] { throw FileError("full"); }), FileError);
}

TEST(Agreement, WhatWasAgreedInsideNamesItsRankOnce) {
    const Communicator ranks = Communicator::world();
    const int last = ranks.size() - 1;
    std::exception_ptr inner;
    try {
        together(ranks, [&] {
            if (ranks.rank() == last)
                throw FileError("torn");
        });
    } catch (...) {
        inner = std::current_exception();
    }
    const auto report = outcome(ranks, [&] { std::rethrow_exception(inner); });
    expect_report(report, ErrorKind::file, with_rank("torn", ranks, last));
}

} // namespace
