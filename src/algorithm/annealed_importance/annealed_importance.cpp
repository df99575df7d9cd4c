#include "algorithm/annealed_importance/annealed_importance.hpp"

#include "algorithm/common/outcome_of_works.hpp"
#include "algorithm/common/streams.hpp"
#include "estimator/evidence/importance.hpp"

namespace pearlite::algorithm {

AnnealedImportance::AnnealedImportance(const parallel::Communicator& ranks, std::shared_ptr<const model::Target> target,
                                       path::Schedule schedule, const kernel::Kernel& kernel,
                                       const PopulationSettings& settings)
    : ranks_(ranks),
      target_(std::move(target)),
      schedule_(std::move(schedule)),
      kernel_(kernel.clone()),
      settings_(settings),
      population_(population_of(ranks_, target_)),
      starts_(ranks_, target_, settings.seed, settings.most_prior_draws),
      watch_(target_) {
    population_.append(settings.particles, settings.block);
}

void AnnealedImportance::begin() {
    auto& particles = population_.generation(0);
    evaluations_ = static_cast<double>(settings_.particles);
    std::vector<double> derivatives(static_cast<std::size_t>(particles.local_size()));
    parallel::together(ranks_, [&] {
        for (Index b = 0; b < particles.local_blocks(); ++b) {
            auto& block = particles.block(b);
            target_->draw_start(block, block_streams(particles, b, settings_.seed, 0));
            target_->path_derivative(block, schedule_[0], particles.of_block(derivatives, b));
        }
    });
    starts_.begin(particles, derivatives);
    open_trace(derivatives);
}

void AnnealedImportance::open_trace(std::vector<double>& derivatives) {
    auto& particles = population_.generation(0);
    std::ranges::fill(particles.log_weights(), starts_.log_share());
    on_the_fly_.begin(schedule_[0], 0, settings_.particles);
    parallel::together(ranks_, [&] {
        for (Index b = 0; b < particles.local_blocks(); ++b) {
            on_the_fly_.add_block(particles.of_block(particles.log_weights(), b), particles.of_block(derivatives, b),
                                  0);
            if (watch_.watches(particles, b))
                watch_.remember(particles, b, schedule_[0]);
        }
    });
    flush();
}

void AnnealedImportance::find_starts() {
    auto& particles = population_.generation(0);
    starts_.step(particles);
    if (starts_.is_looking())
        return;
    evaluations_ += static_cast<double>(starts_.evaluations());
    std::vector<double> derivatives(static_cast<std::size_t>(particles.local_size()));
    parallel::together(ranks_, [&] {
        for (Index b = 0; b < particles.local_blocks(); ++b)
            target_->path_derivative(particles.block(b), schedule_[0], particles.of_block(derivatives, b));
    });
    trace_ = {};
    open_trace(derivatives);
}

void AnnealedImportance::step() {
    PEARLITE_EXPECTS(!finished());
    if (starts_.is_looking())
        return find_starts();
    ++k_;
    const double from = schedule_[k_ - 1], to = schedule_[k_];
    const bool last = finished();
    auto& particles = population_.generation(0);

    if (!last) {
        if (kernel_->adapts())
            failure_.agree(ranks_); // its reduction must find all ranks
        kernel_->adapt(ranks_, particles, k_);
        evaluations_ += static_cast<double>(updates_per_step()) * kernel_->evaluations_per_move();
    }
    on_the_fly_.begin(to, last ? 0 : kernel_->moves(), settings_.particles);
    failure_.guard(ranks_, [&] {
        for (Index b = 0; b < particles.local_blocks(); ++b) {
            auto& block = particles.block(b);
            const auto log_w = particles.of_block(particles.log_weights(), b);
            const auto derivative = derivatives_of(block);
            const bool is_watched = !last && watch_.watches(particles, b);
            Index accepted = 0;
            if (is_watched)
                watch_.remember_compared(particles, b);
            if (!last) {
                accepted = kernel_->anneal(block, from, to, block_streams(particles, b, settings_.seed, k_), log_w,
                                           derivative);
            } else {
                target_->add_log_ratio(block, from, to, log_w);
                target_->path_derivative(block, to, derivative);
            }
            require_numbers(log_w, particles, b, k_);
            on_the_fly_.add_block(log_w, derivative, accepted,
                                  is_watched ? watch_.compare(particles, b, log_w, derivative, kernel_->shape())
                                             : BlockMotion{});
        }
    });
    if (finished() || on_the_fly_.pending() >= temperatures_per_reduction())
        flush();
}

void AnnealedImportance::flush() {
    failure_.agree(ranks_);
    if (on_the_fly_.pending() > 0)
        on_the_fly_.flush(ranks_, settings_.particles, 0, kernel_->accepts(), trace_);
}

Progress AnnealedImportance::progress() const {
    Progress progress{k_, schedule_.steps(), schedule_[k_], trace_.ess.back(), trace_.log_ratio.back()};
    progress.updates_per_step = updates_per_step();
    progress.stage = starts_.progress();
    // For the starts and for every proposal; there are no moves at the last temperature.
    progress.likelihoods = static_cast<Index>(evaluations_);
    return progress;
}

Found AnnealedImportance::found() {
    return {.trace = &trace_,
            .population = &population_,
            .is_unbiased = true,
            .kernel = kernel_.get(),
            .prediction_seed = settings_.seed};
}

LogRatioSoFar AnnealedImportance::log_ratio_so_far() {
    auto found = independent_log_ratio(trace_, settings_.particles);
    if (found.standard_error)
        *found.standard_error = std::hypot(*found.standard_error, std::sqrt(starts_.variance()));
    return found;
}

Outcome AnnealedImportance::outcome() const {
    const auto& particles = population_.generation(0);
    // Large populations need fewer bootstrap replicates, and each of them costs more.
    const auto replicates = std::clamp<Index>(20'000'000 / settings_.particles, 200, 1000);
    const auto estimate = estimator::importance_estimate({ranks_, particles.layout(), particles.log_weights()},
                                                         settings_.seed, static_cast<int>(replicates));
    Outcome outcome;
    outcome.log_ratio = {estimate.delta, estimate.bootstrap};
    if (estimate.delta.standard_error == 0.0)
        for (auto& one : outcome.log_ratio)
            one.set_flat(one.value);
    for (auto& one : outcome.log_ratio)
        add_independent(one, 0, starts_.variance());
    outcome.ess = estimate.ess;
    outcome.log_weights = {log_weight_moments({ranks_, particles.layout(), particles.log_weights()}, 1)};
    outcome.log_ratio.front().doubts = estimate.doubts("trajectories");
    return outcome;
}

void AnnealedImportance::fields(Fields& f) {
    f("step", k_);
    PEARLITE_EXPECTS(k_ >= 0 && k_ <= schedule_.steps());
    f("evaluations", evaluations_);
    population_.fields(f);
    starts_.fields(f, population_.generation(0));
    group(f, "trace", trace_);
    group(f, "kernel", *kernel_);
    if (f.is_reading()) {
        auto& particles = population_.generation(0);
        parallel::together(ranks_, [&] {
            prepare_blocks(*target_, particles);
            for (Index b = 0; b < particles.local_blocks() && watch_.watches(particles, b); ++b)
                watch_.remember(particles, b, schedule_[k_]);
        });
        // ContractViolation if the checkpoint's ancestors are not particles of the population.
        population::Families(ranks_, particles.size(), particles.eves());
    }
}

Index AnnealedImportance::temperatures_per_reduction() const {
    const Index blocks = population_.generation(0).layout().blocks();
    return std::clamp<Index>((Index{1} << 18) / blocks, 1, 64);
}

std::span<double> AnnealedImportance::derivatives_of(const Block& block) {
    derivatives_.resize(static_cast<std::size_t>(block.size()));
    return derivatives_;
}

} // namespace pearlite::algorithm
