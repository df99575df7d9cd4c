// Damaged or foreign files must be refused with a reason.
#include "io/container/container.hpp"

#include "io/container_support.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>
#include <sys/stat.h>

namespace pearlite::io {
namespace {

using testing::file_bytes;
using testing::file_error;
using ::testing::HasSubstr;
using testing::SamplePopulation;

class ContainerDamageTest : public ::testing::Test {
  protected:
    ContainerDamageTest() {
        SamplePopulation population(ranks, 300, 16);
        population.commit(ranks, path);
        whole = file_bytes(path);
    }

    // The reason for which a checkpoint of these bytes is refused.
    std::string refusal_of(const std::string& bytes) {
        testing::write_bytes(path, bytes);
        return file_error([&] { Reader(ranks, path, "checkpoint"); });
    }
    std::string replaced(const std::string& from, const std::string& to) const {
        std::string bytes = whole;
        return bytes.replace(bytes.find(from), from.size(), to);
    }

    testing::TemporaryDirectory directory;
    std::filesystem::path path = directory.path() / "state.h5";
    parallel::Communicator ranks = parallel::Communicator::alone();
    std::string whole;
};

TEST_F(ContainerDamageTest, TheUndamagedFileIsAccepted) {
    testing::write_bytes(path, whole);
    SamplePopulation population(ranks, 300, 16);
    population.read(ranks, path);
    EXPECT_TRUE(population.is_sample(1));
}

TEST_F(ContainerDamageTest, AnyFlippedBitIsSeen) {
    std::mt19937_64 random(1);
    const auto flip = [&](std::size_t position, unsigned bit) {
        std::string bytes = whole;
        bytes[position] = static_cast<char>(bytes[position] ^ (1 << bit));
        EXPECT_THAT(refusal_of(bytes), HasSubstr(path.string())) << "byte " << position << " bit " << bit;
    };
    for (std::size_t position = 0; position < 512; ++position) // every byte of the stamp
        flip(position, static_cast<unsigned>(random() % 8));
    for (int i = 0; i < 600; ++i)
        flip(random() % whole.size(), static_cast<unsigned>(random() % 8));
    flip(whole.size() - 1, 0);
}

TEST_F(ContainerDamageTest, AnyReplacedByteIsSeen) {
    std::mt19937_64 random(2);
    for (int i = 0; i < 600; ++i) {
        std::string bytes = whole;
        const std::size_t position = random() % (i % 2 == 0 ? 512 : whole.size());
        bytes[position] = static_cast<char>(bytes[position] + 1 + static_cast<char>(random() % 255));
        if (bytes != whole) {
            EXPECT_NE(refusal_of(bytes), "") << "byte " << position;
        }
    }
}

TEST_F(ContainerDamageTest, AnyTruncationIsSeen) {
    std::mt19937_64 random(3);
    EXPECT_THAT(refusal_of(""), HasSubstr("not a Pearlite container"));
    for (std::size_t length = 1; length < 600; ++length)
        EXPECT_THAT(refusal_of(whole.substr(0, length)), HasSubstr("is cut short")) << length;
    for (int i = 0; i < 300; ++i) {
        const std::size_t length = 512 + random() % (whole.size() - 512);
        EXPECT_THAT(refusal_of(whole.substr(0, length)), HasSubstr("is cut short")) << length;
    }
    EXPECT_THAT(refusal_of(whole.substr(0, whole.size() - 1)), HasSubstr("is cut short"));
}

TEST_F(ContainerDamageTest, AnyExtensionIsSeen) {
    EXPECT_THAT(refusal_of(whole + '\0'), HasSubstr("is damaged"));
    EXPECT_THAT(refusal_of(whole + whole), HasSubstr("is damaged"));
}

TEST_F(ContainerDamageTest, ZeroedPagesAreSeen) {
    for (std::size_t page = 0; page < whole.size(); page += 4096) {
        std::string bytes = whole;
        const std::size_t length = std::min<std::size_t>(4096, bytes.size() - page);
        bytes.replace(page, length, length, '\0');
        if (bytes != whole) {
            EXPECT_NE(refusal_of(bytes), "") << page;
        }
    }
}

TEST_F(ContainerDamageTest, SaysWhatElseAFileIs) {
    EXPECT_THAT(refusal_of("step,energy\n1,2\n"), HasSubstr("not a Pearlite container"));
    EXPECT_THAT(refusal_of(whole.substr(512)), HasSubstr("not a Pearlite container")); // the bare HDF5 file
    EXPECT_THAT(refusal_of(std::string(512, '\0') + whole.substr(512)), HasSubstr("not a Pearlite container"));
    EXPECT_THAT(refusal_of(replaced("schema 1\n", "schema 2\n")), HasSubstr("schema 2, written by a newer version"));
    EXPECT_THAT(refusal_of(replaced("schema 1\n", "schema 0\n")), HasSubstr("schema 0, written by an older version"));
    EXPECT_THAT(refusal_of(replaced("schema 1\n", "schema x\n")), HasSubstr("its stamp is not readable"));
    EXPECT_THAT(refusal_of(replaced("complete\n", "\n\n\n\n\n\n\n\n\n")), HasSubstr("its stamp is not readable"));
}

// The checksum covers the stamp: a well-formed stamp with another kind is refused.
TEST_F(ContainerDamageTest, AForgedKindIsSeen) {
    std::string forged = replaced("kind checkpoint\n", "kind results\n");
    forged.insert(512 - 3, "\n\n\n");
    testing::write_bytes(path, forged);
    EXPECT_THAT(file_error([&] { Reader(ranks, path, "results"); }), HasSubstr("its checksum differs"));
}

TEST_F(ContainerDamageTest, RefusesAnotherKind) {
    Writer(ranks).commit(path, "results");
    EXPECT_THAT(file_error([&] { Reader(ranks, path, "checkpoint"); }),
                HasSubstr("is a results container, expected checkpoint"));
}

TEST_F(ContainerDamageTest, RefusesWhatIsNoRegularFile) {
    std::filesystem::remove(path);
    EXPECT_THAT(file_error([&] { Reader(ranks, path, "checkpoint"); }), HasSubstr("No such file or directory"));
    std::filesystem::create_directory(path);
    EXPECT_THAT(file_error([&] { Reader(ranks, path, "checkpoint"); }), HasSubstr("is a directory"));
    std::filesystem::remove(path);
    ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
    EXPECT_THAT(file_error([&] { Reader(ranks, path, "checkpoint"); }), HasSubstr("not a regular file"));
}

} // namespace
} // namespace pearlite::io
