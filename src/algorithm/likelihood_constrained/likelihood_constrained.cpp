#include "algorithm/likelihood_constrained/likelihood_constrained.hpp"

#include "algorithm/common/streams.hpp"
#include "core/log_space.hpp"
#include "parallel/agreement.hpp"
#include "population/selection.hpp"

namespace pearlite::algorithm {

namespace {

/// The part of a run's seed for labels: beside that of the prior stage.
constexpr std::uint64_t part_of_labels = (std::uint64_t{1} << 62) + 1;
/// At the end: replicates have equally many, though their levels exclude different numbers.
constexpr Index draws_of_a_particle = 4;

} // namespace

LikelihoodConstrained::LikelihoodConstrained(const parallel::Communicator& ranks,
                                             std::shared_ptr<const path::DensityPath> target,
                                             std::optional<Levels> levels, const MakeKernel& make_kernel,
                                             const PopulationSettings& settings, const ConstraintSettings& constraint)
    : ranks_(ranks),
      target_(std::move(target)),
      levels_(std::move(levels)),
      prior_(std::make_shared<ConstrainedPrior>(target_)),
      kernel_(make_kernel(prior_)),
      settings_(settings),
      constraint_(constraint),
      population_(population_of(ranks_, target_)),
      starts_(ranks_, target_, settings.seed, settings.most_prior_draws),
      watch_(prior_, true) {
    population_.append(settings.particles, settings.block);
    log_likelihoods_.resize(at(particles().local_size()));
}

void LikelihoodConstrained::begin() {
    parallel::together(ranks_, [&] {
        for (Index b = 0; b < particles().local_blocks(); ++b)
            target_->draw_start(particles().block(b), block_streams(particles(), b, settings_.seed, 0));
        read_likelihoods();
    });
    evaluations_ = static_cast<double>(settings_.particles);
    starts_.begin(particles(), log_likelihoods_);
    if (!starts_.is_looking())
        look(nullptr);
}

void LikelihoodConstrained::read_likelihoods() {
    for (Index b = 0; b < particles().local_blocks(); ++b)
        target_->path_derivative(particles().block(b), 0, particles().of_block(log_likelihoods_, b));
}

void LikelihoodConstrained::step() {
    PEARLITE_EXPECTS(!finished());
    if (starts_.is_looking()) {
        starts_.step(particles());
        if (starts_.is_looking())
            return;
        log_mass_ = starts_.log_share();
        evaluations_ += static_cast<double>(starts_.evaluations());
        look(parallel::failure_of([&] { read_likelihoods(); }));
        return;
    }
    if (!is_last_level())
        raise(levels_ ? (*levels_)[at(t_)] : next_level());
    if (died_out_ || is_last_level())
        end();
}

void LikelihoodConstrained::look(const std::exception_ptr& failure) {
    std::array<double, 1> further{log_zero};
    for (const double log_likelihood : log_likelihoods_)
        further[0] = std::max(further[0], -log_likelihood);
    likelihoods_ = population::summarise(ranks_, particles().layout(), log_likelihoods_, failure, further);
    lowest_ = -further[0];
    log_ratio_ = log_add(log_evidence_, log_mass_ + likelihoods_.log_mean);
}

bool LikelihoodConstrained::is_last_level() const {
    if (levels_)
        return t_ == std::ssize(*levels_);
    if (log_mass_ + likelihoods_.log_max <= std::log(constraint_.remainder) + log_evidence_)
        return true;
    // All particles on a plateau, perhaps beside a peak that none of them has met: it is divided so far that they
    // would.
    constexpr double divided = 1e-4;
    if (likelihoods_.log_max == lowest_)
        return level_.share_of(lowest_) <= divided;
    constexpr double flat = 0.2; // nats
    return likelihoods_.log_max - lowest_ <= flat;
}

Level LikelihoodConstrained::next_level() const {
    const auto n = static_cast<double>(settings_.particles);
    const std::vector<std::int64_t> ones(log_likelihoods_.size(), 1);
    const double p = 1 - constraint_.survivors;
    const double level = population::weighted_quantiles(ranks_, {log_likelihoods_}, ones, std::span(&p, 1)).front();
    std::array<std::int64_t, 2> counts{0, 0}; // above, and at the level
    for (const double log_likelihood : log_likelihoods_) {
        counts[0] += log_likelihood > level ? 1 : 0;
        counts[1] += log_likelihood == level ? 1 : 0;
    }
    ranks_.sum(std::span<std::int64_t>(counts));
    const auto above = static_cast<double>(counts[0]), tied = static_cast<double>(counts[1]);
    const double wanted = constraint_.survivors * n;
    constexpr double enough = 0.5; // of those that shall survive
    if (above >= enough * wanted)
        return {level, 0};
    return {level, level_.share_of(level) * (wanted - above) / tied};
}

std::vector<bool> LikelihoodConstrained::are_above(const Level& level) const {
    const auto seed = random::derive_seed(settings_.seed, part_of_labels);
    std::vector<bool> above;
    for (const double log_likelihood : log_likelihoods_) {
        const double kept = level.share_of(log_likelihood) / level_.share_of(log_likelihood);
        if (kept == 0 || kept == 1) {
            above.push_back(kept == 1);
            continue;
        }
        const auto slot = static_cast<std::uint64_t>(particles().layout().first_local_item() + std::ssize(above));
        random::Stream stream({seed, random::Purpose::resample, slot, static_cast<std::uint32_t>(t_)});
        above.push_back(stream.uniform() < kept);
    }
    return above;
}

void LikelihoodConstrained::raise(const Level& level) {
    ++t_;
    const auto above = are_above(level);
    level_ = level;
    prior_->set_level(level);
    auto& log_weights = particles().log_weights();
    const double log_n = std::log(static_cast<double>(settings_.particles));
    std::vector<double> of_survivors;
    for (std::size_t i = 0; i < log_weights.size(); ++i) {
        log_weights[i] = above[i] ? log_zero : log_mass_ + log_likelihoods_[i] - log_n;
        of_survivors.push_back(above[i] ? 0 : log_zero);
    }
    add_weighted();
    keep_weighted();
    const Index survivors = ranks_.sum(std::ranges::count(above, true));
    record_.log_likelihood.push_back(level.log_likelihood);
    record_.share.push_back(level.share);
    if (survivors == 0) {
        died_out_ = true;
        record_.log_mass.push_back(log_zero);
        return;
    }
    log_mass_ += std::log(static_cast<double>(survivors)) - log_n;
    record_.log_mass.push_back(log_mass_);
    const auto numbers =
        population::offspring(ranks_, particles().layout(), 0, of_survivors, population::Resampling::systematic,
                              settings_.seed, static_cast<std::uint32_t>(t_), {}, 0.0);
    population::relocate(ranks_, particles(), numbers, population_.particle_bytes());
    auto failure = parallel::failure_of([&] {
        prepare_blocks(*target_, particles());
        read_likelihoods();
    });
    kernel_->adapt(ranks_, particles(), t_);
    move(std::move(failure));
    look(nullptr);
}

void LikelihoodConstrained::add_weighted() {
    const auto weights = population::summarise(ranks_, particles().layout(), particles().log_weights());
    const bool any = weights.log_max > log_zero;
    if (any)
        log_evidence_ = log_add(log_evidence_, weights.log_sum);
    record_.log_excluded.push_back(any ? weights.log_sum : log_zero);
    record_.log_excluded_squares.push_back(any ? std::log(static_cast<double>(settings_.particles)) - log_mass_ +
                                                     2 * weights.log_sum - std::log(weights.ess)
                                               : log_zero);
}

void LikelihoodConstrained::keep_weighted() {
    if (!constraint_.keeps_draws)
        return;
    std::vector<Index> copies;
    Index kept = 0;
    for (const double log_weight : particles().log_weights()) {
        copies.push_back(log_weight > log_zero ? 1 : 0);
        kept += copies.back();
    }
    kept = ranks_.sum(kept);
    if (kept == 0)
        return;
    auto& draws = population_.append(kept, settings_.block);
    population::copy_offspring(ranks_, particles(), copies, draws, population_.particle_bytes(), 0,
                               particles().log_weights());
    parallel::together(ranks_, [&] { prepare_blocks(*target_, draws); });
}

void LikelihoodConstrained::move(std::exception_ptr failure) {
    const Index blocks = particles().local_blocks();
    if (!failure)
        failure = parallel::failure_of([&] {
            for (Index b = 0; b < blocks && watch_.watches(particles(), b); ++b)
                watch_.remember(particles(), b, 0);
        });
    accepted_.assign(at(blocks), 0);
    Index made = 0;
    for (bool again = true; again;) {
        on_the_fly_.drop();
        const Index moves = kernel_->moves() - made;
        std::array<std::int64_t, 1> accepted{0};
        if (!failure)
            failure = parallel::failure_of([&] {
                accepted[0] = move_once();
                sum_up();
            });
        const auto sums = on_the_fly_.sum(ranks_, {}, watch_.n_sums(), accepted, failure);
        made = kernel_->moves();
        auto motion = sums.motion();
        motion.acceptance = static_cast<double>(accepted[0]) / static_cast<double>(settings_.particles * moves);
        again = kernel_->tunes() && kernel_->tune(motion, kernel::Motion::nan);
        if (!again)
            on_the_fly_.append(sums, {}, settings_.particles, log_mass_, kernel_->accepts(), motion_);
    }
    evaluations_ += static_cast<double>(settings_.particles * made) * kernel_->evaluations_per_move();
}

Index LikelihoodConstrained::move_once() {
    Index all = 0;
    for (Index b = 0; b < particles().local_blocks(); ++b) {
        const Index accepted = kernel_->move(particles().block(b), 0, block_streams(particles(), b, settings_.seed, t_),
                                             particles().of_block(log_likelihoods_, b));
        accepted_[at(b)] += accepted;
        all += accepted;
    }
    return all;
}

void LikelihoodConstrained::sum_up() {
    on_the_fly_.begin(static_cast<double>(t_), kernel_->moves(), settings_.particles);
    for (Index b = 0; b < particles().local_blocks(); ++b) {
        const auto log_weights = particles().of_block(particles().log_weights(), b);
        const auto likelihoods = particles().of_block(log_likelihoods_, b);
        on_the_fly_.add_block(log_weights, likelihoods, accepted_[at(b)],
                              watch_.watches(particles(), b)
                                  ? watch_.compare(particles(), b, log_weights, likelihoods, kernel_->shape())
                                  : BlockMotion{});
    }
}

void LikelihoodConstrained::end() {
    if (!died_out_) {
        auto& log_weights = particles().log_weights();
        for (std::size_t i = 0; i < log_weights.size(); ++i)
            log_weights[i] = log_mass_ + log_likelihoods_[i] - std::log(static_cast<double>(settings_.particles));
        add_weighted();
        keep_weighted();
    }
    log_ratio_ = log_evidence_;
    finished_ = true;
    found_levels_ = needed_levels(record_, starts_.log_share());
    if (constraint_.keeps_draws)
        unite_draws();
    trace_.inverse_temperature = {1};
    trace_.log_ratio = {log_ratio_};
    trace_.ess = {ess_};
}

void LikelihoodConstrained::unite_draws() {
    Index n = 0;
    for (Index g = 1; g < population_.n_generations(); ++g)
        n += population_.generation(g).size();
    auto of_levels = population_of(ranks_, target_);
    auto& weighted = of_levels.append(n, settings_.block);
    Index slot = 0;
    for (Index g = 1; g < population_.n_generations(); ++g) {
        const auto& of_level = population_.generation(g);
        const std::vector<Index> one_of_each(of_level.log_weights().size(), 1);
        slot = population::copy_offspring(ranks_, of_level, one_of_each, weighted, population_.particle_bytes(), slot,
                                          of_level.log_weights());
    }
    PEARLITE_ENSURES(slot == n);
    constexpr bool are_slots = true;
    const population::Families families(ranks_, settings_.particles, weighted.eves(), are_slots);
    families_ = population::family_weights(ranks_, weighted.layout(), weighted.log_weights(), families);
    ess_ = population::summarise(ranks_, weighted.layout(), weighted.log_weights()).ess;

    auto united = population_of(ranks_, target_);
    auto& draws = united.append(draws_of_a_particle * settings_.particles, settings_.block);
    const auto numbers =
        population::offspring(ranks_, weighted.layout(), 0, weighted.log_weights(), population::Resampling::systematic,
                              settings_.seed, static_cast<std::uint32_t>(t_ + 1), draws.size());
    population::copy_offspring(ranks_, weighted, numbers, draws, population_.particle_bytes());
    std::ranges::fill(draws.log_weights(), log_ratio_ - std::log(static_cast<double>(draws.size())));
    parallel::together(ranks_, [&] { prepare_blocks(*target_, draws); });
    population_ = std::move(united);
    log_likelihoods_.clear();
}

void LikelihoodConstrained::fields(Fields& f) {
    f("level", t_);
    f("finished", finished_);
    f("died_out", died_out_);
    f("log_mass", log_mass_);
    f("log_evidence", log_evidence_);
    f("log_ratio", log_ratio_);
    f("ess", ess_);
    f("evaluations", evaluations_);
    f("families", families_.families);
    f("families_squares", families_.squares);
    f("families_cubes", families_.cubes);
    f("families_fourth_powers", families_.fourth_powers);
    PEARLITE_EXPECTS(t_ >= 0 && (!levels_ || t_ <= std::ssize(*levels_)));
    starts_.fields(f, particles());
    population_.fields(f);
    f("found_levels", found_levels_);
    group(f, "record", record_);
    group(f, "motion", motion_);
    group(f, "trace", trace_);
    group(f, "kernel", *kernel_);
    if (!f.is_reading())
        return;
    PEARLITE_EXPECTS(record_.size() == t_);
    if (t_ > 0)
        level_ = {record_.log_likelihood.back(), record_.share.back()};
    log_likelihoods_.resize(finished_ && constraint_.keeps_draws ? 0 : at(particles().local_size()));
    auto failure = parallel::failure_of([&] {
        for (Index g = 0; g < population_.n_generations(); ++g)
            prepare_blocks(*target_, population_.generation(g));
        if (!log_likelihoods_.empty())
            read_likelihoods();
    });
    if (finished_ || starts_.is_looking())
        return parallel::agree(ranks_, failure);
    look(failure);
}

} // namespace pearlite::algorithm
