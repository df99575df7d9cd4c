#include "io/files/digest.hpp"

#include "io/container_support.hpp"

#include <gtest/gtest.h>

namespace pearlite::io {
namespace {

using testing::SampleField;

std::string sha256_of(std::string_view text) {
    Sha256 hash;
    hash.add(text);
    return hash.finish_hex();
}

// FIPS 180-4, examples of SHA-256.
TEST(Sha256, GivesTheValuesOfTheStandard) {
    EXPECT_EQ(sha256_of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EXPECT_EQ(sha256_of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(sha256_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
              "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    EXPECT_EQ(sha256_of(std::string(1000000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, DoesNotSeeHowBytesWereHandedIn) {
    Sha256 hash;
    for (int i = 0; i < 1000; ++i)
        hash.add(std::string(1000, 'a'));
    EXPECT_EQ(hash.finish_hex(), sha256_of(std::string(1000000, 'a')));
}

TEST(Sha256, IsSpentOnceFinished) {
    Sha256 hash;
    hash.finish();
    EXPECT_THROW(hash.add("more"), ContractViolation);
    EXPECT_THROW(hash.finish(), ContractViolation);
}

class DigestTest : public ::testing::Test {
  protected:
    std::string digest_of(const ShardedField& view, Index run) { return hex(digest(ranks, view, run)); }

    parallel::Communicator ranks = parallel::Communicator::alone();
    parallel::BlockLayout layout{10, 4, 1, 0};
    SampleField field{ItemType::bytes, 3, layout};
};

TEST_F(DigestTest, IsTheHashOfShapeAndRunDigests) {
    const auto bytes = std::span<const std::byte>(field.bytes());
    const std::array<std::int64_t, 3> shape{10, 3, 4};
    Sha256 expected;
    expected.add(std::as_bytes(std::span(shape)));
    for (const auto run : {bytes.subspan(0, 12), bytes.subspan(12, 12), bytes.subspan(24)}) {
        Sha256 hash;
        hash.add(run);
        expected.add(hash.finish());
    }
    EXPECT_EQ(digest_of(field.view(), 4), expected.finish_hex());
}

TEST_F(DigestTest, ChangesWithEveryBit) {
    std::vector<std::string> digests{digest_of(field.view(), 4)};
    for (std::byte& byte : field.bytes())
        for (unsigned bit = 0; bit < 8; ++bit) {
            byte ^= std::byte{1} << bit;
            digests.push_back(digest_of(field.view(), 4));
            byte ^= std::byte{1} << bit;
        }
    std::sort(digests.begin(), digests.end());
    EXPECT_EQ(std::unique(digests.begin(), digests.end()), digests.end());
    EXPECT_EQ(digests.size(), 1U + 30 * 8);
}

TEST_F(DigestTest, ChangesWhenItemsTradePlaces) {
    const std::string before = digest_of(field.view(), 4);
    std::swap_ranges(field.bytes().begin(), field.bytes().begin() + 3, field.bytes().begin() + 15);
    EXPECT_NE(digest_of(field.view(), 4), before);
}

TEST_F(DigestTest, DistinguishesShapes) {
    const std::vector<ShardedField> empty{SampleField(ItemType::bytes, 3, {0, 4, 1, 0}).view(),
                                          SampleField(ItemType::bytes, 4, {0, 4, 1, 0}).view()};
    EXPECT_NE(digest_of(empty[0], 4), digest_of(empty[1], 4));
    EXPECT_NE(digest_of(field.view(), 4), digest_of(field.view(), 5));
}

TEST_F(DigestTest, TakesItemsBeyondTheBufferSize) {
    SampleField large(ItemType::bytes, std::size_t{5} << 20, {3, 2, 1, 0});
    const std::string before = digest_of(large.view(), 2);
    large.bytes().back() ^= std::byte{1};
    EXPECT_NE(digest_of(large.view(), 2), before);
}

TEST_F(DigestTest, RefusesRunsThatAreNotWholeAndRanksThatLackItems) {
    ShardedField part = field.view();
    part.first_local = 2;
    part.local = 8;
    EXPECT_THROW(digest(ranks, part, 4), ContractViolation);
    part.first_local = 4;
    part.local = 6;
    EXPECT_THROW(digest(ranks, part, 4), ContractViolation);
    EXPECT_THROW(digest(ranks, field.view(), 0), ContractViolation);
}

} // namespace
} // namespace pearlite::io
