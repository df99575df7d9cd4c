#include "algorithm/pilot/survey.hpp"

#include "algorithm/common/streams.hpp"
#include "core/log_space.hpp"
#include "parallel/agreement.hpp"
#include "path/optimal/optimal_schedule.hpp"

#include <cmath>
#include <set>

namespace pearlite::algorithm {

namespace {

using Holds = SurveySettings::Holds;

constexpr double taus_of_a_hold = 20;
constexpr Index first_look = 16; // sweeps of a hold, then twice as many, ...
constexpr double even_share = 0.5;
/// Width of the window that smooths g to place knots and steps, as a share of the path's length.
constexpr double rough_smoothing = 0.05;

/// Variance of the finite log weights; a likelihood may be zero at a start.
double variance_of(std::span<const double> log_weights) {
    double n = 0, sum = 0, squares = 0;
    for (const double log_weight : log_weights)
        if (std::isfinite(log_weight)) {
            n += 1;
            sum += log_weight;
        }
    for (const double log_weight : log_weights)
        if (std::isfinite(log_weight))
            squares += (log_weight - sum / n) * (log_weight - sum / n);
    return n > 1 ? squares / (n - 1) : 0;
}

} // namespace

void Survey::Hold::fields(Fields& f) {
    f("is_on", is_on);
    f("sweeps", sweeps);
    f("u", u);
    f("sum", sum);
}

Survey::Survey(const parallel::Communicator& ranks, std::shared_ptr<const model::Target> target, double end,
               MakeKernel make_kernel, const SurveySettings& settings, const std::optional<path::PathProfile>& rough)
    : ranks_(ranks),
      target_(std::move(target)),
      end_(end),
      make_kernel_(std::move(make_kernel)),
      settings_(settings),
      population_(population_of(ranks_, target_)) {
    PEARLITE_EXPECTS(settings.trajectories >= 2 && settings.steps >= 3);
    population_.append(settings.trajectories, settings.block);
    const bool has_short_pass = settings.holds == Holds::tau && !rough;
    if (rough)
        record_.learnt_at = rough->inverse_temperature;
    if (rough)
        begin_pass(refined(*rough), true);
    else
        begin_pass(path::linear_schedule(std::max<Index>(3, has_short_pass ? settings.steps / 4 : settings.steps), end),
                   !has_short_pass);
    if (is_last_pass_)
        place_knots(rough);
}

/// Even shares of both kinds of steps: a floor of a half.
path::Schedule Survey::refined(const path::PathProfile& rough) const {
    return path::equal_length_schedule(settings_.steps, rough.inverse_temperature, rough.speed_limit(false),
                                       {.floor = even_share, .cap = {}});
}

void Survey::begin_pass(path::Schedule schedule, bool is_last) {
    schedule_ = std::move(schedule);
    is_last_pass_ = is_last;
    kernel_ = make_kernel_(schedule_);
    PEARLITE_EXPECTS(!kernel_->tunes());
    k_ = 0;
    held_sweeps_ = 0;
    trace_ = {};
    half_difference_.clear();
    log_weight_variance_.clear();
}

void Survey::place_knots(const std::optional<path::PathProfile>& rough) {
    knot_steps_.clear();
    if (settings_.holds == Holds::none)
        return;
    std::set<Index> steps;
    const auto& points = schedule_.points();
    const auto add = [&](double b) {
        const auto after = std::lower_bound(points.begin(), points.end(), b);
        const auto nearest =
            after == points.begin() || (after != points.end() && *after - b < b - *(after - 1)) ? after : after - 1;
        steps.insert(std::max<Index>(1, nearest - points.begin())); // the states at b_0 are independent draws
    };
    const Index even = settings_.holds == Holds::mean ? settings_.knots - 1 : (settings_.knots + 1) / 2;
    for (Index j = 1; j <= even; ++j)
        add(end_ * static_cast<double>(j) / static_cast<double>(even));
    if (settings_.holds == Holds::tau && rough) {
        const auto lengths =
            path::equal_length_schedule(std::max<Index>(1, settings_.knots - even), rough->inverse_temperature,
                                        rough->speed_limit(false), {.floor = 0, .cap = {}});
        for (Index j = 1; j < lengths.steps(); ++j)
            add(lengths[j]);
        add(0); // the first step
    }
    knot_steps_.assign(steps.begin(), steps.end());
}

bool Survey::is_knot(Index k) const {
    return is_last_pass_ && std::binary_search(knot_steps_.begin(), knot_steps_.end(), k);
}

void Survey::begin() {
    auto& particles = population_.generation(0);
    evaluations_ += static_cast<double>(settings_.trajectories);
    const auto seed = random::derive_seed(settings_.seed, is_last_pass_ ? 1 : 0);
    std::fill(particles.log_weights().begin(), particles.log_weights().end(), 0.0);
    derivatives_.assign(static_cast<std::size_t>(particles.local_size()), 0.0);
    parallel::together(ranks_, [&] {
        for (Index b = 0; b < particles.local_blocks(); ++b) {
            auto& block = particles.block(b);
            target_->draw_start(block, block_streams(particles, b, seed, 0));
            target_->path_derivative(block, schedule_[0], particles.of_block(derivatives_, b));
        }
    });
    PriorStage starts(ranks_, target_, seed, settings_.most_prior_draws);
    starts.begin(particles, derivatives_);
    if (starts.is_looking()) {
        starts.complete(particles);
        evaluations_ += static_cast<double>(starts.evaluations());
        parallel::together(ranks_, [&] {
            for (Index b = 0; b < particles.local_blocks(); ++b)
                target_->path_derivative(particles.block(b), schedule_[0], particles.of_block(derivatives_, b));
        });
    }
    record();
}

void Survey::step() {
    PEARLITE_EXPECTS(!finished());
    if (is_holding())
        sweep();
    else if (k_ < schedule_.steps())
        next_temperature();
    else {
        const auto rough = measured();
        begin_pass(refined(rough), true);
        place_knots(rough);
        begin();
    }
    if (finished())
        make_record();
}

void Survey::next_temperature() {
    ++k_;
    kernel_->adapt(ranks_, population_.generation(0), k_);
    move(k_, true);
    record();
    hold_ = {};
    hold_.is_on = is_knot(k_);
}

void Survey::move(Index address, bool weighs) {
    auto& particles = population_.generation(0);
    const auto seed = random::derive_seed(settings_.seed, is_last_pass_ ? 1 : 0);
    const double from = schedule_[k_ - 1], to = schedule_[k_];
    evaluations_ += static_cast<double>(updates_per_step()) * kernel_->evaluations_per_move();
    parallel::together(ranks_, [&] {
        for (Index b = 0; b < particles.local_blocks(); ++b) {
            auto& block = particles.block(b);
            const auto streams = block_streams(particles, b, seed, address);
            const auto derivative = particles.of_block(derivatives_, b);
            const auto log_w = particles.of_block(particles.log_weights(), b);
            if (weighs)
                kernel_->anneal(block, from, to, streams, log_w, derivative);
            else
                kernel_->move(block, to, streams, derivative);
            require_numbers(log_w, particles, b, k_);
        }
    });
    u_ = ranks_.all_gather(std::span<const double>(derivatives_));
}

void Survey::record() {
    if (k_ == 0)
        u_ = ranks_.all_gather(std::span<const double>(derivatives_));
    log_weights_ = ranks_.all_gather(std::span<const double>(population_.generation(0).log_weights()));
    const auto found = fluctuations_of(u_, log_weights_);
    trace_.inverse_temperature.push_back(schedule_[k_]);
    trace_.ess.push_back(found.ess);
    trace_.mean_u.push_back(found.mean);
    trace_.variance_u.push_back(found.variance);
    half_difference_.push_back(found.half_difference);
    log_weight_variance_.push_back(variance_of(log_weights_));
    trace_.log_ratio.push_back(log_mean_exp(log_weights_));
}

void Survey::sweep() {
    ++held_sweeps_;
    move(schedule_.steps() + held_sweeps_, false);
    ++hold_.sweeps;
    if (settings_.holds == Holds::tau)
        hold_.u.insert(hold_.u.end(), u_.begin(), u_.end());
    else if (hold_.sweeps > uncounted_sweeps())
        for (const double u : u_)
            hold_.sum += u / static_cast<double>(u_.size());
    if (settle_hold())
        hold_ = {};
}

bool Survey::settle_hold() {
    const bool is_last = hold_.sweeps >= settings_.hold_sweeps;
    const auto keep = [&](double mean, double tau, bool is_lower_bound) {
        record_.knots.inverse_temperature.push_back(schedule_[k_]);
        record_.knots.mean_u.push_back(mean);
        record_.knots.tau.push_back(tau);
        record_.knots.sweeps.push_back(hold_.sweeps);
        record_.knots.is_lower_bound.push_back(is_lower_bound ? 1 : 0);
        return true;
    };
    if (settings_.holds == Holds::mean)
        return is_last && keep(hold_.sum / static_cast<double>(hold_.sweeps - uncounted_sweeps()), 1, false);
    const bool looks = hold_.sweeps >= first_look && (hold_.sweeps & (hold_.sweeps - 1)) == 0;
    if (!looks && !is_last)
        return false;
    const Index first = hold_.sweeps / 4, n = settings_.trajectories;
    using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    const auto found =
        estimate_of_hold(Eigen::Map<const RowMajor>(hold_.u.data(), hold_.sweeps, n).bottomRows(hold_.sweeps - first));
    const bool is_enough = static_cast<double>(hold_.sweeps - first) >= taus_of_a_hold * found.tau;
    return (is_enough || is_last) && keep(found.mean, found.tau, !is_enough);
}

Progress Survey::progress() const {
    Progress now;
    now.step = k_ + held_sweeps_;
    now.inverse_temperature = schedule_[k_];
    now.inverse_temperature_end = end_;
    now.ess = trace_.ess.empty() ? 0 : trace_.ess.back();
    now.log_ratio = log_ratio();
    now.updates_per_step = updates_per_step();
    now.likelihoods = static_cast<Index>(evaluations_);
    return now;
}

Found Survey::found() {
    return {.trace = &trace_, .population = &population_, .survey = record_.is_empty() ? nullptr : &record_};
}

Outcome Survey::outcome() const {
    Outcome outcome;
    outcome.log_ratio = {{"product", log_ratio(), {}, {}, "", "a survey"}};
    outcome.ess = trace_.ess.back();
    return outcome;
}

Index Survey::updates_per_step() const {
    return settings_.trajectories * kernel_->moves();
}

path::PathProfile Survey::measured() const {
    path::PathProfile profile{trace_.inverse_temperature, trace_.mean_u, trace_.variance_u, {}, half_difference_};
    path::repair(profile.variance_u);
    path::repair(profile.rejection_rate);
    profile.tau.assign(profile.variance_u.size(), 1.0);
    if (!is_last_pass_)
        profile.variance_u = path::smoothed_in_length(profile.inverse_temperature, profile.variance_u, rough_smoothing);
    return profile;
}

void Survey::make_record() {
    auto& profile = record_.profile;
    profile = measured();
    auto raw = trace_.variance_u;
    record_.repaired = path::repair(raw);
    record_.friction = path::friction_of_growth(profile.inverse_temperature, log_weight_variance_, profile.variance_u);
    record_.has_tau = settings_.holds == Holds::tau;
    if (!record_.has_tau)
        return;
    const auto& knots = record_.knots;
    profile.tau = path::log_interpolated(knots.inverse_temperature, knots.tau, profile.inverse_temperature);
    profile.tau_is_lower_bound = std::ranges::any_of(knots.is_lower_bound, [](auto bound) { return bound != 0; });
}

void Survey::fields(Fields& f) {
    f("is_last_pass", is_last_pass_);
    auto points = schedule_.points();
    f("schedule", points);
    if (f.is_reading()) {
        schedule_ = path::Schedule(points);
        kernel_ = make_kernel_(schedule_);
    }
    f("knot_steps", knot_steps_);
    f("k", k_);
    f("held_sweeps", held_sweeps_);
    f("evaluations", evaluations_);
    f("half_difference", half_difference_);
    f("log_weight_variance", log_weight_variance_);
    group(f, "hold", hold_);
    group(f, "record", record_);
    group(f, "trace", trace_);
    group(f, "kernel", *kernel_);
    population_.fields(f);
    if (!f.is_reading())
        return;
    auto& particles = population_.generation(0);
    derivatives_.assign(static_cast<std::size_t>(particles.local_size()), 0.0);
    parallel::together(ranks_, [&] {
        prepare_blocks(*target_, particles);
        if (k_ > 0)
            kernel_->adapt(ranks_, particles, k_);
    });
}

} // namespace pearlite::algorithm
