// A commit that fails, or is killed, leaves the previous file unchanged.
#include "io/container/container.hpp"

#include "io/container_support.hpp"

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace pearlite::io {
namespace {

using testing::file_bytes;
using testing::file_error;
using testing::FileSizeLimit;
using ::testing::HasSubstr;
using testing::SamplePopulation;

class ContainerFailureTest : public ::testing::Test {
  protected:
    testing::TemporaryDirectory directory;
    std::filesystem::path path = directory.path() / "state.h5";
    parallel::Communicator ranks = parallel::Communicator::alone();
};

TEST_F(ContainerFailureTest, NoSpaceLeavesTheOldFile) {
    SamplePopulation(ranks, 10, 16).commit(ranks, path);
    const std::string before = file_bytes(path);
    const std::uint64_t needed = [&] {
        SamplePopulation(ranks, 500, 16, 2).commit(ranks, directory.path() / "larger.h5");
        return std::filesystem::file_size(directory.path() / "larger.h5");
    }();
    std::filesystem::remove(directory.path() / "larger.h5");
    SamplePopulation larger(ranks, 500, 16, 2);
    for (std::uint64_t allowed = 0; allowed < needed; allowed += needed / 37) {
        std::string message;
        {
            const FileSizeLimit limit(allowed);
            message = file_error([&] { larger.commit(ranks, path); });
        }
        EXPECT_THAT(message, HasSubstr("cannot reserve")) << allowed;
        EXPECT_THAT(message, HasSubstr("File too large")) << allowed;
        EXPECT_EQ(file_bytes(path), before);
        EXPECT_EQ(testing::names_in(directory.path()), std::vector<std::string>{"state.h5"});
    }
    const FileSizeLimit limit(needed);
    larger.commit(ranks, path);
    larger.read(ranks, path);
    EXPECT_TRUE(larger.is_sample(2));
}

TEST_F(ContainerFailureTest, AMissingOrForeignTargetIsAnError) {
    SamplePopulation population(ranks, 10, 16);
    EXPECT_THAT(file_error([&] { population.commit(ranks, directory.path() / "none" / "state.h5"); }),
                HasSubstr("No such file or directory"));
    std::filesystem::create_directory(path);
    EXPECT_THAT(file_error([&] { population.commit(ranks, path); }), HasSubstr("Is a directory"));
    EXPECT_EQ(testing::names_in(directory.path()), std::vector<std::string>{"state.h5"});
}

TEST_F(ContainerFailureTest, AnErrorWhilePackingLeavesTheOldFile) {
    SamplePopulation population(ranks, 10, 16);
    population.commit(ranks, path);
    const std::string before = file_bytes(path);
    ShardedField field = population.states.view();
    field.pack = [](Index, Index, std::span<std::byte>) { throw NumericalError("particle 3 is not a number"); };
    Writer writer(ranks);
    writer.sharded("states", field);
    EXPECT_THROW(writer.commit(path, "checkpoint"), NumericalError);
    EXPECT_EQ(file_bytes(path), before);
    EXPECT_EQ(testing::names_in(directory.path()), std::vector<std::string>{"state.h5"});
}

// A child commits one population after another until it is killed, each time at another moment. The first child lives
// until its first commit, even on a slow machine.
TEST_F(ContainerFailureTest, AKilledWriterLeavesAWholeFile) {
    constexpr int n_kills = 40;
    std::uint64_t newest = 0;
    for (int kill_number = 0; kill_number < n_kills; ++kill_number) {
        const pid_t child = fork();
        ASSERT_GE(child, 0);
        if (child == 0) {
            for (std::uint64_t seed = newest + 1;; ++seed)
                SamplePopulation(ranks, 20000, 64, seed).commit(ranks, path);
        }
        for (int wait = 0; kill_number == 0 && wait < 10000 && !std::filesystem::exists(path); ++wait)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        std::this_thread::sleep_for(std::chrono::microseconds(3000 + 977 * kill_number));
        kill(child, SIGKILL);
        waitpid(child, nullptr, 0);
        if (!std::filesystem::exists(path))
            continue;
        SamplePopulation population(ranks, 20000, 64);
        population.read(ranks, path);
        ASSERT_GE(population.seed, newest);
        newest = population.seed;
        ASSERT_TRUE(population.is_sample(newest)) << "after kill " << kill_number;
    }
    EXPECT_GT(newest, 0U) << "no commit ended before its kill: the test saw nothing";
}

} // namespace
} // namespace pearlite::io
