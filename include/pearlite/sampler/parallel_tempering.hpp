#pragma once
/// Parallel tempering (replica exchange): all temperatures of the path at once, each sampled in equilibrium.
///
///     for n = 1..scans:
///         for t = 0..K:  x_t ~ T_t(. | x_t)                         (x_0 afresh from p_0)
///         for t of the parity of n:  exchange x_t and x_{t+1} with probability
///             min(1, f_t(x_{t+1}) f_{t+1}(x_t) / (f_t(x_t) f_{t+1}(x_{t+1})))
///
/// Even and odd pairs alternate, so that replicas travel instead of diffusing (Okabe et al. 2001; Syed, Bouchard-Cote,
/// Deligiannidis & Doucet 2022). R independent systems run side by side: block t of the population holds the R states
/// at temperature b_t, and ranks own runs of temperatures. States are exchanged, temperatures stay.

#include "pearlite/model/annealed_model.hpp"
#include "pearlite/parallel/agreement.hpp"
#include "pearlite/parallel/exchange.hpp"
#include "pearlite/parallel/reduction.hpp"
#include "pearlite/path/schedule.hpp"
#include "pearlite/population/population.hpp"
#include "pearlite/sampler/delayed_failure.hpp"
#include "pearlite/sampler/settings.hpp"
#include "pearlite/sampler/streams.hpp"
#include "pearlite/sampler/tempering_outcome.hpp"

