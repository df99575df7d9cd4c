#include "models/state_space/stochastic_volatility.hpp"

#include "models/state_space/state_space_settings.hpp"
#include "models/state_space/volatility_filter.hpp"
#include "pearlite/model/estimated_likelihood.hpp"
#include "random/fill.hpp"

namespace pearlite::models {

namespace {

constexpr const char* model_name = "stochastic-volatility";
static_assert(StochasticVolatility::particles_abreast == random::normal_group);

/// N(theta) of ConstantVariance.
Index particles_at_point(const ConstantVariance& goal, const VolatilityParameters& theta,
                         std::span<const double> returns, FilterSettings filter, const random::Address& address,
                         detail::VolatilityFilter& memory) {
    return detail::particles_for(goal, address, [&](Index particles, const random::Address& pilot) {
        filter.particles = particles;
        return memory.run(theta, returns, filter, pilot).log_likelihood;
    });
}

} // namespace

StochasticVolatility::StochasticVolatility(StochasticVolatilitySettings settings) : settings_(std::move(settings)) {
    detail::check_observations(model_name, settings_.returns);
    detail::check_filter(model_name, settings_.filter);
    if (settings_.filter.kind == FilterKind::auxiliary)
        throw InputError(std::string(model_name) + ": the filter is bootstrap or adapted");
    if (settings_.constant_variance)
        detail::check_constant_variance(model_name, *settings_.constant_variance);
    const Index most = settings_.constant_variance ? std::max(settings_.constant_variance->largest,
                                                              settings_.constant_variance->pilot_particles)
                                                   : settings_.filter.particles;
    if (static_cast<double>(most + 64) * static_cast<double>(settings_.returns.size()) > 0x1p32)
        throw InputError(std::string(model_name) + ": particles times returns must be below 2^32");
    detail::add_parameter(parameters_, model_name, "mu", settings_.mu, detail::any_number);
    detail::add_parameter(parameters_, model_name, "phi", settings_.phi, detail::correlation);
    detail::add_parameter(parameters_, model_name, "sigma", settings_.sigma, detail::positive_number);
    if (settings_.leverage)
        detail::add_parameter(parameters_, model_name, "rho", settings_.rho, detail::correlation);
    if (settings_.student)
        detail::add_parameter(parameters_, model_name, "nu", settings_.nu, detail::positive_number);
}

VolatilityParameters StochasticVolatility::natural(std::span<const double> u) const {
    PEARLITE_EXPECTS(static_cast<Index>(u.size()) == parameters_.size());
    VolatilityParameters theta;
    theta.mu = parameters_.natural(0, u[0]);
    theta.phi = parameters_.natural(1, u[1]);
    theta.sigma = parameters_.natural(2, u[2]);
    if (settings_.leverage)
        theta.rho = parameters_.natural(3, u[3]);
    if (settings_.student)
        theta.nu = parameters_.natural(parameters_.size() - 1, u.back());
    return theta;
}

void StochasticVolatility::estimate(const Matrix& points, const model::BlockStreams& streams,
                                    std::span<double> log_prior, std::span<double> log_likelihood) const {
    PEARLITE_EXPECTS(points.rows() == parameters_.size() && log_prior.size() == log_likelihood.size() &&
                     static_cast<Index>(log_prior.size()) <= points.cols());
    detail::VolatilityFilter memory;
    for (std::size_t i = 0; i < log_prior.size(); ++i) {
        const auto column = static_cast<Index>(i);
        const std::span<const double> u(points.col(column).data(), static_cast<std::size_t>(points.rows()));
        log_prior[i] = parameters_.log_prior(u);
        log_likelihood[i] = log_zero;
        const VolatilityParameters theta = natural(u);
        if (log_prior[i] == log_zero || !theta.valid())
            continue;
        const random::Address address = streams.at(model::likelihood_draws, column);
        FilterSettings filter = settings_.filter;
        if (settings_.constant_variance)
            filter.particles =
                particles_at_point(*settings_.constant_variance, theta, settings_.returns, filter, address, memory);
        log_likelihood[i] = memory.run(theta, settings_.returns, filter, address).log_likelihood;
    }
}

double StochasticVolatility::exact_log_likelihood(std::span<const double> u) const {
    const VolatilityParameters theta = natural(u);
    return theta.valid() ? quadrature_log_likelihood(theta, settings_.returns) : log_zero;
}

double StochasticVolatility::exact_log_likelihood(std::span<const double> u, std::span<double> gradient) const {
    const VolatilityParameters theta = natural(u);
    if (!theta.valid())
        return log_zero;
    std::array<double, 5> slopes{};
    const double sum = quadrature_log_likelihood(theta, settings_.returns, settings_.leverage, slopes);
    std::copy_n(slopes.begin(), settings_.leverage ? 4 : 3, gradient.begin());
    if (settings_.student)
        gradient.back() = slopes.back();
    for (std::size_t k = 0; k < u.size(); ++k)
        gradient[k] *= parameters_.slope(static_cast<Index>(k), u[k]);
    return sum;
}

void StochasticVolatility::set_particles(Index n) {
    PEARLITE_EXPECTS(n >= 1);
    settings_.filter.particles = n;
    settings_.constant_variance.reset();
}

Index StochasticVolatility::particles_at(std::span<const double> u, const random::Address& address) const {
    const VolatilityParameters theta = natural(u);
    if (!settings_.constant_variance || !theta.valid())
        return settings_.filter.particles;
    detail::VolatilityFilter memory;
    return particles_at_point(*settings_.constant_variance, theta, settings_.returns, settings_.filter, address,
                              memory);
}

model::Prediction StochasticVolatility::predict(std::span<const double> u, Index samples,
                                                const random::Address& address) const {
    return predict_volatility(natural(u), settings_.returns, samples, {}, address);
}

model::DataDescription StochasticVolatility::describe_data() const {
    return {{{"y", {{"time", static_cast<Index>(settings_.returns.size())}}, settings_.returns, "returns"}}, {}};
}

void StochasticVolatility::fingerprint(model::Fingerprint& fingerprint) const {
    fingerprint.add(model_name);
    fingerprint.add(std::span<const double>(settings_.returns));
    parameters_.fingerprint(fingerprint);
    fingerprint.add(static_cast<double>(settings_.filter.kind));
    fingerprint.add(settings_.filter.resample_below);
}

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
            h[static_cast<std::size_t>(s)] = state.next_mean + process.sd(t + 1) * stream.normal();
        }
    };
    detail::VolatilityFilter filter;
    if (filter.run(theta, returns, {.particles = settings.particles}, address, observe).log_likelihood == log_zero)
        return {};
    return {{volatility.take(), y.take()}, simulate_paths(theta, h, settings.horizon, stream)};
}

} // namespace pearlite::models
