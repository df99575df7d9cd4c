#include "pearlite/core/detail/point_error.hpp"

#include <gmock/gmock.h>

using namespace pearlite;

namespace {

template <class Work>
std::string message_of(const Work& work) {
    try {
        work();
    } catch (const std::exception& error) {
        return error.what();
    }
    return "nothing";
}

TEST(PointError, NamesThePointAndThenItsPlace) {
    Index visited = 0;
    const auto fails = [&](Index i) {
        ++visited;
        if (i == 2)
            throw std::runtime_error("gave up");
    };
    try {
        at_each_point(5, fails, [](Index i) { return "x = " + std::to_string(i); });
        FAIL();
    } catch (const PointError& error) {
        EXPECT_EQ(visited, 3);
        EXPECT_EQ(error.point(), 2);
        EXPECT_STREQ(error.what(), "gave up: x = 2");
        EXPECT_EQ(message_of([&] { error.throw_at("step 5, particle 17"); }), "gave up at step 5, particle 17: x = 2");
    }
}

TEST(PointError, KeepsTheKindAndTheFirstPoint) {
    const auto nowhere = [](Index) { return std::string(); };
    const auto fails = [](Index i) {
        if (i == 1)
            throw NumericalError("not a number");
    };
    try {
        at_each_point(
            1, [&](Index) { at_each_point(3, fails, nowhere); }, nowhere);
        FAIL();
    } catch (const PointError& error) {
        EXPECT_EQ(error.kind(), ErrorKind::numerical);
        EXPECT_EQ(error.point(), 1);
        EXPECT_THROW(error.throw_at("step 1"), NumericalError);
        EXPECT_EQ(message_of([&] { error.throw_at("step 1"); }), "not a number at step 1");
    }
}

TEST(PointError, LackOfMemoryPasses) {
    const auto nowhere = [](Index) { return std::string(); };
    EXPECT_THROW(at_each_point(
                     3, [](Index) { throw std::bad_alloc(); }, nowhere),
                 std::bad_alloc);
}

TEST(PointError, PrintsTheFirstOfManyCoordinates) {
    const std::vector<std::string> names{"x", "y"};
    const std::vector<double> two{0.5, -3}, many(20, 1.0);
    EXPECT_EQ(named_coordinates(names, two), "x = 0.5, y = -3");
    EXPECT_EQ(listed_coordinates(two), "0.5, -3");
    EXPECT_EQ(listed_coordinates(many), "1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 and 8 more");
}

} // namespace
