#pragma once
/// Densities over R^d in the form in which people have them: a prior to start from and a likelihood.

#include "pearlite/core/types.hpp"
#include "pearlite/model/estimated_likelihood.hpp"
#include "pearlite/model/fingerprint.hpp"
#include "pearlite/model/normal_approximation.hpp"
#include "pearlite/random/stream.hpp"

#include <concepts>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace pearlite::model {

/// Required: one name per dimension, whose number is the dimension.
template <class D>
concept HasParameterNames = requires(const D& density) {
    { density.parameter_names() } -> std::convertible_to<std::vector<std::string>>;
};
/// Required: one exact draw from the prior into x, of length d; its random numbers come from the stream alone.
template <class D>
concept HasPriorSampler = requires(const D& density, random::Stream& stream, std::span<double> x) {
    density.draw_prior(stream, x);
};
/// Required, unless there is a block or an estimated density: log of the normalised prior density at x, of length d;
/// -infinity outside its support.
template <class D>
concept HasLogPrior = requires(const D& density, std::span<const double> x) {
    { density.log_prior(x) } -> std::convertible_to<double>;
};
/// Required with it: log likelihood at x, with all constants that the evidence is to have.
template <class D>
concept HasLogLikelihood = requires(const D& density, std::span<const double> x) {
    { density.log_likelihood(x) } -> std::convertible_to<double>;
};

/// Optional: both log densities of many points at once (d x n, a point per column); results of length n.
template <class D>
concept HasBlockDensity = requires(const D& density, const Matrix& points, std::span<double> log_prior,
                                   std::span<double> log_likelihood) {
    density.evaluate(points, log_prior, log_likelihood);
};
/// Optional: D::evaluates_padding is true, for this and for evaluate_with_gradient. n is then a multiple of
/// block_padding, for vector code that works on whole packets; points beyond those in use may hold anything.
template <class D>
concept EvaluatesPadding = bool(D::evaluates_padding);
/// Optional: gradient of log prior + b log likelihood at x into a span of d. It is asked for inside the support only.
template <class D>
concept HasGradient = requires(const D& density, std::span<const double> x, double b, std::span<double> gradient) {
    density.gradient(x, b, gradient);
};
/// Optional: both log densities of many points as HasBlockDensity, with the gradients of log prior + b log likelihood,
/// a column for each point (d x n). Where the log prior is -infinity a column may hold anything.
template <class D>
concept HasBlockGradient = requires(const D& density, const Matrix& points, double b, std::span<double> log_prior,
                                    std::span<double> log_likelihood, Eigen::Ref<Matrix> gradient) {
    density.evaluate_with_gradient(points, b, log_prior, log_likelihood, gradient);
};
/// Optional, beside a gradient: a rounded gradient for trajectories, where that is cheaper. A trajectory along any
/// function of the position alone is reversible and keeps volumes, and its end is accepted by the exact log densities.
/// Therefore a point's force may not depend on its neighbours or its place. A column for each point (d x n), n as for
/// evaluate_with_gradient.
template <class D>
concept HasForce = requires(const D& density, const Matrix& points, double b, Eigen::Ref<Matrix> force) {
    density.force(points, b, force);
};
/// Optional: a Riemannian metric for log prior + b log likelihood, for kernels whose steps follow the density's local
/// scale. metric(x, b, G) writes G(x), d x d, symmetric and positive definite; metric_derivative(x, b, k, dG) writes
/// dG/dx_k, for k = 0 .. d - 1. Any such G leaves results right; the Fisher information of the data times b plus the
/// precision of the prior is a good one (Girolami & Calderhead 2011). Both are asked for one point at a time, and the
/// metric also at points outside the support, where it may hold anything.
template <class D>
concept HasMetric = requires(const D& density, std::span<const double> x, double b, Index k,
                             Eigen::Ref<Matrix> metric) {
    density.metric(x, b, metric);
    density.metric_derivative(x, b, k, metric);
};
/// Optional, in place of metric_derivative(): the metric is G_0 + J' diag(w) J with each w_n a function of (J x)_n
/// alone, as in generalised linear models. predictors() is J, N x d; metric_weights(x, b, w, w') writes w and dw_n/d(J
/// x)_n, which it resizes to N. With many coordinates that is much faster.
template <class D>
concept HasPredictorMetric = requires(const D& density, std::span<const double> x, double b, Vector& weights,
                                      Eigen::Ref<Matrix> metric) {
    density.metric(x, b, metric);
    { density.predictors() } -> std::same_as<const Matrix&>;
    density.metric_weights(x, b, weights, weights);
};
/// Optional: a normal distribution in place of the posterior, found without random numbers, at which path.kind =
/// "bridge" begins with path.fit = "model".
template <class D>
concept HasApproximation = requires(const D& density) {
    { density.approximation() } -> std::same_as<NormalApproximation>;
};
/// Optional: log of the prior's normalising constant, where log_prior leaves it out (otherwise the prior is
/// normalised).
template <class D>
concept HasPriorNormaliser = requires(const D& density) {
    { density.log_prior_normaliser() } -> std::convertible_to<double>;
};
/// Optional: the log of the prior with `scale` times the standard deviations, over the prior, at the parameters that
/// are reported: by it finished draws show how an evidence depends on the prior's scale.
template <class D>
concept HasPriorScale = requires(const D& density, std::span<const double> parameters, double scale) {
    { density.log_prior_of_scale(parameters, scale) } -> std::convertible_to<double>;
};
/// Optional: the exact log of integral prior x likelihood over integral prior, for comparison.
template <class D>
concept HasExactLogRatio = requires(const D& density) {
    { density.exact_log_ratio() } -> std::convertible_to<std::optional<double>>;
};
/// Optional: the data, so that a checkpoint made with other data is recognised.
template <class D>
concept HasFingerprint = requires(const D& density, Fingerprint& fingerprint) {
    density.fingerprint(fingerprint);
};

