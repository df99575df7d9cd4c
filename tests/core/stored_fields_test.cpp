#include "core/stored_fields.hpp"

#include "pearlite/core/error.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

namespace pearlite {
namespace {

/// Every type of field, and items 3 to 5 of 9.
struct EveryType {
    bool flag = false;
    double number = 0;
    std::int64_t integer = 0;
    std::uint64_t seed = 0;
    std::string text;
    std::vector<double> numbers;
    std::vector<std::int64_t> counts;
    std::vector<std::string> texts;
    Matrix matrix;
    std::vector<std::byte> bytes;
    std::vector<double> items = std::vector<double>(3);
    Index items_in_all = 9;

    void fields(Fields& f) {
        f("flag", flag);
        f.enter("outer");
        f("number", number);
        f.enter("inner");
        f("integer", integer);
        f("seed", seed);
        sharded(f);
        f.leave();
        f("text", text);
        f.leave();
        f("numbers", numbers);
        f("counts", counts);
        f("texts", texts);
        f("matrix", matrix);
        bytes_field(f, "bytes", bytes);
    }
    void sharded(Fields& f) {
        ShardedField field{ItemType::float64, sizeof(double), items_in_all, 3, 3, {}, {}};
        field.pack = [this](Index first, Index count, std::span<std::byte> out) {
            std::memcpy(out.data(), &items[static_cast<std::size_t>(first)],
                        static_cast<std::size_t>(count) * sizeof(double));
        };
        field.unpack = [this](Index first, Index count, std::span<const std::byte> in) {
            std::memcpy(&items[static_cast<std::size_t>(first)], in.data(),
                        static_cast<std::size_t>(count) * sizeof(double));
        };
        f.sharded("items", field);
    }
};

EveryType example() {
    EveryType state{true, 0.1, -3, 1ull << 63, "text", {1, 2}, {-1, 5, 7}, {"", "b"}, Matrix::Random(3, 2), {}, {}, 9};
    state.items = {4, 5, 6};
    for (int k = 0; k < 11; ++k)
        state.bytes.push_back(static_cast<std::byte>(k));
    return state;
}

TEST(StoredFields, AreThoseOfTheState) {
    auto state = example();
    const auto stored = store(state);
    ASSERT_EQ(stored.shards.size(), 1u);
    EXPECT_EQ(stored.shards[0].name, "outer/inner/items");
    EXPECT_EQ(stored.shards[0].type, ItemType::float64);
    EXPECT_EQ(stored.shards[0].data.size(), 3 * sizeof(double));
    EveryType other;
    restore(other, stored);
    EXPECT_EQ(other.flag, state.flag);
    EXPECT_EQ(other.number, state.number);
    EXPECT_EQ(other.integer, state.integer);
    EXPECT_EQ(other.seed, state.seed);
    EXPECT_EQ(other.text, state.text);
    EXPECT_EQ(other.numbers, state.numbers);
    EXPECT_EQ(other.counts, state.counts);
    EXPECT_EQ(other.texts, state.texts);
    EXPECT_EQ(other.matrix, state.matrix);
    EXPECT_EQ(other.bytes, state.bytes);
    EXPECT_EQ(other.items, state.items);
}

TEST(StoredFields, ItemsMayHaveBeenPadded) {
    auto state = example();
    auto stored = store(state);
    auto& shard = stored.shards[0];
    std::vector<std::byte> padded(3 * 20, std::byte{7});
    for (std::size_t i = 0; i < 3; ++i)
        std::memcpy(padded.data() + 20 * i, shard.data.data() + 8 * i, 8);
    shard.data = padded;
    shard.item_bytes = 20;
    EveryType other;
    restore(other, stored);
    EXPECT_EQ(other.items, state.items);
}

TEST(StoredFields, OthersAreRefused) {
    auto state = example();
    auto stored = store(state);
    EveryType shorter;
    shorter.items_in_all = 8;
    EXPECT_THROW(restore(shorter, stored), ContractViolation);
    auto nothing = stored;
    nothing.shards.clear();
    EXPECT_THROW(restore(shorter, nothing), ContractViolation);
    stored.values.push_back(std::byte{0});
    EveryType same;
    EXPECT_THROW(restore(same, stored), ContractViolation);
    stored.values.resize(4);
    EXPECT_THROW(restore(same, stored), ContractViolation);
}

} // namespace
} // namespace pearlite
