#pragma once
/// Stochastic volatility as a Density whose likelihood a particle filter estimates: plain, with leverage, with
/// Student-t errors, or with both.

#include "models/common/constant_variance.hpp"
#include "models/state_space/volatility_process.hpp"
#include "pearlite/model/data_description.hpp"
#include "pearlite/model/detail/block_streams.hpp"
#include "pearlite/model/parameters.hpp"
#include "pearlite/model/predictive.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace pearlite::models {

/// Priors of mu, phi and sigma as Kim, Shephard & Chib (1998) have them: N(0, variance 10), (phi + 1)/2 ~ Beta(20,
/// 1.5), sigma^2 ~ inverse-gamma(2.5, 0.025); of nu as Juarez & Steel (2010): Gamma(2, rate 0.1).
struct StochasticVolatilitySettings {
    std::vector<double> returns; ///< of mean 0, or NaN where one is missing; at least one is there
    bool leverage = false;
    bool student = false;
    model::Prior mu = model::Prior::parse("normal(0, 3.1622776601683795)");
    model::Prior phi = model::Prior::parse("beta(20, 1.5, -1, 1)");             ///< support within [-1, 1]
    model::Prior sigma = model::Prior::parse("root-inverse-gamma(2.5, 0.025)"); ///< support within [0, inf)
    model::Prior rho = model::Prior::parse("uniform(-1, 1)");                   ///< support within [-1, 1]
    model::Prior nu = model::Prior::parse("gamma(2, 0.1)");                     ///< support within [0, inf)
    FilterSettings filter = {};                                                 ///< bootstrap, or adapted by tangents
    std::optional<ConstantVariance> constant_variance = {};                     ///< in place of filter.particles
};

/// Parameters mu, phi, sigma, then rho with leverage, then nu with Student-t errors; points are unconstrained.
class StochasticVolatility {
  public:
    /// InputError for returns, priors or settings outside their ranges.
    explicit StochasticVolatility(StochasticVolatilitySettings settings);

    std::vector<std::string> parameter_names() const { return parameters_.names(); }
    const model::Parameters& parameters() const { return parameters_; }
    std::span<const double> returns() const { return settings_.returns; }
    model::DataDescription describe_data() const;
    /// As predict_volatility.
    model::Prediction predict(std::span<const double> u, Index samples, const random::Address& address) const;
    VolatilityParameters natural(std::span<const double> u) const;
    void draw_prior(random::Stream& stream, std::span<double> u) const { parameters_.draw(stream, u); }
    double log_prior(std::span<const double> u) const { return parameters_.log_prior(u); }
    double log_prior(std::span<const double> u, std::span<double> gradient) const {
        return parameters_.log_prior(u, gradient);
    }
    /// Uses the filter in single precision. A point whose natural values have reached an end of their range by rounding
    /// has likelihood 0, here and exactly. Pilot r takes its numbers from the same address with the seed derived by
    /// part 2^63 + r.
    void estimate(const Matrix& points, const model::BlockStreams& streams, std::span<double> log_prior,
                  std::span<double> log_likelihood) const;
    /// By quadrature.
    double exact_log_likelihood(std::span<const double> u) const;
    double exact_log_likelihood(std::span<const double> u, std::span<double> gradient) const;
    /// The particles of every filter, unless the variance is to be constant.
    Index particles() const { return settings_.filter.particles; }
    /// n particles for every point; ends constant_variance.
    void set_particles(Index n);
    /// Numbers of particles up to the next multiple cost the same.
    static constexpr Index particles_abreast = 32;
    /// The number of particles that estimate() uses at a point: particles(), or N(theta).
    Index particles_at(std::span<const double> u, const random::Address& address) const;
    void fingerprint(model::Fingerprint& fingerprint) const;

  private:
    StochasticVolatilitySettings settings_;
    model::Parameters parameters_;
};

// Predictions of stochastic volatility from parameters: the volatility itself, day by day, and returns to come.

struct VolatilityPredictionSettings {
    Index particles = 1000; ///< of the filter
    Index horizon = 20;     ///< times beyond the last return
};

/// Volatility is exp(h_t/2): the standard deviation of a return with normal errors, the scale of one with Student-t
/// errors. Within the data, for every time: `volatility` given the returns up to it (filtered), and `y`, a return given
/// those before it (one step ahead). Beyond them `volatility` and `y` at the next times of the horizon. A bootstrap
/// filter with numbers at the address, samples with those of its next step. Empty for parameters that are not valid or
/// give the filter likelihood 0.
model::Prediction predict_volatility(const VolatilityParameters& parameters, std::span<const double> returns,
                                     Index samples, const VolatilityPredictionSettings& settings,
                                     const random::Address& address);

} // namespace pearlite::models
