#include "core/field_list.hpp"

#include "core/stored_fields.hpp"

#include <gtest/gtest.h>

namespace pearlite {
namespace {

/// Every type of field, in groups.
struct State {
    bool flag = true;
    double number = 2.5;
    std::int64_t integer = -3;
    std::uint64_t seed = 4;
    std::string text = "five";
    std::vector<double> numbers{6, 7};
    std::vector<std::int64_t> counts{8};
    std::vector<std::string> texts{"nine", ""};
    Matrix matrix = Matrix::Constant(2, 3, 10);
    Matrix no_rows = Matrix(0, 4);
    std::vector<std::byte> items{std::byte{11}, std::byte{12}};

    void fields(Fields& f) {
        f("flag", flag);
        f.enter("outer");
        f("number", number);
        f.enter("inner");
        f("integer", integer);
        f("seed", seed);
        f.leave();
        f("text", text);
        f.leave();
        f("numbers", numbers);
        f("counts", counts);
        f("texts", texts);
        f("matrix", matrix);
        f("no_rows", no_rows);
        ShardedField field{ItemType::bytes, 1, 5, 2, 2, {}, {}};
        field.pack = [this](Index first, Index count, std::span<std::byte> out) {
            std::copy_n(items.begin() + first, count, out.begin());
        };
        f.sharded("items", field);
    }
};

FieldList list_of(State& state) {
    FieldList list;
    state.fields(list);
    return list;
}

StoredFields stored_by(FieldList& list) {
    StoringFields stored;
    list.list_to(stored);
    return stored.take();
}

TEST(FieldList, ListsAgainWhatAStateListed) {
    State state;
    auto list = list_of(state);
    const auto direct = store(state), listed = stored_by(list);
    EXPECT_EQ(listed.values, direct.values);
    ASSERT_EQ(listed.shards.size(), 1u);
    EXPECT_EQ(listed.shards[0].data, direct.shards[0].data);
    EXPECT_EQ(listed.shards[0].name, "items");
}

TEST(FieldList, TravelsWithoutItems) {
    State state;
    auto list = list_of(state);
    FieldList restored;
    restore(restored, store(list));
    const auto here = stored_by(list), there = stored_by(restored);
    EXPECT_EQ(there.values, here.values);
    ASSERT_EQ(there.shards.size(), 1u);
    EXPECT_EQ(there.shards[0].items, 5);
    EXPECT_EQ(there.shards[0].local, 0);
    EXPECT_EQ(there.shards[0].item_bytes, 1u);
    EXPECT_EQ(there.shards[0].type, ItemType::bytes);
}

} // namespace
} // namespace pearlite
