#include "algorithm/importance_squared/importance_squared.hpp"

#include "algorithm/common/streams.hpp"
#include "core/log_space.hpp"
#include "estimator/evidence/importance.hpp"
#include "parallel/agreement.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numeric>

namespace pearlite::algorithm {

namespace {

constexpr double largest_share = 0.1; ///< of one weight
/// The smallest share of effective draws without a warning: log weights then spread by two nats, and the largest
/// weights decide. In 100 runs in 100 dimensions, with 0.4 to 1.2 % effective draws, 17 had no other warning, and 3 of
/// these were 4 errors off.
constexpr double least_fraction = 0.02;

} // namespace

Outcome importance_outcome(const population::Shards& log_weights, const random::Seed& seed) {
    const Index n = log_weights.size();
    const auto replicates = std::clamp<Index>(20'000'000 / n, 200, 1000);
    const auto estimate = estimator::importance_estimate(log_weights, seed, static_cast<int>(replicates));
    Outcome outcome;
    outcome.log_ratio = {estimate.delta, estimate.bootstrap};
    for (auto& one : outcome.log_ratio) {
        one.estimator = "importance-squared";
        if (!one.note.empty() && !one.standard_error)
            one.note = fmt::format("no error bar: {:.1f} effective draws of {}", estimate.ess, n);
    }
    outcome.ess = estimate.ess;
    const auto summary = population::summarise(log_weights.ranks, log_weights.layout, log_weights.here);
    const double share = std::exp(summary.log_max - summary.log_sum);
    outcome.diagnostics = {{"ess_fraction", estimate.ess / static_cast<double>(n), {}},
                           {"largest_weight_share", share, {}},
                           {"skewness_of_mean_weight", estimate.skewness_of_mean, {}}};
    if (estimate.ess < 20)
        outcome.warnings.emplace_back(
            "the effective number of draws is below 20: the proposal misses the posterior, or "
            "the likelihood's estimate is too noisy");
    else if (estimate.skewness_of_mean > estimator::largest_skewness)
        outcome.warnings.emplace_back("the weights are skewed: the error bar is probably too small; use more draws, or "
                                      "a likelihood that is estimated more precisely");
    else if (estimate.ess < least_fraction * static_cast<double>(n))
        outcome.warnings.push_back(fmt::format(
            "{:.1f} % of the draws are effective, fewer than {:g} %: the largest weights may be missing, and the error "
            "bar too small; take more rounds of adaptation, or an algorithm along a path",
            100 * estimate.ess / static_cast<double>(n), 100 * least_fraction));
    if (share > largest_share)
        outcome.warnings.push_back(fmt::format(
            "one draw of {} has {:.0f} % of the weight: estimate and posterior hang on it", n, 100 * share));
    return outcome;
}

ImportanceSquared::ImportanceSquared(const parallel::Communicator& ranks,
                                     std::shared_ptr<const path::DensityPath> target, random::StudentMixture first,
                                     const PopulationSettings& settings, const ImportanceSettings& importance,
                                     std::shared_ptr<const PilotView> pilot)
    : ranks_(ranks),
      target_(std::move(target)),
      mixture_(std::move(first)),
      settings_(settings),
      importance_(importance),
      pilot_(std::move(pilot)),
      population_(population_of(ranks_, target_)),
      log_normaliser_(target_->log_normaliser_start().value_or(0)) {
    population_.append(settings.particles, settings.block);
}

void ImportanceSquared::step() {
    PEARLITE_EXPECTS(!finished());
    auto& particles = population_.generation(0);
    if (share_ == 0)
        begin_round(particles);
    parallel::together(ranks_, [&] { draw_share(particles); });
    ++step_;
    if (++share_ == shares_of_round())
        end_round(particles);
}

Progress ImportanceSquared::progress() const {
    Progress progress{step_, 0, 1, ess_, log_ratio_};
    for (Index round = 0; round <= importance_.rounds; ++round)
        progress.steps += shares(round);
    progress.updates_per_step = finished() ? 0 : draws_of_round(round_) / shares_of_round();
    // Without those of an incomplete round.
    progress.likelihoods = static_cast<Index>(std::accumulate(rounds_draws_.begin(), rounds_draws_.end(), 0.0));
    return progress;
}

Found ImportanceSquared::found() {
    return {.trace = &trace_,
            .has_path = false,
            .population = &population_,
            .is_unbiased = true,
            .prediction_seed = settings_.seed};
}

Outcome ImportanceSquared::outcome() const {
    const auto& particles = population_.generation(0);
    Outcome outcome = importance_outcome({ranks_, particles.layout(), particles.log_weights()}, settings_.seed);
    if (const auto same = common_log_likelihood())
        for (auto& estimate : outcome.log_ratio)
            estimate.set_flat(*same);
    if (pilot_)
        pilot_->judge(
            weights_of_peaks(),
            [&](auto x, double log_prior) { return log_normaliser_ + log_proposal(x, log_prior - log_normaliser_); },
            *target_, outcome);
    outcome.arrays.push_back({"importance/draws", rounds_draws_});
    outcome.arrays.push_back({"importance/ess", rounds_ess_});
    outcome.arrays.push_back({"importance/log_ratio", rounds_log_ratio_});
    return outcome;
}

void ImportanceSquared::fields(Fields& f) {
    f("round", round_);
    f("share", share_);
    f("step", step_);
    PEARLITE_EXPECTS(round_ >= 0 && round_ <= importance_.rounds + 1);
    PEARLITE_EXPECTS(share_ >= 0 && (finished() || share_ < shares_of_round()));
    f("rounds_draws", rounds_draws_);
    f("rounds_ess", rounds_ess_);
    f("rounds_log_ratio", rounds_log_ratio_);
    f("log_ratio", log_ratio_);
    f("ess", ess_);
    auto mixture = mixture_.values();
    f("mixture", mixture);
    mixture_ = random::StudentMixture::from_values(mixture, mixture_.dimension());
    population_.fields(f);
    group(f, "trace", trace_);
}

Index ImportanceSquared::blocks_of_round(Index round) const {
    const Index wanted = (importance_.draws_per_round + settings_.block - 1) / settings_.block;
    return round < importance_.rounds ? std::min(wanted, n_blocks()) : n_blocks();
}

bool ImportanceSquared::takes_part(Index block) const {
    const Index of_round = blocks_of_round(round_);
    return (block + 1) * of_round / n_blocks() > block * of_round / n_blocks();
}

Index ImportanceSquared::draws_of_round(Index round) const {
    return settings_.particles - (n_blocks() - blocks_of_round(round)) * settings_.block;
}

void ImportanceSquared::begin_round(population::Generation& particles) {
    for (Index b = 0; b < particles.local_blocks(); ++b) {
        const auto log_w = particles.of_block(particles.log_weights(), b);
        const bool draws = takes_part(particles.layout().first_local_block() + b);
        std::fill(log_w.begin(), log_w.end(), draws ? not_drawn : log_zero);
    }
}

void ImportanceSquared::draw_share(population::Generation& particles) {
    std::vector<Index> left;
    for (Index b = 0; b < particles.local_blocks(); ++b)
        if (std::isnan(particles.of_block(particles.log_weights(), b).front()))
            left.push_back(b);
    const auto shares_left = static_cast<std::size_t>(shares_of_round() - share_);
    left.resize((left.size() + shares_left - 1) / shares_left);
    for (const Index b : left)
        draw_block(particles, b);
}

void ImportanceSquared::draw_block(population::Generation& particles, Index b) {
    auto& block = path::points_of(particles.block(b));
    const auto streams = block_streams(particles, b, settings_.seed, round_ + 1);
    const auto log_w = particles.of_block(particles.log_weights(), b);
    for (Index i = 0; i < block.size(); ++i)
        draw(streams, i, point(block, i));
    target_->evaluate(block, block.points, 1, block.log_prior, block.log_likelihood, streams);
    std::vector<double> log_q(log_w.size());
    mixture_.log_densities(block.points.leftCols(block.size()), log_q);
    for (Index i = 0; i < block.size(); ++i)
        log_w[at(i)] = block.log_prior(i) + block.log_likelihood(i) - log_normaliser_ -
                       with_defence(log_q[at(i)], block.log_prior(i) - log_normaliser_);
    require_numbers(log_w, particles, b, round_ + 1);
}

std::span<double> ImportanceSquared::point(model::DensityBlock& block, Index i) const {
    return {block.points.col(i).data(), static_cast<std::size_t>(target_->dimension())};
}

void ImportanceSquared::draw(const model::BlockStreams& streams, Index i, std::span<double> x) const {
    random::Stream stream(streams.at(random::Purpose::start, i));
    if (importance_.defensive_share > 0 && stream.uniform() < importance_.defensive_share)
        target_->draw_prior(stream, x);
    else
        mixture_.draw(stream, x);
}

double ImportanceSquared::log_proposal(std::span<const double> x, double log_prior) const {
    return with_defence(mixture_.log_density(x), log_prior);
}

double ImportanceSquared::with_defence(double log_q, double log_prior) const {
    const double share = importance_.defensive_share;
    if (share == 0)
        return log_q;
    const double larger = std::max(log_q, log_prior);
    return larger + std::log((1 - share) * std::exp(log_q - larger) + share * std::exp(log_prior - larger));
}

void ImportanceSquared::end_round(population::Generation& particles) {
    const auto weights = population::summarise(ranks_, particles.layout(), particles.log_weights());
    if (weights.log_max == log_zero)
        throw NumericalError("no draw has a positive weight in round " + std::to_string(round_ + 1));
    const Index draws = draws_of_round(round_);
    share_ = 0;
    ++round_;
    record(weights, draws);
    if (!finished())
        adapt(weights);
}

void ImportanceSquared::adapt(const population::WeightSummary& weights) {
    const auto& particles = population_.generation(0);
    population::BlockSums sums(mixture_.statistics_size());
    std::vector<double> of_block;
    for (Index b = 0; b < particles.local_blocks(); ++b) {
        const auto& block = path::points_of(particles.block(b));
        const auto log_w = particles.of_block(particles.log_weights(), b);
        of_block.assign(mixture_.statistics_size(), 0.0);
        for (Index i = 0; i < block.size(); ++i)
            if (const double w = std::exp(log_w[static_cast<std::size_t>(i)] - weights.log_max); w > 0)
                mixture_.add_statistics({block.points.col(i).data(), static_cast<std::size_t>(target_->dimension())}, w,
                                        of_block);
        for (std::size_t k = 0; k < of_block.size(); ++k)
            sums.add(k, of_block[k]);
    }
    auto total = sums.total(ranks_);
    if (pilot_)
        pilot_->add_statistics(mixture_, std::exp(weights.log_sum - weights.log_max), weights.ess, total);
    mixture_ = mixture_.updated(total);
}

std::optional<double> ImportanceSquared::common_log_likelihood() const {
    const auto& particles = population_.generation(0);
    std::array<double, 2> largest{log_zero, log_zero}; // of the log likelihoods, and of their negatives
    for (Index b = 0; b < particles.local_blocks(); ++b) {
        const auto& block = path::points_of(particles.block(b));
        for (Index i = 0; i < block.size(); ++i)
            if (block.log_prior(i) > log_zero) {
                largest[0] = std::max(largest[0], block.log_likelihood(i));
                largest[1] = std::max(largest[1], -block.log_likelihood(i));
            }
    }
    ranks_.max(std::span<double>(largest));
    return largest[0] == -largest[1] ? std::optional(largest[0]) : std::nullopt;
}

WeightsOfPeaks ImportanceSquared::weights_of_peaks() const {
    const auto& particles = population_.generation(0);
    const auto n = static_cast<std::size_t>(pilot_->peaks().size());
    WeightsOfPeaks found{population::summarise(ranks_, particles.layout(), particles.log_weights()).log_max, {}, {}};
    population::BlockSums sums(2 * n);
    std::vector<double> of_block;
    for (Index b = 0; b < particles.local_blocks(); ++b) {
        const auto& block = path::points_of(particles.block(b));
        const auto log_w = particles.of_block(particles.log_weights(), b);
        of_block.assign(2 * n, 0.0);
        for (Index i = 0; i < block.size(); ++i)
            if (const double w = std::exp(log_w[at(i)] - found.log_max); w > 0) {
                const auto peak = at(
                    pilot_->peaks().of({block.points.col(i).data(), static_cast<std::size_t>(target_->dimension())}));
                of_block[peak] += w;
                of_block[n + peak] += w * w;
            }
        for (std::size_t k = 0; k < of_block.size(); ++k)
            sums.add(k, of_block[k]);
    }
    const auto total = sums.total(ranks_);
    found.sums.assign(total.begin(), total.begin() + static_cast<std::ptrdiff_t>(n));
    found.squares.assign(total.begin() + static_cast<std::ptrdiff_t>(n), total.end());
    return found;
}

void ImportanceSquared::record(const population::WeightSummary& weights, Index draws) {
    log_ratio_ = weights.log_sum - std::log(static_cast<double>(draws));
    if (finished())
        log_ratio_ = common_log_likelihood().value_or(log_ratio_);
    ess_ = weights.ess;
    rounds_draws_.push_back(static_cast<double>(draws));
    rounds_ess_.push_back(ess_);
    rounds_log_ratio_.push_back(log_ratio_);
    if (!finished())
        return;
    trace_.inverse_temperature = {1};
    trace_.log_ratio = {log_ratio_};
    trace_.ess = {ess_};
    population::BlockSums sums(3);
    const auto& particles = population_.generation(0);
    for (Index b = 0; b < particles.local_blocks(); ++b) {
        const auto& block = path::points_of(particles.block(b));
        const auto log_w = particles.of_block(particles.log_weights(), b);
        double weight = 0, first = 0, second = 0;
        for (Index i = 0; i < block.size(); ++i)
            if (const double w = std::exp(log_w[static_cast<std::size_t>(i)] - weights.log_max); w > 0) {
                weight += w;
                first += w * block.log_likelihood(i);
                second += w * block.log_likelihood(i) * block.log_likelihood(i);
            }
        sums.add(0, weight);
        sums.add(1, first);
        sums.add(2, second);
    }
    const auto total = sums.total(ranks_);
    const double mean = total[1] / total[0];
    trace_.mean_u = {mean};
    trace_.variance_u = {std::max(0.0, total[2] / total[0] - mean * mean)};
}

} // namespace pearlite::algorithm
