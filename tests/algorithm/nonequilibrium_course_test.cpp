#include "algorithm/nonequilibrium/nonequilibrium.hpp"

#include "pearlite/core/error.hpp"

#include <gtest/gtest.h>
#include <string>

namespace pearlite::algorithm {
namespace {

using Phase = NonequilibriumCourse::Phase;

/// A letter and a number for each step.
std::string course(const NonequilibriumCourse& course) {
    std::string all;
    for (Index step = 1; step <= course.steps(); ++step) {
        const auto [phase, number] = course.place(step);
        all += "fper"[static_cast<std::size_t>(phase)] + std::to_string(number) + " ";
    }
    return all;
}

TEST(NonequilibriumCourse, PhasesFollowOneAnother) {
    EXPECT_EQ(course({3, true, 2}), "f1 f2 f3 p1 p2 p3 e1 e2 r1 r2 r3 ");
    EXPECT_EQ(course({3, false, 2}), "f1 f2 f3 e1 e2 r1 r2 r3 ");
    EXPECT_EQ(course({2, true, 0}), "f1 f2 p1 p2 r1 r2 ");
    EXPECT_EQ(course({2, false, 0}), "f1 f2 r1 r2 ");
}

TEST(NonequilibriumCourse, BeginsBeforeTheFirstForwardStep) {
    const auto place = NonequilibriumCourse(4, true, 1).place(0);
    EXPECT_EQ(place.phase, Phase::forward);
    EXPECT_EQ(place.number, 0);
    EXPECT_THROW(NonequilibriumCourse(4, true, 1).place(14), ContractViolation);
}

} // namespace
} // namespace pearlite::algorithm
