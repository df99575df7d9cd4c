#include "algorithm/resample_move/resample_move.hpp"

#include "algorithm/common/streams.hpp"
#include "parallel/agreement.hpp"

#include <fmt/format.h>

#include <cmath>

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

Added append_copy_of_base(const Enlargement& pass) {
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
    return {copy, slots_of_base(pass.parts)};
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
    const Index all = settings.particles, blocks = (all + settings.block - 1) / settings.block,
                half = blocks > 1 ? blocks / 2 * settings.block : all / 2; // a block's particles may share a scan order
    parts_ = is_crossed() ? std::vector<Part>{{0, half}, {half, all}} : std::vector<Part>{{0, all}};
    slots_ = {slots_of_base(parts_)};
    record_.base_particles = static_cast<double>(settings.particles);
    record_.threshold = generator_ ? growth.gamma_threshold : 0;
    record_.is_biased = generator_ && growth.allocation == ResampleMoveSettings::Allocation::threshold;
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
    auto parts = weight_sums(std::vector<std::int64_t>(parts_.size(), passes_));
    if (passes_ == 0)
        see_base_set(parts);
    decide(parts);
    is_enlarging_ = std::ranges::count(passes_of_part_, undecided) > 0;
    if (is_enlarging_)
        return;
    if (std::ranges::count(passes_of_part_, passes_) < std::ssize(parts_))
        parts = weight_sums(passes_of_part_);
    end_stage(parts);
}

void ResampleMove::begin_stage() {
    auto& base = population_.generation(0);
    if (growth_.sweeps > 0)
        watch_.remember(ranks_, grown_->stage(), base, settings_.seed, tick_ + growth_.sweeps);
    make_sweeps(ranks_, grown_->stage(), base, growth_.sweeps, settings_.seed, take_ticks(growth_.sweeps));
    moved_ = static_cast<double>(settings_.particles);
    passes_ = 0;
    passes_of_part_.assign(parts_.size(), undecided);
    smooth(base);
    mobility_ = growth_.sweeps > 0 ? watch_.mobility(ranks_, base, log_smoothing_.front()) : unknown_mobility;
}

