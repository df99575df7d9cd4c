// Each allocation during the writing of a checkpoint, or during the listing of a directory, fails once. Each time there
// is an exception, the files are whole, and HDF5 closes without a crash. HDF5 would crash at the end of this program if
// the file driver had reported a failure, and the directory iterator of libstdc++ 12 would end it at once.
#include "io/container/checkpoints.hpp"
#include "io/container_support.hpp"
#include "io/files/temporary_file.hpp"

#include <cstdlib>
#include <exception>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <new>

namespace {

long allocations_left = 0; ///< the last of which fails; 0: none does

} // namespace

// Not inlined: g++ 12 would take the pair for mismatched.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
    if (allocations_left > 0 && --allocations_left == 0)
        throw std::bad_alloc();
    if (void* const memory = std::malloc(bytes == 0 ? 1 : bytes))
        return memory;
    throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
    std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}

namespace pearlite::io {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

/// Runs `action` with its first allocation failing, its second, and so on until it ends. Returns how many failed.
template <class Action, class Check>
long with_each_allocation_failing(Action action, Check check) {
    for (long place = 1;; ++place) {
        allocations_left = place;
        try {
            action();
            allocations_left = 0;
            return place - 1;
        } catch (const std::exception& error) { // "std::bad_alloc", or what the ranks agree on
            allocations_left = 0;
            EXPECT_THAT(error.what(), AnyOf(HasSubstr("bad_alloc"), HasSubstr("out of memory"))) << place;
            check();
        }
    }
}

TEST(MemoryFailure, OfACheckpointLeavesAWholeOne) {
    const testing::TemporaryDirectory directory;
    const auto ranks = parallel::Communicator::alone();
    const auto path = checkpoint_path(directory.path(), 1);
    testing::SamplePopulation(ranks, 10, 16).commit(ranks, path);
    const std::string before = testing::file_bytes(path);
    testing::SamplePopulation larger(ranks, 500, 16, 2);
    const auto expect_whole = [&] {
        if (testing::file_bytes(path) == before)
            return;
        testing::SamplePopulation found(ranks, 500, 16); // memory ended after the new one was in its place
        found.read(ranks, path);
        EXPECT_TRUE(found.is_sample(2));
    };
    EXPECT_GT(with_each_allocation_failing([&] { larger.commit(ranks, path); }, expect_whole), 20);
    larger.read(ranks, path);
    EXPECT_TRUE(larger.is_sample(2));
    EXPECT_EQ(testing::names_in(directory.path()).size(), 1U) << "a temporary file is left";
}

TEST(MemoryFailure, OfAListIsAnException) {
    const testing::TemporaryDirectory directory;
    for (const Index step : {1, 2, 3})
        write_durably(checkpoint_path(directory.path(), step), std::string("x"));
    std::vector<std::filesystem::path> found;
    const long failed = with_each_allocation_failing([&] { found = list_checkpoints(directory.path()); }, [] {});
    EXPECT_GT(failed, 3);
    EXPECT_EQ(found.size(), 3U);
}

} // namespace
} // namespace pearlite::io
