/// The likelihood of stochastic volatility as that of a hidden Markov chain on a grid (Kitagawa 1987).

#include "models/state_space/volatility_process.hpp"

#include <algorithm>
#include <boost/math/special_functions/digamma.hpp>
#include <numbers>

namespace pearlite::models {

namespace {

constexpr double cells_per_sd = 1 / 0.7; ///< the trapezoidal rule then errs by 1e-17 of a normal density's integral
constexpr double reach = 9;              ///< standard deviations beyond which a normal density is left out
constexpr double half_width = 10;        ///< of the grid, in stationary standard deviations

struct Grid {
    double first, step;
    std::size_t size;
    double at(std::size_t k) const { return first + step * static_cast<double>(k); }
};

Grid grid_of(const VolatilityParameters& parameters) {
    const double half = half_width * parameters.stationary_sd(), step = parameters.innovation_sd() / cells_per_sd;
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

/// The derivatives of a number by mu, phi, sigma, rho, nu; the rest completes packets.
using Slopes = Eigen::Array<double, 8, 1>;
using ManySlopes = Eigen::Array<double, 8, Eigen::Dynamic>;
enum Parameter { mu_at, phi_at, sigma_at, rho_at, nu_at };

/// The derivative by nu of the normalising constant's log in p(y | h).
double log_normaliser_slope(const VolatilityParameters& parameters) {
    using boost::math::digamma;
    const double nu = parameters.nu;
    return parameters.student() ? 0.5 * (digamma((nu + 1) / 2) - digamma(nu / 2) - 1 / nu) : 0;
}

/// Derivatives of the grid: it moves with the parameters, its step in proportion to the innovation's deviation.
struct GridSlopes {
    Slopes log_stationary_sd = Slopes::Zero(), log_step = Slopes::Zero(), first = Slopes::Zero();

    explicit GridSlopes(const VolatilityParameters& parameters) {
        const auto& [mu, phi, sigma, rho, nu] = parameters;
        log_stationary_sd[phi_at] = phi / ((1 - phi) * (1 + phi));
        log_stationary_sd[sigma_at] = log_step[sigma_at] = 1 / sigma;
        log_step[rho_at] = -rho / ((1 - rho) * (1 + rho));
        first = -half_width * parameters.stationary_sd() * log_stationary_sd;
        first[mu_at] = 1;
    }
    /// Slopes at a point h.
    Slopes at(const Grid& grid, double h) const { return first + (h - grid.first) * log_step; }
};

/// Values of z_t given e_t, with their probabilities, the derivatives of z and log probability by nu, and that of z by
/// h, where e_t = y_t exp(-h/2).
struct PossibleShock {
    double z, probability, z_by_nu = 0, log_slope = 0, z_by_h = -0.5 * z;
};

/// log g of g ~ Gamma(a, rate b) has the density exp(a u - b exp(u)), which the trapezoidal rule integrates.
std::vector<PossibleShock> shocks(const VolatilityParameters& parameters, double e) {
    if (!parameters.student())
        return {{e, 1}};
    const double a = (parameters.nu + 1) / 2, b = (parameters.nu + e * e) / 2;
    const double mode = std::log(a / b), step = 0.3 / std::sqrt(a + 1);
    const double mode_slope = 0.5 / a - 0.5 / b;
    const double lowest = -34 / a - 8 / std::sqrt(a), highest = std::min(4.5, 10 / std::sqrt(a));
    std::vector<PossibleShock> values;
    double sum = 0, mean_slope = 0;
    for (double u = lowest; u < highest; u += step) {
        const double log_slope = u - std::expm1(u); // by a
        const double probability = std::exp(a * log_slope), z = e * std::exp((mode + u) / 2);
        values.push_back({z, probability, 0.5 * z * mode_slope, 0.5 * log_slope, -0.25 * z * parameters.nu / b});
        sum += probability;
        mean_slope += 0.5 * probability * log_slope;
    }
    for (PossibleShock& shock : values) {
        shock.probability /= sum;
        shock.log_slope -= mean_slope / sum;
    }
    return values;
}

/// N(mean, sd^2) times a mass, and how mass and mean change with the parameters. sd / grid step does not, but where
/// a return is missing under leverage.
struct Spread {
    double mass, mean, sd;
    Slopes log_mass_slopes = Slopes::Zero(), mean_slopes = Slopes::Zero();
    double log_excess_by_rho = 0; ///< derivative of log(sd / grid step), where it depends on rho
};

/// The density of h_t given the past, on the grid, with its derivatives if these are asked for.
template <bool with_slopes>
struct Density {
    std::vector<double> values;
    ManySlopes slopes;

    explicit Density(const Grid& grid) : values(grid.size) {
        if constexpr (with_slopes)
            slopes = ManySlopes::Zero(8, static_cast<Index>(grid.size));
    }
    void clear() {
        std::fill(values.begin(), values.end(), 0.0);
        if constexpr (with_slopes)
            slopes.setZero();
    }
    void add(const Grid& grid, const GridSlopes& grid_slopes, const Spread& by) {
        const double low = std::ceil((by.mean - reach * by.sd - grid.first) / grid.step);
        const double high = std::floor((by.mean + reach * by.sd - grid.first) / grid.step);
        const auto last = static_cast<double>(grid.size - 1);
        if (high < 0 || low > last)
            return;
        const auto end = static_cast<std::size_t>(std::min(high, last));
        // The derivative of the log of mass times density at the distance z is a + b z.
        const Slopes a = by.log_mass_slopes - grid_slopes.log_step;
        const Slopes b = (by.mean_slopes - grid_slopes.at(grid, by.mean)) / by.sd;
        for (auto k = static_cast<std::size_t>(std::max(low, 0.0)); k <= end; ++k) {
            const double term = by.mass * normal_density(grid.at(k) - by.mean, by.sd);
            values[k] += term;
            if constexpr (with_slopes) {
                const double z = (grid.at(k) - by.mean) / by.sd;
                slopes.col(static_cast<Index>(k)) += term * (a + z * b);
                if (by.log_excess_by_rho != 0)
                    slopes(rho_at, static_cast<Index>(k)) += term * by.log_excess_by_rho * (z * z - 1);
            }
        }
    }
};

template <bool with_slopes>
class GridFilter {
  public:
    /// has_leverage: the next h is taken to depend on the shock even if rho is 0.
    GridFilter(const VolatilityParameters& parameters, bool has_leverage)
        : theta_(parameters),
          has_shocks_(has_leverage || parameters.rho != 0),
          normaliser_slope_(with_slopes ? log_normaliser_slope(parameters) : 0),
          grid_(grid_of(parameters)),
          grid_slopes_(parameters),
          density_(grid_),
          next_(grid_),
          log_masses_(grid_.size) {
        const auto& [mu, phi, sigma, rho, nu] = theta_;
        const double sd = theta_.stationary_sd();
        for (std::size_t k = 0; k < grid_.size; ++k)
            density_.values[k] = normal_density(grid_.at(k) - mu, sd);
        if constexpr (with_slopes)
            for (std::size_t k = 0; k < grid_.size; ++k) {
                const double z = (grid_.at(k) - mu) / sd;
                const Slopes& of_sd = grid_slopes_.log_stationary_sd;
                density_.slopes.col(static_cast<Index>(k)) =
                    -density_.values[k] * (of_sd + z * (z + half_width) * (grid_slopes_.log_step - of_sd));
            }
    }

    double log_likelihood(std::span<const double> observations) {
        double sum = 0;
        for (const double y : observations) {
            const double log_sum = is_missing(y) ? step_over() : observe(y);
            sum += is_missing(y) ? 0 : log_sum;
            if (sum == log_zero)
                return log_zero;
            next_.clear();
            for (std::size_t k = 0; k < grid_.size; ++k)
                if (const double mass = std::exp(log_masses_[k] - log_sum); !(mass < negligible))
                    move(k, mass, y);
            std::swap(density_, next_);
        }
        return sum;
    }
    const Slopes& slopes() const { return slopes_; }

  private:
    static constexpr double negligible = 1e-25;

    /// log p(y | past); the log masses are then those of the density times p(y | h), and its slopes those of the logs
    /// of the masses in units of their sum.
    double observe(double y) {
        const VolatilityObservation observation(theta_, y);
        for (std::size_t k = 0; k < grid_.size; ++k)
            log_masses_[k] = std::log(grid_.step * density_.values[k]) + observation.log_density(grid_.at(k));
        const double log_sum = log_sum_exp(log_masses_);
        if constexpr (with_slopes) {
            Slopes mean = Slopes::Zero();
            for (std::size_t k = 0; k < grid_.size; ++k)
                if (const double mass = std::exp(log_masses_[k] - log_sum); !(mass < negligible)) {
                    auto slopes = density_.slopes.col(static_cast<Index>(k));
                    slopes /= density_.values[k];
                    slopes +=
                        grid_slopes_.log_step + observation.slope(grid_.at(k)) * grid_slopes_.at(grid_, grid_.at(k));
                    slopes[nu_at] += normaliser_slope_ + observation.nu_slope(grid_.at(k));
                    mean += mass * slopes;
                }
            density_.slopes.colwise() -= mean;
            slopes_ += mean;
        }
        return log_sum;
    }

    /// The same without an observation, but for the masses' sum, which is 1 up to the error of the grid and its ends.
    double step_over() {
        for (std::size_t k = 0; k < grid_.size; ++k)
            log_masses_[k] = std::log(grid_.step * density_.values[k]);
        if constexpr (with_slopes)
            for (std::size_t k = 0; k < grid_.size; ++k)
                if (std::exp(log_masses_[k]) >= negligible) {
                    auto slopes = density_.slopes.col(static_cast<Index>(k));
                    slopes /= density_.values[k];
                    slopes += grid_slopes_.log_step;
                }
        return 0;
    }

    /// Spreads the mass at point k of the grid to where h goes from there.
    void move(std::size_t k, double mass, double y) {
        const auto& [mu, phi, sigma, rho, nu] = theta_;
        const double h = grid_.at(k), mean = mu + phi * (h - mu);
        Spread spread{mass, mean, has_shocks_ ? theta_.innovation_sd() : sigma};
        Slopes of_h = Slopes::Zero();
        if constexpr (with_slopes) {
            of_h = grid_slopes_.at(grid_, h);
            spread.log_mass_slopes = density_.slopes.col(static_cast<Index>(k));
            spread.mean_slopes = phi * of_h;
            spread.mean_slopes[mu_at] += 1 - phi;
            spread.mean_slopes[phi_at] += h - mu;
        }
        if (has_shocks_ && is_missing(y)) {
            spread.sd = sigma;
            spread.log_excess_by_rho = rho / ((1 - rho) * (1 + rho));
        }
        if (!has_shocks_ || is_missing(y))
            return next_.add(grid_, grid_slopes_, spread);
        const Spread without = spread;
        for (const auto& shock : shocks(theta_, y * std::exp(-h / 2))) {
            if (!(shock.probability > 1e-18))
                continue;
            spread.mass = mass * shock.probability;
            spread.mean = mean + sigma * rho * shock.z;
            if constexpr (with_slopes) {
                spread.mean_slopes = without.mean_slopes + sigma * rho * shock.z_by_h * of_h;
                spread.mean_slopes[sigma_at] += rho * shock.z;
                spread.mean_slopes[rho_at] += sigma * shock.z;
                spread.mean_slopes[nu_at] += sigma * rho * shock.z_by_nu;
                spread.log_mass_slopes = without.log_mass_slopes;
                spread.log_mass_slopes[nu_at] += shock.log_slope;
            }
            next_.add(grid_, grid_slopes_, spread);
        }
    }

    const VolatilityParameters& theta_;
    bool has_shocks_;
    double normaliser_slope_;
    Grid grid_;
    GridSlopes grid_slopes_;
    Density<with_slopes> density_, next_;
    std::vector<double> log_masses_;
    Slopes slopes_ = Slopes::Zero();
};

} // namespace

double quadrature_log_likelihood(const VolatilityParameters& parameters, std::span<const double> observations) {
    PEARLITE_EXPECTS(parameters.valid());
    return GridFilter<false>(parameters, false).log_likelihood(observations);
}

double quadrature_log_likelihood(const VolatilityParameters& parameters, std::span<const double> observations,
                                 bool has_leverage, std::span<double, 5> gradient) {
    PEARLITE_EXPECTS(parameters.valid());
    GridFilter<true> filter(parameters, has_leverage);
    const double sum = filter.log_likelihood(observations);
    std::copy_n(filter.slopes().begin(), gradient.size(), gradient.begin());
    return sum;
}

} // namespace pearlite::models
