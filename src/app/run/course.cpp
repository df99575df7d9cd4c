#include "app/run/course.hpp"

#include "app/configured/memory.hpp"

namespace pearlite::app {

namespace {

/// The course as it is made: stages, and the times at which ranks agree.
class CourseRecorder {
  public:
    CourseRecorder(const parallel::Communicator& ranks, algorithm::Sampler& run, const CourseLimits& limits,
                   const ProbeClock& clock)
        : ranks_(ranks), run_(run), limits_(limits), clock_(clock), start_(clock()) {
        course_.held_before = resident_bytes();
    }

    Course make() {
        run_.begin();
        enter_stage(now());
        bool has_round_ended = false;
        while (!run_.finished() && !has_round_ended) {
            const bool has_changed = step();
            has_round_ended = has_changed && !course_.stages[course_.stages.size() - 2].is_pilot;
            if ((--steps_to_beat_ <= 0 || has_changed) && is_spent())
                break;
        }
        course_.has_finished = has_round_ended || run_.finished();
        if (has_round_ended)
            course_.stages.pop_back();
        else if (course_.has_finished)
            course_.stages.back().pace.end();
        else
            run_.flush(); // failures that the other ranks do not know yet
        is_spent();
        return std::move(course_);
    }

  private:
    double now() const { return clock_() - start_; }
    parallel::MessageCount messages() const {
        return ranks_.size() > 1 ? parallel::message_count() : parallel::forgone_count();
    }

    void enter_stage(double began) {
        const double time = now();
        const auto progress = run_.progress();
        course_.stages.push_back({progress.in_pilot, time - began, Pace(progress, time)});
        if (course_.stages.size() == 1)
            course_.stages.back().starting = time;
        if (!progress.in_pilot && run_began_ == infinity)
            run_began_ = time;
        stage_ = progress.stages_before;
    }

    /// Whether the step was the last of a stage.
    bool step() {
        auto& pace = course_.stages.back().pace;
        const double before = now();
        const auto progress_before = run_.progress();
        const auto messages_before = messages();
        run_.step();
        ++course_.steps;
        const auto progress = run_.progress();
        if (progress.stages_before == stage_) {
            // A trajectory takes dozens of gradients: where evaluations are counted, they measure the work best.
            const Index counted = progress.likelihoods.value_or(0) - progress_before.likelihoods.value_or(0);
            work_of_step_ = static_cast<double>(counted > 0 ? counted : progress.updates_per_step);
            auto& stage = course_.stages.back();
            stage.updates += static_cast<double>(progress.updates_per_step);
            ++stage.steps;
            stage.messages = stage.messages + (messages() - messages_before);
            pace.add(progress, now(), work_of_step_);
            return false;
        }
        // The step also drew the start of the next stage.
        const double usual = pace.seconds_of_last_step(), after = now();
        const double ended = usual > 0 ? std::min(after, before + usual) : after;
        pace.end(ended, work_of_step_);
        course_.stages.back().updates += static_cast<double>(progress_before.updates_per_step);
        enter_stage(ended);
        return true;
    }

    double limit() const {
        const auto& stage = course_.stages.back();
        if (stage.is_pilot)
            return limits_.pilot;
        if (stage.pace.is_adaptive() && stage.pace.steps() > 0)
            return limits_.adaptive;
        if (stage.pace.steps() == 0)
            return infinity;
        return course_.stages.size() == 1 ? limits_.all : std::max(limits_.all, run_began_ + limits_.run);
    }

    /// Collective. Whether a limit has been reached on the root; checked less often if steps are short.
    bool is_spent() {
        const double time = now();
        course_.resident_bytes = std::max(course_.resident_bytes, resident_bytes() - course_.held_before);
        std::array<double, 2> known{time, ranks_.is_root() && time >= limit() ? 1.0 : 0.0};
        ranks_.max(std::span(known));
        const double per_step = known[0] / static_cast<double>(std::max<Index>(1, course_.steps));
        constexpr double between_beats = 0.005; // seconds
        steps_to_beat_ = static_cast<Index>(std::clamp(between_beats / std::max(per_step, 1e-9), 1.0, 1e5));
        course_.seconds = known[0];
        return known[1] > 0;
    }

    const parallel::Communicator& ranks_;
    algorithm::Sampler& run_;
    const CourseLimits& limits_;
    const ProbeClock& clock_;
    double start_, run_began_ = infinity, work_of_step_ = 0;
    Index stage_ = 0, steps_to_beat_ = 1;
    Course course_;
};

} // namespace

Course follow(const parallel::Communicator& ranks, algorithm::Sampler& run, const CourseLimits& limits,
              const ProbeClock& clock) {
    return CourseRecorder(ranks, run, limits, clock).make();
}

} // namespace pearlite::app
