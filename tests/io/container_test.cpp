#include "io/container/container.hpp"

#include "io/container_support.hpp"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>

namespace pearlite::io {
namespace {

using testing::file_bytes;
using testing::file_error;
using ::testing::HasSubstr;
using testing::SampleField;
using testing::SamplePopulation;

class ContainerTest : public ::testing::Test {
  protected:
    // Writes one field and reads it back into a value of the same type.
    template <class T>
    T through_file(const T& value) {
        Writer writer(ranks);
        writer("value", value);
        writer.commit(path, "results");
        T read{};
        Reader(ranks, path, "results")("value", read);
        return read;
    }

    testing::TemporaryDirectory directory;
    std::filesystem::path path = directory.path() / "state.h5";
    parallel::Communicator ranks = parallel::Communicator::alone();
};

TEST_F(ContainerTest, KeepsNumbersBitForBit) {
    using Limits = std::numeric_limits<double>;
    for (const double value : {0.0, -0.0, 1.0 / 3, Limits::denorm_min(), Limits::max(), -Limits::infinity(),
                               std::bit_cast<double>(0x7FF8DEADBEEF0001U)})
        EXPECT_EQ(std::bit_cast<std::uint64_t>(through_file(value)), std::bit_cast<std::uint64_t>(value));
    for (const std::int64_t value :
         {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()})
        EXPECT_EQ(through_file(value), value);
    EXPECT_EQ(through_file(std::numeric_limits<std::uint64_t>::max()), std::numeric_limits<std::uint64_t>::max());
    EXPECT_EQ(through_file(-7), -7);
    EXPECT_EQ(through_file(std::numeric_limits<std::uint32_t>::max()), std::numeric_limits<std::uint32_t>::max());
    EXPECT_EQ(through_file(true), true);
    EXPECT_EQ(through_file(false), false);
}

TEST_F(ContainerTest, KeepsTexts) {
    for (const std::string& value : {std::string(), std::string("a"), std::string("inner\0zero and end\0", 19),
                                     std::string("Metropolis-\xC3\xA9\n"), std::string(100000, 'x')})
        EXPECT_EQ(through_file(value), value);
    using Texts = std::vector<std::string>;
    for (const Texts& value : {Texts{}, Texts{""}, Texts{"", "", ""}, Texts{"one", "", "three and more"}})
        EXPECT_EQ(through_file(value), value);
}

TEST_F(ContainerTest, KeepsArrays) {
    for (const std::size_t n : {0, 1, 2, 1000}) {
        std::vector<double> numbers(n);
        std::vector<std::int64_t> integers(n);
        for (std::size_t i = 0; i < n; ++i) {
            numbers[i] = 1 / (1.0 + static_cast<double>(i));
            integers[i] = -static_cast<std::int64_t>(i * i);
        }
        EXPECT_EQ(through_file(numbers), numbers);
        EXPECT_EQ(through_file(integers), integers);
    }
    for (const auto& [rows, columns] : {std::pair{0, 0}, {0, 3}, {3, 0}, {1, 1}, {3, 2}, {40, 50}}) {
        Matrix value(rows, columns);
        for (Index i = 0; i < value.size(); ++i)
            value.data()[i] = std::sin(static_cast<double>(i));
        const Matrix read = through_file(value);
        ASSERT_EQ(read.rows(), rows);
        ASSERT_EQ(read.cols(), columns);
        EXPECT_EQ(read, value);
    }
}

TEST_F(ContainerTest, TakesALiteralAsText) {
    Writer writer(ranks);
    writer("name", "bar");
    writer.commit(path, "results");
    std::string name;
    Reader(ranks, path, "results")("name", name);
    EXPECT_EQ(name, "bar");
}

TEST_F(ContainerTest, KeepsShardedFields) {
    for (const Index items : {0, 1, 5, 1000}) {
        SamplePopulation population(ranks, items, 16);
        population.commit(ranks, path);
        population.read(ranks, path);
        EXPECT_TRUE(population.is_sample(1)) << items;
        EXPECT_FALSE(population.is_sample(2)) << "the comparison must see other contents";
    }
}

TEST_F(ContainerTest, KeepsShardedFieldsBeyondTheBufferSize) {
    for (const std::size_t item_bytes : {std::size_t{1000}, std::size_t{5} << 20}) {
        const Index items = static_cast<Index>((std::size_t{11} << 20) / item_bytes);
        SampleField field(ItemType::bytes, item_bytes, {items, 4, 1, 0});
        Writer writer(ranks);
        writer.sharded("field", field.view());
        writer.commit(path, "checkpoint");
        const auto expected = field.bytes();
        field.clear();
        Reader(ranks, path, "checkpoint").sharded("field", field.view());
        EXPECT_EQ(field.bytes(), expected);
    }
}

TEST_F(ContainerTest, HasGroupsAndManyFields) {
    constexpr int n_batches = 200;
    Writer writer(ranks);
    for (int batch = 0; batch < n_batches; ++batch) {
        writer.enter("batch-" + std::to_string(batch));
        writer("size", batch);
        writer.enter("inner/most");
        writer("name", std::to_string(batch));
        writer.leave();
        writer.leave();
    }
    writer("batch-3/extra", 1.5);
    writer.commit(path, "results");

    Reader reader(ranks, path, "results");
    EXPECT_TRUE(reader.has("batch-3/extra"));
    EXPECT_FALSE(reader.has("batch-3"));
    EXPECT_FALSE(reader.has("extra"));
    for (int batch = 0; batch < n_batches; ++batch) {
        int size = -1;
        std::string name;
        reader.enter("batch-" + std::to_string(batch));
        EXPECT_TRUE(reader.has("size"));
        reader("size", size);
        reader("inner/most/name", name);
        reader.leave();
        EXPECT_EQ(size, batch);
        EXPECT_EQ(name, std::to_string(batch));
    }
}

TEST_F(ContainerTest, HoldsNothingAtAll) {
    Writer(ranks).commit(path, "results");
    EXPECT_FALSE(Reader(ranks, path, "results").has("anything"));
}

TEST_F(ContainerTest, IsTheSameFileEveryTime) {
    SamplePopulation population(ranks, 100, 16);
    population.commit(ranks, path);
    const std::string first = file_bytes(path);
    std::filesystem::remove(path);
    population.commit(ranks, path);
    EXPECT_EQ(file_bytes(path), first);
    EXPECT_EQ(testing::names_in(directory.path()), std::vector<std::string>{"state.h5"});
}

TEST_F(ContainerTest, ReplacesOlderFiles) {
    testing::write_bytes(path, "something older");
    SamplePopulation population(ranks, 10, 16);
    population.commit(ranks, path);
    population.read(ranks, path);
    EXPECT_TRUE(population.is_sample(1));
    EXPECT_EQ(testing::names_in(directory.path()), std::vector<std::string>{"state.h5"});
}

TEST_F(ContainerTest, TakesAPathWithoutDirectory) {
    const auto before = std::filesystem::current_path();
    std::filesystem::current_path(directory.path());
    SamplePopulation population(ranks, 10, 16);
    population.commit(ranks, "plain.h5");
    population.read(ranks, "plain.h5");
    std::filesystem::current_path(before);
    EXPECT_TRUE(population.is_sample(1));
    EXPECT_TRUE(std::filesystem::exists(directory.path() / "plain.h5"));
}

TEST_F(ContainerTest, NamesWhatIsMissingOrOfAnotherType) {
    Writer writer(ranks);
    writer.enter("group");
    writer("number", 1.5);
    writer("integer", std::int64_t{1} << 40);
    writer("numbers", std::vector<double>{1, 2, 3});
    writer("unsigned", ~std::uint64_t{0});
    writer.leave();
    writer.commit(path, "results");

    Reader reader(ranks, path, "results");
    reader.enter("group");
    std::int64_t integer = 0;
    int small = 0;
    std::uint32_t small_unsigned = 0;
    double number = 0;
    Matrix matrix;
    EXPECT_THAT(file_error([&] { reader("absent", number); }),
                HasSubstr(path.string() + " has no field 'group/absent'"));
    EXPECT_THAT(file_error([&] { reader("number", integer); }),
                HasSubstr("field 'group/number' is float64, expected int64"));
    EXPECT_THAT(file_error([&] { reader("numbers", number); }),
                HasSubstr("field 'group/numbers' is float64 [3], expected float64"));
    EXPECT_THAT(file_error([&] { reader("numbers", matrix); }), HasSubstr("expected float64 [any x any]"));
    EXPECT_THAT(file_error([&] { reader("integer", small); }), HasSubstr("outside the range"));
    EXPECT_THAT(file_error([&] { reader("unsigned", small_unsigned); }), HasSubstr("outside the range"));
    reader("number", number);
    EXPECT_EQ(number, 1.5) << "a refused field must not spoil the next";
}

TEST_F(ContainerTest, NamesAShardedFieldOfAnotherShape) {
    const parallel::BlockLayout ten(10, 4, 1, 0);
    SampleField written(ItemType::float64, 16, ten);
    Writer writer(ranks);
    writer.sharded("x", written.view());
    writer.commit(path, "checkpoint");
    Reader reader(ranks, path, "checkpoint");
    const auto refusal = [&](SampleField other) { return file_error([&] { reader.sharded("x", other.view()); }); };
    EXPECT_THAT(refusal({ItemType::float64, 16, {11, 4, 1, 0}}),
                HasSubstr("field 'x' is float64 [10 x 2], expected float64 [11 x 2]"));
    EXPECT_THAT(refusal({ItemType::float64, 8, ten}), HasSubstr("expected float64 [10]"));
    EXPECT_THAT(refusal({ItemType::int64, 16, ten}), HasSubstr("expected int64 [10 x 2]"));
    EXPECT_THAT(refusal({ItemType::bytes, 16, ten}), HasSubstr("expected bytes [10 x 16]"));
}

TEST_F(ContainerTest, RefusesNamesAndFieldsThatCannotBe) {
    Writer writer(ranks);
    writer("name", 1.0);
    EXPECT_THROW(writer("name", 2.0), ContractViolation);
    for (const char* name : {"", "/", "/name", "name/", "a//b", ".", "a/../b"})
        EXPECT_THROW(writer(name, 1.0), ContractViolation) << name;
    EXPECT_THROW(writer.leave(), ContractViolation);
    EXPECT_THROW(writer("texts", std::vector<std::string>{std::string("a\0b", 3)}), ContractViolation);
    for (const char* kind : {"", "Results", "two words", "a-kind-of-more-than-thirty-two-letters"})
        EXPECT_THROW(writer.commit(path, kind), ContractViolation) << kind;

    SampleField field(ItemType::float64, 8, {10, 4, 1, 0});
    ShardedField part = field.view();
    part.local = 9;
    writer.sharded("part", part);
    EXPECT_THROW(writer.commit(path, "results"), ContractViolation);
    EXPECT_TRUE(testing::names_in(directory.path()).empty());
}

TEST_F(ContainerTest, RefusesAFieldWhereAGroupIs) {
    Writer writer(ranks);
    writer("a", 1.0);
    writer("a/b", 1.0);
    EXPECT_THAT(file_error([&] { writer.commit(path, "results"); }), HasSubstr("field 'a/b'"));
    EXPECT_TRUE(testing::names_in(directory.path()).empty());
}

} // namespace
} // namespace pearlite::io
