#include "app/probe/probe.hpp"

#include "algorithm/common/sampler.hpp"
#include "app/probe/prediction.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace pearlite::app {
namespace {

using ::testing::HasSubstr;

/// Steps of known cost on a simulated clock.
struct Part {
    bool is_pilot = false;
    Index steps = 1;
    double begins = 0, seconds = 1; ///< of the beginning, and of a step
    double growth = 1;              ///< of a step's moves, over the last one's
    Index updates = 100;            ///< of the first step
    double b_step = 0;              ///< an adaptive schedule's steps; 0: the number of steps is known
};

class ScriptedRun final : public algorithm::Sampler {
  public:
    ScriptedRun(std::vector<Part> parts, double& clock) : parts_(std::move(parts)), clock_(clock) {}

    void begin() override { clock_ += parts_[0].begins; }
    bool finished() const override { return part_ == parts_.size(); }
    void step() override {
        if (parts_[part_].seconds < 0)
            throw std::runtime_error("the model gave up");
        clock_ += parts_[part_].seconds * moves_;
        moves_ *= parts_[part_].growth;
        if (++step_ < parts_[part_].steps)
            return;
        step_ = 0;
        moves_ = 1;
        if (++part_ < parts_.size())
            clock_ += parts_[part_].begins;
    }
    void flush() override { ++flushed; }
    void fields(Fields&) override { throw std::logic_error("a probe saves nothing"); }
    algorithm::Progress progress() const override {
        const auto& part = parts_[std::min(part_, parts_.size() - 1)];
        const double b = part.b_step > 0 ? part.b_step * static_cast<double>(step_)
                                         : static_cast<double>(step_) / static_cast<double>(part.steps);
        algorithm::Progress progress{step_, part.b_step > 0 ? 0 : part.steps, finished() ? 1 : b, 0, 0};
        progress.in_pilot = !finished() && part.is_pilot;
        progress.stages_before = static_cast<Index>(std::min(part_, parts_.size() - 1));
        progress.updates_per_step =
            static_cast<Index>(static_cast<double>(part.updates) * moves_ / (step_ > 0 ? part.growth : 1));
        return progress;
    }
    algorithm::Found found() override { throw std::logic_error("a probe has no result"); }

    Index flushed = 0;

