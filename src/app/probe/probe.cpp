#include "app/probe/probe.hpp"
#include "app/result/run.hpp"

#include "algorithm/replicates/enlarged.hpp"
#include "algorithm/search/search.hpp"
#include "app/configured/memory.hpp"

#include <chrono>

namespace pearlite::app {

namespace {

using Populations = std::vector<algorithm::PopulationKey>;

/// The least power of two that is not below a ratio.
Index power_of_two(double ratio) {
    return ratio <= 1 ? 1 : Index{1} << std::min(40, static_cast<int>(std::ceil(std::log2(ratio))));
}

/// The greatest power of two by which the populations may be divided; 1 where there are none. A block costs the same
/// whether it is full or not.
Index most_divisor(const Populations& populations, Index block) {
    Index most = populations.empty() ? 1 : Index{1} << 40;
    for (const auto& population : populations)
        while (most > 1 && population.number / most < std::max(population.least, block))
            most /= 2;
    return most;
}

Index largest(const Populations& populations) {
    Index most = 0;
    for (const auto& population : populations)
        most = std::max(most, population.number);
    return most;
}

/// Seconds to draw one particle, and each particle of a block, as at the beginning of a run; in a search, to compute
/// energies of chains.
struct CostOfStart {
    double first = 0, each = 0;
};

CostOfStart cost_of_start(const ProbedRun& run, double enough, const ProbeClock& clock) {
    const auto seconds_of = [&](Index n) {
        std::vector<double> numbers;
        const model::BlockStreams streams{run.plan.run().seed};
        const double start = clock();
        if (const auto* search = run.plan.search()) {
            const auto space = run.model.space(search->operations);
            const auto chains = space->make_chains(n);
            numbers.resize(static_cast<std::size_t>(chains->padded_size()));
            space->draw_start(*chains, streams);
            space->evaluate(*chains, numbers);
        } else if (const auto target = run.model.target()) {
            const auto block = target->make_block(n);
            numbers.resize(static_cast<std::size_t>(n));
            target->draw_start(*block, streams);
            target->path_derivative(*block, 0, numbers);
        }
        return clock() - start;
    };
    try {
        CostOfStart cost;
        cost.first = cost.each = seconds_of(1);
        const Index block = run.plan.search() ? 1 : run.plan.block();
        // A block of many may cost as much as one, so that its size is approached from below.
        for (Index n = 1; n < block && cost.each * static_cast<double>(n) < enough;) {
            n = std::min(4 * n, block);
            cost.each = seconds_of(n) / static_cast<double>(n);
        }
        return cost;
    } catch (...) {
        return {}; // the run will report the error
    }
}

class Prober {
  public:
    Prober(const parallel::Communicator& ranks, const ProbedRun& run, double seconds, const ProbeClock& clock)
        : ranks_(ranks), run_(run), seconds_(seconds), clock_(clock), workload_(run.plan.workload(run.model)) {}

    Probe make() {
        probe_.common_bytes = ranks_.max(resident_bytes());
        probe_.available_bytes = available_bytes();
        ranks_.broadcast(std::span(&probe_.available_bytes, 1));
        probe_.divided_bytes = workload_.bytes / static_cast<double>(workers());
        measure_start();
        Rehearsal first{{}, pilot_divisor(), run_divisor()};
        if (!probe_.refusal.empty())
            return std::move(probe_);
        const double all = seconds_;
        if (!attempt(first, {all / 2, all / 2, all, 0}))
            return std::move(probe_);
        std::optional<Rehearsal> smaller;
        if (ranks_.max(Index{ranks_.is_root() && first.course.needs_rehearsal()}))
            smaller = rehearse(first);
        conclude(first, smaller);
        if (workload_.wanted_error && probe_.prediction && !probe_.first_population)
            see_first_population();
        return std::move(probe_);
    }

  private:
    Index workers() const { return std::clamp<Index>(ranks_.size(), 1, workload_.useful_ranks); }

    void measure_start() {
        const auto cost = cost_of_start(run_, seconds_, clock_);
        first_ = ranks_.max(cost.first);
        each_ = ranks_.max(cost.each);
        if (first_ > seconds_)
            refuse(fmt::format("one evaluation of the model takes {}, longer than the probe", about_seconds(first_)));
        const auto* search = run_.plan.search();
        if (search == nullptr)
            return;
        const auto& settings = search->settings;
        const double share =
            std::max(1.0, static_cast<double>(ranks_.size()) / static_cast<double>(search->replicates));
        const double step =
            each_ * static_cast<double>(settings.chains) / share * static_cast<double>(workload_.iterations_per_step);
        constexpr double most = 4; // probes: moves that update energies are cheaper
        if (step > most * seconds_)
            refuse(fmt::format("a step, {} iterations, takes longer than the probe", workload_.iterations_per_step));
    }

