#include "pearlite/core/column_block.hpp"
#include "pearlite/core/error.hpp"

#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

using namespace pearlite;

namespace {

static_assert(ParticleBlock<ColumnBlock<double>>);
static_assert(ParticleBlock<ColumnBlock<std::int8_t>>);
static_assert(!ParticleBlock<std::vector<double>>);

TEST(Padding, RoundsUpToWholePackets) {
    EXPECT_EQ(padded(0), 0);
    EXPECT_EQ(padded(1), block_padding);
    EXPECT_EQ(padded(block_padding), block_padding);
    EXPECT_EQ(padded(block_padding + 1), 2 * block_padding);
}

TEST(ColumnBlock, PadsAndStartsAtZero) {
    const ColumnBlock<float> block(3, 17);
    EXPECT_EQ(block.size(), 17);
    EXPECT_EQ(block.padded_size(), 32);
    EXPECT_EQ(block.rows(), 3);
    EXPECT_EQ(block.packed_bytes(), 12U);
    EXPECT_TRUE(block.columns().isZero(0));
}

TEST(ColumnBlock, PacksAndUnpacksEveryBit) {
    ColumnBlock<double> source(4, 5);
    for (Index i = 0; i < source.columns().size(); ++i)
        source.columns().data()[i] = static_cast<double>(i) / 3;
    source.columns()(1, 2) = -0.0;
    source.columns()(2, 2) = std::numeric_limits<double>::denorm_min();
    source.columns()(3, 2) = std::numeric_limits<double>::quiet_NaN();

    ColumnBlock<double> target(4, 9);
    std::vector<std::byte> bytes(source.packed_bytes());
    source.pack(2, bytes);
    target.unpack(8, bytes);
    std::vector<std::byte> again(target.packed_bytes());
    target.pack(8, again);
    EXPECT_EQ(bytes, again);
    EXPECT_TRUE(target.columns().leftCols(8).isZero(0));
    EXPECT_TRUE(target.columns().rightCols(7).isZero(0));
}

TEST(ColumnBlock, RefusesPaddingAndWrongLengths) {
    ColumnBlock<double> block(2, 3);
    std::vector<std::byte> bytes(block.packed_bytes());
    EXPECT_THROW(block.pack(3, bytes), ContractViolation);
    EXPECT_THROW(block.unpack(-1, bytes), ContractViolation);
    bytes.pop_back();
    EXPECT_THROW(block.pack(0, bytes), ContractViolation);
    EXPECT_THROW(block.unpack(0, bytes), ContractViolation);
}

} // namespace
