#include "parallel/rank_costs.hpp"
#include "parallel/shared_memory/shared_sum.hpp"

#include <gtest/gtest.h>
#include <vector>

using namespace pearlite;
using namespace pearlite::parallel;

namespace {

template <class T>
class SharedSums : public ::testing::Test {};
using Widths = ::testing::Types<std::int16_t, std::int32_t>;
TYPED_TEST_SUITE(SharedSums, Widths);

/// Number i of a rank in a round; sums of sixteen ranks have 16 bits.
template <class T>
T number(Index i, int rank, Index round) {
    return static_cast<T>((i * 7919 + rank * 104729 + round * 31) % 4001 - 2000);
}

/// Lengths that ranks share evenly, unevenly, and not at all.
TYPED_TEST(SharedSums, AreThoseOfAPlainLoopRoundAfterRound) {
    using Sum = SharedSum<TypeParam>;
    const auto ranks = Communicator::world();
    for (const auto memory : {Sum::Memory::shared_on_one_machine, Sum::Memory::own})
        for (const Index count : {Index{1}, Index{31}, Index{64}, Index{1000}, Index{392513}}) {
            Sum shared(ranks, count, memory);
            for (Index round = 0; round < 20; ++round) {
                const auto own = shared.own();
                ASSERT_EQ(std::ssize(own), count);
                for (Index i = 0; i < count; ++i)
                    own[at(i)] = number<TypeParam>(i, ranks.rank(), round);
                const auto sums = shared.sum();
                std::vector<TypeParam> expected(at(count), 0);
                for (int rank = 0; rank < ranks.size(); ++rank)
                    for (Index i = 0; i < count; ++i)
                        expected[at(i)] = static_cast<TypeParam>(expected[at(i)] + number<TypeParam>(i, rank, round));
                ASSERT_TRUE(std::equal(sums.begin(), sums.end(), expected.begin(), expected.end()))
                    << count << " numbers, round " << round;
            }
        }
}

TYPED_TEST(SharedSums, OfARankAloneAreItsOwnNumbers) {
    SharedSum<TypeParam> shared(Communicator::alone(), 3);
    shared.own()[1] = -5;
    EXPECT_EQ(shared.sum()[1], -5);
}

/// The counts of reductions and their words do not depend on the way in which ranks add.
TYPED_TEST(SharedSums, CountAsReductions) {
    using Sum = SharedSum<TypeParam>;
    const auto ranks = Communicator::world();
    if (ranks.size() == 1)
        GTEST_SKIP() << "a rank alone adds up nothing";
    Sum shared(ranks, 1001), sent(ranks, 1001, Sum::Memory::own);
    const auto words_of = [&](Sum& sum) {
        std::fill(sum.own().begin(), sum.own().end(), TypeParam{1});
        const auto before = message_count();
        sum.sum();
        return (message_count() - before).reduced_words;
    };
    EXPECT_EQ(words_of(shared), words_of(sent));
}

} // namespace