void ResampleMove::see_base_set(const std::vector<WeightSums>& parts) {
    first_gamma_ = all_of(parts).gamma();
    for (std::size_t p = 0; p < parts_.size(); ++p)
        parts_[p].log_weight = std::log(parts[p].weight);
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

Generations ResampleMove::generations_after(Index passes) const {
    if (passes_ == 0)
        return {0, 1};
    const Index copies = keeps_base() ? 1 : 0;
    if (passes == 0)
        return {copies, copies + 1};
    return {joins_base() ? 1 : 1 + copies, 1 + copies + passes};
}

std::vector<Generations> ResampleMove::generations_after(std::span<const std::int64_t> passes) const {
    std::vector<Generations> of_part;
    for (const Index after : passes)
        of_part.push_back(generations_after(after));
    return of_part;
}

std::vector<WeightSums> ResampleMove::weight_sums(std::span<const std::int64_t> passes) const {
    return weight_sums_by_part(ranks_, population_, log_smoothing_, slots_, generations_after(passes));
}

WeightSums ResampleMove::all_of(const std::vector<WeightSums>& parts) const {
    auto all = parts.front();
    for (std::size_t p = 1; p < parts.size(); ++p)
        all = all + parts[p];
    if (!(all.first > 0))
        throw NumericalError(fmt::format("no particle of {} variables has a positive weight", n()));
    return all;
}

Index ResampleMove::passes_of_theorem() const {
    const double wanted = std::sqrt((1 / first_gamma_ - 1) / (1 / growth_.gamma_threshold - 1));
    return static_cast<Index>(std::min(static_cast<double>(growth_.most_passes), std::max(1.0, std::ceil(wanted))));
}

bool ResampleMove::is_large_enough(double deciding_gamma) const {
    if (!generator_ || passes_ == growth_.most_passes)
        return true;
    if (leaves_base_out())
        return passes_ >= passes_of_theorem();
    const double steps = static_cast<double>(n_variables_ - 1), base = static_cast<double>(settings_.particles);
    const double moved_now =
        base * static_cast<double>(1 + passes_); // not moved_, which may depend on a half's weights
    if (growth_.most_moved && passes_ > 0 && all_moved_ + moved_now >= *growth_.most_moved * steps * base)
        return true;
    return deciding_gamma >= growth_.gamma_threshold;
}

void ResampleMove::decide(const std::vector<WeightSums>& parts) {
    for (std::size_t p = 0; p < parts_.size(); ++p) {
        parts_[p].gamma = parts[(p + 1) % parts.size()].gamma(); // the other half's
        if (passes_of_part_[p] == undecided && is_large_enough(parts_[p].gamma))
            passes_of_part_[p] = passes_;
    }
}

std::vector<double> ResampleMove::next_shares() {
    auto& base = population_.generation(0);
    if (passes_ > 0) // it has moved on
        smooth(base);
    const std::vector<Generations> generations(parts_.size(), {0, 1});
    const auto now = weight_sums_by_part(ranks_, population_, log_smoothing_, slots_, generations);
    std::vector<double> shares;
    for (Index slot = 0; slot < base.local_size(); ++slot) {
        const auto p = slots_.front().part_of(base.layout().first_local_item() + slot, parts_.size());
        shares.push_back(static_cast<double>(parts_[p].size()) *
                         std::exp(base.log_weights()[at(slot)] + log_smoothing_.front()[at(slot)] - now[p].log_mean()));
    }
    return shares;
}

bool ResampleMove::keeps_base() const {
    return is_crossed() || joins_base();
}

void ResampleMove::enlarge() {
    std::vector<double> shares;
    if (generator_->looks_ahead())
        shares = next_shares();
    const Enlargement pass{ranks_,          grown_->stage(),
                           population_,     parts_,
                           shares,          growth_.gamma_threshold,
                           settings_.block, growth_.sweeps,
                           settings_.seed,  take_ticks(generator_->ticks(growth_.sweeps))};
    if (passes_ == 0 && keeps_base()) {
        slots_.push_back(append_copy_of_base(pass).slots);
        log_smoothing_.resize(1);
        log_smoothing_.push_back(log_smoothing_.front());
    }
    auto added = generator_->generate(pass);
    slots_.push_back(std::move(added.slots));
    smooth(added.particles);
    moved_ += static_cast<double>(added.particles.size());
    ++passes_;
}

void ResampleMove::end_stage(const std::vector<WeightSums>& parts) {
    const auto all = all_of(parts);
    log_ratio_ += all.log_mean();
    ess_ = all.ess();
    weigh(population_, log_smoothing_, slots_, generations_after(passes_of_part_), parts, all.log_mean());
    const bool resamples = passes_ > 0 || ess_ < growth_.resample_below * static_cast<double>(settings_.particles);
    record_stage(all, resamples);
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
    const Index first = passes_ > 0 ? 1 : 0;
    std::vector<population::WeightedParticles> standing;
    for (Index g = first; g < population_.n_generations(); ++g)
        standing.push_back({&population_.generation(g).layout(), population_.generation(g).log_weights()});
    const auto numbers = population::offspring(ranks_, standing, 0, growth_.resampling, settings_.seed,
                                               static_cast<std::uint32_t>(take_ticks(1)), settings_.particles);
    auto& base = population_.generation(0);
    if (first == 0) {
        population::relocate(ranks_, base, numbers.front(), population_.particle_bytes());
    } else {
        Index slot = 0;
        for (Index g = first; g < population_.n_generations(); ++g)
            slot = population::copy_offspring(ranks_, population_.generation(g), numbers[at(g - first)], base,
                                              population_.particle_bytes(), slot);
        PEARLITE_ENSURES(slot == settings_.particles);
        population_.keep(1);
        slots_.resize(1);
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

void ResampleMove::record_stage(const WeightSums& all, bool resampled) {
    record_.particles.push_back(all.particles);
    record_.moved.push_back(moved_);
    record_.gamma.push_back(all.gamma());
    record_.first_gamma.push_back(first_gamma_);
    record_.mobility.push_back(mobility_);
    record_.ess.push_back(all.ess());
    record_.relative_variance.push_back(1 / all.gamma() - 1);
    record_.log_ratio.push_back(all.log_mean());
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
    progress.updates_per_step = settings_.particles;
    return progress;
}

Found ResampleMove::found() {
    Found found;
    found.trace = &trace_;
    found.population = &population_;
    found.has_path = false;
    found.is_unbiased = true; // not exactly with the allocation `threshold`, whose stopping rule has a bias
    found.growth = &record_;
    found.target = grown_.get();
    return found;
}

Outcome ResampleMove::outcome() const {
    Outcome outcome;
    outcome.ess = ess_;
    const auto variance = variance_of(record_);
    estimator::Estimate estimate{"resample-move", log_ratio_};
    constexpr double rounding = 1e-12;
    if (n_variables_ == 1 || variance.variance < rounding) {
        // Exact for independent variables. A rare particle of larger weight would change this, but has not been seen.
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
    f("tick", tick_);
    f("moved", moved_);
    f("all_moved", all_moved_);
    f("log_ratio", log_ratio_);
    f("ess", ess_);
    f("passes_of_part", passes_of_part_);
    for (std::size_t p = 0; p < parts_.size(); ++p) {
        f("log_weight_" + std::to_string(p), parts_[p].log_weight);
        f("gamma_" + std::to_string(p), parts_[p].gamma);
    }
    f("first_gamma", first_gamma_);
    f("mobility", mobility_);
    if (f.is_reading()) {
        parallel::together(ranks_, [&] { grown_->go_to(n_now); });
        population_.set_particle_bytes(grown_->particle_bytes());
    }
    population_.fields(f);
    // In the midst of a step, the parts and the smoothing weights of all generations.
    log_smoothing_.resize(at(population_.n_generations()));
    slots_.resize(at(population_.n_generations()));
    for (Index g = 1; g < population_.n_generations(); ++g)
        f("slots_" + std::to_string(g), slots_[at(g)].ends());
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
