#include "algorithm/parallel_tempering/parallel_tempering.hpp"

#include "algorithm/common/streams.hpp"
#include "algorithm/parallel_tempering/tempering_outcome.hpp"

namespace pearlite::algorithm {

ParallelTempering::ParallelTempering(const parallel::Communicator& ranks, std::shared_ptr<const model::Target> target,
                                     path::Schedule schedule, const kernel::Kernel& kernel,
                                     const TemperingSettings& settings)
    : ranks_(ranks),
      target_(std::move(target)),
      schedule_(std::move(schedule)),
      kernel_(kernel.clone()),
      settings_(settings),
      mode_(target_->offers<model::ModeStart>()),
      exchange_(ranks_, target_, schedule_, settings.seed),
      population_(population_of(ranks_, target_)),
      starts_(ranks_, target_, settings.seed, settings.most_prior_draws) {
    PEARLITE_EXPECTS(!kernel_->adapts() && settings.burn_in < settings.scans && settings.replicas >= 1);
    const auto& states = population_.append(n_temperatures() * settings.replicas, settings.replicas);
    sums_ = TemperingSums::of_states(static_cast<std::size_t>(states.local_size()));
    motion_.emplace(target_, states, kept_scans(), kernel_->accepts());
    constexpr Index least_scans = 8; // for an error by chains
    if (target_->offers<model::ReportedParameters>() && kept_scans() >= least_scans)
        draws_.emplace(states, population_.particle_bytes(), kept_scans(), settings_.most_recorded_bytes);
    if (target_->path_is_linear() && settings_.most_energy_bytes > 0)
        energies_.emplace(states, kept_scans(), settings_.most_energy_bytes);
}

void ParallelTempering::begin() {
    auto& states = population_.generation(0);
    const Index first = states.layout().first_local_block();
    std::vector<double> derivatives(static_cast<std::size_t>(states.local_size()));
    parallel::together(ranks_, [&] {
        for (Index b = 0; b < states.local_blocks(); ++b) {
            draw_first(states.block(b), first + b, block_streams(states, b, settings_.seed, 0));
            if (!starts_from_mode(first + b))
                target_->path_derivative(states.block(b), schedule_[0], states.of_block(derivatives, b));
        }
    });
    starts_.begin(states, derivatives,
                  [&](Index slot) { return !starts_from_mode(first + slot / settings_.replicas); });
    mark_wanted();
    flush();
}

void ParallelTempering::step() {
    PEARLITE_EXPECTS(!finished());
    if (starts_.is_looking())
        return starts_.step(population_.generation(0));
    ++n_;
    failure_.guard(ranks_, [&] { move_and_measure(); });
    exchange_.exchange(population_.generation(0), n_, sums_.tags,
                       n_ > settings_.burn_in ? std::span<double>(sums_.swaps) : std::span<double>(), failure_);
    if (draws_)
        draws_->record(population_.generation(0), measured());
    note_visits();
    if (finished() || ++scans_since_flush_ >= scans_per_reduction)
        flush();
}

void ParallelTempering::flush() {
    failure_.agree(ranks_);
    scans_since_flush_ = 0;
    trace_ = tempering_trace(ranks_, sums_, population_.generation(0).layout(), schedule_, settings_.burn_in, n_);
    motion_->write_to(ranks_, trace_);
    if (!starts_.is_restricted())
        return;
    const auto fresh = fresh_draws();
    for (double& log_ratio : trace_.log_ratio)
        log_ratio += starts_.log_share(fresh.made, fresh.positive);
}

Progress ParallelTempering::progress() const {
    Progress progress{n_, settings_.scans, schedule_.end(), trace_.ess.back(), trace_.log_ratio.back()};
    progress.stage = starts_.progress();
    progress.updates_per_step = population_.generation(0).size() * kernel_->moves();
    return progress;
}

Found ParallelTempering::found() {
    Found found;
    found.trace = &trace_;
    found.population = &population_;
    found.first_wanted_slot = schedule_.steps() * settings_.replicas;
    // The moves of all measured scans must make ten independent states at a temperature, or exchanges alone mix.
    found.needed_mobility = std::min(found.needed_mobility, 10 / static_cast<double>(kept_scans()));
    found.draws = draws_ ? &*draws_ : nullptr;
    return found;
}

Outcome ParallelTempering::outcome() const {
    auto outcome = tempering_outcome(ranks_, sums_, population_.generation(0).layout(),
                                     {{schedule_.points(), settings_.replicas, kept_scans(), target_->path_is_linear()},
                                      first_half_scans(),
                                      settings_.scans},
                                     energies_ ? std::optional(energies_->records()) : std::nullopt);
    if (!starts_.is_restricted())
        return outcome;
    const auto fresh = fresh_draws();
    const double log_share = starts_.log_share(fresh.made, fresh.positive);
    for (auto& estimate : outcome.log_ratio)
        add_independent(estimate, log_share, starts_.variance(fresh.made, fresh.positive));
    for (auto& array : outcome.arrays)
        if (array.path == "tempering/log_ratio")
            for (double& log_ratio : array.values)
                log_ratio += log_share;
    return outcome;
}

void ParallelTempering::fields(Fields& f) {
    f("step", n_);
    PEARLITE_EXPECTS(n_ >= 0 && n_ <= settings_.scans);
    population_.fields(f);
    starts_.fields(f, population_.generation(0));
    if (starts_.is_restricted()) {
        std::int64_t positive = ranks_.sum(positive_);
        f("positive_fresh_draws", positive);
        if (f.is_reading())
            positive_ = ranks_.is_root() ? positive : 0;
    }
    sums_.fields(f, population_.generation(0));
    f.sharded("motion", motion_->field());
    if (draws_)
        f.sharded("draws", draws_->field());
    if (energies_)
        f.sharded("energies", energies_->field());
    group(f, "kernel", *kernel_);
    if (f.is_reading()) {
        parallel::together(ranks_, [&] { prepare_blocks(*target_, population_.generation(0)); });
        flush(); // the trace follows from the sums
    }
}

void ParallelTempering::draw_first(Block& block, Index t, const model::BlockStreams& streams) const {
    if (starts_from_mode(t))
        return mode_->set_mode(block, schedule_[t], streams);
    target_->draw_start(block, streams);
}

bool ParallelTempering::is_cold(Index t) const {
    return settings_.cold_from ? schedule_[t] >= *settings_.cold_from : 2 * t > schedule_.steps();
}

void ParallelTempering::mark_wanted() {
    auto& states = population_.generation(0);
    const Index last = schedule_.steps() * settings_.replicas - states.layout().first_local_item();
    for (Index i = 0; i < states.local_size(); ++i)
        states.log_weights()[static_cast<std::size_t>(i)] = i < last ? log_zero : 0;
}

void ParallelTempering::move_and_measure() {
    auto& states = population_.generation(0);
    for (Index b = 0; b < states.local_blocks(); ++b) {
        auto& block = states.block(b);
        const Index t = states.layout().first_local_block() + b;
        const auto streams = block_streams(states, b, settings_.seed, n_);
        derivatives_.resize(static_cast<std::size_t>(block.size()));
        if (t == 0) {
            renew_start(block, streams);
            target_->path_derivative(block, schedule_[0], derivatives_);
        } else {
            kernel_->adapt(ranks_, states, t);
            const bool is_watched = n_ > settings_.burn_in && motion_->watches(measured());
            if (is_watched)
                motion_->remember(states, b, schedule_[t]);
            const Index accepted = kernel_->move(block, schedule_[t], streams, derivatives_);
            if (is_watched)
                motion_->compare(states, b, derivatives_, kernel_->shape(), kernel_->moves(), accepted);
        }
        if (n_ > settings_.burn_in)
            measure(states, b, t);
    }
}

void ParallelTempering::renew_start(Block& block, const model::BlockStreams& streams) {
    if (!starts_.is_restricted())
        return target_->draw_start(block, streams);
    const auto fresh = target_->make_block(block.size());
    target_->draw_start(*fresh, streams);
    std::vector<double> derivatives(static_cast<std::size_t>(block.size()));
    target_->path_derivative(*fresh, schedule_[0], derivatives);
    const auto zero = PriorStage::are_zero(*target_, *fresh, derivatives);
    std::vector<std::byte> packed(block.packed_bytes());
    for (Index i = 0; i < block.size(); ++i)
        if (!zero[at(i)]) {
            fresh->pack(i, packed);
            block.unpack(i, packed);
            ++positive_;
        }
    target_->prepare(block);
}

ParallelTempering::FreshDraws ParallelTempering::fresh_draws() const {
    return {n_ * settings_.replicas, ranks_.sum(positive_)};
}

void ParallelTempering::measure(population::Generation& states, Index b, Index t) {
    ratios_.assign(derivatives_.size(), 0.0);
    if (t < schedule_.steps())
        target_->add_log_ratio(states.block(b), schedule_[t], schedule_[t + 1], ratios_);
    sums_.add(static_cast<std::size_t>(states.block_begin(b)), derivatives_, ratios_,
              {.is_first = measured() == 1, .is_in_first_half = measured() <= first_half_scans()});
    if (energies_)
        energies_->record(states, b, derivatives_, measured());
}

void ParallelTempering::note_visits() {
    auto& states = population_.generation(0);
    const auto& layout = states.layout();
    const Index first = layout.first_local_block(), end = first + layout.local_blocks();
    for (Index i = 0; i < settings_.replicas && first < end; ++i) {
        if (first == 0)
            sums_.tags[static_cast<std::size_t>(i)] = ReplicaTag::visit_start(sums_.tags[static_cast<std::size_t>(i)]);
        if (end == n_temperatures()) {
            auto& tag = sums_.tags[static_cast<std::size_t>(states.block_begin(end - 1 - first) + i)];
            tag = ReplicaTag::visit_end(tag);
        }
    }
}

} // namespace pearlite::algorithm
