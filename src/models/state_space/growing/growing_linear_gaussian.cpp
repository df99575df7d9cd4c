#include "models/state_space/growing/growing_linear_gaussian.hpp"

#include "random/fill.hpp"

#include <fmt/format.h>

#include <numbers>

namespace pearlite::models {

using model::BlockStreams;

GrowingLinearGaussian::GrowingLinearGaussian(const LinearGaussianParameters& parameters,
                                             std::vector<double> observations, bool adapted)
    : parameters_(parameters),
      observations_(std::move(observations)),
      process_(parameters_, observations_),
      adapted_(adapted) {
    PEARLITE_EXPECTS(!observations_.empty());
}

void GrowingLinearGaussian::draw_first(StateBlock& block, const BlockStreams& streams) const {
    for (Index i = 0; i < block.size(); ++i) {
        random::Stream stream(streams.at(random::Purpose::start, i));
        block.row(0)[i] = process_.draw_adapted(0, 0, stream);
    }
}

void GrowingLinearGaussian::propose(StateBlock& block, Index t, const BlockStreams& streams,
                                    std::span<double> log_weights) const {
    for (Index i = 0; i < block.size(); ++i) {
        random::Stream stream(streams.at(random::Purpose::start, i));
        const double before = block.row(t - 1)[i];
        double& next = block.row(t)[i];
        next = adapted_ ? process_.draw_adapted(t, before, stream) : process_.draw_next(t, before, stream);
        log_weights[at(i)] = adapted_ ? process_.log_adapted_look_ahead(t, before) : process_.log_observation(t, next);
    }
}

void GrowingLinearGaussian::sweep(StateBlock& block, Index from, Index n, const BlockStreams& streams) const {
    const auto& [mean, persistence, state_sd, noise_sd] = parameters_;
    const double square = persistence * persistence, of_states = 1 / (state_sd * state_sd),
                 of_noise = 1 / (noise_sd * noise_sd);
    const Index width = block.padded_size();
    std::vector<double> normals(at((n - from) * width));
    random::fill_normal(streams.shared(random::Purpose::move), normals);
    for (Index t = from; t < n; ++t) {
        // x_t is normal given x_{t-1}, x_{t+1} and y_t: precisions add up. A missing y_t says nothing.
        const bool is_first = t == 0, is_last = t + 1 == n, is_there = !is_missing(observations_[at(t)]);
        const double before_precision = is_first ? of_states * (1 - persistence) * (1 + persistence) : of_states,
                     precision = before_precision + (is_last ? 0 : square * of_states) + (is_there ? of_noise : 0);
        const double of_before = is_first ? 0 : persistence * of_states / precision,
                     of_after = is_last ? 0 : persistence * of_states / precision;
        // Deviations from the mean.
        const double of_observation = is_there ? of_noise / precision * (observations_[at(t)] - mean) : 0;
        const double constant = mean + of_observation - (of_before + of_after) * mean, sd = 1 / std::sqrt(precision);
        const double *before = block.row(is_first ? t : t - 1), *after = block.row(is_last ? t : t + 1),
                     *normal = normals.data() + (t - from) * width;
        double* const state = block.row(t);
        for (Index i = 0; i < width; ++i)
            state[i] = constant + of_before * before[i] + of_after * after[i] + sd * normal[i];
    }
}

void GrowingLinearGaussian::log_density(const StateBlock& block, Index n, std::span<double> out) const {
    const auto& [mean, persistence, state_sd, noise_sd] = parameters_;
    const double variance = state_sd * state_sd;
    for (Index i = 0; i < block.size(); ++i) {
        double sum = 0;
        for (Index t = 0; t < n; ++t) {
            const double x = block.row(t)[i];
            const double expected = t == 0 ? mean : mean + persistence * (block.row(t - 1)[i] - mean);
            const double spread = t == 0 ? variance / ((1 - persistence) * (1 + persistence)) : variance;
            sum += process_.log_observation(t, x) -
                   0.5 * (std::log(2 * std::numbers::pi * spread) + (x - expected) * (x - expected) / spread);
        }
        out[at(i)] = sum;
    }
}

std::string GrowingLinearGaussian::description() const {
    return fmt::format("mean {:.6g}, persistence {:.6g}, state_sd {:.6g}, noise_sd {:.6g}", parameters_.mean,
                       parameters_.persistence, parameters_.state_sd, parameters_.noise_sd);
}

void GrowingLinearGaussian::fingerprint(model::Fingerprint& fingerprint) const {
    fingerprint.add("linear-gaussian");
    fingerprint.add(std::span<const double>(observations_));
    for (const double value :
         {parameters_.mean, parameters_.persistence, parameters_.state_sd, parameters_.noise_sd, adapted_ ? 1.0 : 0.0})
        fingerprint.add(value);
}

} // namespace pearlite::models