    void refuse(const std::string& reason) {
        if (probe_.refusal.empty())
            probe_.refusal = reason;
    }

    /// Seconds in which a rank draws its share of this number of particles.
    double seconds_to_begin(Index particles) const {
        const auto share = static_cast<double>(particles) / static_cast<double>(ranks_.size());
        return each_ *
               std::max(share, std::min(static_cast<double>(particles), static_cast<double>(run_.plan.block())));
    }

    /// The divisor with which drawing the start takes little time; refuses if no divisor does.
    Index divisor(const Populations& populations, Index particles, double least) {
        constexpr double share_of_start = 0.05,
                         most = 0.25; // of the probe: a move costs as much, and steps have several
        const double begins = seconds_to_begin(particles) / seconds_;
        const Index divisor = std::min(most_divisor(populations, run_.plan.block()),
                                       power_of_two(std::max(least, begins / share_of_start)));
        if (begins / static_cast<double>(divisor) > most)
            refuse(fmt::format("a step takes longer than the probe: {} evaluations at {} each on a rank",
                               particles / ranks_.size(), about_seconds(each_)));
        return divisor;
    }

    Index pilot_divisor() {
        const auto populations = run_.plan.pilot_populations();
        return populations.empty() ? 1 : divisor(populations, largest(populations), 1);
    }

    /// Assumes that all ranks share the memory of this machine.
    Index run_divisor() {
        if (run_.plan.search())
            return 1;
        constexpr double share = 0.25;
        const double memory = probe_.available_bytes > 0 ? workload_.bytes / (share * probe_.available_bytes) : 0;
        const auto populations = run_.plan.populations();
        const Index result = divisor(populations, workload_.particles, memory);
        if (memory / static_cast<double>(result) > 1)
            refuse("the particles take too much of the memory to try");
        return result;
    }

    std::unique_ptr<algorithm::Plan> plan_of(const Rehearsal& rehearsal) const {
        std::vector<std::string> assignments;
        const auto divide = [&](const Populations& populations, Index divisor) {
            for (const auto& population : populations)
                if (divisor > 1)
                    assignments.push_back(fmt::format("{}={}", population.key, population.number / divisor));
        };
        divide(run_.plan.populations(), rehearsal.divisor);
        divide(run_.plan.pilot_populations(), rehearsal.pilot_divisor);
        if (workload_.wanted_error) // the first population alone
            assignments.emplace_back("algorithm.target_error=1e300");
        std::unique_ptr<algorithm::Plan> plan;
        parallel::together(ranks_, [&] { plan = run_.plan_with(assignments); });
        return ranks_.max(Index{plan == nullptr}) > 0 ? nullptr : std::move(plan);
    }

    /// Collective. A course of the run, or of a smaller one that may fail.
    bool attempt(Rehearsal& rehearsal, const CourseLimits& limits) {
        const bool is_smaller = rehearsal.divisor > 1 || rehearsal.pilot_divisor > 1;
        const auto plan = is_smaller || workload_.wanted_error ? plan_of(rehearsal) : nullptr;
        if (is_smaller && !plan) {
            refuse("a step takes longer than the probe, and the configuration does not do with fewer particles");
            return false;
        }
        try {
            Run run(ranks_, plan ? *plan : run_.plan, run_.model);
            rehearsal.course = follow(ranks_, run.sampler(), limits, clock_);
            if (workload_.wanted_error && !is_smaller && rehearsal.course.has_finished)
                probe_.first_population = first_population(run.sampler());
            probe_.ranks = run.describe_ranks();
        } catch (const Error& error) {
            const bool is_of_size = error.kind() != ErrorKind::other && error.kind() != ErrorKind::file;
            if (!is_smaller || !is_of_size || (ranks_.size() > 1 && !error.is_agreed()))
                throw;
            refuse(fmt::format("with fewer particles the run fails: {}", error.what()));
            return false;
        }
        probe_.seconds += rehearsal.course.seconds;
        probe_.steps += rehearsal.course.steps;
        return true;
    }

    /// Collective.
    Probe::FirstPopulation first_population(algorithm::Sampler& finished) const {
        finished.flush();
        const auto outcome = finished.outcome();
        Probe::FirstPopulation first{infinity, 0}; // estimates are valid on rank 0
        if (ranks_.is_root() && !outcome.log_ratio.empty()) {
            if (!outcome.has_no_error_bar)
                first.error = outcome.log_ratio.front().standard_error.value_or(infinity);
            first.next = algorithm::enlarged_particles(workload_.particles, outcome.log_ratio, *workload_.wanted_error);
        }
        ranks_.broadcast(std::span(&first, 1));
        return first;
    }

