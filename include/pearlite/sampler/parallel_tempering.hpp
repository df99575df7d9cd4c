#pragma once
/// Parallel tempering (replica exchange): all temperatures of the path at once, each sampled in equilibrium.
///
///     for n = 1..scans:
///         for t = 0..K:  x_t ~ T_t(. | x_t)                         (x_0 afresh from p_0)
///         for t of the parity of n:  exchange x_t and x_{t+1} with probability
///             min(1, f_t(x_{t+1}) f_{t+1}(x_t) / (f_t(x_t) f_{t+1}(x_{t+1})))
///
/// R independent systems run side by side: block t of the population holds the R states at temperature b_t, and ranks
/// own runs of temperatures. States are exchanged (replica_exchange.hpp), temperatures stay.

#include "pearlite/model/annealed_model.hpp"
#include "pearlite/parallel/agreement.hpp"
#include "pearlite/path/schedule.hpp"
#include "pearlite/population/population.hpp"
#include "pearlite/sampler/delayed_failure.hpp"
#include "pearlite/sampler/replica_exchange.hpp"
#include "pearlite/sampler/settings.hpp"
#include "pearlite/sampler/streams.hpp"
#include "pearlite/sampler/tempering_outcome.hpp"
#include "pearlite/sampler/tempering_sums.hpp"

#include <limits>
#include <memory>
#include <optional>
#include <vector>

namespace pearlite::sampler {

struct TemperingSettings {
    Index replicas = 0; ///< R: independent systems
    Index scans = 0;
    Index burn_in = 0; ///< scans that are not measured, < scans
    std::uint64_t seed = 0;
    /// The colder part of the ladder starts from the model's modes instead of p_0: what orders only slowly is then
    /// there from the beginning.
    bool cold_from_mode = false;
    std::optional<double> cold_from = {}; ///< the inverse temperature where that part begins; else the middle one
};

template <model::AnnealedModel M, class Kernel>
class ParallelTempering {
  public:
    using Model = M;
    using Block = typename M::Block;

    /// Collective. Draws the first states. The kernel is not one that adapts.
    ParallelTempering(const parallel::Communicator& ranks, std::shared_ptr<const M> model, path::Schedule schedule,
                      Kernel kernel, const TemperingSettings& settings)
        : ranks_(ranks),
          model_(std::move(model)),
          schedule_(std::move(schedule)),
          kernel_(std::move(kernel)),
          settings_(settings),
          exchange_(ranks_, model_, schedule_, settings.seed) {
        PEARLITE_EXPECTS(!kernel_.adapts() && settings.burn_in < settings.scans && settings.replicas >= 1);
        auto& states = population_.append(n_temperatures() * settings.replicas, settings.replicas, ranks_,
                                          [&](Index size) { return model_->make_block(size); });
        sums_ = TemperingSums::of_states(static_cast<std::size_t>(states.local_size()));
        parallel::together(ranks_, [&] {
            for (Index b = 0; b < states.local_blocks(); ++b)
                draw_first(states.block(b), states.layout().first_local_block() + b,
                           block_streams(states, b, settings_.seed, 0));
        });
        mark_wanted();
        flush();
    }

    bool finished() const { return n_ == settings_.scans; }

    /// Collective. One scan: moves, measurements, exchanges.
    void step() {
        PEARLITE_EXPECTS(!finished());
        ++n_;
        attempt([&] { move_and_measure(); });
        exchange_.exchange(population_.generation(0), n_, sums_.tags,
                           n_ > settings_.burn_in ? std::span<double>(sums_.swaps) : std::span<double>(), failure_);
        note_visits();
        if (finished() || ++scans_since_flush_ >= scans_per_reduction)
            flush();
    }

    /// Collective. Brings the trace up to date.
    void flush() {
        failure_.agree(ranks_);
        scans_since_flush_ = 0;
        trace_ = tempering_trace(ranks_, sums_, population_.generation(0).layout(), schedule_, settings_.burn_in, n_);
    }

    Progress progress() const {
        return {n_, settings_.scans, schedule_.end(), trace_.ess.back(), trace_.log_ratio.back()};
    }

    /// Collective; finished().
    Outcome outcome() const {
        const auto all = sums_.gathered(ranks_);
        const TemperingFacts facts{schedule_.points(), settings_.replicas, kept_scans(),
                                   first_half_scans(), settings_.scans,    model::HasLinearPath<M>};
        Outcome outcome;
        parallel::on_root(ranks_, [&] { outcome = tempering_outcome(all, facts); });
        if (!ranks_.is_root())
            outcome.arrays = tempering_arrays({}, facts);
        return outcome;
    }

