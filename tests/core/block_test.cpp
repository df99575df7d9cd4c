#include "pearlite/core/detail/block.hpp"

#include "pearlite/core/column_block.hpp"
#include "pearlite/core/error.hpp"

#include <array>
#include <gtest/gtest.h>
#include <memory>
#include <vector>

namespace pearlite {
namespace {

using Columns = ColumnBlock<double>;

/// A block that implements the interface itself, as blocks with vector code do.
class Slots final : public Block {
  public:
    explicit Slots(Index size) : values(static_cast<std::size_t>(size)) {}
    Index size() const override { return static_cast<Index>(values.size()); }
    Index padded_size() const override { return size(); }
    std::size_t packed_bytes() const override { return 1; }
    void pack(Index slot, std::span<std::byte> out) const override { out[0] = values[static_cast<std::size_t>(slot)]; }
    void unpack(Index slot, std::span<const std::byte> in) override { values[static_cast<std::size_t>(slot)] = in[0]; }
    std::vector<std::byte> values;
};

static_assert(ParticleBlock<Columns> && ParticleBlock<Slots> && !ParticleBlock<Matrix>);

TEST(BlockOf, HasTheSizesOfTheBlockInIt) {
    for (const Index size : {0, 1, 5, 16, 17}) {
        const Columns columns(3, size);
        const std::unique_ptr<Block> block = std::make_unique<BlockOf<Columns>>(columns);
        EXPECT_EQ(block->size(), size);
        EXPECT_EQ(block->padded_size(), columns.padded_size());
        EXPECT_EQ(block->packed_bytes(), 3 * sizeof(double));
    }
}

TEST(BlockOf, PacksAndUnpacksTheBlockInIt) {
    BlockOf<Columns> from(Columns(2, 5)), to(Columns(2, 5));
    for (Index i = 0; i < 5; ++i)
        from.own().columns().col(i) << 1.0 / static_cast<double>(i + 3), -static_cast<double>(i);
    std::array<std::byte, 2 * sizeof(double)> by_block, by_columns;
    for (Index i = 0; i < 5; ++i) {
        static_cast<const Block&>(from).pack(i, by_block);
        from.own().pack(i, by_columns);
        EXPECT_EQ(by_block, by_columns);
        static_cast<Block&>(to).unpack(4 - i, by_block);
    }
    EXPECT_EQ(to.own().columns().leftCols(5), from.own().columns().leftCols(5).rowwise().reverse());
    EXPECT_THROW(static_cast<const Block&>(from).pack(5, by_block), ContractViolation); // padding is never packed
}

TEST(OwnBlock, IsTheModelsBlockInPlace) {
    BlockOf<Columns> wrapped(Columns(1, 2));
    own_block<Columns>(wrapped).columns()(0, 1) = 7;
    EXPECT_EQ(own_block<Columns>(static_cast<const Block&>(wrapped)).columns()(0, 1), 7);
    EXPECT_EQ(&own_block<Columns>(wrapped), &wrapped.own());

    Slots slots(3); // is its own, without a wrapper
    EXPECT_EQ(&own_block<Slots>(slots), &slots);
    EXPECT_EQ(&own_block<Slots>(static_cast<const Block&>(slots)), &slots);
}

} // namespace
} // namespace pearlite
