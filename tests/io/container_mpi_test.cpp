// Containers written and read by several ranks.
#include "io/container/checkpoints.hpp"
#include "io/files/digest.hpp"
#include "parallel/agreement.hpp"

#include "io/container_support.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <optional>
#include <sys/mount.h>

namespace pearlite::io {
namespace {

using testing::file_bytes;
using testing::file_error;
using ::testing::HasSubstr;
using testing::SamplePopulation;

class ContainerMpiTest : public ::testing::Test {
  protected:
    ContainerMpiTest() {
        if (ranks.is_root())
            own_directory.emplace();
        directory = ranks.broadcast(own_directory ? own_directory->path().string() : "");
        path = directory / "state.h5";
    }
    ~ContainerMpiTest() override { ranks.barrier(); } // rank 0 then removes the directory

    // The first `n` ranks together, or nothing on the others.
    std::optional<parallel::Communicator> first_ranks(int n) {
        const bool is_member = ranks.rank() < n;
        const auto group = ranks.split(is_member ? 0 : 1);
        return is_member ? std::optional(group) : std::nullopt;
    }

    parallel::Communicator ranks = parallel::Communicator::world();
    std::optional<testing::TemporaryDirectory> own_directory;
    std::filesystem::path directory;
    std::filesystem::path path;
};

// 7 blocks, a single item, none at all, and fewer blocks than ranks: some ranks then hold nothing.
TEST_F(ContainerMpiTest, AnyNumberOfRanksWritesTheSameFileAndReadsIt) {
    for (const auto& [items, block] : {std::pair{100, 16}, {1, 16}, {0, 16}, {33, 16}}) {
        std::string first_file;
        for (int writers = 1; writers <= ranks.size(); ++writers) {
            if (const auto group = first_ranks(writers))
                SamplePopulation(*group, items, block).commit(*group, path);
            ranks.barrier();
            if (ranks.is_root()) {
                if (writers == 1)
                    first_file = file_bytes(path);
                EXPECT_TRUE(file_bytes(path) == first_file) << writers << " writers, " << items << " items";
            }
            for (int readers = 1; readers <= ranks.size(); ++readers) {
                const auto group = first_ranks(readers);
                if (!group)
                    continue;
                SamplePopulation population(*group, items, block);
                population.read(*group, path);
                EXPECT_TRUE(population.is_sample(1)) << writers << " writers, " << readers << " readers";
            }
            ranks.barrier();
        }
    }
}

// More pieces of 4 MiB than ranks, so that each rank hashes several.
TEST_F(ContainerMpiTest, TheChecksumOfALargeFileIsThatOfOneRank) {
    const Index items = 21 * 1024 + 1;
    testing::SampleField field(ItemType::bytes, 1024, {items, 64, ranks.size(), ranks.rank()});
    Writer writer(ranks);
    writer.sharded("field", field.view());
    writer.commit(path, "checkpoint");
    const auto alone = parallel::Communicator::alone();
    testing::SampleField whole(ItemType::bytes, 1024, {items, 64, 1, 0});
    whole.clear();
    Reader(alone, path, "checkpoint").sharded("field", whole.view());
    EXPECT_TRUE(whole.bytes() == whole.expected(1));
    field.clear();
    Reader(ranks, path, "checkpoint").sharded("field", field.view());
    EXPECT_TRUE(field.bytes() == field.expected(1));
}

// Each rank has a share of every part; in the file the parts follow one another.
TEST_F(ContainerMpiTest, PartsOfAFieldFollowOneAnother) {
    constexpr Index columns = 3;
    const auto row = [](Index part, Index i) { return 100 * static_cast<double>(part) + static_cast<double>(i); };
    const auto field_of = [&](Index part, Index items) {
        const parallel::BlockLayout layout(items, 4, ranks.size(), ranks.rank());
        ShardedField field{ItemType::float64,
                           columns * sizeof(double),
                           items,
                           layout.first_local_item(),
                           layout.local_items(),
                           {},
                           {}};
        field.pack = [=](Index first, Index count, std::span<std::byte> out) {
            for (Index i = 0; i < count; ++i) {
                const std::vector<double> values(columns, row(part, layout.first_local_item() + first + i));
                std::memcpy(out.data() + i * columns * Index{sizeof(double)}, values.data(), columns * sizeof(double));
            }
        };
        return field;
    };
    Writer writer(ranks);
    writer.sharded_parts("rows", {field_of(0, 21), field_of(1, 0), field_of(2, 5)}, columns);
    writer.commit(path, "results");
    Matrix rows;
    Reader(ranks, path, "results")("rows", rows);
    ASSERT_EQ(rows.rows(), 26);
    ASSERT_EQ(rows.cols(), columns);
    for (Index i = 0; i < rows.rows(); ++i)
        EXPECT_EQ(rows.row(i), Eigen::RowVector3d::Constant(i < 21 ? row(0, i) : row(2, i - 21)));
}

TEST_F(ContainerMpiTest, TheDigestIsThatOfOneRank) {
    for (const auto& [items, block] : {std::pair{100, 16}, {1, 16}, {0, 16}, {33, 16}}) {
        const auto alone = parallel::Communicator::alone();
        SamplePopulation mine(ranks, items, block);
        SamplePopulation whole(alone, items, block);
        const auto together = digest(ranks, mine.states.view(), block);
        EXPECT_EQ(hex(together), hex(digest(alone, whole.states.view(), block)));
        if (ranks.rank() == ranks.size() - 1 && !mine.states.bytes().empty())
            mine.states.bytes().back() ^= std::byte{1};
        const bool is_changed = hex(digest(ranks, mine.states.view(), block)) != hex(together);
        const bool is_flipped = mine.layout.first_item(ranks.size() - 1) < items;
        EXPECT_EQ(is_changed, is_flipped) << "one bit on the last rank";
    }
}

TEST_F(ContainerMpiTest, TheDigestDoesNotAskForRanksInOrder) {
    // The ranks hold their runs in reverse order.
    const int mirrored = ranks.size() - 1 - ranks.rank();
    testing::SampleField field(ItemType::bytes, 5, {100, 16, ranks.size(), mirrored});
    testing::SampleField whole(ItemType::bytes, 5, {100, 16, 1, 0});
    EXPECT_EQ(hex(digest(ranks, field.view(), 16)), hex(digest(parallel::Communicator::alone(), whole.view(), 16)));
}

TEST_F(ContainerMpiTest, ReplicatedValuesAreThoseOfRankZero) {
    Writer writer(ranks);
    writer("rank", ranks.rank());
    writer("name", std::string(static_cast<std::size_t>(ranks.rank()), 'x'));
    writer("list", std::vector<double>(static_cast<std::size_t>(3 + ranks.rank()), ranks.rank()));
    writer.commit(path, "results");
    Reader reader(ranks, path, "results");
    int rank = -1;
    std::string name = "?";
    std::vector<double> list;
    reader("rank", rank);
    reader("name", name);
    reader("list", list);
    EXPECT_EQ(rank, 0);
    EXPECT_EQ(name, "");
    EXPECT_EQ(list, std::vector<double>(3, 0.0));
}

TEST_F(ContainerMpiTest, AFailureOfAnyRankIsOneOnAll) {
    SamplePopulation old(ranks, 100, 16);
    old.commit(ranks, path);
    const std::string before = file_bytes(path);
    ranks.barrier();
    for (int failing = 0; failing < ranks.size(); ++failing) {
        SamplePopulation population(ranks, 100, 16, 2);
        std::string message;
        {
            std::optional<testing::FileSizeLimit> limit;
            if (ranks.rank() == failing)
                limit.emplace(600); // in the middle of HDF5's metadata, before any item
            message = file_error([&] { population.commit(ranks, path); });
        }
        EXPECT_THAT(message, HasSubstr("File too large"));
        if (ranks.size() > 1) {
            EXPECT_THAT(message, HasSubstr("rank " + std::to_string(failing)));
        }
        ranks.barrier();
        EXPECT_TRUE(file_bytes(path) == before);
        EXPECT_EQ(testing::names_in(directory), std::vector<std::string>{"state.h5"});
        ranks.barrier();
    }
    old.read(ranks, path);
    EXPECT_TRUE(old.is_sample(1));
}

TEST_F(ContainerMpiTest, AnErrorInUnpackingOnOneRankIsOneOnAll) {
    SamplePopulation population(ranks, 100, 16);
    population.commit(ranks, path);
    Reader reader(ranks, path, "checkpoint");
    ShardedField field = population.states.view();
    if (ranks.rank() == ranks.size() - 1)
        field.unpack = [](Index, Index, std::span<const std::byte>) { throw FileError("not a state"); };
    reader.enter("population");
    EXPECT_THAT(file_error([&] { reader.sharded("states", field); }), HasSubstr("not a state"));
    reader.sharded("angles", population.angles.view());
}

TEST_F(ContainerMpiTest, ItemsThatNobodyOrEverybodyHoldsAreRefused) {
    if (ranks.size() == 1)
        GTEST_SKIP() << "needs two ranks";
    const auto commit = [&](Index first, Index local) {
        testing::SampleField field(ItemType::bytes, 4, {100, 1, 1, 0});
        ShardedField view = field.view();
        view.first_local = first;
        view.local = local;
        Writer writer(ranks);
        writer.sharded("field", view);
        writer.commit(path, "checkpoint");
    };
    EXPECT_THROW(commit(0, 100), ContractViolation);
    EXPECT_THROW(commit(0, ranks.is_root() ? 99 : 0), ContractViolation);
    const std::vector<std::pair<Index, Index>> overlapping{{0, 60}, {50, 40}, {0, 0}, {0, 0}}; // 100 items all the same
    const auto [first, local] = overlapping.at(static_cast<std::size_t>(std::min(ranks.rank(), 3)));
    EXPECT_THROW(commit(first, local), ContractViolation);
    commit(0, ranks.is_root() ? 100 : 0);
    // Ranks that disagree on what is written must not write it.
    testing::SampleField field(ItemType::bytes, 4, {100, 1, ranks.size(), ranks.rank()});
    Writer writer(ranks);
    writer.sharded("field", field.view());
    if (ranks.is_root())
        writer.sharded("other", field.view());
    EXPECT_THROW(writer.commit(path, "checkpoint"), ContractViolation);
}

void flip_bit(const std::filesystem::path& path, std::uint64_t position) {
    std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
    file.seekg(static_cast<std::streamoff>(position));
    const int byte = file.get();
    file.seekp(static_cast<std::streamoff>(position));
    file.put(static_cast<char>(byte ^ 1));
}

TEST_F(ContainerMpiTest, DamageIsSeenByAllRanks) {
    SamplePopulation(ranks, 100000, 16).commit(ranks, path); // several pieces, so that each rank hashes some
    const std::uint64_t size = std::filesystem::file_size(path);
    ranks.barrier();
    for (std::uint64_t position = 256; position < size; position += size / 9) {
        if (ranks.is_root())
            flip_bit(path, position);
        ranks.barrier();
        EXPECT_THAT(file_error([&] { Reader(ranks, path, "checkpoint"); }), HasSubstr("is damaged")) << position;
        ranks.barrier();
        if (ranks.is_root())
            flip_bit(path, position);
        ranks.barrier();
    }
    Reader whole(ranks, path, "checkpoint");
    EXPECT_TRUE(whole.has("seed"));
}

TEST_F(ContainerMpiTest, CheckpointsAreRestoredWithFallBack) {
    for (const std::uint64_t step : {1, 2, 3}) {
        SamplePopulation population(ranks, 100, 16, step);
        Writer writer(ranks);
        population.fields(writer);
        commit_checkpoint(ranks, writer, directory, static_cast<Index>(step));
    }
    if (ranks.is_root())
        std::filesystem::resize_file(checkpoint_path(directory, 3), 700);
    ranks.barrier();
    SamplePopulation population(ranks, 100, 16, 9);
    const Restored restored = restore_newest(ranks, directory, [&](Reader& reader) { population.fields(reader); });
    EXPECT_EQ(restored.path, checkpoint_path(directory, 2));
    EXPECT_EQ(restored.warnings.size(), 1U);
    EXPECT_TRUE(population.is_sample(2));
}

// A file system of 1 MiB, mounted for the test's lifetime (needs root).
class SmallDisk {
  public:
    explicit SmallDisk(std::filesystem::path directory) : directory_(std::move(directory)) {
        std::filesystem::create_directory(directory_);
        is_mounted_ = mount("pearlite-test", directory_.c_str(), "tmpfs", 0, "size=1m") == 0;
    }
    ~SmallDisk() {
        if (is_mounted_)
            umount2(directory_.c_str(), MNT_DETACH);
    }
    SmallDisk(const SmallDisk&) = delete;
    SmallDisk& operator=(const SmallDisk&) = delete;
    bool is_mounted() const { return is_mounted_; }

