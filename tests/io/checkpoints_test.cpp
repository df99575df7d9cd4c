#include "io/container/checkpoints.hpp"

#include "io/container_support.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pearlite::io {
namespace {

using ::testing::ElementsAre;
using testing::file_bytes;
using testing::file_error;
using ::testing::HasSubstr;
using testing::names_in;

class CheckpointsTest : public ::testing::Test {
  protected:
    void commit(Index step) {
        Writer writer(ranks);
        writer("step", step);
        commit_checkpoint(ranks, writer, run, step);
    }
    // Restores the newest checkpoint and returns its step.
    Index restored_step(std::vector<std::string>* warnings = nullptr) {
        Index step = -1;
        const Restored restored = restore_newest(ranks, run, [&](Reader& reader) { reader("step", step); });
        EXPECT_EQ(restored.path, checkpoint_path(run, step));
        if (warnings)
            *warnings = restored.warnings;
        return step;
    }
    void damage(Index step) {
        std::string bytes = file_bytes(checkpoint_path(run, step));
        bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] + 1);
        testing::write_bytes(checkpoint_path(run, step), bytes);
    }

    testing::TemporaryDirectory directory;
    std::filesystem::path run = directory.path();
    parallel::Communicator ranks = parallel::Communicator::alone();
};

TEST_F(CheckpointsTest, HaveTwelveDigitsAndOrder) {
    EXPECT_EQ(checkpoint_path("run", 0), "run/checkpoint.000000000000.h5");
    EXPECT_EQ(checkpoint_path("run", 1234567), "run/checkpoint.000001234567.h5");
    EXPECT_EQ(checkpoint_path("run", 1234567890123), "run/checkpoint.1234567890123.h5");
    EXPECT_THROW(checkpoint_path("run", -1), ContractViolation);

    for (const char* name : {"checkpoint.000000000009.h5", "checkpoint.000000000010.h5", "checkpoint.1234567890123.h5",
                             "results.h5", "checkpoint.h5", "checkpoint.12.h5", "checkpoint.00000000001x.h5",
                             ".checkpoint.000000000011.h5.0123456789abcdef.tmp", "checkpoint.-00000000011.h5",
                             "checkpoint.000000000011.h5.old", "checkpoint.99999999999999999999.h5"})
        testing::write_bytes(run / name, "");
    EXPECT_THAT(list_checkpoints(run),
                ElementsAre(checkpoint_path(run, 1234567890123), checkpoint_path(run, 10), checkpoint_path(run, 9)));
    EXPECT_TRUE(list_checkpoints(run / "none").empty());
}

TEST_F(CheckpointsTest, TheLastTwoAreKept) {
    for (const Index step : {3, 7, 20, 100})
        commit(step);
    EXPECT_THAT(list_checkpoints(run), ElementsAre(checkpoint_path(run, 100), checkpoint_path(run, 20)));
    EXPECT_EQ(restored_step(), 100);
}

TEST_F(CheckpointsTest, TheSameStepCanBeCommittedAgain) {
    commit(3);
    commit(7);
    commit(7);
    EXPECT_THAT(list_checkpoints(run), ElementsAre(checkpoint_path(run, 7), checkpoint_path(run, 3)));
}

TEST_F(CheckpointsTest, LeftOversAreRemovedAndNothingElse) {
    testing::write_bytes(run / ".checkpoint.000000000002.h5.0123456789abcdef.tmp", "half");
    testing::write_bytes(run / ".results.h5.0123456789abcdef.tmp", "half");
    testing::write_bytes(run / ".results.h5.tmp", "of somebody else");
    testing::write_bytes(run / "summary.json", "{}");
    const auto cleared = ElementsAre(".results.h5.tmp", "checkpoint.000000000003.h5", "summary.json");
    commit(3);
    EXPECT_THAT(names_in(run), cleared);
    // A run that ends before its next checkpoint leaves none behind either.
    testing::write_bytes(run / ".checkpoint.000000000004.h5.fedcba9876543210.tmp", "half");
    EXPECT_EQ(restored_step(), 3);
    EXPECT_THAT(names_in(run), cleared);
}

TEST_F(CheckpointsTest, ADamagedOneIsPassedOverWithAWarning) {
    commit(3);
    commit(7);
    damage(7);
    testing::write_bytes(checkpoint_path(run, 9), "");
    std::filesystem::create_directory(checkpoint_path(run, 11));
    std::vector<std::string> warnings;
    EXPECT_EQ(restored_step(&warnings), 3);
    EXPECT_THAT(warnings, ElementsAre(HasSubstr("is a directory"), HasSubstr("it is empty"),
                                      HasSubstr("passed over checkpoint.000000000007.h5")));
}

// The run continues from step 3, before the damaged checkpoints, which must not displace the good ones.
TEST_F(CheckpointsTest, ThosePassedOverGoWithTheNextCommit) {
    commit(3);
    commit(7);
    testing::write_bytes(checkpoint_path(run, 7), "damaged");
    testing::write_bytes(checkpoint_path(run, 9), "damaged");
    commit(8);
    EXPECT_THAT(list_checkpoints(run), ElementsAre(checkpoint_path(run, 8), checkpoint_path(run, 3)));
    EXPECT_EQ(restored_step(), 8);
}

TEST_F(CheckpointsTest, AWholeOneOfALaterStepGoesToo) {
    commit(3);
    commit(12);
    commit(8);
    EXPECT_THAT(list_checkpoints(run), ElementsAre(checkpoint_path(run, 8), checkpoint_path(run, 3)));
}

TEST_F(CheckpointsTest, AFailedCommitLeavesTheEarlierOnes) {
    commit(3);
    commit(7);
    {
        const testing::FileSizeLimit limit(600);
        file_error([&] { commit(9); });
    }
    EXPECT_THAT(names_in(run), ElementsAre("checkpoint.000000000003.h5", "checkpoint.000000000007.h5"));
    EXPECT_EQ(restored_step(), 7);
}

TEST_F(CheckpointsTest, OneThatDoesNotFitIsPassedOverButBadInputIsNot) {
    commit(3);
    commit(7);
    int tried = 0;
    const Restored restored = restore_newest(ranks, run, [&](Reader&) {
        if (++tried == 1)
            throw FileError("a field is missing");
    });
    EXPECT_EQ(restored.path, checkpoint_path(run, 3));
    EXPECT_THAT(restored.warnings, ElementsAre(HasSubstr("a field is missing")));
    EXPECT_THROW(restore_newest(ranks, run, [&](Reader&) { throw InputError("another model"); }), InputError);
}

TEST_F(CheckpointsTest, NoneThatIsUsableIsAnErrorThatListsAll) {
    EXPECT_THAT(file_error([&] { restored_step(); }), HasSubstr("no checkpoint in " + run.string()));
    commit(3);
    commit(7);
    damage(3);
    damage(7);
    const std::string message = file_error([&] { restored_step(); });
    EXPECT_THAT(message, HasSubstr("no usable checkpoint in " + run.string()));
    EXPECT_THAT(message, HasSubstr("checkpoint.000000000003.h5: "));
    EXPECT_THAT(message, HasSubstr("checkpoint.000000000007.h5: "));
}

} // namespace
} // namespace pearlite::io
