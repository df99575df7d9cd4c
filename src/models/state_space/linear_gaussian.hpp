#pragma once
/// A stationary AR(1) process observed with noise: the state-space model whose likelihood is known (Kalman 1960), and
/// hence the test bed of estimated likelihoods.

#include "models/common/constant_variance.hpp"
#include "models/state_space/particle_filter.hpp"
#include "pearlite/model/data_description.hpp"
#include "pearlite/model/detail/block_streams.hpp"
#include "pearlite/model/parameters.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace pearlite::models {

/// y_t = x_t + noise_sd e_t, x_{t+1} = mean + persistence (x_t - mean) + state_sd eta_t, x_0 stationary; |persistence|
/// < 1, both standard deviations positive.
struct LinearGaussianParameters {
    double mean = 0;
    double persistence = 0.9;
    double state_sd = 1;
    double noise_sd = 1;

    /// Whether the parameters are in range, with finite variances.
    bool valid() const;
};

/// The model for particle filters, whose weights a missing observation leaves as they are: bootstrap; auxiliary with
/// p(y_t | x_t at its predicted mean) for a look-ahead; fully adapted.
class LinearGaussianProcess {
  public:
    using State = double;
    /// The observations must outlive the process. Parameters out of range: ContractViolation.
    LinearGaussianProcess(const LinearGaussianParameters& parameters, std::span<const double> observations);

    Index length() const { return static_cast<Index>(observations_.size()); }
    double draw_next(Index t, double x, random::Stream& stream) const;
    double log_observation(Index t, double x) const;
    double log_look_ahead(Index t, double x) const { return log_observation(t, predicted_mean(t, x)); }
    double log_adapted_look_ahead(Index t, double x) const;
    double draw_adapted(Index t, double x, random::Stream& stream) const;
    double log_adapted_weight(Index, double, double) const { return 0; }
    /// log p(y) by the Kalman filter.
    double log_likelihood() const;
    /// The same with its derivatives by mean, persistence, state_sd and noise_sd.
    double log_likelihood(std::span<double, 4> gradient) const;

  private:
    bool misses(Index t) const { return is_missing(observations_[static_cast<std::size_t>(t)]); }
    double predicted_mean(Index t, double x) const;
    double predicted_variance(Index t) const { return t == 0 ? stationary_variance_ : state_variance_; }

    LinearGaussianParameters parameters_;
    std::span<const double> observations_;
    double state_variance_, noise_variance_, stationary_variance_;
};

/// n observations drawn from the model.
std::vector<double> simulate_linear_gaussian(const LinearGaussianParameters& parameters, Index n,
                                             random::Stream& stream);

struct LinearGaussianSettings {
    std::vector<double> observations; ///< finite, or NaN where one is missing; at least one is there
    model::Prior mean = model::Prior::parse("normal(0, 1)");
    model::Prior persistence = model::Prior::parse("beta(20, 1.5, -1, 1)"); ///< support within [-1, 1]
    model::Prior state_sd = model::Prior::parse("half-normal(1)");          ///< support within [0, inf)
    model::Prior noise_sd = model::Prior::parse("half-normal(1)");          ///< support within [0, inf)
    FilterSettings filter{.particles = 100};
    std::optional<ConstantVariance> constant_variance = {}; ///< in place of filter.particles
};

namespace detail {
class LinearGaussianFilter;
} // namespace detail

/// Density of the four parameters (mean, persistence, state_sd, noise_sd; unconstrained points) whose likelihood a
/// particle filter estimates.
class LinearGaussian {
  public:
    /// InputError for observations or priors outside their ranges.
    explicit LinearGaussian(LinearGaussianSettings settings);

    std::vector<std::string> parameter_names() const { return parameters_.names(); }
    model::DataDescription describe_data() const;
    const model::Parameters& parameters() const { return parameters_; }
    void draw_prior(random::Stream& stream, std::span<double> u) const { parameters_.draw(stream, u); }
    double log_prior(std::span<const double> u) const { return parameters_.log_prior(u); }
    double log_prior(std::span<const double> u, std::span<double> gradient) const {
        return parameters_.log_prior(u, gradient);
    }
    /// Uses detail::LinearGaussianFilter. A point whose natural values have reached an
    /// end of their range by rounding has likelihood 0, here and exactly.
    void estimate(const Matrix& points, const model::BlockStreams& streams, std::span<double> log_prior,
                  std::span<double> log_likelihood) const;
    double exact_log_likelihood(std::span<const double> u) const;
    double exact_log_likelihood(std::span<const double> u, std::span<double> gradient) const;
    /// The particles of every filter, unless the variance is to be constant.
    Index particles() const { return settings_.filter.particles; }
    /// n particles for every point; ends constant_variance.
    void set_particles(Index n);
    /// The number of particles that estimate() uses at a point: particles(), or N(theta).
    Index particles_at(std::span<const double> u, const random::Address& address) const;
    void fingerprint(model::Fingerprint& fingerprint) const;

  private:
    LinearGaussianParameters natural(std::span<const double> u) const;
    /// The log of an estimate.
    double filtered(const LinearGaussianParameters& theta, Index particles, const random::Address& address,
                    detail::LinearGaussianFilter& memory) const;
    Index particles_at(const LinearGaussianParameters& theta, const random::Address& address,
                       detail::LinearGaussianFilter& memory) const;

    LinearGaussianSettings settings_;
    model::Parameters parameters_;
};

} // namespace pearlite::models