    /// Collective. Makes the first population to its end where that is not long.
    void see_first_population() {
        constexpr double short_enough = 50; // in probes
        const double seconds = probe_.prediction->seconds();
        if (seconds > short_enough * seconds_)
            return;
        const auto refusal = probe_.refusal;
        const double limit = 2 * short_enough * seconds_;
        Rehearsal whole{{}, 1, 1};
        attempt(whole, {limit, limit, limit, limit});
        probe_.refusal = refusal;
    }

    /// Collective. A course that comes further: the same one if it is short enough, else with fewer particles.
    std::optional<Rehearsal> rehearse(const Rehearsal& first) {
        const auto& last = first.course.last();
        const bool is_pilot = last.is_pilot;
        const auto populations = is_pilot ? run_.plan.pilot_populations() : run_.plan.populations();
        const Index before = is_pilot ? first.pilot_divisor : first.divisor;
        constexpr double fewest_steps = 20, short_enough = 2.5, most = 6; // the latter two in probes
        const double step = last.pace.seconds_of_last_step();
        std::array<double, 2> seconds_at_root{step, last.pace.seconds() +
                                                        last.pace.seconds_left().value_or(fewest_steps * step)};
        ranks_.broadcast(std::span<double>(seconds_at_root));
        const double all = seconds_at_root[1] / seconds_; // after few steps a rough guess
        const Index wanted = all <= short_enough ? 1 : power_of_two(4 * all);
        const Index more = std::min(wanted, std::max<Index>(1, most_divisor(populations, run_.plan.block()) / before));
        if (fewest_steps * seconds_at_root[0] / static_cast<double>(more) > most * seconds_)
            return {};
        Rehearsal smaller{{}, first.pilot_divisor, first.divisor};
        (is_pilot ? smaller.pilot_divisor : smaller.divisor) *= more;
        const auto refusal = probe_.refusal;
        const double limit = most * seconds_;
        const bool was_made = attempt(smaller, {limit, limit, seconds_ / 4, seconds_ / 4});
        probe_.refusal = refusal;
        const bool came_further = was_made && (smaller.course.has_finished || !smaller.course.needs_rehearsal());
        return ranks_.max(Index{ranks_.is_root() && came_further}) > 0 ? std::optional(std::move(smaller))
                                                                       : std::nullopt;
    }

    void conclude(const Rehearsal& first, const std::optional<Rehearsal>& smaller) {
        const auto& basis = smaller ? *smaller : first;
        count_messages(basis.course);
        auto prediction = predict(first, smaller);
        probe_.pilot_divisor = basis.pilot_divisor;
        probe_.divisor = basis.divisor;
        if (!prediction) {
            const auto& pace = first.course.last().pace;
            const auto left = pace.seconds_left();
            const auto more = static_cast<double>(first.pilot_divisor);
            refuse(left ? fmt::format("the pilot alone takes about {}, and its end was not seen",
                                      about_seconds((pace.seconds() + *left) * more))
                        : fmt::format("{} step(s) do not show how long a pilot or an adaptive schedule is",
                                      first.course.steps));
        }
        auto text = prediction ? "" : probe_.refusal;
        probe_.refusal = ranks_.broadcast(text);
        const bool has_prediction = probe_.refusal.empty();
        auto predicted_by_root = prediction.value_or(Prediction{});
        ranks_.broadcast(std::span(&predicted_by_root, 1));
        if (has_prediction)
            probe_.prediction = predicted_by_root;
        measure_memory(basis);
        if (&basis != &first && first.divisor == basis.divisor)
            measure_memory(first);
    }

    /// Takes those of the last stage whose steps were seen.
    void count_messages(const Course& course) {
        for (const auto& stage : course.stages)
            if (stage.steps > 0) {
                probe_.counted_steps = stage.steps;
                probe_.messages = stage.messages;
                probe_.counts_pilot = stage.is_pilot;
            }
    }

    /// The part of the run's own particles scales with them.
    void measure_memory(const Rehearsal& rehearsal) {
        const auto& course = rehearsal.course;
        const double measured = ranks_.max(course.resident_bytes * static_cast<double>(rehearsal.divisor));
        const bool has_begun = std::ranges::any_of(course.stages, [](const Stage& stage) { return !stage.is_pilot; });
        probe_.is_measured = probe_.is_measured || has_begun;
        constexpr double noise = 1 << 20;
        if (rehearsal.divisor == 1 || measured > noise * static_cast<double>(rehearsal.divisor))
            probe_.divided_bytes = std::max(probe_.divided_bytes, measured);
    }

    const parallel::Communicator& ranks_;
    const ProbedRun& run_;
    double seconds_;
    const ProbeClock& clock_;
    algorithm::Workload workload_;
    double first_ = 0, each_ = 0;
    Probe probe_;
};

} // namespace

Probe probe(const parallel::Communicator& ranks, const ProbedRun& run, double seconds, const ProbeClock& clock) {
    return Prober(ranks, run, seconds, clock).make();
}

double monotonic_seconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

} // namespace pearlite::app