    const M& model() const { return *model_; }
    const path::Schedule& schedule() const { return schedule_; }
    double log_ratio() const { return trace_.log_ratio.back(); }
    /// Of the scans kept up to the last flush; see tempering_trace.
    const Trace& trace() const { return trace_; }
    /// One generation: block t holds the states at b_t. Log weights are 0 at the last temperature, else log_zero.
    population::Population<Block>& population() { return population_; }
    /// The first global slot at the last temperature.
    Index first_wanted_slot() const { return schedule_.steps() * settings_.replicas; }
    Index updates_per_step() const { return population_.generation(0).size() * kernel_.moves(); }

    /// What a checkpoint holds. After reading, prepare() must follow.
    template <class Fields>
    void fields(Fields& f) {
        f("step", n_);
        population_.fields(f, packed_particle_bytes(*model_));
        sums_.fields(f, population_.generation(0));
        f.enter("kernel");
        kernel_.fields(f);
        f.leave();
    }
    /// After reading: recomputes what is derived from the states.
    void prepare() { prepare_blocks(*model_, population_.generation(0)); }

  private:
    using Generation = population::Generation<Block>;
    static constexpr Index scans_per_reduction = 256;

    Index n_temperatures() const { return schedule_.steps() + 1; }
    Index kept_scans() const { return settings_.scans - settings_.burn_in; }
    Index first_half_scans() const { return kept_scans() / 2; }
    Index measured() const { return std::max<Index>(0, n_ - settings_.burn_in); }

    void draw_first(Block& block, Index t, const model::BlockStreams& streams) const {
        if constexpr (model::HasMode<M>)
            if (settings_.cold_from_mode && is_cold(t))
                return model_->set_mode(block, schedule_[t], streams);
        model_->draw_start(block, streams);
    }

    bool is_cold(Index t) const {
        return settings_.cold_from ? schedule_[t] >= *settings_.cold_from : 2 * t > schedule_.steps();
    }

    void mark_wanted() {
        auto& states = population_.generation(0);
        const Index last = schedule_.steps() * settings_.replicas - states.layout().first_local_item();
        for (Index i = 0; i < states.local_size(); ++i)
            states.log_weights()[static_cast<std::size_t>(i)] = i < last ? log_zero_ : 0;
    }

    void move_and_measure() {
        auto& states = population_.generation(0);
        for (Index b = 0; b < states.local_blocks(); ++b) {
            auto& block = states.block(b);
            const Index t = states.layout().first_local_block() + b;
            const auto streams = block_streams(states, b, settings_.seed, n_);
            derivatives_.resize(static_cast<std::size_t>(block.size()));
            if (t == 0) {
                model_->draw_start(block, streams);
                model_->path_derivative(block, schedule_[0], derivatives_);
            } else {
                kernel_.adapt(ranks_, states, t);
                kernel_.move(*model_, block, schedule_[t], streams, derivatives_);
            }
            if (n_ > settings_.burn_in)
                measure(states, b, t);
        }
    }

    void measure(Generation& states, Index b, Index t) {
        ratios_.assign(derivatives_.size(), 0.0);
        if (t < schedule_.steps())
            model_->add_log_ratio(states.block(b), schedule_[t], schedule_[t + 1], ratios_);
        sums_.add(static_cast<std::size_t>(states.block_begin(b)), derivatives_, ratios_,
                  {.is_first = measured() == 1, .is_in_first_half = measured() <= first_half_scans()});
    }

    /// Where replicas have been: at the ends of the ladder, if these are here.
    void note_visits() {
        auto& states = population_.generation(0);
        const auto& layout = states.layout();
        const Index first = layout.first_local_block(), end = first + layout.local_blocks();
        for (Index i = 0; i < settings_.replicas && first < end; ++i) {
            if (first == 0)
                sums_.tags[static_cast<std::size_t>(i)] =
                    ReplicaTag::visit_start(sums_.tags[static_cast<std::size_t>(i)]);
            if (end == n_temperatures()) {
                auto& tag = sums_.tags[static_cast<std::size_t>(states.block_begin(end - 1 - first) + i)];
                tag = ReplicaTag::visit_end(tag);
            }
        }
    }

    /// A failure here waits for the next reduction, where all ranks learn of it.
    template <class Work>
    void attempt(Work&& work) {
        failure_.guard(ranks_, std::forward<Work>(work));
    }

    static constexpr double log_zero_ = -std::numeric_limits<double>::infinity();

    parallel::Communicator ranks_;
    std::shared_ptr<const M> model_;
    path::Schedule schedule_;
    Kernel kernel_;
    TemperingSettings settings_;
    ReplicaExchange<M> exchange_;
    population::Population<Block> population_;
    Index n_ = 0; ///< scans made
    Index scans_since_flush_ = 0;
    TemperingSums sums_;
    Trace trace_;
    std::vector<double> derivatives_, ratios_;
    DelayedFailure failure_;
};

} // namespace pearlite::sampler
