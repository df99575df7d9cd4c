#include "models/state_space/volatility_prediction.hpp"

#include "core/log_space.hpp"
#include "models/state_space/volatility_filter.hpp"

#include <cmath>

namespace pearlite::models {

namespace {

/// Samples of every time, filled time after time and stored sample after sample.
class Samples {
  public:
    Samples(std::string name, std::string description, Index samples, Index times)
        : times_(times),
          array_{std::move(name), {model::sample_dimension(samples), {"time", times}}, {}, std::move(description)} {
        array_.values.resize(static_cast<std::size_t>(samples * times));
    }
    double& at(Index sample, Index t) { return array_.values[static_cast<std::size_t>(sample * times_ + t)]; }
    LabelledArray take() { return std::move(array_); }

  private:
    Index times_;
    LabelledArray array_;
};

/// e_t of the model: N(0, 1) or Student-t of scale 1, and the z_t behind it.
struct ShockPair {
    double z, e;
};
ShockPair draw_shock(const VolatilityParameters& theta, random::Stream& stream) {
    const double z = stream.normal(), g = theta.student() ? 2 * stream.gamma(theta.nu / 2) / theta.nu : 1;
    return {z, z / std::sqrt(g)};
}

/// Paths of volatility and returns from samples of h at the first time.
std::vector<LabelledArray> simulate_paths(const VolatilityParameters& theta, std::span<const double> first_h,
                                          Index horizon, random::Stream& stream) {
    const auto n = static_cast<Index>(first_h.size());
    Samples volatility("volatility", "at the times after the last return", n, horizon);
    Samples y("y", "returns after the last one", n, horizon);
    for (Index s = 0; s < n; ++s) {
        double h = first_h[static_cast<std::size_t>(s)];
        for (Index t = 0; t < horizon; ++t) {
            const ShockPair shock = draw_shock(theta, stream);
            volatility.at(s, t) = std::exp(h / 2);
            y.at(s, t) = std::exp(h / 2) * shock.e;
            h = theta.mu + theta.phi * (h - theta.mu) + theta.sigma * theta.rho * shock.z +
                theta.innovation_sd() * stream.normal();
        }
    }
    return {volatility.take(), y.take()};
}

} // namespace

model::Prediction predict_volatility(const VolatilityParameters& theta, std::span<const double> returns, Index samples,
                                     const VolatilityPredictionSettings& settings, const random::Address& address) {
    PEARLITE_EXPECTS(samples >= 1 && settings.particles >= 1 && settings.horizon >= 1);
    if (!theta.valid())
        return {};
    const VolatilityProcess process(theta, returns);
    const Index n = process.length();
    auto next_step = address;
    ++next_step.step;
    random::Stream stream(next_step);
    Samples volatility("volatility", "given the returns up to its time", samples, n);
    Samples y("y", "returns, each given those before it", samples, n);
    std::vector<double> h(static_cast<std::size_t>(samples)), weights;
    std::vector<Index> kept(h.size());
    // h[s] is sample s of h_t given the returns before time t.
    for (auto& value : h)
        value = theta.mu + theta.stationary_sd() * stream.normal();
    const auto observe = [&](Index t, std::span<const float> states, std::span<const float> state_weights) {
        for (Index s = 0; s < samples; ++s)
            y.at(s, t) = std::exp(h[static_cast<std::size_t>(s)] / 2) * draw_shock(theta, stream).e;
        weights.assign(state_weights.begin(), state_weights.end());
        systematic_ancestors(weights, stream.uniform(), kept);
        for (Index s = 0; s < samples; ++s) {
            const auto i = static_cast<std::size_t>(kept[static_cast<std::size_t>(s)]);
            const auto state = process.state(t, static_cast<double>(states[i]), stream);
            volatility.at(s, t) = std::exp(state.h / 2);
            h[static_cast<std::size_t>(s)] = state.next_mean + theta.innovation_sd() * stream.normal();
        }
    };
    detail::VolatilityFilter filter;
    if (filter.run(theta, returns, {.particles = settings.particles}, address, observe).log_likelihood == log_zero)
        return {};
    return {{volatility.take(), y.take()}, simulate_paths(theta, h, settings.horizon, stream)};
}

} // namespace pearlite::models
