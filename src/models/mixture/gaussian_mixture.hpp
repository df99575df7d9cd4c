#pragma once
/// Bayesian mixture of normal distributions on the line, annealed by adding data points one by one or by raising the
/// likelihood of all of them (Habeck 2017, section 6.4).

#include "pearlite/core/column_block.hpp"
#include "pearlite/model/data_description.hpp"
#include "pearlite/model/detail/block_streams.hpp"
#include "pearlite/model/fingerprint.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace pearlite::models {

/// w ~ Dirichlet(concentration, ...), mu_j ~ N(mean, mean_variance), tau_j ~ Gamma(precision_shape, rate
/// precision_rate): independent. The defaults are those of Chib (1995) for galaxy velocities in 1000 km/s.
struct MixturePrior {
    double concentration = 1;
    double mean = 20;
    double mean_variance = 100;
    double precision_shape = 3;
    double precision_rate = 20;
};

struct GaussianMixtureSettings {
    enum class Path { tempered, data };
    Index components = 3; ///< J
    Path path = Path::tempered;
    MixturePrior prior = {};
};

/// n draws from the mixture of N(means[j], sds[j]^2) with `weights`; a function of the seed alone.
std::vector<double> simulate_mixture(std::span<const double> weights, std::span<const double> means,
                                     std::span<const double> sds, Index n, std::uint64_t seed);

/// The same values in a random order that the seed alone determines.
std::vector<double> shuffled(std::vector<double> values, std::uint64_t seed);

/// A particle is a column (w_1..J, mu_1..J, tau_1..J); the allocations of the points are summed out:
///
///   log f_b(x) = log prior(x) + sum_l log sum_j w_j N(y_l; mu_j, 1/tau_j)^{a_l(b)}
///
/// Path::data: a_l = 1 for the first floor(b n) points, the fractional part of b n for the next, 0 for the others: a
/// schedule of n linear steps adds the points one by one, in their order. Path::tempered: a_l = b for all. Only the
/// normal densities are raised to a_l, so that the sum is 1 at a = 0 and Gibbs sampling stays conjugate. The prior is
/// normalised: log Z_1 is the log evidence.
///
/// A move draws the allocations z_l | x with probability ~ w_j N_j^{a_l}, then w | z, mu | z, tau, tau | z, mu;
/// reversed, z | x, then tau, mu, w: the chain z, mu, tau read backwards. Labels are exchangeable in every distribution
/// and every function used, so that label switching does not matter. Fulfils AnnealedModel, HasReversedMove,
/// HasStateSwap and HasOwnDataPath.
class GaussianMixture {
  public:
    using Block = ColumnBlock<double>;

    /// InputError if a setting is out of range or the data are not finite or none.
    GaussianMixture(std::vector<double> data, const GaussianMixtureSettings& settings);

    Index components() const { return settings_.components; }
    /// weight1..J, mean1..J, sd1..J of the components in the order of their means.
    std::vector<std::string> parameter_names() const;
    model::DataDescription describe_data() const;
    /// 3 J x block size: the particles' values of these. The order makes them functions of the mixture, whatever its
    /// labels.
    Matrix parameters(const Block& block) const;
    /// Log likelihood of each data point, its allocation summed out: n x block size.
    Matrix log_likelihoods(const Block& block) const;

    Block make_block(Index size) const { return {3 * settings_.components, size}; }
    void draw_start(Block& block, const model::BlockStreams& streams) const;
    void prepare(Block&) const {}
    void add_log_ratio(const Block& block, double from, double to, std::span<double> out) const;
    void path_derivative(const Block& block, double b, std::span<double> out) const;
    void move(Block& block, double b, const model::BlockStreams& streams) const;
    void move_reversed(Block& block, double b, const model::BlockStreams& streams) const;
    /// The same model with Path::data.
    GaussianMixture data_path() const {
        auto other = *this;
        other.settings_.path = GaussianMixtureSettings::Path::data;
        return other;
    }
    void swap_states(Block& a, Block& b, std::span<const std::uint8_t> which) const;
    std::optional<double> log_normaliser_start() const { return 0.0; }
    /// At b_end = 1, by summing over the allocations of at most 12 points to at most 2^16 allocations, each component's
    /// integral by quadrature.
    std::optional<double> exact_log_ratio(double b_end) const;
    void fingerprint(model::Fingerprint& fingerprint) const;

  private:
    struct Statistics;
    double exponent(Index point, double b) const;
    /// The points whose exponents are above 0 at b are 0 .. points_in_use(b) - 1.
    Index points_in_use(double b) const;
    Statistics draw_allocations(const Block& block, Index i, double b, const model::BlockStreams& streams) const;
    void draw_weights(Block& block, Index i, const Statistics& statistics, random::Stream& stream) const;
    void draw_means(Block& block, Index i, const Statistics& statistics, random::Stream& stream) const;
    void draw_precisions(Block& block, Index i, const Statistics& statistics, random::Stream& stream) const;

    std::vector<double> data_;
    GaussianMixtureSettings settings_;
};

} // namespace pearlite::models