  private:
    std::vector<Part> parts_;
    double& clock_;
    std::size_t part_ = 0;
    Index step_ = 0;
    double moves_ = 1;
};

double seconds_of(const std::vector<Part>& parts) {
    double clock = 0;
    ScriptedRun run(parts, clock);
    run.begin();
    while (!run.finished())
        run.step();
    return clock;
}

Course course_of(const std::vector<Part>& parts, const CourseLimits& limits) {
    double clock = 0;
    ScriptedRun run(parts, clock);
    return follow(parallel::Communicator::alone(), run, limits, [&] { return clock; });
}

constexpr CourseLimits ten_seconds{10, 10, 10, 0};

TEST(Probe, KnownSteps) {
    const std::vector<Part> parts{{.steps = 1000, .begins = 3, .seconds = 0.5}};
    const auto course = course_of(parts, ten_seconds);
    EXPECT_EQ(course.steps, 14);
    EXPECT_FALSE(course.has_finished);
    const auto prediction = predict({course}, {});
    ASSERT_TRUE(prediction);
    EXPECT_NEAR(prediction->seconds(), seconds_of(parts), 1e-9);
    EXPECT_EQ(prediction->factor, factor_of_known_steps);
    EXPECT_FALSE(prediction->was_finished);
}

TEST(Probe, ScalesWithTheSteps) {
    const auto few = predict({course_of({{.steps = 100}}, ten_seconds)}, {});
    const auto many = predict({course_of({{.steps = 1000}}, ten_seconds)}, {});
    EXPECT_NEAR(many->seconds() / few->seconds(), 10, 1e-9);
}

TEST(Probe, ALongFirstStepIsMadeToItsEnd) {
    const auto course = course_of({{.steps = 100, .seconds = 60}}, ten_seconds);
    EXPECT_EQ(course.steps, 1);
    EXPECT_NEAR(predict({course}, {})->seconds(), 6000, 1e-9);
}

TEST(Probe, AShortRunIsMadeToItsEnd) {
    const auto prediction = predict({course_of({{.steps = 5}}, ten_seconds)}, {});
    EXPECT_TRUE(prediction->was_finished);
    EXPECT_NEAR(prediction->seconds(), 5, 1e-9);
}

TEST(Probe, FailuresAreThoseOfTheRun) {
    EXPECT_THROW(course_of({{.steps = 5, .seconds = -1}}, ten_seconds), std::runtime_error);
}

TEST(Probe, RanksLearnOfFailuresOfOthers) {
    double clock = 0;
    ScriptedRun run({{.steps = 100}}, clock);
    follow(parallel::Communicator::alone(), run, ten_seconds, [&] { return clock; });
    EXPECT_EQ(run.flushed, 1);
}

/// Moves that grow along the path, in the pilot and in the run alike.
TEST(Probe, MovesOfTheRunAreThoseOfThePilot) {
    const std::vector<Part> parts{{.is_pilot = true, .steps = 20, .seconds = 0.1, .growth = 1.1, .b_step = 0.05},
                                  {.steps = 20, .begins = 1, .seconds = 4, .growth = 1.1}};
    const auto course = course_of(parts, {10, 10, 10, 8});
    ASSERT_EQ(course.stages.size(), 2U);
    EXPECT_LT(course.last().pace.steps(), 4);
    const auto prediction = predict({course}, {});
    EXPECT_NEAR(prediction->seconds() / seconds_of(parts), 1, 0.02);
    EXPECT_EQ(prediction->factor, factor_after_pilot);
}

TEST(Probe, APilotThatDoesNotEndGivesNoPrediction) {
    const std::vector<Part> parts{{.is_pilot = true, .steps = 50, .b_step = 0.02}, {.steps = 20, .seconds = 4}};
    const auto course = course_of(parts, ten_seconds);
    EXPECT_TRUE(course.needs_rehearsal());
    EXPECT_FALSE(predict({course}, {}));
}

/// A sixteenth of the pilot's particles, with steps that cost more than a sixteenth.
TEST(Probe, ASmallerPilotGivesTheSteps) {
    std::vector<Part> parts{{.is_pilot = true, .steps = 50, .seconds = 1, .updates = 1600, .b_step = 0.02},
                            {.steps = 50, .begins = 2, .seconds = 4, .updates = 6400}};
    const Rehearsal first{course_of(parts, ten_seconds)};
    parts[0].updates = 100;
    parts[0].seconds = 0.1;
    const auto prediction = predict(first, Rehearsal{course_of(parts, {100, 100, 10, 10}), 16, 1});
    ASSERT_TRUE(prediction);
    EXPECT_NEAR(prediction->pilot, 50, 1e-6);
    EXPECT_NEAR(prediction->run, 202, 1e-6);
    EXPECT_EQ(prediction->factor, factor_of_unknown_steps);
}

TEST(Probe, AdaptiveSchedules) {
    std::vector<Part> parts{{.steps = 50, .seconds = 1, .updates = 1600, .b_step = 0.02}};
    const Rehearsal first{course_of(parts, ten_seconds)};
    EXPECT_NEAR(predict(first, {})->seconds(), 50, 0.1);
    parts[0].updates = 100;
    const auto prediction = predict(first, Rehearsal{course_of(parts, {100, 100, 10, 10}), 1, 16});
    EXPECT_NEAR(prediction->seconds(), 50, 1e-6);
    EXPECT_EQ(prediction->factor, factor_of_unknown_steps);
}

TEST(Probe, FewerParticlesFromTheStart) {
    const auto course = course_of({{.steps = 1000, .begins = 1, .seconds = 0.5}}, ten_seconds);
    EXPECT_NEAR(predict(Rehearsal{course, 1, 8}, {})->seconds(), 8 * 501, 1e-6);
}

TEST(Probe, EndsWithTheFirstRound) {
    const auto course = course_of({{.steps = 3}, {.steps = 3}, {.steps = 3}}, ten_seconds);
    EXPECT_TRUE(course.has_finished);
    EXPECT_EQ(course.steps, 3);
    Probe probe;
    probe.prediction = predict({course}, {});
    algorithm::Workload workload;
    workload.is_round = true;
    const auto text = describe_probe(probe, workload, "moves", 1);
    EXPECT_THAT(text, HasSubstr("# time: 3 s on 1 rank(s), for a round"));
}

TEST(Probe, Texts) {
    EXPECT_EQ(about_seconds(0.000345), "350 us");
    EXPECT_EQ(about_seconds(0.0345), "35 ms");
    EXPECT_EQ(about_seconds(40.4), "40 s");
    EXPECT_EQ(about_seconds(1234), "21 min");
    EXPECT_EQ(about_seconds(7300), "2 h");
    EXPECT_EQ(about_seconds(1e6), "12 days");
    Probe probe;
    probe.prediction = Prediction{4, 36, 2, false};
    probe.steps = 7;
    probe.pilot_divisor = 4;
    probe.common_bytes = 1 << 25;
    probe.divided_bytes = 1 << 29;
    algorithm::Workload workload;
    workload.useful_ranks = 64;
    workload.tunes_moves = true;
    const auto text = describe_probe(probe, workload, "moves", 1);
    EXPECT_THAT(text, HasSubstr("# time: about 40 s (20 s to 80 s) on 1 rank(s), 4 s of it before the run proper"));
    EXPECT_THAT(text, HasSubstr("a pilot of 1/4 of the particles; numbers of moves are those of the steps seen"));
    EXPECT_THAT(text, HasSubstr("at best: 10 s on 4, 2.5 s on 16, 630 ms on 64"));
    EXPECT_THAT(text, HasSubstr("at least 540 MiB a rank"));
    probe.prediction.reset();
    probe.refusal = "one evaluation of the model takes 3 s, longer than the probe";
    EXPECT_THAT(describe_probe(probe, workload, "moves", 1), HasSubstr("no prediction: one evaluation"));
}

} // namespace
} // namespace pearlite::app
