#include "algorithm/resample_move/resample_move.hpp"

#include "algorithm/common/streams.hpp"
#include "parallel/agreement.hpp"
#include "pearlite/core/detail/contract.hpp"
#include "pearlite/core/error.hpp"
#include "population/weights.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace pearlite::algorithm {

void make_sweeps(const parallel::Communicator& ranks, const model::GrowingStage& stage,
                 population::Generation& particles, Index sweeps, const random::Seed& seed, Index tick) {
    parallel::together(ranks, [&] {
        for (Index b = 0; b < particles.local_blocks(); ++b)
            for (Index sweep = 0; sweep < sweeps; ++sweep)
                stage.sweep(particles.block(b), block_streams(particles, b, seed, tick + sweep));
    });
}

void prepare_copies(const Enlargement& pass, population::Generation& particles) {
    parallel::together(pass.ranks, [&] {
        for (Index b = 0; b < particles.local_blocks(); ++b)
            pass.stage.prepare(particles.block(b));
    });
}

population::Generation& append_copy_of_base(const Enlargement& pass) {
    auto& base = pass.population.generation(0);
    auto& copy = pass.population.append(base.size(), pass.block);
    parallel::together(pass.ranks, [&] {
        std::vector<std::byte> packed(pass.population.particle_bytes());
        for (Index slot = 0; slot < base.local_size(); ++slot) {
            base.pack(slot, packed);
            copy.unpack(slot, packed);
        }
    });
    prepare_copies(pass, copy);
    copy.log_weights() = base.log_weights();
    return copy;
}

ResampleMove::ResampleMove(const parallel::Communicator& ranks, std::shared_ptr<const model::GrowingTarget> target,
                           std::shared_ptr<const Generator> generator, const PopulationSettings& settings,
                           const ResampleMoveSettings& growth)
    : ranks_(ranks),
      n_variables_(target->n_variables()),
      grown_(std::make_shared<model::GrownTarget>(std::move(target))),
      generator_(std::move(generator)),
      settings_(settings),
      growth_(growth),
      population_(population_of(ranks_, grown_)) {
    population_.append(settings.particles, settings.block);
    record_.base_particles = static_cast<double>(settings.particles);
    record_.threshold = generator_ ? growth.gamma_threshold : 0;
}

void ResampleMove::begin() {
    auto& base = population_.generation(0);
    const Index tick = take_ticks(1);
    parallel::together(ranks_, [&] {
        for (Index b = 0; b < base.local_blocks(); ++b)
            grown_->stage().draw_first(base.block(b), block_streams(base, b, settings_.seed, tick));
    });
    const auto all = static_cast<double>(settings_.particles);
    std::fill(base.log_weights().begin(), base.log_weights().end(), -std::log(all));
    ess_ = all;
    const auto& growing = grown_->growing();
    log_ratio_ = growing.log_normaliser_first() - growing.log_normaliser_empty();
}

void ResampleMove::step() {
    PEARLITE_EXPECTS(!finished());
    if (is_enlarging_)
        enlarge();
    else
        begin_stage();
    is_enlarging_ = wants_pass();
    if (!is_enlarging_)
        end_stage();
}

void ResampleMove::begin_stage() {
    auto& base = population_.generation(0);
    if (growth_.sweeps > 0)
        watch_.remember(ranks_, grown_->stage(), base, settings_.seed, tick_ + growth_.sweeps);
    make_sweeps(ranks_, grown_->stage(), base, growth_.sweeps, settings_.seed, take_ticks(growth_.sweeps));
    moved_ = static_cast<double>(settings_.particles);
    passes_ = 0;
    smooth(base);
    mobility_ = growth_.sweeps > 0 ? watch_.mobility(ranks_, base, log_smoothing_.front()) : unknown_mobility;
    measure_ = first_measure_ = measure();
    wanted_passes_ = passes_of_theorem();
}

void ResampleMove::smooth(population::Generation& particles) {
    const auto g = at(particles.number());
    log_smoothing_.resize(std::max(log_smoothing_.size(), g + 1));
    auto& log_w = log_smoothing_[g];
    log_w.assign(at(particles.local_size()), 0.0);
    const Index tick = take_ticks(1);
    parallel::together(ranks_, [&] {
        for (Index b = 0; b < particles.local_blocks(); ++b) {
            const auto of_block = particles.of_block(log_w, b);
            grown_->stage().smooth(particles.block(b), block_streams(particles, b, settings_.seed, tick), of_block);
            require_numbers(of_block, particles, b, n());
        }
    });
}

ResampleMove::Measure ResampleMove::measure() const {
    return measure(first_standing(), population_.n_generations());
}

