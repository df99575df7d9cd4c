// A communicator of one rank without MPI, for serial tests and for commands that only read files.
#include "parallel/agreement.hpp"
#include "parallel/communicator.hpp"
#include "parallel/exchange.hpp"
#include "parallel/rank_costs.hpp"
#include "parallel/reduction.hpp"
#include "pearlite/core/error.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

using namespace pearlite;
using namespace pearlite::parallel;

namespace {

TEST(Alone, WorksWithoutMpi) {
    const Communicator ranks = Communicator::alone();
    EXPECT_EQ(ranks.rank(), 0);
    EXPECT_EQ(ranks.size(), 1);
    EXPECT_TRUE(ranks.is_root());
    ranks.barrier();
    EXPECT_EQ(ranks.max(2.5), 2.5);
    EXPECT_TRUE(std::isnan(ranks.max(std::numeric_limits<double>::quiet_NaN())));
    EXPECT_EQ(ranks.max(Index{-3}), -3);
    EXPECT_EQ(ranks.sum(Index{7}), 7);
    EXPECT_EQ(ranks.broadcast(std::string("text")), "text");
    EXPECT_EQ(ranks.split(3).size(), 1);
    EXPECT_EQ(ranks.with_largest_message(1).largest_message(), 1U);
}

TEST(Alone, CollectivesAreCopies) {
    const Communicator ranks = Communicator::alone();
    std::vector values{1, 2, 3};
    ranks.broadcast(std::span(values));
    EXPECT_EQ(ranks.all_gather(4), std::vector{4});
    EXPECT_EQ(ranks.all_gather(std::span<const int>(values)), values);
    EXPECT_EQ(ranks.gather(std::span<const int>(values)), values);
    const std::vector<std::vector<int>> letters{values};
    EXPECT_EQ(ranks.all_to_all(letters), letters);
    EXPECT_TRUE(ranks.all_gather(std::span<const int>()).empty());
}

/// Catches a collective that `check` on one rank would not foresee.
TEST(Alone, CountsTheCollectivesThatItSpares) {
    const Communicator ranks = Communicator::alone();
    const auto spared = forgone_count(), made = message_count();
    ranks.max(2.5);
    std::vector<ExactSum> sums(3);
    exact_sum(ranks, sums);
    ranks.all_gather(std::int64_t{4});
    ranks.all_to_all(std::vector<std::vector<int>>(1));
    const MessageCount expected{2, 1 + 2 * 3, 2, 8, 0, 0};
    EXPECT_EQ(forgone_count() - spared, expected);
    EXPECT_EQ(message_count(), made);
}

TEST(Alone, ThereIsNobodyElse) {
    const Communicator ranks = Communicator::alone();
    std::byte byte{};
    EXPECT_THROW(ranks.send(0, 0, std::span(&byte, 1)), ContractViolation);
    EXPECT_THROW(ranks.receive(0, 0, std::span(&byte, 1)), ContractViolation);
    EXPECT_THROW(ranks.broadcast(std::span(&byte, 1), 1), ContractViolation);
    EXPECT_THROW(ranks.all_to_all(std::vector<std::vector<int>>(2)), ContractViolation);
    EXPECT_EQ(Communicator::world().size(), 1); // of a process that has not started MPI
    const auto pack = [](int, Index, std::span<std::byte>) { FAIL(); };
    const auto unpack = [](int, Index, std::span<const std::byte>) { FAIL(); };
    EXPECT_NO_THROW(exchange(ranks, 8, {}, {}, pack, unpack));
    const Transfer self{0, 1};
    EXPECT_THROW(exchange(ranks, 8, std::span(&self, 1), std::span(&self, 1), pack, unpack), ContractViolation);
}

TEST(Alone, AgreementKeepsTypeAndMessage) {
    const Communicator ranks = Communicator::alone();
    EXPECT_NO_THROW(agree(ranks, nullptr));
    EXPECT_NO_THROW(together(ranks, [] {}));
    try {
        on_root(ranks, [] { throw FileError("full"); });
        FAIL();
    } catch (const FileError& error) {
        EXPECT_STREQ(error.what(), "full");
    }
}

// MPI starts in the child alone. Without the abort, the exception would reach the handler and the status be 42.
TEST(EnvironmentDeathTest, AbortsWhenAnExceptionLeaves) {
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    const auto leave_by_exception = [] {
        try {
            int argc = 0;
            char** argv = nullptr;
            const Environment environment(argc, argv);
            throw InputError("leaving");
        } catch (const InputError&) {
            std::_Exit(42);
        }
    };
    EXPECT_EXIT(leave_by_exception(), testing::ExitedWithCode(1), "");
}

TEST(EnvironmentDeathTest, AbortWorksWithoutMpi) {
    EXPECT_EXIT(Environment::abort(3), testing::ExitedWithCode(3), "");
}

} // namespace
