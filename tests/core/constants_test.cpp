/// Constants that the compiler copies in one piece arrive whole; g++ 12 for CPUs with AVX-512 has lost the zeros at the
/// end of such as these.

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <vector>

namespace {

[[gnu::noinline]] double sum(const std::vector<double>& values) {
    double total = 0;
    for (const double value : values)
        total += value;
    return total;
}
[[gnu::noinline]] long sum(const std::vector<long>& values) {
    long total = 0;
    for (const long value : values)
        total += value;
    return total;
}
[[gnu::noinline]] int sum(const std::vector<unsigned char>& values) {
    int total = 0;
    for (const auto value : values)
        total += value;
    return total;
}

TEST(Constants, ZerosAtTheEndAreCopied) {
    EXPECT_EQ(sum(std::vector<unsigned char>{1, 1, 1, 0}), 3);
    EXPECT_EQ(sum(std::vector<double>{1, 1, 1, 0}), 3);
    EXPECT_EQ(sum(std::vector<long>{7, 7, 7, 0}), 21);
    EXPECT_EQ(sum(std::vector<double>{2, 2, 0, 0}), 4);
    EXPECT_EQ(sum(std::vector<double>{3, 3, 3, 0, 0, 0, 0, 0}), 9);
    const std::array<double, 4> values{1, 1, 1, 0};
    std::vector<double> copied(4);
    std::memcpy(copied.data(), values.data(), sizeof values);
    EXPECT_EQ(sum(copied), 3);
}

} // namespace
