#include "algorithm/smc/waste_free.hpp"

#include "algorithm/common/streams.hpp"
#include "parallel/agreement.hpp"

#include <fmt/format.h>

#include <cmath>

namespace pearlite::algorithm {

namespace {

parallel::BlockLayout starts_layout(const parallel::Communicator& ranks, const PopulationSettings& settings,
                                    Index chain_length) {
    PEARLITE_EXPECTS(chain_length >= 2 && settings.particles >= 2 * chain_length &&
                     settings.particles % chain_length == 0);
    return {settings.particles / chain_length, settings.block, ranks.size(), ranks.rank()};
}

} // namespace

WasteFree::WasteFree(const parallel::Communicator& ranks, std::shared_ptr<const model::Target> target,
                     path::Temperatures schedule, const kernel::Kernel& kernel, const PopulationSettings& settings,
                     const WasteFreeSettings& waste_free)
    : TemperedPopulation(ranks, std::move(target), std::move(schedule), kernel, settings, waste_free.chain_length),
      waste_free_(waste_free),
      heads_(starts_layout(ranks, settings, waste_free.chain_length), 0, population_.make_block()),
      packed_(population_.particle_bytes()) {}

void WasteFree::begin() {
    TemperedPopulation::begin();
    record(1);
}

void WasteFree::step() {
    if (starts_.is_looking()) {
        if (find_starts()) {
            variance_ = starts_.variance();
            record(1);
        }
        return;
    }
    const auto weights = weight_next();
    log_ratio_ += weights.log_mean;
    const auto variance = weight_variance(weights.log_mean);
    variance_ += variance.long_run / static_cast<double>(settings_.particles);

    kernel_->adapt(ranks_, population_.generation(0), t_);
    resample();
    make_chains();
    record(variance.tau());
}

Progress WasteFree::progress() const {
    auto progress = progress_of((settings_.particles - n_chains()) * kernel_->moves());
    progress.likelihoods = settings_.particles + starts_.evaluations() + t_ * progress.updates_per_step;
    return progress;
}

Found WasteFree::found() {
    auto found = TemperedPopulation::found();
    found.chain_length = waste_free_.chain_length;
    return found;
}

double WasteFree::longest_tau() const {
    return *std::max_element(trace_.weight_tau.begin(), trace_.weight_tau.end());
}

bool WasteFree::has_error() const {
    return static_cast<double>(waste_free_.chain_length) >= estimator::min_autocorrelation_times * longest_tau();
}

LogRatioSoFar WasteFree::log_ratio_so_far() {
    if (t_ == 0 || !has_error())
        return {log_ratio_, {}};
    return {log_ratio_, std::sqrt(variance_)};
}

Outcome WasteFree::outcome() const {
    const double tau = longest_tau();
    estimator::Estimate estimate{"product", log_ratio_, {}, {}, "autocovariances", ""};
    if (!has_error())
        estimate.note = fmt::format("no error bar from one run: chains of {} states are shorter than {} times the "
                                    "autocorrelation time {:.2g} of their weights; use longer chains, or replicates",
                                    waste_free_.chain_length, estimator::min_autocorrelation_times, tau);
    else {
        estimate.standard_error = std::sqrt(variance_);
        estimate.interval95 = estimator::normal_interval(log_ratio_, *estimate.standard_error);
    }
    auto outcome = outcome_of({estimate});
    judge_likelihood(std::nullopt, outcome);
    outcome.diagnostics.push_back({"weight_autocorrelation_time", tau, {}});
    return outcome;
}

void WasteFree::fields(Fields& f) {
    position_fields(f);
    f("log_ratio_variance", variance_);
    f("ess", ess_);
    population_.fields(f);
    group(f, "trace", trace_);
    group(f, "kernel", *kernel_);
    if (f.is_reading())
        parallel::together(ranks_, [&] { prepare_blocks(*target_, population_.generation(0)); });
}

estimator::ChainVariance WasteFree::weight_variance(double log_mean) const {
    const auto& log_w = population_.generation(0).log_weights();
    const Index P = waste_free_.chain_length;
    Matrix w(P, static_cast<Index>(log_w.size()) / P);
    std::transform(log_w.begin(), log_w.end(), w.data(), [&](double x) { return std::exp(x - log_mean); });
    auto variance = estimator::chain_variance(ranks_, w);
    if (t_ == 1)
        variance.long_run = variance.of_a_state;
    return variance;
}

void WasteFree::resample() {
    auto& particles = population_.generation(0);
    const auto numbers =
        population::offspring(ranks_, particles.layout(), particles.number(), particles.log_weights(),
                              waste_free_.resampling, settings_.seed, static_cast<std::uint32_t>(t_), n_chains());
    population::copy_offspring(ranks_, particles, numbers, heads_, population_.particle_bytes());
    std::fill(particles.log_weights().begin(), particles.log_weights().end(), 0.0);
}

void WasteFree::make_chains() {
    auto& particles = population_.generation(0);
    const Index P = waste_free_.chain_length;
    on_the_fly_.begin(a_, (P - 1) * kernel_->moves(), n_chains());
    parallel::together(ranks_, [&] {
        prepare_blocks(*target_, heads_);
        Index accepted = 0;
        std::vector<double> derivative;
        for (Index b = 0; b < heads_.local_blocks(); ++b) {
            auto& block = heads_.block(b);
            derivative.resize(static_cast<std::size_t>(block.size()));
            target_->path_derivative(block, a_, derivative);
            keep(b, 0, derivative);
            for (Index k = 1; k < P; ++k) {
                accepted += kernel_->move(block, a_, block_streams(heads_, b, settings_.seed, t_ * P + k), derivative);
                keep(b, k, derivative);
            }
        }
        prepare_blocks(*target_, particles);
        for (Index b = 0; b < particles.local_blocks(); ++b)
            on_the_fly_.add_block(particles.of_block(particles.log_weights(), b), particles.of_block(derivatives_, b),
                                  std::exchange(accepted, 0));
    });
}

void WasteFree::keep(Index block, Index k, std::span<const double> derivative) {
    auto& particles = population_.generation(0);
    for (std::size_t i = 0; i < derivative.size(); ++i) {
        const Index head = heads_.block_begin(block) + static_cast<Index>(i);
        const Index slot = head * waste_free_.chain_length + k;
        heads_.pack(head, packed_);
        particles.unpack(slot, packed_);
        particles.eves()[static_cast<std::size_t>(slot)] = heads_.eves()[static_cast<std::size_t>(head)];
        derivatives_[static_cast<std::size_t>(slot)] = derivative[i];
    }
}

void WasteFree::record(double weight_tau) {
    on_the_fly_.flush(ranks_, settings_.particles, log_ratio_, kernel_->accepts(), trace_);
    if (t_ > 0)
        trace_.ess.back() = ess_; // of the weighting; afterwards weights are equal
    trace_.weight_tau.push_back(weight_tau);
}

} // namespace pearlite::algorithm
