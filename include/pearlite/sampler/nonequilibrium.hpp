#pragma once
/// Evidence from nonequilibrium work (Habeck 2017): trajectories annealed from p_0 to p_K, others annealed backwards
/// from p_K to p_0, and the work that both ways take.
///
///     forward:  x_0 ~ p_0;  W = 0
///         for k = 0..K-1:  W += E_{k+1}(x_k) - E_k(x_k);  if k+1 < K:  x_{k+1} ~ T_{k+1}(. | x_k)
///     reverse:  x_{K-1} ~ p_K;  W = 0
///         for k = K-1..0:  W += E_{k+1}(x_k) - E_k(x_k);  if k > 0:  x_{k-1} ~ T'_k(. | x_k)
///     log Z_K/Z_0 from both sets of W: BAR, histogram and others (estimator/work.hpp)
///
/// E_k = -log f_{b_k}: energies; b_k: the schedule; T_k: a kernel that leaves p_{b_k} invariant, T'_k its time reversal
/// (its sub-updates in the opposite order). Forward trajectories are those of annealed importance sampling, log w = -W.
/// p_K is reached by reverse_start.hpp, then by `equilibration` applications of T_K.

#include "pearlite/estimator/work.hpp"
#include "pearlite/kernel/reversal.hpp"
#include "pearlite/model/annealed_model.hpp"
#include "pearlite/parallel/agreement.hpp"
#include "pearlite/path/schedule.hpp"
#include "pearlite/population/population.hpp"
#include "pearlite/population/weights.hpp"
#include "pearlite/sampler/delayed_failure.hpp"
#include "pearlite/sampler/nonequilibrium_course.hpp"
#include "pearlite/sampler/path_averages.hpp"
#include "pearlite/sampler/reverse_start.hpp"
#include "pearlite/sampler/settings.hpp"
#include "pearlite/sampler/streams.hpp"
#include "pearlite/sampler/work_outcome.hpp"

#include <algorithm>
#include <memory>
#include <vector>

namespace pearlite::sampler {

struct NonequilibriumSettings {
    Index forward = 0; ///< M_f trajectories
    Index reverse = 0; ///< M_r trajectories
    Index block = 16;
    std::uint64_t seed = 0;
    ReverseStart start = ReverseStart::weighted;
    Index equilibration = 0; ///< applications of T_K to the reverse starts
};

template <model::AnnealedModel M, kernel::TimeReversible Kernel>
class Nonequilibrium {
  public:
    using Model = M;
    using Block = typename M::Block;

    /// Collective. Draws the forward starts. The kernel is not one that adapts.
    Nonequilibrium(const parallel::Communicator& ranks, std::shared_ptr<const M> model, path::Schedule schedule,
                   Kernel kernel, const NonequilibriumSettings& settings)
        : ranks_(ranks),
          model_(std::move(model)),
          schedule_(std::move(schedule)),
          kernel_(std::move(kernel)),
          settings_(settings),
          course_(schedule_.steps(), settings.start == ReverseStart::weighted, settings.equilibration) {
        PEARLITE_EXPECTS(!kernel_.adapts());
        const auto make_block = [&](Index size) { return model_->make_block(size); };
        auto& forward = population_.append(settings.forward, settings.block, ranks_, make_block);
        population_.append(settings.reverse, settings.block, ranks_, make_block);
        parallel::together(ranks_, [&] { draw_starts(forward); });
        attempt([&] { record_start(forward, forward_averaging_, schedule_[0]); });
        flush();
    }

    bool finished() const { return n_ == course_.steps(); }

    /// Collective. One temperature of the forward trajectories, then one step towards the reverse starts, then one
    /// temperature of the reverse trajectories.
    void step() {
        PEARLITE_EXPECTS(!finished());
        ++n_;
        const auto [phase, k] = course_.place(n_);
        switch (phase) {
        case Phase::forward:
            forward_step(population_.generation(0), k, true);
            break;
        case Phase::pool:
            if (k == 1)
                attempt([&] { draw_starts(population_.generation(1)); });
            forward_step(population_.generation(1), k, false);
            if (k == schedule_.steps())
                resample_starts();
            break;
        case Phase::equilibration:
            if (k == 1)
                place_starts();
            equilibrate();
            break;
        case Phase::reverse:
            if (k == 1)
                begin_reverse();
            reverse_step(k);
            break;
        }
        if (finished() || ++steps_since_flush_ >= steps_per_reduction)
            flush();
    }

