#include "models/gaussian/noisy_likelihood.hpp"

#include "pearlite/core/error.hpp"
#include "pearlite/model/annealed_model.hpp"
#include "pearlite/model/density.hpp"
#include "random/fill.hpp"

#include <cmath>
#include <numbers>

namespace pearlite::models {

namespace {

const double log_2_pi = std::log(2 * std::numbers::pi);

void expect(bool condition, const char* what) {
    if (!condition)
        throw InputError(std::string("noisy likelihood: ") + what);
}

double square(double x) {
    return x * x;
}

/// log N(x; mean, variance).
double log_normal(double x, double mean, double variance) {
    return -0.5 * (log_2_pi + std::log(variance) + square(x - mean) / variance);
}

} // namespace

NoisyLikelihoodTruth simulate(Index dimension, double prior_sd, double data_sd, random::Stream& stream) {
    NoisyLikelihoodTruth truth{Vector(dimension), Vector(dimension)};
    for (Index k = 0; k < dimension; ++k) {
        truth.parameters(k) = prior_sd * stream.normal();
        truth.data(k) = truth.parameters(k) + data_sd * stream.normal();
    }
    return truth;
}

NoisyLikelihood::NoisyLikelihood(NoisyLikelihoodSettings settings) : settings_(std::move(settings)) {
    expect(settings_.data.size() >= 1 && settings_.data.allFinite(), "expected finite data");
    expect(settings_.prior_sd > 0 && settings_.data_sd > 0, "expected standard deviations above 0");
    expect(settings_.noise_variance >= 0 && std::isfinite(settings_.noise_variance), "expected a variance, 0 or more");
    expect(settings_.samples >= 1, "expected one sample or more");
}

void NoisyLikelihood::set_particles(Index n) {
    PEARLITE_EXPECTS(n >= 1);
    settings_.samples = n;
}

std::vector<std::string> NoisyLikelihood::parameter_names() const {
    std::vector<std::string> names;
    for (Index k = 1; k <= settings_.data.size(); ++k)
        names.push_back(settings_.data.size() == 1 ? "theta" : "theta" + std::to_string(k));
    return names;
}

void NoisyLikelihood::draw_prior(random::Stream& stream, std::span<double> x) const {
    for (double& value : x)
        value = settings_.prior_sd * stream.normal();
}

double NoisyLikelihood::log_prior(std::span<const double> x) const {
    double sum = 0;
    for (const double value : x)
        sum += log_normal(value, 0, square(settings_.prior_sd));
    return sum;
}

double NoisyLikelihood::exact_log_likelihood(std::span<const double> x) const {
    PEARLITE_EXPECTS(static_cast<Index>(x.size()) == settings_.data.size());
    double sum = 0;
    for (std::size_t k = 0; k < x.size(); ++k)
        sum += log_normal(settings_.data(static_cast<Index>(k)), x[k], square(settings_.data_sd));
    return sum;
}

void NoisyLikelihood::estimate(const Matrix& points, const model::BlockStreams& streams, std::span<double> log_prior_of,
                               std::span<double> log_likelihood) const {
    PEARLITE_EXPECTS(log_prior_of.size() == log_likelihood.size() &&
                     static_cast<Index>(log_prior_of.size()) <= points.cols());
    const double s2 = log_variance();
    for (std::size_t i = 0; i < log_prior_of.size(); ++i) {
        const auto slot = static_cast<Index>(i);
        const std::span<const double> x(points.col(slot).data(), static_cast<std::size_t>(points.rows()));
        random::Stream stream(streams.at(model::likelihood_draws, slot));
        log_prior_of[i] = log_prior(x);
        log_likelihood[i] = exact_log_likelihood(x) - 0.5 * s2 + std::sqrt(s2) * stream.normal();
    }
}

double NoisyLikelihood::tempered_sd(double b) const {
    return 1 / std::sqrt(1 / square(settings_.prior_sd) + b / square(settings_.data_sd));
}

double NoisyLikelihood::tempered_mean(Index k, double b) const {
    return square(tempered_sd(b)) * b * settings_.data(k) / square(settings_.data_sd);
}

double NoisyLikelihood::log_normaliser(double b) const {
    // Completing the square leaves the sds' ratio and the two quadratic forms at the tempered mean.
    double sum = 0;
    for (Index k = 0; k < settings_.data.size(); ++k) {
        const double mean = tempered_mean(k, b);
        sum += std::log(tempered_sd(b) / settings_.prior_sd) - 0.5 * square(mean / settings_.prior_sd) +
               b * log_normal(settings_.data(k), mean, square(settings_.data_sd));
    }
    return sum;
}

double NoisyLikelihood::log_noisy_normaliser(double b) const {
    return log_normaliser(b) - 0.5 * log_variance() * b * (1 - b);
}

double NoisyLikelihood::log_relative_ess(std::span<const double> schedule) const {
    // E[w^2] / E[w]^2 of one step: the weight's square is a step of twice the length.
    double log_inverse = 0;
    for (std::size_t t = 1; t < schedule.size(); ++t) {
        const double from = schedule[t - 1], to = schedule[t];
        log_inverse += log_noisy_normaliser(2 * to - from) + log_noisy_normaliser(from) - 2 * log_noisy_normaliser(to);
    }
    return -log_inverse;
}

model::Prediction NoisyLikelihood::predict(std::span<const double> u, Index samples,
                                           const random::Address& address) const {
    random::Stream stream(address);
    LabelledArray y{"y", {model::sample_dimension(samples), {"component", settings_.data.size()}}, {}};
    for (Index s = 0; s < samples; ++s)
        for (const double theta : u)
            y.values.push_back(theta + settings_.data_sd * stream.normal());
    return {{std::move(y)}, {}};
}

model::DataDescription NoisyLikelihood::describe_data() const {
    return {{labelled("y", {"component", settings_.data.size()}, settings_.data)}, {}};
}

void NoisyLikelihood::fingerprint(model::Fingerprint& fingerprint) const {
    fingerprint.add("noisy-likelihood");
    fingerprint.add(std::span<const double>(settings_.data.data(), static_cast<std::size_t>(settings_.data.size())));
    fingerprint.add(settings_.prior_sd);
    fingerprint.add(settings_.data_sd);
    fingerprint.add(settings_.noise_variance);
    fingerprint.add(static_cast<double>(settings_.samples));
}

void NoisyAnnealing::draw(Block& block, double b, const model::BlockStreams& streams, random::Purpose purpose) const {
    const Index d = block.dimension();
    const double sd = density_.tempered_sd(b), s2 = density_.log_variance();
    std::vector<double> normals(static_cast<std::size_t>(d) + 1);
    for (Index i = 0; i < block.size(); ++i) {
        random::fill_normal(streams.at(purpose, i), normals);
        for (Index k = 0; k < d; ++k)
            block.points(k, i) = density_.tempered_mean(k, b) + sd * normals[static_cast<std::size_t>(k)];
        const std::span<const double> x(block.points.col(i).data(), static_cast<std::size_t>(d));
        block.log_prior(i) = density_.log_prior(x);
        block.log_likelihood(i) = density_.exact_log_likelihood(x) + (b - 0.5) * s2 + std::sqrt(s2) * normals.back();
    }
}

void NoisyAnnealing::draw_start(Block& block, const model::BlockStreams& streams) const {
    draw(block, 0, streams, random::Purpose::start);
}
void NoisyAnnealing::draw_end(Block& block, double b_end, const model::BlockStreams& streams) const {
    draw(block, b_end, streams, random::Purpose::end);
}
void NoisyAnnealing::move(Block& block, double b, const model::BlockStreams& streams) const {
    draw(block, b, streams, random::Purpose::move);
}

void NoisyAnnealing::add_log_ratio(const Block& block, double from, double to, std::span<double> out) const {
    for (Index i = 0; i < block.size(); ++i)
        out[static_cast<std::size_t>(i)] += (to - from) * block.log_likelihood(i);
}

void NoisyAnnealing::path_derivative(const Block& block, double, std::span<double> out) const {
    for (Index i = 0; i < block.size(); ++i)
        out[static_cast<std::size_t>(i)] = block.log_likelihood(i);
}

static_assert(model::HasEstimatorSize<NoisyLikelihood> && model::HasExactLikelihood<NoisyLikelihood> &&
              model::HasExactLogRatio<NoisyLikelihood>);
static_assert(model::HasReversibleMove<NoisyAnnealing> && model::HasEndSampler<NoisyAnnealing> &&
              model::HasLinearPath<NoisyAnnealing>);

} // namespace pearlite::models
