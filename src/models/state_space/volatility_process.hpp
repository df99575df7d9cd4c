#pragma once
/// Stochastic volatility of returns (Taylor 1982; Kim, Shephard & Chib 1998), with leverage and heavy tails on request:
/// the process in double precision, plainly, and its likelihood by quadrature.

#include "models/state_space/particle_filter.hpp"

#include <span>
#include <vector>

namespace pearlite::models {

/// y_t = exp(h_t/2) e_t, h_{t+1} = mu + phi (h_t - mu) + sigma eta_t, eta_t ~ N(0, 1), h_0 stationary. e_t = z_t /
/// sqrt(g_t) with z_t ~ N(0, 1), corr(z_t, eta_t) = rho, and g_t = 1 or, for nu < inf, g_t ~ Gamma(nu/2, rate nu/2),
/// which makes e_t Student-t with nu degrees of freedom and scale 1 (Jacquier, Polson & Rossi 2004).
struct VolatilityParameters {
    double mu = 0;
    double phi = 0.95;
    double sigma = 0.2;
    double rho = 0;
    double nu = infinity;

    /// Whether parameters are in range (|phi| < 1, sigma > 0, |rho| < 1, nu > 0), with a finite stationary variance.
    bool valid() const;
    /// Beyond 1e8 degrees of freedom errors are normal to rounding, and are taken for it.
    bool student() const { return nu < 1e8; }
    double stationary_sd() const;
    /// Standard deviation of h_{t+1} given h_t and z_t.
    double innovation_sd() const;
};

/// log p(y | h) as a function of h for one observation; 0 for NaN, a missing one. It is concave, so its
/// tangents lie above it.
class VolatilityObservation {
  public:
    VolatilityObservation(const VolatilityParameters& parameters, double y);
    double log_density(double h) const;
    double slope(double h) const;
    /// d log_density / d nu, but for the derivative of the normalising constant; 0 for normal errors.
    double nu_slope(double h) const;
    /// Near the maximum of log_density plus that of N(mean, sd^2), where the tangent serves an adapted filter best.
    double tangent_point(double mean, double sd) const;

  private:
    double square_; ///< y^2
    double nu_;     ///< degrees of freedom, may be infinite
    double log_normaliser_;
};

/// The process for particle filters. The adapted filter draws from p(h_t | h_{t-1}) times the tangent of the
/// observation density at a point chosen for each particle (Pitt & Shephard 1999, section 3), so its weights are
/// bounded by 1.
class VolatilityProcess {
  public:
    /// next_mean is the mean of h_{t+1} given h_t and z_t, where z_t is e_t or, under a Student-t distribution, a draw
    /// given e_t; given h_t alone if y_t is missing.
    struct State {
        double h = 0;
        double next_mean = 0;
    };
    /// The observations must outlive the process. Parameters out of range: ContractViolation.
    VolatilityProcess(const VolatilityParameters& parameters, std::span<const double> observations);

    Index length() const { return static_cast<Index>(observations_.size()); }
    /// The state with this h, given y_t.
    State state(Index t, double h, random::Stream& stream) const;
    State draw_next(Index t, const State& x, random::Stream& stream) const;
    double log_observation(Index t, const State& x) const { return at(t).log_density(x.h); }
    double log_adapted_look_ahead(Index t, const State& x) const;
    State draw_adapted(Index t, const State& x, random::Stream& stream) const;
    double log_adapted_weight(Index t, const State& x, const State& next) const;
    /// The standard deviation of h_t given the state before. Where the return before it is missing, so is z_{t-1}, and
    /// this is the deviation without it.
    double sd(Index t) const {
        return t == 0 ? parameters_.stationary_sd() : misses(t - 1) ? parameters_.sigma : parameters_.innovation_sd();
    }

  private:
    bool misses(Index t) const { return is_missing(observations_[static_cast<std::size_t>(t)]); }
    VolatilityObservation at(Index t) const { return {parameters_, observations_[static_cast<std::size_t>(t)]}; }
    double mean(Index t, const State& x) const { return t == 0 ? parameters_.mu : x.next_mean; }

    VolatilityParameters parameters_;
    std::span<const double> observations_;
};

/// Returns and the path h_t that they were drawn with.
struct SimulatedVolatility {
    std::vector<double> returns;
    std::vector<double> log_variances;
};
SimulatedVolatility simulate_volatility(const VolatilityParameters& parameters, Index n, random::Stream& stream);

/// log p(y) by the trapezoidal rule over h on a grid of 0.7 innovation_sd (and over g where leverage and Student-t
/// errors meet), ten stationary standard deviations about mu; it steps over missing returns. To 1e-8
/// where the observations do not pull h out of the grid. A grid of more than 200000 points is a NumericalError.
double quadrature_log_likelihood(const VolatilityParameters& parameters, std::span<const double> observations);
/// The same to rounding, with its derivatives by mu, phi, sigma, rho and nu: those of the sums, of which the grid is
/// part. That by nu is 0 for normal errors; that by rho is 0 at rho = 0 unless `has_leverage`.
double quadrature_log_likelihood(const VolatilityParameters& parameters, std::span<const double> observations,
                                 bool has_leverage, std::span<double, 5> gradient);

/// 100 (log r_t - log r_{t-1}) of n rates, minus their mean: n - 1 returns in per cent. InputError for fewer than two
/// rates or one that is not positive.
std::vector<double> centred_returns(std::span<const double> rates);
/// Returns that exist already, minus their mean. InputError for none.
std::vector<double> centred(std::span<const double> returns);

} // namespace pearlite::models
