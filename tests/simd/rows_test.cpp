#include "simd/draws.hpp"
#include "simd/rows.hpp"

#include <Eigen/Core>
#include <gtest/gtest.h>
#include <vector>

namespace pearlite::simd {
namespace {

template <class T>
using Lanes = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Lanes<double> numbered(Index rows, Index columns, double first) {
    Lanes<double> matrix(rows, columns);
    for (Index k = 0; k < rows; ++k)
        for (Index i = 0; i < columns; ++i)
            matrix(k, i) = first + static_cast<double>(100 * k + i);
    return matrix;
}

TEST(Rows, ArePacketsOfTheMatrix) {
    Lanes<double> matrix = numbered(3, 16, 0);
    EXPECT_EQ(ConstRows(matrix).at(2, 8)[1], 209);
    Rows(matrix).at(1, 0) += broadcast<Doubles8>(1000);
    EXPECT_EQ(matrix(1, 7), 1107);
    EXPECT_EQ(matrix(1, 8), 108);
    const Lanes<float> noise = matrix.cast<float>();
    EXPECT_EQ(NoiseRows(noise).at(2, 8)[1], 209);
}

/// From one packet to more than four, so that every way to look up columns is used.
TEST(Rows, ColumnsAreMerged) {
    testing::Draws draws(9);
    for (const Index from_columns : {0, 8, 16, 24, 32, 40, 64})
        for (const Index to_columns : {8, 16, 48}) {
            const Lanes<double> from = numbered(5, from_columns, 0);
            Lanes<double> to = numbered(5, to_columns, 5000), to_of_baseline = to;
            const Lanes<double> before = to;
            std::vector<Index> source(static_cast<std::size_t>(to_columns));
            for (auto& i : source)
                i = draws.index(static_cast<int>(from_columns) + 1) - 1;
            merge_columns(ConstRows(from), source, Rows(to), 5);
            merge_columns<Baseline>(ConstRows(from), source, Rows(to_of_baseline), 5);
            EXPECT_EQ(to, to_of_baseline);
            for (Index k = 0; k < 5; ++k)
                for (Index i = 0; i < to_columns; ++i) {
                    const Index j = source[static_cast<std::size_t>(i)];
                    EXPECT_EQ(to(k, i), j >= 0 ? from(k, j) : before(k, i)) << from_columns << ' ' << to_columns;
                }
        }
}

} // namespace
} // namespace pearlite::simd
