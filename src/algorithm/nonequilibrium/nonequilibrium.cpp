#include "algorithm/nonequilibrium/nonequilibrium.hpp"

#include "algorithm/common/outcome_of_works.hpp"
#include "algorithm/common/streams.hpp"

namespace pearlite::algorithm {

namespace {

std::size_t n_quantities(const model::Target& target) {
    const auto* quantities = target.offers<model::PathQuantities>();
    return quantities ? quantities->quantity_names().size() : 0;
}

} // namespace

Nonequilibrium::Nonequilibrium(const parallel::Communicator& ranks, std::shared_ptr<const model::Target> target,
                               path::Schedule schedule, const kernel::Kernel& kernel,
                               const NonequilibriumSettings& settings)
    : ranks_(ranks),
      target_(std::move(target)),
      schedule_(std::move(schedule)),
      kernel_(kernel.clone()),
      settings_(settings),
      course_(schedule_.steps(), settings.start == ReverseStart::weighted, settings.equilibration),
      population_(population_of(ranks_, target_)),
      forward_starts_(ranks_, target_, settings.seed, settings.most_prior_draws),
      pool_starts_(ranks_, target_, settings.seed, settings.most_prior_draws),
      watch_(target_),
      quantities_(target_->offers<model::PathQuantities>()),
      forward_averaging_(n_quantities(*target_)),
      equilibration_averaging_(n_quantities(*target_)),
      reverse_averaging_(n_quantities(*target_)) {
    PEARLITE_EXPECTS(!kernel_->adapts() && kernel_->is_time_reversible());
    if (quantities_)
        for (auto* averages : {&record_.forward, &record_.equilibration, &record_.reverse})
            averages->quantities = quantities_->quantity_names();
    population_.append(settings.forward, settings.block);
    population_.append(settings.reverse, settings.block);
}

void Nonequilibrium::begin() {
    draw_starts(population_.generation(0), forward_starts_, 0);
    open_forward();
}

void Nonequilibrium::open_forward() {
    auto& forward = population_.generation(0);
    std::ranges::fill(forward.log_weights(), forward_starts_.log_share());
    failure_.guard(ranks_, [&] { record_start(forward, forward_averaging_, schedule_[0]); });
    flush();
}

bool Nonequilibrium::finds_starts() {
    if (forward_starts_.is_looking()) {
        forward_starts_.step(population_.generation(0));
        if (forward_starts_.is_looking())
            return true;
        trace_ = {};
        PathAverages averages;
        averages.quantities = record_.forward.quantities;
        record_.forward = std::move(averages);
        open_forward();
        return true;
    }
    const auto [phase, k] = course_.place(n_ + 1);
    if (phase != Phase::pool || k != 1 || pool_starts_.is_restricted() || pool_starts_.is_looking()) {
        const bool is_looking = pool_starts_.is_looking();
        if (is_looking)
            pool_starts_.step(population_.generation(1));
        return is_looking;
    }
    draw_starts(population_.generation(1), pool_starts_, n_ + 1);
    return pool_starts_.is_looking();
}

void Nonequilibrium::step() {
    PEARLITE_EXPECTS(!finished());
    if (finds_starts())
        return;
    ++n_;
    const auto [phase, k] = course_.place(n_);
    switch (phase) {
    case Phase::forward:
        forward_step(population_.generation(0), k, true);
        break;
    case Phase::pool:
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

void Nonequilibrium::flush() {
    failure_.agree(ranks_);
    steps_since_flush_ = 0;
    if (on_the_fly_.pending() > 0)
        on_the_fly_.flush(ranks_, settings_.forward, 0, kernel_->accepts(), trace_);
    forward_averaging_.flush(ranks_, settings_.forward, record_.forward);
    equilibration_averaging_.flush(ranks_, settings_.reverse, record_.equilibration);
    reverse_averaging_.flush(ranks_, settings_.reverse, record_.reverse);
}

LogRatioSoFar Nonequilibrium::log_ratio_so_far() {
    auto found = independent_log_ratio(trace_, settings_.forward);
    if (found.standard_error)
        *found.standard_error = std::hypot(*found.standard_error, std::sqrt(forward_starts_.variance()));
    return found;
}

Outcome Nonequilibrium::outcome() const {
    const auto &forward = population_.generation(0), &reverse = population_.generation(1);
    std::vector<double> forward_works;
    forward_works.reserve(forward.log_weights().size());
    for (const double log_weight : forward.log_weights())
        forward_works.push_back(-log_weight);
    std::optional<population::Families> ancestors;
    if (settings_.start == ReverseStart::weighted)
        ancestors.emplace(ranks_, reverse.size(), reverse.eves());
    auto outcome = work_outcome(
        {ranks_, forward.layout(), forward_works}, {ranks_, reverse.layout(), reverse.log_weights()}, record_,
        settings_.start == ReverseStart::exact, ancestors ? &*ancestors : nullptr, settings_.seed);
    for (auto& estimate : outcome.log_ratio)
        add_independent(estimate, 0, forward_starts_.variance());
    add_equilibrium(outcome, *target_, schedule_);
    return outcome;
}

void Nonequilibrium::list_works(Fields& f) {
    const auto &forward = population_.generation(0), &reverse = population_.generation(1);
    f.sharded("work/forward",
              population::field_of(forward.layout(), [&forward](std::size_t i) { return -forward.log_weights()[i]; }));
    f.sharded("work/reverse",
              population::field_of(reverse.layout(), [&reverse](std::size_t i) { return reverse.log_weights()[i]; }));
}

Progress Nonequilibrium::progress() const {
    Progress progress{n_, course_.steps(), b_, trace_.ess.back(), trace_.log_ratio.back()};
    progress.stage = forward_starts_.is_looking() ? forward_starts_.progress() : pool_starts_.progress();
    const bool is_forward = course_.place(n_).phase == Phase::forward;
    progress.updates_per_step = (is_forward ? settings_.forward : settings_.reverse) * kernel_->moves();
    return progress;
}

Found Nonequilibrium::found() {
    return {.trace = &trace_, .population = &population_, .sharded_results = [this](Fields& f) { list_works(f); }};
}

void Nonequilibrium::fields(Fields& f) {
    f("step", n_);
    PEARLITE_EXPECTS(n_ >= 0 && n_ <= course_.steps());
    population_.fields(f);
    forward_starts_.fields(f, population_.generation(0));
    f.enter("pool");
    pool_starts_.fields(f, population_.generation(1));
    f.leave();
    group(f, "trace", trace_);
    record_.fields(f);
    group(f, "kernel", *kernel_);
    if (f.is_reading()) {
        auto &forward = population_.generation(0), &reverse = population_.generation(1);
        parallel::together(ranks_, [&] {
            prepare_blocks(*target_, forward);
            prepare_blocks(*target_, reverse);
            for (Index b = 0; b < forward.local_blocks() && watch_.watches(forward, b); ++b)
                watch_.remember(forward, b, b_);
        });
        // ContractViolation if the checkpoint's ancestors are not particles of the population.
        population::Families(ranks_, reverse.size(), reverse.eves());
    }
}

Matrix Nonequilibrium::quantities_of(const Block& block) const {
    return quantities_ ? quantities_->path_quantities(block) : Matrix(0, block.size());
}

void Nonequilibrium::on_blocks(population::Generation& generation, const OnBlock& work) {
    for (Index b = 0; b < generation.local_blocks(); ++b) {
        auto& block = generation.block(b);
        derivatives_.resize(static_cast<std::size_t>(block.size()));
        const auto log_w = generation.of_block(generation.log_weights(), b);
        work(b, block, block_streams(generation, b, settings_.seed, n_), log_w, std::span<double>(derivatives_));
        require_numbers(log_w, generation, b, n_);
    }
}

void Nonequilibrium::draw_starts(population::Generation& generation, PriorStage& stage, Index step) {
    failure_.agree(ranks_); // the stage must find all ranks
    std::vector<double> derivatives(static_cast<std::size_t>(generation.local_size()));
    parallel::together(ranks_, [&] {
        for (Index b = 0; b < generation.local_blocks(); ++b) {
            auto& block = generation.block(b);
            target_->draw_start(block, block_streams(generation, b, settings_.seed, step));
            target_->path_derivative(block, schedule_[0], generation.of_block(derivatives, b));
        }
    });
    stage.begin(generation, derivatives);
}

void Nonequilibrium::record_start(population::Generation& generation, PathAveraging& averaging, double b) {
    averaging.begin(b);
    const bool is_forward = &averaging == &forward_averaging_;
    if (is_forward)
        on_the_fly_.begin(b, 0, settings_.forward);
    on_blocks(generation, [&](Index i, auto& block, const auto&, auto log_w, auto derivative) {
        target_->path_derivative(block, b, derivative);
        averaging.add_block(log_w, 1, derivative, quantities_of(block));
        if (!is_forward)
            return;
        on_the_fly_.add_block(log_w, derivative, 0);
        if (watch_.watches(generation, i))
            watch_.remember(generation, i, b);
    });
}

void Nonequilibrium::forward_step(population::Generation& trajectories, Index k, bool is_measured) {
    const double from = schedule_[k - 1], to = b_ = schedule_[k];
    const bool last = k == schedule_.steps();
    if (is_measured) {
        on_the_fly_.begin(to, last ? 0 : kernel_->moves(), settings_.forward);
        forward_averaging_.begin(to);
    }
    failure_.guard(ranks_, [&] {
        if (!last)
            kernel_->adapt(ranks_, trajectories, k);
        on_blocks(trajectories, [&](Index i, auto& block, const auto& streams, auto log_w, auto derivative) {
            const bool is_watched = is_measured && !last && watch_.watches(trajectories, i);
            Index accepted = 0;
            if (is_watched)
                watch_.remember_compared(trajectories, i);
            if (!last) {
                accepted = kernel_->anneal(block, from, to, streams, log_w, derivative);
            } else {
                target_->add_log_ratio(block, from, to, log_w);
                target_->path_derivative(block, to, derivative);
            }
            if (!is_measured)
                return;
            on_the_fly_.add_block(log_w, derivative, accepted,
                                  is_watched ? watch_.compare(trajectories, i, log_w, derivative, kernel_->shape())
                                             : BlockMotion{});
            forward_averaging_.add_block(log_w, -1, derivative, quantities_of(block));
        });
    });
}

void Nonequilibrium::reverse_step(Index j) {
    const Index k = schedule_.steps() - j;
    const double from = schedule_[k + 1], to = b_ = schedule_[k];
    reverse_averaging_.begin(to);
    failure_.guard(ranks_, [&] {
        auto& trajectories = population_.generation(1);
        if (k > 0)
            kernel_->adapt(ranks_, trajectories, k);
        on_blocks(trajectories, [&](Index, auto& block, const auto& streams, auto work, auto derivative) {
            if (k > 0) {
                kernel_->anneal_reversed(block, from, to, streams, work, derivative);
            } else {
                target_->add_log_ratio(block, from, to, work);
                target_->path_derivative(block, to, derivative);
            }
            reverse_averaging_.add_block(work, 1, derivative, quantities_of(block));
        });
    });
}

void Nonequilibrium::resample_starts() {
    failure_.agree(ranks_); // resampling must find all ranks
    auto& pool = population_.generation(1);
    parallel::together(ranks_, [&] { on_blocks(pool, [](Index, auto&, const auto&, auto, auto) {}); });
    resample_ends(ranks_, *target_, population_, pool, settings_.seed, n_);
}

void Nonequilibrium::place_starts() {
    failure_.guard(ranks_, [&] {
        on_blocks(population_.generation(1), [&](Index, auto& block, const auto& streams, auto, auto) {
            place_at_end(*target_, block, settings_.start, schedule_.end(), streams);
        });
    });
}

void Nonequilibrium::equilibrate() {
    b_ = schedule_.end();
    equilibration_averaging_.begin(b_);
    failure_.guard(ranks_, [&] {
        auto& starts = population_.generation(1);
        kernel_->adapt(ranks_, starts, schedule_.steps());
        on_blocks(starts, [&](Index, auto& block, const auto& streams, auto log_w, auto derivative) {
            kernel_->move(block, b_, streams, derivative);
            equilibration_averaging_.add_block(log_w, 1, derivative, quantities_of(block));
        });
    });
}

void Nonequilibrium::begin_reverse() {
    if (settings_.equilibration == 0)
        place_starts();
    auto& reverse = population_.generation(1);
    for (double& log_weight : reverse.log_weights())
        log_weight -= forward_starts_.log_share();
    failure_.guard(ranks_, [&] { record_start(reverse, reverse_averaging_, schedule_.end()); });
}

void place_at_end(const model::Target& target, Block& block, ReverseStart start, double end,
                  const model::BlockStreams& streams) {
    if (const auto* ends = target.offers<model::EndSampler>(); ends && start == ReverseStart::exact)
        ends->draw_end(block, end, streams);
    else if (const auto* mode = target.offers<model::ModeStart>(); mode && start == ReverseStart::mode)
        mode->set_mode(block, end, streams);
    else if (const auto* data = target.offers<model::DataStart>(); data && start == ReverseStart::data)
        data->draw_data(block, end, streams);
}

void resample_ends(const parallel::Communicator& ranks, const model::Target& target, population::Population& population,
                   population::Generation& pool, const random::Seed& seed, Index step) {
    const auto offspring =
        population::offspring(ranks, pool.layout(), pool.number(), pool.log_weights(),
                              population::Resampling::systematic, seed, static_cast<std::uint32_t>(step));
    population::relocate(ranks, pool, offspring, population.particle_bytes());
    parallel::together(ranks, [&] { prepare_blocks(target, pool); });
}

} // namespace pearlite::algorithm
