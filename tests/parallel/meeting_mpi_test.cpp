#include "parallel/communicator.hpp"
#include "parallel/shared_memory/meeting.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <system_error>
#include <unistd.h>
#include <vector>

using namespace pearlite;
using namespace pearlite::parallel;

namespace {

std::shared_ptr<Meeting> open_together(const Communicator& ranks) {
    const auto name = ranks.broadcast("/pearlite-test-" + std::to_string(::getpid()));
    const auto look = [] {};
    std::shared_ptr<Meeting> meeting;
    if (ranks.is_root())
        meeting = std::make_shared<Meeting>(name, true, 0, ranks.size(), look);
    ranks.barrier();
    if (!ranks.is_root())
        meeting = std::make_shared<Meeting>(name, false, ranks.rank(), ranks.size(), look);
    ranks.barrier();
    if (ranks.is_root())
        Meeting::remove_name(name);
    return meeting;
}

/// A place that is written before all have read it would make ranks sum different numbers; the ranks differ in speed.
TEST(Meeting, AllSeeWhatEachHasBrought) {
    const auto ranks = Communicator::world();
    const auto meeting = open_together(ranks);
    for (Index round = 0; round < 3000; ++round) {
        const std::vector<Index> own(at(1 + round % 50), round * 100 + ranks.rank());
        if (round % 97 == ranks.rank())
            ::usleep(300);
        meeting->meet(std::as_bytes(std::span(own)));
        for (int rank = 0; rank < ranks.size(); ++rank) {
            std::vector<Index> other(own.size());
            std::memcpy(other.data(), meeting->brought(rank), own.size() * sizeof(Index));
            ASSERT_EQ(other, std::vector<Index>(own.size(), round * 100 + rank));
        }
    }
}

/// A rank that sleeps past its looks is still woken.
TEST(Meeting, ALateRankIsWaitedFor) {
    const auto ranks = Communicator::world();
    const auto meeting = open_together(ranks);
    if (ranks.rank() == ranks.size() - 1)
        ::usleep(100'000);
    const int own = ranks.rank();
    meeting->meet(std::as_bytes(std::span(&own, 1)));
    int last = 0;
    std::memcpy(&last, meeting->brought(ranks.size() - 1), sizeof(last));
    EXPECT_EQ(last, ranks.size() - 1);
    ranks.barrier();
}

TEST(Meeting, MemoryThatIsNotThereIsAnError) {
    EXPECT_THROW(Meeting("/pearlite-test-nowhere", false, 0, 1, [] {}), std::system_error);
}

} // namespace
