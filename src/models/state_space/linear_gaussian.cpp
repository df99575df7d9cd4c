#include "models/state_space/linear_gaussian.hpp"

#include "models/state_space/lanes/linear_gaussian_filter.hpp"
#include "models/state_space/state_space_settings.hpp"
#include "pearlite/model/estimated_likelihood.hpp"
#include "simd/instructions.hpp"

#include <numbers>

namespace pearlite::models {

namespace {

double log_normal_density(double difference, double variance) {
    return -0.5 * (std::log(2 * std::numbers::pi * variance) + difference * difference / variance);
}

} // namespace

bool LinearGaussianParameters::valid() const {
    const double stationary_variance = state_sd * state_sd / ((1 - persistence) * (1 + persistence));
    return std::isfinite(mean) && std::abs(persistence) < 1 && state_sd * state_sd > 0 && noise_sd * noise_sd > 0 &&
           std::isfinite(stationary_variance) && std::isfinite(noise_sd * noise_sd);
}

LinearGaussianProcess::LinearGaussianProcess(const LinearGaussianParameters& parameters,
                                             std::span<const double> observations)
    : parameters_(parameters),
      observations_(observations),
      state_variance_(parameters.state_sd * parameters.state_sd),
      noise_variance_(parameters.noise_sd * parameters.noise_sd),
      stationary_variance_(state_variance_ / ((1 - parameters.persistence) * (1 + parameters.persistence))) {
    PEARLITE_EXPECTS(parameters.valid());
}

double LinearGaussianProcess::predicted_mean(Index t, double x) const {
    return t == 0 ? parameters_.mean : parameters_.mean + parameters_.persistence * (x - parameters_.mean);
}

double LinearGaussianProcess::draw_next(Index t, double x, random::Stream& stream) const {
    return predicted_mean(t, x) + std::sqrt(predicted_variance(t)) * stream.normal();
}

double LinearGaussianProcess::log_observation(Index t, double x) const {
    if (misses(t))
        return 0;
    return log_normal_density(observations_[static_cast<std::size_t>(t)] - x, noise_variance_);
}

double LinearGaussianProcess::log_adapted_look_ahead(Index t, double x) const {
    if (misses(t))
        return 0;
    return log_normal_density(observations_[static_cast<std::size_t>(t)] - predicted_mean(t, x),
                              predicted_variance(t) + noise_variance_);
}

double LinearGaussianProcess::draw_adapted(Index t, double x, random::Stream& stream) const {
    if (misses(t))
        return draw_next(t, x, stream);
    const double variance = predicted_variance(t), gain = variance / (variance + noise_variance_);
    const double mean = predicted_mean(t, x);
    return mean + gain * (observations_[static_cast<std::size_t>(t)] - mean) +
           std::sqrt(gain * noise_variance_) * stream.normal();
}

double LinearGaussianProcess::log_likelihood() const {
    double mean = parameters_.mean, variance = stationary_variance_, sum = 0; // of x_t given the past
    const double square = parameters_.persistence * parameters_.persistence;
    for (const double y : observations_) {
        if (is_missing(y)) {
            mean = predicted_mean(1, mean);
            variance = square * variance + state_variance_;
            continue;
        }
        sum += log_normal_density(y - mean, variance + noise_variance_);
        const double gain = variance / (variance + noise_variance_);
        const double filtered = mean + gain * (y - mean);
        mean = parameters_.mean + parameters_.persistence * (filtered - parameters_.mean);
        variance = square * gain * noise_variance_ + state_variance_;
    }
    return sum;
}

double LinearGaussianProcess::log_likelihood(std::span<double, 4> gradient) const {
    // The filter above with the derivatives of all its numbers, which are called slopes here.
    using Slopes = Eigen::Array4d;
    const auto& [centre, persistence, state_sd, noise_sd] = parameters_;
    const double square = persistence * persistence, rest = (1 - persistence) * (1 + persistence);
    const Slopes state_slopes{0, 0, 2 * state_sd, 0}, noise_slopes{0, 0, 0, 2 * noise_sd};
    double mean = centre, variance = stationary_variance_, sum = 0;
    Slopes mean_slopes{1, 0, 0, 0}, variance_slopes = state_slopes / rest, sum_slopes = Slopes::Zero();
    variance_slopes[1] = 2 * persistence * stationary_variance_ / rest;
    for (const double y : observations_) {
        if (is_missing(y)) {
            mean_slopes *= persistence;
            mean_slopes[0] += 1 - persistence;
            mean_slopes[1] += mean - centre;
            mean = centre + persistence * (mean - centre);
            variance_slopes = square * variance_slopes + state_slopes;
            variance_slopes[1] += 2 * persistence * variance;
            variance = square * variance + state_variance_;
            continue;
        }
        const double total = variance + noise_variance_, surprise = y - mean, scaled = surprise / total;
        const Slopes total_slopes = variance_slopes + noise_slopes;
        sum += log_normal_density(surprise, total);
        sum_slopes += 0.5 * (scaled * scaled - 1 / total) * total_slopes + scaled * mean_slopes;
        const double gain = variance / total, filtered = mean + gain * surprise;
        const Slopes gain_slopes = (variance_slopes - gain * total_slopes) / total;
        const Slopes filtered_slopes = (1 - gain) * mean_slopes + surprise * gain_slopes;
        mean = centre + persistence * (filtered - centre);
        mean_slopes = persistence * filtered_slopes;
        mean_slopes[0] += 1 - persistence;
        mean_slopes[1] += filtered - centre;
        variance = square * gain * noise_variance_ + state_variance_;
        variance_slopes = square * (noise_variance_ * gain_slopes + gain * noise_slopes) + state_slopes;
        variance_slopes[1] += 2 * persistence * gain * noise_variance_;
    }
    Eigen::Map<Slopes>(gradient.data()) = sum_slopes;
    return sum;
}

std::vector<double> simulate_linear_gaussian(const LinearGaussianParameters& parameters, Index n,
                                             random::Stream& stream) {
    std::vector<double> observations(static_cast<std::size_t>(n));
    const LinearGaussianProcess process(parameters, {});
    double x = 0;
    for (std::size_t t = 0; t < observations.size(); ++t) {
        x = process.draw_next(static_cast<Index>(t), x, stream);
        observations[t] = x + parameters.noise_sd * stream.normal();
    }
    return observations;
}

LinearGaussian::LinearGaussian(LinearGaussianSettings settings) : settings_(std::move(settings)) {
    detail::check_observations("linear-gaussian", settings_.observations);
    detail::check_filter("linear-gaussian", settings_.filter);
    if (settings_.constant_variance)
        detail::check_constant_variance("linear-gaussian", *settings_.constant_variance);
    const Index most = settings_.constant_variance ? std::max(settings_.constant_variance->largest,
                                                              settings_.constant_variance->pilot_particles)
                                                   : settings_.filter.particles;
    if (static_cast<double>(most + 16) * static_cast<double>(settings_.observations.size()) > 0x1p32)
        throw InputError("linear-gaussian: particles times observations must be below 2^32");
    detail::add_parameter(parameters_, "linear-gaussian", "mean", settings_.mean, detail::any_number);
    detail::add_parameter(parameters_, "linear-gaussian", "persistence", settings_.persistence, detail::correlation);
    detail::add_parameter(parameters_, "linear-gaussian", "state_sd", settings_.state_sd, detail::positive_number);
    detail::add_parameter(parameters_, "linear-gaussian", "noise_sd", settings_.noise_sd, detail::positive_number);
}

LinearGaussianParameters LinearGaussian::natural(std::span<const double> u) const {
    PEARLITE_EXPECTS(static_cast<Index>(u.size()) == parameters_.size());
    return {.mean = parameters_.natural(0, u[0]),
            .persistence = parameters_.natural(1, u[1]),
            .state_sd = parameters_.natural(2, u[2]),
            .noise_sd = parameters_.natural(3, u[3])};
}

void LinearGaussian::estimate(const Matrix& points, const model::BlockStreams& streams, std::span<double> log_prior,
                              std::span<double> log_likelihood) const {
    PEARLITE_EXPECTS(points.rows() == parameters_.size() && log_prior.size() == log_likelihood.size() &&
                     static_cast<Index>(log_prior.size()) <= points.cols());
    detail::LinearGaussianFilter memory;
    for (std::size_t i = 0; i < log_prior.size(); ++i) {
        const auto column = static_cast<Index>(i);
        const std::span<const double> u(points.col(column).data(), static_cast<std::size_t>(points.rows()));
        log_prior[i] = parameters_.log_prior(u);
        log_likelihood[i] = log_zero;
        const LinearGaussianParameters theta = natural(u);
        if (log_prior[i] == log_zero || !theta.valid())
            continue;
        const random::Address address = streams.at(model::likelihood_draws, column);
        log_likelihood[i] = filtered(theta, particles_at(theta, address, memory), address, memory);
    }
}

double LinearGaussian::filtered(const LinearGaussianParameters& theta, Index particles, const random::Address& address,
                                detail::LinearGaussianFilter& memory) const {
    FilterSettings filter = settings_.filter;
    filter.particles = particles;
    return memory.run(theta, settings_.observations, filter, address).log_likelihood;
}

Index LinearGaussian::particles_at(std::span<const double> u, const random::Address& address) const {
    detail::LinearGaussianFilter memory;
    return particles_at(natural(u), address, memory);
}

Index LinearGaussian::particles_at(const LinearGaussianParameters& theta, const random::Address& address,
                                   detail::LinearGaussianFilter& memory) const {
    if (!settings_.constant_variance || !theta.valid())
        return settings_.filter.particles;
    return detail::particles_for(
        *settings_.constant_variance, address,
        [&](Index particles, const random::Address& pilot) { return filtered(theta, particles, pilot, memory); });
}

double LinearGaussian::exact_log_likelihood(std::span<const double> u) const {
    const LinearGaussianParameters theta = natural(u);
    return theta.valid() ? LinearGaussianProcess(theta, settings_.observations).log_likelihood() : log_zero;
}

double LinearGaussian::exact_log_likelihood(std::span<const double> u, std::span<double> gradient) const {
    const LinearGaussianParameters theta = natural(u);
    if (!theta.valid())
        return log_zero;
    const double sum = LinearGaussianProcess(theta, settings_.observations).log_likelihood(gradient.first<4>());
    for (std::size_t k = 0; k < u.size(); ++k)
        gradient[k] *= parameters_.slope(static_cast<Index>(k), u[k]);
    return sum;
}

void LinearGaussian::set_particles(Index n) {
    PEARLITE_EXPECTS(n >= 1);
    settings_.filter.particles = n;
    settings_.constant_variance.reset();
}

model::DataDescription LinearGaussian::describe_data() const {
    return {{{"y", {{"time", static_cast<Index>(settings_.observations.size())}}, settings_.observations}}, {}};
}

void LinearGaussian::fingerprint(model::Fingerprint& fingerprint) const {
    fingerprint.add("linear-gaussian");
    fingerprint.add(std::span<const double>(settings_.observations));
    parameters_.fingerprint(fingerprint);
    fingerprint.add(static_cast<double>(settings_.filter.kind));
    fingerprint.add(settings_.filter.resample_below);
}

namespace detail {

FilterOutcome LinearGaussianFilter::run(const LinearGaussianParameters& parameters,
                                        std::span<const double> observations, const FilterSettings& settings,
                                        const random::Address& address) {
    PEARLITE_EXPECTS(parameters.valid() && settings.particles >= 1);
    PEARLITE_EXPECTS(settings.particles < Index{1} << 31 &&
                     observations.size() <=
                         (std::size_t{1} << 32) / static_cast<std::size_t>(padded(settings.particles)));
    if (cloud_.size != settings.particles) {
        cloud_.size = settings.particles;
        const Index n_padded = padded(cloud_.size);
        for (auto* array : {&cloud_.mean, &cloud_.next_mean, &cloud_.weight, &cloud_.next_weight, &cloud_.exponent})
            array->setZero(n_padded);
        cloud_.slots.resize(n_padded);
    }
    return simd::on_this_cpu(
        [&](auto cpu) { return run_on<decltype(cpu)>(parameters, observations, settings, address); });
}

} // namespace detail

} // namespace pearlite::models