/// Optional: natural(k, u), the reported value of parameter k if samplers move u; increasing in u. A density
/// with parameters() (model/parameters.hpp) need not define it.
template <class D>
concept HasNaturalScale = requires(const D& density, Index k, double u) {
    { density.natural(k, u) } -> std::convertible_to<double>;
};

/// Optional: quantities reported instead of the coordinates, if the two differ in number or meaning (simplexes,
/// transformed parameters): quantities(x, out), one for each of quantity_names().
template <class D>
concept HasQuantities = requires(const D& density, std::span<const double> x, std::span<double> out) {
    { density.quantity_names() } -> std::convertible_to<std::vector<std::string>>;
    density.quantities(x, out);
};

/// Optional: the likelihood by data points, so that these can be added one by one (path.kind = "data"): their number,
/// and the log likelihood at x of the points from .. to - 1 alone.
template <class D>
concept HasPointwiseLikelihood = HasLogPrior<D> &&
    requires(const D& density, std::span<const double> x, Index from, Index to) {
    { density.data_points() } -> std::convertible_to<Index>;
    { density.log_likelihood(x, from, to) } -> std::convertible_to<double>;
};
/// The same for densities that evaluate many points at once: the log likelihoods are those of these data points alone.
template <class D>
concept HasPointwiseBlockDensity = requires(const D& density, const Matrix& points, Index from, Index to,
                                            std::span<double> log_prior, std::span<double> log_likelihood) {
    { density.data_points() } -> std::convertible_to<Index>;
    density.evaluate(points, from, to, log_prior, log_likelihood);
};

/// Optional: log_likelihoods(x), one for each data point; their sum is the log likelihood. The points are independent
/// given the parameters.
template <class D>
concept HasLogLikelihoods = requires(const D& density, std::span<const double> x) {
    { density.log_likelihoods(x) } -> std::convertible_to<Vector>;
};

/// Optional: the cost of a likelihood at x, relative to other points; finite, 0 or more. Ranks share their work by it
/// instead of by the clock. Results do not depend on it.
template <class D>
concept HasCost = requires(const D& density, std::span<const double> x) {
    { density.cost(x) } -> std::convertible_to<double>;
};

/// The requirements on a density for annealing from prior to posterior.
template <class D>
concept Density = HasParameterNames<D> && HasPriorSampler<D> &&
    (HasEstimatedLikelihood<D> || HasBlockDensity<D> || (HasLogPrior<D> && HasLogLikelihood<D>));

/// Reports at compile time each member that a density lacks.
template <class D>
constexpr void require_density() {
    static_assert(HasParameterNames<D>,
                  "this model lacks: std::vector<std::string> parameter_names() const  (one name per dimension)");
    static_assert(HasPriorSampler<D>, "this model lacks: void draw_prior(pearlite::random::Stream& stream, "
                                      "std::span<double> x) const  (one exact draw from the prior into x)");
    constexpr bool in_blocks = HasEstimatedLikelihood<D> || HasBlockDensity<D>;
    static_assert(in_blocks || HasLogPrior<D>, "this model lacks: double log_prior(std::span<const double> x) "
                                               "const  (normalised; -infinity outside the support)");
    static_assert(in_blocks || HasLogLikelihood<D>,
                  "this model lacks: double log_likelihood(std::span<const double> x) const");
}

} // namespace pearlite::model