    /// Collective. Everything recorded up to now enters the trace; called before saving.
    void flush() {
        agree();
        steps_since_flush_ = 0;
        if (on_the_fly_.pending() > 0)
            on_the_fly_.flush(ranks_, settings_.forward, 0, kernel_.accepts(), trace_);
        forward_averaging_.flush(ranks_, settings_.forward, record_.forward);
        equilibration_averaging_.flush(ranks_, settings_.reverse, record_.equilibration);
        reverse_averaging_.flush(ranks_, settings_.reverse, record_.reverse);
    }

    Progress progress() const { return {n_, course_.steps(), b_, trace_.ess.back(), trace_.log_ratio.back()}; }

    /// Collective; finished().
    Outcome outcome() const {
        const auto log_w = ranks_.gather(std::span<const double>(population_.generation(0).log_weights()));
        const auto reverse = ranks_.gather(std::span<const double>(population_.generation(1).log_weights()));
        const auto eves = ranks_.gather(std::span<const std::int64_t>(population_.generation(1).eves()));
        Outcome outcome;
        parallel::on_root(ranks_, [&] {
            std::vector<double> forward;
            for (const double lw : log_w)
                forward.push_back(-lw);
            const bool is_weighted = settings_.start == ReverseStart::weighted;
            outcome = work_outcome(forward, reverse, record_, settings_.start == ReverseStart::exact,
                                   is_weighted ? std::span<const std::int64_t>(eves) : std::span<const std::int64_t>(),
                                   settings_.seed);
        });
        if (!ranks_.is_root())
            outcome.arrays = work_arrays({}, {}, record_, {});
        return outcome;
    }

    const M& model() const { return *model_; }
    const path::Schedule& schedule() const { return schedule_; }
    /// log Z/Z_0 of the forward trajectories as of the last reduction.
    double log_ratio() const { return trace_.log_ratio.back(); }
    /// Of the forward trajectories.
    const Trace& trace() const { return trace_; }
    /// Generation 0 runs forward, with log weights -W; generation 1 backwards, with log weights W.
    population::Population<Block>& population() { return population_; }
    Index updates_per_step() const {
        return (course_.place(n_).phase == Phase::forward ? settings_.forward : settings_.reverse) * kernel_.moves();
    }

    /// What a checkpoint holds. After reading, prepare() must follow.
    template <class Fields>
    void fields(Fields& f) {
        f("step", n_);
        population_.fields(f, packed_particle_bytes(*model_));
        f.enter("trace");
        trace_.fields(f);
        f.leave();
        record_.fields(f);
        f.enter("kernel");
        kernel_.fields(f);
        f.leave();
    }
    /// After reading: recomputes what is derived from the states.
    void prepare() {
        prepare_blocks(*model_, population_.generation(0));
        prepare_blocks(*model_, population_.generation(1));
    }

  private:
    using Generation = population::Generation<Block>;
    using Phase = NonequilibriumCourse::Phase;
    static constexpr Index steps_per_reduction = 64;

    /// Calls work(block, streams, log weights, derivatives) on every local block.
    template <class Work>
    void on_blocks(Generation& generation, Work&& work) {
        for (Index b = 0; b < generation.local_blocks(); ++b) {
            auto& block = generation.block(b);
            derivatives_.resize(static_cast<std::size_t>(block.size()));
            const auto log_w = generation.of_block(generation.log_weights(), b);
            work(block, block_streams(generation, b, settings_.seed, n_), log_w, std::span<double>(derivatives_));
            require_numbers(log_w, generation, b, n_);
        }
    }

    void draw_starts(Generation& generation) {
        on_blocks(generation,
                  [&](auto& block, const auto& streams, auto, auto) { model_->draw_start(block, streams); });
    }
    /// The first entry of a direction's averages: starts at b, no work yet.
    void record_start(Generation& generation, PathAveraging& averaging, double b) {
        averaging.begin(b);
        const bool is_forward = &averaging == &forward_averaging_;
        if (is_forward)
            on_the_fly_.begin(b, 0);
        on_blocks(generation, [&](auto& block, const auto&, auto log_w, auto derivative) {
            model_->path_derivative(block, b, derivative);
            averaging.add_block(log_w, 1, derivative);
            if (is_forward)
                on_the_fly_.add_block(log_w, derivative, 0);
        });
    }