#include <cmath>
#include <cstring>
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
          settings_(settings) {
        PEARLITE_EXPECTS(!kernel_.adapts() && settings.burn_in < settings.scans && settings.replicas >= 1);
        auto& states = population_.append(n_temperatures() * settings.replicas, settings.replicas, ranks_,
                                          [&](Index size) { return model_->make_block(size); });
        const auto n = static_cast<std::size_t>(states.local_size());
        for (auto* values :
             {&sums_.u, &sums_.u_first_half, &sums_.u_square, &sums_.ratio, &sums_.ratio_shift, &sums_.swaps})
            values->assign(n, 0.0);
        sums_.tags.assign(n, 0);
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
        exchange();
        if (finished() || ++scans_since_flush_ >= scans_per_reduction)
            flush();
    }

    /// Collective. Brings the trace up to date.
    void flush() {
        failure_.agree(ranks_);
        scans_since_flush_ = 0;
        update_trace();
    }

    Progress progress() const {
        return {n_, settings_.scans, schedule_.end(), trace_.ess.back(), trace_.log_ratio.back()};
    }

    /// Collective; finished().
    Outcome outcome() const {
        TemperingSums all;
        const auto gather = [&](const std::vector<double>& values) {
            return ranks_.gather(std::span<const double>(values));
        };
        all.u = gather(sums_.u);
        all.u_first_half = gather(sums_.u_first_half);
        all.u_square = gather(sums_.u_square);
        all.ratio = gather(sums_.ratio);
        all.ratio_shift = gather(sums_.ratio_shift);
        all.swaps = gather(sums_.swaps);
        all.tags = ranks_.gather(std::span<const std::int64_t>(sums_.tags));
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
    /// One entry per temperature, of the scans kept so far; log_ratio by the trapezoidal rule, `ess` the number of
    /// measurements, `acceptance` that of exchanges with the next temperature.
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
        auto& states = population_.generation(0);
        const auto field = [&](const char* name, std::vector<double>& values) {
            f.sharded(name, states.array_field(values, ItemType::float64));
        };
        field("sum_u", sums_.u);
        field("sum_u_first_half", sums_.u_first_half);
        field("sum_u_square", sums_.u_square);
        field("sum_ratio", sums_.ratio);
        field("ratio_shift", sums_.ratio_shift);
        field("sum_swaps", sums_.swaps);
        f.sharded("replica_tags", states.array_field(sums_.tags, ItemType::int64));
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
        const auto first = static_cast<std::size_t>(states.block_begin(b));
        const bool in_first_half = measured() <= first_half_scans();
        ratios_.assign(derivatives_.size(), 0.0);
        if (t < schedule_.steps())
            model_->add_log_ratio(states.block(b), schedule_[t], schedule_[t + 1], ratios_);
        for (std::size_t i = 0; i < derivatives_.size(); ++i) {
            const double u = derivatives_[i];
            sums_.u[first + i] += u;
            sums_.u_square[first + i] += u * u;
            if (in_first_half)
                sums_.u_first_half[first + i] += u;
            add_exponential(sums_.ratio[first + i], sums_.ratio_shift[first + i], ratios_[i]);
        }
    }
    /// sum of exp(x - shift), where the shift follows the largest x.
    void add_exponential(double& sum, double& shift, double x) const {
        constexpr double far = 30;
        if (measured() == 1 || x > shift + far) {
            sum *= measured() == 1 ? 0 : std::exp(shift - x);
            shift = std::max(x, -1e300);
        }
        sum += std::exp(x - shift);
    }

    /// Exchanges between the temperatures t and t + 1, t of the scan's parity.
    void exchange() {
        auto& states = population_.generation(0);
        const auto& layout = states.layout();
        const Index first = layout.first_local_block(), end = first + layout.local_blocks();
        const auto is_due = [&](Index t) { return t >= 0 && t < schedule_.steps() && t % 2 == n_ % 2; };
        for (Index t = first; t + 1 < end; ++t)
            if (is_due(t))
                attempt([&] { exchange_here(states, t - first); });
        if (layout.local_blocks() > 0)
            exchange_with_neighbours(states, is_due(first - 1), is_due(end - 1));
        // Where a replica has been.
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

    /// log f_to - log f_from of a local block's states.
    std::vector<double> log_ratios(Generation& states, Index b, Index from, Index to) const {
        std::vector<double> ratios(static_cast<std::size_t>(settings_.replicas), 0.0);
        model_->add_log_ratio(states.block(b), schedule_[from], schedule_[to], ratios);
        return ratios;
    }
    /// Which systems exchange, from both ratios; `below` belongs to the lower temperature t.
    std::vector<std::uint8_t> decide(const std::vector<double>& below, const std::vector<double>& above, Index t) {
        std::vector<std::uint8_t> which(below.size());
        const model::BlockStreams streams{settings_.seed, static_cast<std::uint32_t>(n_), 0, t * settings_.replicas, t};
        const auto& layout = population_.generation(0).layout();
        const Index local = t * settings_.replicas - layout.first_local_item();
        for (std::size_t i = 0; i < which.size(); ++i) {
            const double log_alpha = below[i] + above[i];
            random::Stream stream(streams.at(random::Purpose::swap, static_cast<Index>(i)));
            which[i] = std::log(stream.uniform()) < log_alpha;
            if (n_ > settings_.burn_in && local >= 0 && t >= layout.first_local_block())
                sums_.swaps[static_cast<std::size_t>(local) + i] += log_alpha >= 0 ? 1 : std::exp(log_alpha);
        }
        return which;
    }

    /// Between local blocks b and b + 1.
    void exchange_here(Generation& states, Index b) {
        const Index t = states.layout().first_local_block() + b;
        const auto which = decide(log_ratios(states, b, t, t + 1), log_ratios(states, b + 1, t + 1, t), t);
        const auto low = static_cast<std::size_t>(states.block_begin(b)), high = low + which.size();
        for (std::size_t i = 0; i < which.size(); ++i)
            if (which[i])
                std::swap(sums_.tags[low + i], sums_.tags[high + i]);
        if constexpr (model::HasStateSwap<M>) {
            model_->swap_states(states.block(b), states.block(b + 1), which);
        } else {
            std::vector<std::byte> x(states.packed_bytes()), y(x);
            for (std::size_t i = 0; i < which.size(); ++i)
                if (which[i]) {
                    states.block(b).pack(static_cast<Index>(i), x);
                    states.block(b + 1).pack(static_cast<Index>(i), y);
                    states.block(b).unpack(static_cast<Index>(i), y);
                    states.block(b + 1).unpack(static_cast<Index>(i), x);
                }
            model_->prepare(states.block(b));
            model_->prepare(states.block(b + 1));
        }
    }

    /// With the ranks that own the temperatures next to this rank's. Both sides send all systems and decide alike: one
    /// message instead of two. A rank that failed takes part, so that none waits for it.
    void exchange_with_neighbours(Generation& states, bool with_lower, bool with_upper) {
        const auto& layout = states.layout();
        const Index first = layout.first_local_block(), last = first + layout.local_blocks() - 1;
        const std::size_t state_bytes = packed_particle_bytes(*model_), item = state_bytes + 2 * sizeof(double);
        struct Side {
            Index block, t_other, t_own;
            std::vector<double> own, other;
            std::vector<std::int64_t> tags;
            std::vector<std::byte> states;
        };
        std::vector<std::pair<int, Side>> sides;
        std::vector<parallel::Transfer> transfers;
        const auto n = static_cast<std::size_t>(settings_.replicas);
        const auto add = [&](Index t_own, Index t_other) {
            const int peer = layout.owner_of_block(t_other);
            Side side{t_own - first,
                      t_other,
                      t_own,
                      std::vector<double>(n),
                      std::vector<double>(n),
                      std::vector<std::int64_t>(n),
                      std::vector<std::byte>(n * state_bytes)};
            attempt([&] { side.own = log_ratios(states, side.block, t_own, t_other); });
            sides.emplace_back(peer, std::move(side));
            transfers.push_back({peer, settings_.replicas});
        };
        if (with_lower)
            add(first, first - 1);
        if (with_upper)
            add(last, last + 1);
        if (sides.empty())
            return;
        const auto side_of = [&](int peer) -> Side& {
            return sides.front().first == peer ? sides.front().second : sides.back().second;
        };
        parallel::exchange(
            ranks_, item, transfers, transfers,
            [&](int peer, Index i, std::span<std::byte> out) {
                const auto& side = side_of(peer);
                const auto slot = static_cast<std::size_t>(i);
                states.block(side.block).pack(i, out.first(state_bytes));
                std::memcpy(out.data() + state_bytes, &side.own[slot], sizeof(double));
                std::memcpy(out.data() + state_bytes + sizeof(double),
                            &sums_.tags[static_cast<std::size_t>(states.block_begin(side.block)) + slot],
                            sizeof(double));
            },
            [&](int peer, Index i, std::span<const std::byte> in) {
                auto& side = side_of(peer);
                const auto slot = static_cast<std::size_t>(i);
                std::copy(in.begin(), in.begin() + static_cast<std::ptrdiff_t>(state_bytes),
                          side.states.begin() + static_cast<std::ptrdiff_t>(slot * state_bytes));
                std::memcpy(&side.other[slot], in.data() + state_bytes, sizeof(double));
                std::memcpy(&side.tags[slot], in.data() + state_bytes + sizeof(double), sizeof(double));
            });
        for (auto& [peer, side] : sides)
            attempt([&] {
                const bool is_lower = side.t_own < side.t_other;
                const auto which = decide(is_lower ? side.own : side.other, is_lower ? side.other : side.own,
                                          std::min(side.t_own, side.t_other));
                for (std::size_t i = 0; i < n; ++i)
                    if (which[i]) {
                        states.block(side.block)
                            .unpack(static_cast<Index>(i),
                                    std::span(side.states).subspan(i * state_bytes, state_bytes));
                        sums_.tags[static_cast<std::size_t>(states.block_begin(side.block)) + i] = side.tags[i];
                    }
                model_->prepare(states.block(side.block));
            });
    }

    void update_trace() {
        const auto n = static_cast<double>(std::max<Index>(measured(), 1) * settings_.replicas);
        const auto T = static_cast<std::size_t>(n_temperatures());
        std::vector<ExactSum> totals(3 * T);
        auto& states = population_.generation(0);
        for (Index b = 0; b < states.local_blocks(); ++b) {
            const auto t = static_cast<std::size_t>(states.layout().first_local_block() + b);
            const auto first = static_cast<std::size_t>(states.block_begin(b));
            for (std::size_t i = first; i < first + static_cast<std::size_t>(settings_.replicas); ++i) {
                totals[3 * t].add(sums_.u[i]);
                totals[3 * t + 1].add(sums_.u_square[i]);
                totals[3 * t + 2].add(sums_.swaps[i]);
            }
        }
        parallel::exact_sum(ranks_, std::span(totals));
        trace_ = {};
        trace_.inverse_temperature = schedule_.points();
        double log_ratio = 0;
        for (std::size_t t = 0; t < T; ++t) {
            const double mean = totals[3 * t].value() / n;
            const double variance = totals[3 * t + 1].value() / n - mean * mean;
            if (t > 0)
                log_ratio += 0.5 * (schedule_[static_cast<Index>(t)] - schedule_[static_cast<Index>(t) - 1]) *
                             (trace_.mean_u.back() + mean);
            trace_.mean_u.push_back(mean);
            trace_.variance_u.push_back(variance < 0 ? 0 : variance);
            trace_.log_ratio.push_back(log_ratio);
            trace_.ess.push_back(n);
            const Index due = due_scans(static_cast<Index>(t), settings_.burn_in, n_) * settings_.replicas;
            trace_.acceptance.push_back(t + 1 < T && due > 0 ? totals[3 * t + 2].value() / static_cast<double>(due)
                                                             : std::numeric_limits<double>::quiet_NaN());
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
    population::Population<Block> population_;
    Index n_ = 0; ///< scans made
    Index scans_since_flush_ = 0;
    TemperingSums sums_;
    Trace trace_;
    std::vector<double> derivatives_, ratios_;
    DelayedFailure failure_;
};

} // namespace pearlite::sampler
