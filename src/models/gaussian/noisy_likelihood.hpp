#pragma once
/// A test bed for theory: a Gaussian model, whose posterior and evidence are known, with a likelihood that is disturbed
/// on purpose, without bias.

#include "pearlite/model/data_description.hpp"
#include "pearlite/model/detail/block_streams.hpp"
#include "pearlite/model/detail/density_block.hpp"
#include "pearlite/model/fingerprint.hpp"
#include "pearlite/model/predictive.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace pearlite::models {

/// theta_k ~ N(0, prior_sd^2) and y_k ~ N(theta_k, data_sd^2), k = 1 .. d; the log likelihood is known but for z ~
/// N(-s2/2, s2), s2 = noise_variance / samples, independent of theta, so that E[exp(z)] = 1.
struct NoisyLikelihoodSettings {
    Vector data; ///< y, d >= 1
    double prior_sd = 1;
    double data_sd = 1;
    double noise_variance = 1; ///< of an estimate from one sample; 0: the likelihood is exact
    Index samples = 1;
};

/// A parameter from the prior and data given it, for calibration by simulation.
struct NoisyLikelihoodTruth {
    Vector parameters;
    Vector data;
};
NoisyLikelihoodTruth simulate(Index dimension, double prior_sd, double data_sd, random::Stream& stream);

/// HasEstimatedLikelihood, HasExactLikelihood, HasEstimatorSize, HasExactLogRatio. Parameters theta1 .. theta_d
/// (theta if d = 1). The noise is the first normal of the point's stream.
class NoisyLikelihood {
  public:
    /// Throws InputError for scales that are not positive, a negative variance, no data or no samples.
    explicit NoisyLikelihood(NoisyLikelihoodSettings settings);

    std::vector<std::string> parameter_names() const;
    model::DataDescription describe_data() const;
    /// y from N(theta, data_sd^2).
    model::Prediction predict(std::span<const double> u, Index samples, const random::Address& address) const;
    void draw_prior(random::Stream& stream, std::span<double> x) const;
    double log_prior(std::span<const double> x) const;
    void estimate(const Matrix& points, const model::BlockStreams& streams, std::span<double> log_prior,
                  std::span<double> log_likelihood) const;
    double exact_log_likelihood(std::span<const double> x) const;

    Index particles() const { return settings_.samples; }
    void set_particles(Index n);
    /// s2: the variance of a log estimate, at every point.
    double log_variance() const { return settings_.noise_variance / static_cast<double>(settings_.samples); }

    const NoisyLikelihoodSettings& settings() const { return settings_; }
    /// Moments of theta_k under prior x likelihood^b, independent between k.
    double tempered_mean(Index k, double b) const;
    double tempered_sd(double b) const;
    /// log of the integral of prior x likelihood^b, b > -(data_sd / prior_sd)^2: without noise.
    double log_normaliser(double b) const;
    /// With noise: log E[estimate^b]; equal at b = 0 and 1.
    double log_noisy_normaliser(double b) const;
    /// The log evidence.
    std::optional<double> exact_log_ratio() const { return log_normaliser(1); }
    /// log of the limit of ESS/M, ESS = (sum w)^2 / sum w^2, when M particles are annealed along the schedule a_0 ..
    /// a_T, weighted before each move, never resampled, and every move draws (theta, z) anew from its tempered
    /// posterior. Noise takes -s2 sum (a_t - a_(t-1))^2 of it (Tran, Strickland, Pitt & Kohn, Theorem 1).
    double log_relative_ess(std::span<const double> schedule) const;

    void fingerprint(model::Fingerprint& fingerprint) const;

  private:
    NoisyLikelihoodSettings settings_;
};

/// The same as an AnnealedModel with a perfect kernel, as the theory assumes one: a move draws theta from its tempered
/// posterior and, independently, z | b ~ N(-s2/2 + b s2, s2), whatever the state was. HasReversibleMove, HasEndSampler,
/// HasLinearPath. Normals 0 .. d - 1 of a particle's stream are for theta, number d is for z.
class NoisyAnnealing {
  public:
    using Block = model::DensityBlock;
    static constexpr bool move_is_reversible = true;
    static constexpr bool path_is_linear = true;

    explicit NoisyAnnealing(NoisyLikelihood density) : density_(std::move(density)) {}

    const NoisyLikelihood& density() const { return density_; }
    Block make_block(Index size) const { return Block(density_.settings().data.size(), size); }
    void draw_start(Block& block, const model::BlockStreams& streams) const;
    void draw_end(Block& block, double b_end, const model::BlockStreams& streams) const;
    void move(Block& block, double b, const model::BlockStreams& streams) const;
    void prepare(Block&) const {}
    void add_log_ratio(const Block& block, double from, double to, std::span<double> out) const;
    void path_derivative(const Block& block, double b, std::span<double> out) const;
    std::optional<double> log_normaliser_start() const { return 0.0; }
    std::optional<double> exact_log_ratio(double b_end) const { return density_.log_noisy_normaliser(b_end); }
    void fingerprint(model::Fingerprint& fingerprint) const { density_.fingerprint(fingerprint); }

  private:
    void draw(Block& block, double b, const model::BlockStreams& streams, random::Purpose purpose) const;

    NoisyLikelihood density_;
};

} // namespace pearlite::models