    /// x_{k-1}: work to b_k, then T_k; of the trajectories that are measured or of those that provide reverse starts.
    void forward_step(Generation& trajectories, Index k, bool is_measured) {
        const double from = schedule_[k - 1], to = b_ = schedule_[k];
        const bool last = k == schedule_.steps();
        if (is_measured) {
            on_the_fly_.begin(to, last ? 0 : settings_.forward * kernel_.moves());
            forward_averaging_.begin(to);
        }
        attempt([&] {
            if (!last)
                kernel_.adapt(ranks_, trajectories, k);
            on_blocks(trajectories, [&](auto& block, const auto& streams, auto log_w, auto derivative) {
                Index accepted = 0;
                if (!last) {
                    accepted = kernel_.anneal(*model_, block, from, to, streams, log_w, derivative);
                } else {
                    model_->add_log_ratio(block, from, to, log_w);
                    model_->path_derivative(block, to, derivative);
                }
                if (!is_measured)
                    return;
                on_the_fly_.add_block(log_w, derivative, accepted);
                forward_averaging_.add_block(log_w, -1, derivative);
            });
        });
    }

    /// x_k, k = K - j: work from b_k to b_{k+1} along the path, then T'_k.
    void reverse_step(Index j) {
        const Index k = schedule_.steps() - j;
        const double from = schedule_[k + 1], to = b_ = schedule_[k];
        reverse_averaging_.begin(to);
        attempt([&] {
            auto& trajectories = population_.generation(1);
            if (k > 0)
                kernel_.adapt(ranks_, trajectories, k);
            on_blocks(trajectories, [&](auto& block, const auto& streams, auto work, auto derivative) {
                if (k > 0) {
                    kernel_.anneal_reversed(*model_, block, from, to, streams, work, derivative);
                } else {
                    model_->add_log_ratio(block, from, to, work);
                    model_->path_derivative(block, to, derivative);
                }
                reverse_averaging_.add_block(work, 1, derivative);
            });
        });
    }

    /// The pool's end states become reverse starts in proportion to their weights.
    void resample_starts() {
        agree(); // resampling must find all ranks
        auto& pool = population_.generation(1);
        parallel::together(ranks_, [&] { on_blocks(pool, [](auto&, const auto&, auto, auto) {}); });
        resample_ends(ranks_, *model_, pool, settings_.seed, n_);
    }

    /// Starts other than weighted ones.
    void place_starts() {
        attempt([&] {
            on_blocks(population_.generation(1), [&](auto& block, const auto& streams, auto, auto) {
                place_at_end(*model_, block, settings_.start, schedule_.end(), streams);
            });
        });
    }

    /// One application of T_K to the reverse starts.
    void equilibrate() {
        b_ = schedule_.end();
        equilibration_averaging_.begin(b_);
        attempt([&] {
            auto& starts = population_.generation(1);
            kernel_.adapt(ranks_, starts, schedule_.steps());
            on_blocks(starts, [&](auto& block, const auto& streams, auto log_w, auto derivative) {
                kernel_.move(*model_, block, b_, streams, derivative);
                equilibration_averaging_.add_block(log_w, 1, derivative);
            });
        });
    }

    void begin_reverse() {
        if (settings_.equilibration == 0)
            place_starts();
        attempt([&] { record_start(population_.generation(1), reverse_averaging_, schedule_.end()); });
    }

    /// Trajectories meet nowhere but in reductions: a failure here waits for the next one, where all ranks learn of it.
    template <class Work>
    void attempt(Work&& work) {
        failure_.guard(ranks_, std::forward<Work>(work));
    }
    void agree() const { failure_.agree(ranks_); }

    parallel::Communicator ranks_;
    std::shared_ptr<const M> model_;
    path::Schedule schedule_;
    Kernel kernel_;
    NonequilibriumSettings settings_;
    NonequilibriumCourse course_;
    population::Population<Block> population_;
    Index n_ = 0; ///< steps made
    Index steps_since_flush_ = 0;
    double b_ = 0; ///< present inverse temperature
    Trace trace_;
    WorkRecord record_;
    OnTheFly on_the_fly_;
    PathAveraging forward_averaging_, equilibration_averaging_, reverse_averaging_;
    std::vector<double> derivatives_;
    DelayedFailure failure_;
};

} // namespace pearlite::sampler