ResampleMove::Measure ResampleMove::measure(Index begin, Index end) const {
    double log_max = log_zero;
    const auto each = [&](const auto& use) {
        for (Index g = begin; g < end; ++g)
            use(population_.generation(g), log_smoothing_[at(g)]);
    };
    each([&](const population::Generation& particles, const std::vector<double>& log_w) {
        for (std::size_t i = 0; i < log_w.size(); ++i)
            if (particles.log_weights()[i] > log_zero)
                log_max = std::max(log_max, log_w[i]);
    });
    log_max = ranks_.max(log_max);
    if (log_max == log_zero)
        throw NumericalError(fmt::format("no particle of {} variables has a positive weight", n()));
    population::BlockSums sums(3);
    each([&](const population::Generation& particles, const std::vector<double>& log_w) {
        for (Index b = 0; b < particles.local_blocks(); ++b) {
            const auto weights = particles.of_block(particles.log_weights(), b),
                       smoothing = particles.of_block(log_w, b);
            double first = 0, second = 0, squares = 0; // sums of W w, W w^2, (W w)^2
            for (std::size_t i = 0; i < weights.size(); ++i) {
                const double weight = std::exp(weights[i]), w = std::exp(smoothing[i] - log_max);
                first += weight * w;
                second += weight * w * w;
                squares += weight * weight * w * w;
            }
            sums.add(0, first);
            sums.add(1, second);
            sums.add(2, squares);
        }
    });
    const auto total = sums.total(ranks_);
    return {log_max + std::log(total[0]), std::min(1.0, total[0] * total[0] / total[1]),
            total[0] * total[0] / total[2]};
}

Index ResampleMove::passes_of_theorem() const {
    const double wanted = std::sqrt((1 / measure_.gamma - 1) / (1 / growth_.gamma_threshold - 1));
    return static_cast<Index>(std::min(static_cast<double>(growth_.most_passes), std::max(1.0, std::ceil(wanted))));
}

bool ResampleMove::wants_pass() const {
    if (!generator_ || passes_ == growth_.most_passes)
        return false;
    if (leaves_base_out())
        return passes_ < wanted_passes_;
    const double steps = static_cast<double>(n_variables_ - 1), base = static_cast<double>(settings_.particles);
    if (growth_.most_moved && passes_ > 0 && all_moved_ + moved_ >= *growth_.most_moved * steps * base)
        return false;
    return measure_.gamma < growth_.gamma_threshold;
}

void ResampleMove::enlarge() {
    double log_mean = first_measure_.log_mean;
    if (generator_->looks_ahead() && passes_ > 0) { // the base set has moved on
        smooth(population_.generation(0));
        log_mean = measure(0, 1).log_mean;
    }
    const Index tick = take_ticks(generator_->ticks(growth_.sweeps));
    const Enlargement pass{ranks_,
                           grown_->stage(),
                           population_,
                           log_smoothing_.front(),
                           log_mean,
                           measure_.gamma,
                           growth_.gamma_threshold,
                           settings_.block,
                           growth_.sweeps,
                           settings_.seed,
                           tick};
    if (passes_ == 0 && generator_->joins_base() && !leaves_base_out()) {
        append_copy_of_base(pass);
        log_smoothing_.resize(2);
        log_smoothing_[1] = log_smoothing_[0];
    }
    const Index standing = first_standing() == 0 ? 0 : standing_particles();
    auto& added = generator_->generate(pass);
    const auto old = static_cast<double>(standing), more = static_cast<double>(added.size());
    for (Index g = 1; g < population_.n_generations(); ++g) {
        auto& particles = population_.generation(g);
        const double log_share = std::log((&particles == &added ? more : old) / (old + more));
        for (double& log_weight : particles.log_weights())
            log_weight += log_share;
    }
    smooth(added);
    moved_ += more;
    ++passes_;
    measure_ = measure();
}

Index ResampleMove::standing_particles() const {
    Index all = 0;
    for (Index g = first_standing(); g < population_.n_generations(); ++g)
        all += population_.generation(g).size();
    return all;
}

void ResampleMove::end_stage() {
    log_ratio_ += measure_.log_mean;
    ess_ = measure_.ess;
    for (Index g = first_standing(); g < population_.n_generations(); ++g) {
        auto& log_weights = population_.generation(g).log_weights();
        for (std::size_t i = 0; i < log_weights.size(); ++i)
            log_weights[i] += log_smoothing_[at(g)][i] - measure_.log_mean;
    }
    const bool resamples =
        first_standing() > 0 || ess_ < growth_.resample_below * static_cast<double>(settings_.particles);
    record_stage(resamples);
    if (resamples)
        resample();
    augment();
    all_moved_ += moved_;
    if (finished()) {
        trace_.inverse_temperature = {1};
        trace_.log_ratio = {log_ratio_};
        trace_.ess = {ess_};
    }
}

void ResampleMove::resample() {
    std::vector<population::WeightedParticles> standing;
    for (Index g = first_standing(); g < population_.n_generations(); ++g)
        standing.push_back({&population_.generation(g).layout(), population_.generation(g).log_weights()});
    const auto numbers = population::offspring(ranks_, standing, 0, growth_.resampling, settings_.seed,
                                               static_cast<std::uint32_t>(take_ticks(1)), settings_.particles);
    auto& base = population_.generation(0);
    if (first_standing() == 0) {
        population::relocate(ranks_, base, numbers.front(), population_.particle_bytes());
    } else {
        Index slot = 0;
        for (Index g = 1; g < population_.n_generations(); ++g)
            slot = population::copy_offspring(ranks_, population_.generation(g), numbers[at(g - 1)], base,
                                              population_.particle_bytes(), slot);
        PEARLITE_ENSURES(slot == settings_.particles);
        population_.keep(1);
    }
    std::fill(base.log_weights().begin(), base.log_weights().end(),
              -std::log(static_cast<double>(settings_.particles)));
    parallel::together(ranks_, [&] { prepare_blocks(*grown_, base); });
}