  private:
    std::filesystem::path directory_;
    bool is_mounted_ = false;
};

TEST_F(ContainerMpiTest, AFullDiskIsAnErrorAndNothingElse) {
    const std::filesystem::path mount_point = directory / "disk";
    std::optional<SmallDisk> disk;
    if (ranks.is_root())
        disk.emplace(mount_point);
    if (ranks.max(Index{disk && disk->is_mounted()}) == 0)
        GTEST_SKIP() << "a small file system cannot be mounted here";
    const std::filesystem::path file = mount_point / "state.h5";
    SamplePopulation(ranks, 1000, 16, 1).commit(ranks, file); // about 57 kB
    int n_refused = 0;
    for (std::uint64_t ballast = 0; ballast <= (1U << 20); ballast += 1U << 16) {
        if (ranks.is_root())
            testing::write_bytes(mount_point / "ballast", std::string(ballast, 'x'));
        ranks.barrier();
        SamplePopulation larger(ranks, 8000, 16, 2); // about 456 kB
        try {
            larger.commit(ranks, mount_point / "larger.h5");
            larger.read(ranks, mount_point / "larger.h5");
            EXPECT_TRUE(larger.is_sample(2));
            if (ranks.is_root())
                std::filesystem::remove(mount_point / "larger.h5");
        } catch (const FileError& error) {
            ++n_refused;
            EXPECT_THAT(error.what(), HasSubstr("No space left on device"));
        }
        ranks.barrier();
        SamplePopulation old(ranks, 1000, 16, 9);
        old.read(ranks, file);
        EXPECT_TRUE(old.is_sample(1));
        EXPECT_EQ(testing::names_in(mount_point), (std::vector<std::string>{"ballast", "state.h5"}));
        ranks.barrier();
    }
    EXPECT_GT(n_refused, 5) << "the disk was never full: the test saw nothing";
    EXPECT_LT(n_refused, 17) << "the disk was always full";
    ranks.barrier();
}

} // namespace
} // namespace pearlite::io
