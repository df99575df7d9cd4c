#include "models/state_space/volatility_process.hpp"

#include <numbers>

namespace pearlite::models {

bool VolatilityParameters::valid() const {
    return std::isfinite(mu) && std::abs(phi) < 1 && sigma > 0 && innovation_sd() > 0 && nu > 0 &&
           std::isfinite(stationary_sd());
}

double VolatilityParameters::stationary_sd() const {
    return sigma / std::sqrt((1 - phi) * (1 + phi));
}

double VolatilityParameters::innovation_sd() const {
    return sigma * std::sqrt((1 - rho) * (1 + rho));
}

VolatilityObservation::VolatilityObservation(const VolatilityParameters& parameters, double y)
    : square_(y * y),
      nu_(parameters.student() ? parameters.nu : infinity),
      log_normaliser_(-0.5 * std::log(2 * std::numbers::pi)) {
    if (parameters.student())
        log_normaliser_ = std::lgamma((nu_ + 1) / 2) - std::lgamma(nu_ / 2) - 0.5 * std::log(nu_ * std::numbers::pi);
}

double VolatilityObservation::log_density(double h) const {
    if (std::isnan(square_))
        return 0;
    if (square_ == 0)
        return log_normaliser_ - h / 2;
    const double q = square_ * std::exp(-h); // e^2
    return std::isinf(nu_) ? log_normaliser_ - h / 2 - q / 2
                           : log_normaliser_ - h / 2 - (nu_ + 1) / 2 * std::log1p(q / nu_);
}

double VolatilityObservation::slope(double h) const {
    if (std::isnan(square_))
        return 0;
    const double q = square_ * std::exp(-h);
    return std::isinf(nu_) ? 0.5 * (q - 1) : 0.5 * ((nu_ + 1) / (1 + nu_ / q) - 1);
}

double VolatilityObservation::nu_slope(double h) const {
    if (std::isinf(nu_) || std::isnan(square_))
        return 0;
    const double q = square_ == 0 ? 0 : square_ * std::exp(-h);
    return 0.5 * ((nu_ + 1) / nu_ * q / (nu_ + q) - std::log1p(q / nu_));
}

double VolatilityObservation::tangent_point(double mean, double sd) const {
    if (std::isnan(square_))
        return mean;
    // At the maximum of the normal case u = h - mean + sd^2/2 solves u e^u = z; two logarithms come near enough.
    const double variance = sd * sd, tails = std::isinf(nu_) ? 1 : (nu_ + 1) / nu_;
    const double z = 0.5 * variance * tails * square_ * std::exp(std::min(variance / 2 - mean, 600.0));
    const double u = std::log1p(z), h = mean - variance / 2 + u * (1 - std::log1p(u) / (2 + u));
    return std::isinf(nu_) ? h : mean + variance * slope(h);
}

VolatilityProcess::VolatilityProcess(const VolatilityParameters& parameters, std::span<const double> observations)
    : parameters_(parameters), observations_(observations) {
    PEARLITE_EXPECTS(parameters.valid());
}

VolatilityProcess::State VolatilityProcess::state(Index t, double h, random::Stream& stream) const {
    const auto& [mu, phi, sigma, rho, nu] = parameters_;
    double next_mean = mu + phi * (h - mu);
    if (rho != 0 && !misses(t)) {
        double z = observations_[static_cast<std::size_t>(t)] * std::exp(-h / 2); // e_t
        if (parameters_.student()) // g given e is Gamma((nu + 1)/2, rate (nu + e^2)/2)
            z *= std::sqrt(2 * stream.gamma((nu + 1) / 2) / (nu + z * z));
        next_mean += sigma * rho * z;
    }
    return {h, next_mean};
}

VolatilityProcess::State VolatilityProcess::draw_next(Index t, const State& x, random::Stream& stream) const {
    const double h = mean(t, x) + sd(t) * stream.normal();
    return state(t, h, stream);
}

double VolatilityProcess::log_adapted_look_ahead(Index t, const State& x) const {
    const VolatilityObservation y = at(t);
    const double m = mean(t, x), s = sd(t), point = y.tangent_point(m, s), slope = y.slope(point);
    return y.log_density(point) + slope * (m - point) + 0.5 * s * s * slope * slope;
}

VolatilityProcess::State VolatilityProcess::draw_adapted(Index t, const State& x, random::Stream& stream) const {
    const VolatilityObservation y = at(t);
    const double m = mean(t, x), s = sd(t), slope = y.slope(y.tangent_point(m, s));
    const double h = m + s * s * slope + s * stream.normal();
    return state(t, h, stream);
}

double VolatilityProcess::log_adapted_weight(Index t, const State& x, const State& next) const {
    const VolatilityObservation y = at(t);
    const double point = y.tangent_point(mean(t, x), sd(t));
    return y.log_density(next.h) - y.log_density(point) - y.slope(point) * (next.h - point);
}

SimulatedVolatility simulate_volatility(const VolatilityParameters& parameters, Index n, random::Stream& stream) {
    PEARLITE_EXPECTS(parameters.valid() && n >= 0);
    const auto& [mu, phi, sigma, rho, nu] = parameters;
    SimulatedVolatility simulated;
    double h = mu + parameters.stationary_sd() * stream.normal();
    for (Index t = 0; t < n; ++t) {
        const double z = stream.normal(), g = parameters.student() ? 2 * stream.gamma(nu / 2) / nu : 1;
        simulated.returns.push_back(std::exp(h / 2) * z / std::sqrt(g));
        simulated.log_variances.push_back(h);
        h = mu + phi * (h - mu) + sigma * rho * z + parameters.innovation_sd() * stream.normal();
    }
    return simulated;
}

std::vector<double> centred(std::span<const double> returns) {
    if (returns.empty())
        throw InputError("no returns");
    double mean = 0;
    for (const double value : returns)
        mean += value / static_cast<double>(returns.size());
    std::vector<double> values(returns.begin(), returns.end());
    for (double& value : values)
        value -= mean;
    return values;
}

std::vector<double> centred_returns(std::span<const double> rates) {
    if (rates.size() < 2)
        throw InputError("returns need two rates or more");
    for (std::size_t t = 0; t < rates.size(); ++t)
        if (!(rates[t] > 0) || !std::isfinite(rates[t]))
            throw InputError("rate " + std::to_string(t) + " is not a positive number");
    std::vector<double> returns;
    for (std::size_t t = 1; t < rates.size(); ++t)
        returns.push_back(100 * (std::log(rates[t]) - std::log(rates[t - 1])));
    return centred(returns);
}

} // namespace pearlite::models
