#include "app/run/watchdog.hpp"

#include "app/run/pace.hpp"
#include "app/run/process_time.hpp"
#include "app/run/signals.hpp"
#include "io/files/posix_file.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <functional>
#include <thread>
#include <unistd.h>

namespace pearlite::app {
namespace {

using Stage = Watchdog::Stage;
constexpr double patience = 0.2; // seconds

void sleep_for(double seconds) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (std::chrono::steady_clock::now() < end)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

/// A process that is watched, does `work`, and ends with status 0 if nothing ends it before.
void watched(const std::function<void()>& work, int rank = 0) {
    const StopSignals signals;
    const Watchdog watchdog(rank, 3, patience);
    work();
    std::_Exit(0);
}

void hang() {
    sleep_for(10);
}

TEST(WatchdogDeathTest, EndsAStepThatOutlastsTheSignal) {
    EXPECT_EXIT(watched([] {
                    Watchdog::follow("runs/x", true, {});
                    Watchdog::watch(Stage::step);
                    Watchdog::advise("the last one is y");
                    raise(SIGTERM);
                    hang();
                }),
                testing::ExitedWithCode(3),
                "the present step has not ended 0 s after signal 15: the run ends without a new checkpoint; the last "
                "one is y\n");
}

TEST(WatchdogDeathTest, EndsAStartAndResults) {
    EXPECT_EXIT(watched([] {
                    raise(SIGINT);
                    hang();
                }),
                testing::ExitedWithCode(3), "the start of the run has not ended .* there is none to go on from\n");
    EXPECT_EXIT(watched([] {
                    Watchdog::watch(Stage::results);
                    raise(SIGUSR1);
                    hang();
                }),
                testing::ExitedWithCode(3), "the results are not ready ");
}

TEST(WatchdogDeathTest, EndsAStepThatOutlastsTheTimeLimit) {
    EXPECT_EXIT(watched([] {
                    Watchdog::follow("runs/x", true, seconds_since_process_start() + 0.1);
                    hang();
                }),
                testing::ExitedWithCode(3), "0 s after the time limit: ");
}

TEST(WatchdogDeathTest, AnotherRankSpeaksLater) {
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_EXIT(watched(
                    [] {
                        raise(SIGTERM);
                        hang();
                    },
                    2),
                testing::ExitedWithCode(3), "has not ended 2 s after signal 15: .*rank 2 of 3, which ends the job");
    EXPECT_GT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(2));
}

TEST(WatchdogDeathTest, AnotherRankIsSilentIfTheRootHasSpoken) {
    EXPECT_EXIT(watched(
                    [] {
                        raise(SIGUSR1);
                        sleep_for(2 * patience);
                        std::fputs("the launcher ends the job\n", stderr);
                        raise(SIGTERM);
                        hang();
                    },
                    2),
                testing::ExitedWithCode(3), "^the launcher ends the job\n$");
}

/// A process that is ended while it writes would lose a checkpoint that its disk was about to take.
TEST(WatchdogDeathTest, AnOwnDiskMayTakeItsTime) {
    EXPECT_EXIT(watched([] {
                    Watchdog::follow("runs/x", true, seconds_since_process_start());
                    const Watchdog::Files files;
                    const io::DiskWait wait;
                    raise(SIGTERM);
                    sleep_for(8 * patience);
                }),
                testing::ExitedWithCode(0), "");
    EXPECT_EXIT(watched([] {
                    {
                        const io::DiskWait wait;
                        raise(SIGTERM);
                        sleep_for(5 * patience);
                        std::fputs("written\n", stderr);
                    }
                    hang();
                }),
                testing::ExitedWithCode(3), "written\n.*has not ended");
}

/// Without an end a link that falls silent in a checkpoint would keep the job beyond every limit.
TEST(WatchdogDeathTest, OtherRanksHaveTwiceThePatience) {
    EXPECT_EXIT(watched([] {
                    const Watchdog::Files files;
                    raise(SIGTERM);
                    sleep_for(1.5 * patience);
                    std::fputs("waited\n", stderr);
                    hang();
                }),
                testing::ExitedWithCode(3), "waited\n.*the ranks have not written their files 0 s after signal 15");
}

TEST(WatchdogDeathTest, SlowFilesMakePatient) {
    EXPECT_EXIT(watched([] {
                    {
                        const Watchdog::Files files;
                        sleep_for(patience);
                    }
                    const Watchdog::Files files;
                    raise(SIGTERM);
                    sleep_for(5 * patience);
                }),
                testing::ExitedWithCode(0), "");
}

TEST(WatchdogDeathTest, FullPatienceFromAStageOn) {
    EXPECT_EXIT(watched([] {
                    raise(SIGTERM);
                    for (int stage = 0; stage < 8; ++stage) {
                        sleep_for(patience / 2);
                        Watchdog::watch(Stage::step);
                    }
                }),
                testing::ExitedWithCode(0), "");
}

TEST(WatchdogDeathTest, LongStepsMakePatient) {
    EXPECT_EXIT(watched([] {
                    Watchdog::step_took(5 * patience);
                    raise(SIGTERM);
                    sleep_for(5 * patience);
                }),
                testing::ExitedWithCode(0), "");
}

TEST(WatchdogDeathTest, EachRunHasItsOwnCheckpoint) {
    EXPECT_EXIT(watched([] {
                    Watchdog::follow("runs/x", true, {});
                    Watchdog::advise("the last one is x");
                    Watchdog::follow("runs/x", true, {});
                    raise(SIGTERM);
                    hang();
                }),
                testing::ExitedWithCode(3), "the last one is x");
    EXPECT_EXIT(watched([] {
                    Watchdog::follow("runs/x", true, {});
                    Watchdog::advise("the last one is x");
                    Watchdog::rest();
                    Watchdog::follow("runs/y", true, {});
                    Watchdog::watch(Stage::start);
                    raise(SIGTERM);
                    hang();
                }),
                testing::ExitedWithCode(3), "there is none to go on from");
}

/// A full pipe, as of a launcher that has stopped reading.
TEST(WatchdogDeathTest, EndsEvenIfNobodyTakesTheMessage) {
    EXPECT_EXIT(watched([] {
                    int ends[2];
                    ASSERT_EQ(pipe(ends), 0);
                    fcntl(ends[1], F_SETFL, O_NONBLOCK);
                    while (write(ends[1], "x", 1) == 1) {
                    }
                    fcntl(ends[1], F_SETFL, 0);
                    dup2(ends[1], STDERR_FILENO);
                    raise(SIGTERM);
                    hang();
                }),
                testing::ExitedWithCode(3), "");
}

TEST(Watchdog, WithoutOneNothingHappens) {
    Watchdog::follow("runs/x", true, 0.0);
    Watchdog::watch(Stage::step);
    Watchdog::advise("");
    const StopSignals signals;
    raise(SIGTERM);
    EXPECT_EQ(StopSignals::received(), SIGTERM);
}

} // namespace
} // namespace pearlite::app
