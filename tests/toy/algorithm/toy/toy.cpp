#include "algorithm/toy/toy.hpp"

#include "algorithm/common/streams.hpp"
#include "estimator/evidence/importance.hpp"
#include "parallel/agreement.hpp"

namespace pearlite::algorithm {

Toy::Toy(const parallel::Communicator& ranks, std::shared_ptr<const model::Target> target, path::Schedule schedule,
         const kernel::Kernel& kernel, const PopulationSettings& settings)
    : ranks_(ranks),
      target_(std::move(target)),
      schedule_(std::move(schedule)),
      kernel_(kernel.clone()),
      settings_(settings),
      population_(population_of(ranks_, target_)) {
    population_.append(settings.particles, settings.block);
}

template <class Visit>
void Toy::at_temperature(Index moves, const Visit& visit) {
    auto& particles = population_.generation(0);
    on_the_fly_.begin(schedule_[k_], moves, settings_.particles);
    parallel::together(ranks_, [&] {
        for (Index b = 0; b < particles.local_blocks(); ++b) {
            auto& block = particles.block(b);
            const auto log_w = particles.of_block(particles.log_weights(), b);
            std::vector<double> derivative(log_w.size());
            const Index accepted = visit(block, b, log_w, derivative);
            require_numbers(log_w, particles, b, k_);
            on_the_fly_.add_block(log_w, derivative, accepted);
        }
    });
    on_the_fly_.flush(ranks_, settings_.particles, 0, kernel_->accepts(), trace_);
}

void Toy::begin() {
    const auto& particles = population_.generation(0);
    at_temperature(0, [&](Block& block, Index b, std::span<double>, std::span<double> derivative) {
        target_->draw_start(block, block_streams(particles, b, settings_.seed, 0));
        target_->path_derivative(block, schedule_[0], derivative);
        return Index{0};
    });
}

void Toy::step() {
    ++k_;
    const auto& particles = population_.generation(0);
    kernel_->adapt(ranks_, particles, k_);
    at_temperature(kernel_->moves(), [&](Block& block, Index b, std::span<double> log_w, std::span<double> slope) {
        return kernel_->anneal(block, schedule_[k_ - 1], schedule_[k_], block_streams(particles, b, settings_.seed, k_),
                               log_w, slope);
    });
}

Progress Toy::progress() const {
    Progress progress{k_, schedule_.steps(), schedule_[k_], trace_.ess.back(), trace_.log_ratio.back()};
    progress.updates_per_step = settings_.particles * kernel_->moves();
    return progress;
}

Found Toy::found() {
    Found found;
    found.trace = &trace_;
    found.population = &population_;
    return found;
}

Outcome Toy::outcome() const {
    const auto& particles = population_.generation(0);
    const auto estimate =
        estimator::importance_estimate({ranks_, particles.layout(), particles.log_weights()}, settings_.seed, 200);
    Outcome outcome;
    outcome.log_ratio = {estimate.delta, estimate.bootstrap};
    outcome.ess = estimate.ess;
    return outcome;
}

void Toy::fields(Fields& f) {
    f("step", k_);
    population_.fields(f);
    f.enter("trace");
    trace_.fields(f);
    f.leave();
    f.enter("kernel");
    kernel_->fields(f);
    f.leave();
    if (f.is_reading())
        parallel::together(ranks_, [&] { prepare_blocks(*target_, population_.generation(0)); });
}

} // namespace pearlite::algorithm
