#include "core/byte_archive.hpp"

#include "pearlite/core/error.hpp"

#include <gtest/gtest.h>
#include <limits>

namespace pearlite {
namespace {

struct Point {
    double x, y;
    bool operator==(const Point&) const = default;
};

TEST(ByteArchive, ReadsWhatWasWritten) {
    const std::vector<Point> points{{1, 2}, {-0.0, std::numeric_limits<double>::infinity()}};
    ByteWriter writer;
    writer("number", std::int64_t{-7});
    writer.enter("group");
    writer("points", points);
    writer("none", std::vector<double>{});
    writer.leave();
    writer("last", 0.1f);

    ByteReader reader(writer.bytes());
    std::int64_t number = 0;
    std::vector<Point> read{{5, 5}};
    std::vector<double> none{1, 2, 3};
    float last = 0;
    reader("number", number);
    reader.enter("group");
    reader("points", read);
    reader("none", none);
    reader.leave();
    EXPECT_EQ(reader.left(), sizeof last);
    reader("last", last);
    EXPECT_EQ(reader.left(), 0u);
    EXPECT_EQ(number, -7);
    EXPECT_EQ(read, points);
    EXPECT_TRUE(none.empty());
    EXPECT_EQ(last, 0.1f);
}

TEST(ByteArchive, NothingIsReadBeyondTheEnd) {
    ByteWriter writer;
    writer("values", std::vector<double>{1, 2, 3});
    const std::span<const std::byte> all(writer.bytes());
    for (const std::size_t size : {std::size_t{0}, std::size_t{7}, sizeof(std::size_t), all.size() - 1}) {
        ByteReader reader(all.first(size));
        std::vector<double> values;
        EXPECT_THROW(reader("values", values), ContractViolation) << size;
    }
}

TEST(ByteArchive, AnImpossibleLengthIsNotAllocated) {
    ByteWriter writer;
    writer("length", std::numeric_limits<std::size_t>::max() / 8);
    writer("value", 1.0);
    ByteReader reader(writer.bytes());
    std::vector<double> values;
    EXPECT_THROW(reader("values", values), ContractViolation);
}

} // namespace
} // namespace pearlite
