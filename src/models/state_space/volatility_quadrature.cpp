/// The likelihood of stochastic volatility as that of a hidden Markov chain on a grid (Kitagawa 1987).

#include "models/state_space/volatility_process.hpp"
#include "pearlite/core/error.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace pearlite::models {

namespace {

constexpr double cells_per_sd = 1 / 0.7; ///< the trapezoidal rule then errs by 1e-17 of a normal density's integral
constexpr double reach = 9;              ///< standard deviations beyond which a normal density is left out

struct Grid {
    double first, step;
    std::size_t size;
    double at(std::size_t k) const { return first + step * static_cast<double>(k); }
};

Grid grid_of(const VolatilityParameters& parameters) {
    const double half = 10 * parameters.stationary_sd(), step = parameters.innovation_sd() / cells_per_sd;
    constexpr double largest = 200000;
    if (!(2 * half / step < largest))
        throw NumericalError(
            "stochastic volatility: the likelihood at phi or rho this close to 1 takes too fine a grid");
    return {parameters.mu - half, step, static_cast<std::size_t>(2 * half / step) + 2};
}

double normal_density(double difference, double sd) {
    const double z = difference / sd;
    return std::exp(-0.5 * z * z) / (sd * std::sqrt(2 * std::numbers::pi));
}

/// Values of z_t given e_t, with their probabilities.
struct PossibleShock {
    double z, probability;
};

/// log g of g ~ Gamma(a, rate b) has the density exp(a u - b exp(u)), which the trapezoidal rule integrates.
std::vector<PossibleShock> shocks(const VolatilityParameters& parameters, double e) {
    if (!parameters.student())
        return {{e, 1}};
    const double a = (parameters.nu + 1) / 2, b = (parameters.nu + e * e) / 2;
    const double mode = std::log(a / b), step = 0.3 / std::sqrt(a + 1);
    const double lowest = -34 / a - 8 / std::sqrt(a), highest = std::min(4.5, 10 / std::sqrt(a));
    std::vector<PossibleShock> values;
    double sum = 0;
    for (double u = lowest; u < highest; u += step) {
        const double probability = std::exp(a * (u - std::expm1(u)));
        values.push_back({e * std::exp((mode + u) / 2), probability});
        sum += probability;
    }
    for (PossibleShock& shock : values)
        shock.probability /= sum;
    return values;
}

/// Adds mass / step times N(mean, sd^2) to the density on the grid.
void spread(const Grid& grid, double mass, double mean, double sd, std::vector<double>& density) {
    const double low = std::ceil((mean - reach * sd - grid.first) / grid.step);
    const double high = std::floor((mean + reach * sd - grid.first) / grid.step);
    const auto last = static_cast<double>(grid.size - 1);
    if (high < 0 || low > last)
        return;
    const auto end = static_cast<std::size_t>(std::min(high, last));
    for (auto k = static_cast<std::size_t>(std::max(low, 0.0)); k <= end; ++k)
        density[k] += mass * normal_density(grid.at(k) - mean, sd);
}

} // namespace

double quadrature_log_likelihood(const VolatilityParameters& parameters, std::span<const double> observations) {
    PEARLITE_EXPECTS(parameters.valid());
    const auto& [mu, phi, sigma, rho, nu] = parameters;
    const Grid grid = grid_of(parameters);
    std::vector<double> density(grid.size), next(grid.size), log_masses(grid.size);
    for (std::size_t k = 0; k < grid.size; ++k)
        density[k] = normal_density(grid.at(k) - mu, parameters.stationary_sd());
    double log_likelihood = 0;
    for (const double y : observations) {
        const VolatilityObservation observation(parameters, y);
        for (std::size_t k = 0; k < grid.size; ++k)
            log_masses[k] = std::log(grid.step * density[k]) + observation.log_density(grid.at(k));
        const double log_sum = log_sum_exp(log_masses);
        log_likelihood += log_sum;
        if (log_likelihood == log_zero)
            return log_zero;
        std::fill(next.begin(), next.end(), 0.0);
        for (std::size_t k = 0; k < grid.size; ++k) {
            const double mass = std::exp(log_masses[k] - log_sum);
            if (mass < 1e-25)
                continue;
            const double h = grid.at(k), mean = mu + phi * (h - mu);
            if (rho == 0) {
                spread(grid, mass, mean, sigma, next);
                continue;
            }
            for (const auto& [z, probability] : shocks(parameters, y * std::exp(-h / 2)))
                if (probability > 1e-18)
                    spread(grid, mass * probability, mean + sigma * rho * z, parameters.innovation_sd(), next);
        }
        std::swap(density, next);
    }
    return log_likelihood;
}

} // namespace pearlite::models