void ResampleMove::augment() {
    auto& base = population_.generation(0);
    const Index tick = take_ticks(1);
    parallel::together(ranks_, [&] {
        for (Index b = 0; b < base.local_blocks(); ++b)
            grown_->stage().augment(base.block(b), block_streams(base, b, settings_.seed, tick));
        grown_->stage().grow();
        prepare_blocks(*grown_, base);
        population_.set_particle_bytes(grown_->particle_bytes());
    });
}

void ResampleMove::record_stage(bool resampled) {
    record_.particles.push_back(static_cast<double>(standing_particles()));
    record_.moved.push_back(moved_);
    record_.gamma.push_back(measure_.gamma);
    record_.first_gamma.push_back(first_measure_.gamma);
    record_.mobility.push_back(mobility_);
    record_.ess.push_back(measure_.ess);
    record_.relative_variance.push_back(1 / measure_.gamma - 1);
    record_.log_ratio.push_back(measure_.log_mean);
    record_.passes.push_back(passes_);
    record_.resampled.push_back(resampled ? 1 : 0);
}

Index ResampleMove::take_ticks(Index n) {
    return std::exchange(tick_, tick_ + n);
}

Progress ResampleMove::progress() const {
    Progress progress{n() - 1, n_variables_ - 1, static_cast<double>(n()) / static_cast<double>(n_variables_), ess_,
                      log_ratio_};
    progress.variables = n_variables_;
    return progress;
}

Outcome ResampleMove::outcome() const {
    Outcome outcome;
    outcome.ess = ess_;
    const auto variance = variance_of(record_);
    estimator::Estimate estimate{"resample-move", log_ratio_};
    constexpr double rounding = 1e-12;
    if (n_variables_ == 1 || variance.variance < rounding) {
        // Exact for independent variables. A rare particle that would weigh more looks the same until it is seen.
        if (n_variables_ > 1)
            outcome.warnings.emplace_back(
                "all smoothing weights that were seen are equal: exact if all are, and without a "
                "hint of the error if rare particles have others");
        estimate.note = "without variance: all smoothing weights that were seen are equal";
        estimate.standard_error = 0;
        estimate.interval95 = estimator::normal_interval(log_ratio_, 0);
        estimate.error_method = "none";
    } else {
        estimate.withhold_error(
            fmt::format("no error bar: one population knows only a lower bound of its error, {:.2g}; "
                        "take 8 replicates or more",
                        std::sqrt(variance.variance)));
    }
    outcome.log_ratio = {estimate};
    const double least = record_.gamma.empty() ? 1 : *std::ranges::min_element(record_.gamma);
    constexpr double fewest_effective = 10;
    if (least * static_cast<double>(settings_.particles) < fewest_effective)
        outcome.warnings.push_back(
            fmt::format("fewer than {:g} of the base set's {} particles were effective at a step (gamma {:.2g}): take "
                        "more particles, or more sweeps",
                        fewest_effective, settings_.particles, least));
    if (const auto frozen = frozen_step(record_))
        outcome.warnings.push_back(frozen->text());
    return outcome;
}

void ResampleMove::fields(Fields& f) {
    Index n_now = n();
    f("variables", n_now);
    f("is_enlarging", is_enlarging_);
    f("passes", passes_);
    f("wanted_passes", wanted_passes_);
    f("tick", tick_);
    f("moved", moved_);
    f("all_moved", all_moved_);
    f("log_ratio", log_ratio_);
    f("ess", ess_);
    f("log_mean", measure_.log_mean);
    f("gamma", measure_.gamma);
    f("measured_ess", measure_.ess);
    f("first_log_mean", first_measure_.log_mean);
    f("first_gamma", first_measure_.gamma);
    f("first_ess", first_measure_.ess);
    f("mobility", mobility_);
    if (f.is_reading()) {
        parallel::together(ranks_, [&] { grown_->go_to(n_now); });
        population_.set_particle_bytes(grown_->particle_bytes());
    }
    population_.fields(f);
    // In the midst of a step, the smoothing weights of all generations.
    log_smoothing_.resize(at(population_.n_generations()));
    for (Index g = 0; is_enlarging_ && g < population_.n_generations(); ++g) {
        auto& log_w = log_smoothing_[at(g)];
        log_w.resize(at(population_.generation(g).local_size()));
        f.sharded("log_smoothing_" + std::to_string(g),
                  population_.generation(g).array_field(log_w, ItemType::float64));
    }
    group(f, "growth", record_);
    group(f, "trace", trace_);
    if (f.is_reading())
        parallel::together(ranks_, [&] {
            for (Index g = 0; g < population_.n_generations(); ++g)
                prepare_blocks(*grown_, population_.generation(g));
        });
}

} // namespace pearlite::algorithm
