#pragma once
/// Interface of a density over R^d, prior and likelihood, for paths and kernels: whole blocks of points at a time.

#include "pearlite/core/types.hpp"
#include "pearlite/model/detail/block_streams.hpp"
#include "pearlite/model/detail/capabilities.hpp"
#include "pearlite/model/fingerprint.hpp"
#include "pearlite/model/normal_approximation.hpp"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace pearlite::model {

/// The members mean what they mean for a Density (density.hpp). It may offer: DensityGradient, DensityMetric,
/// PointCost, EstimatorSize, ReportedQuantities, PointsOfQuantities, PointwiseLikelihood, DescribedData, Predictive,
/// ReadablePrior, PriorDensity, PriorScale, PosteriorApproximation, HeldOutClasses, Approximated, RejectedPoints.
class DensityFunctions : public Capabilities {
  public:
    virtual ~DensityFunctions() = default;

    /// One name per coordinate: d of them.
    virtual const std::vector<std::string>& parameter_names() const = 0;
    Index dimension() const { return static_cast<Index>(parameter_names().size()); }
    virtual void draw_prior(random::Stream& stream, std::span<double> x) const = 0;
    /// Both log densities of the first n columns of `points` (d x padded) into the first n elements (of padded);
    /// columns and elements beyond may hold anything before and after. Streams serve likelihoods that are estimated.
    virtual void evaluate(const Matrix& points, Index n, const BlockStreams& streams, Vector& log_prior,
                          Vector& log_likelihood) const = 0;
    /// The likelihood is an unbiased estimate, another one at each evaluation.
    virtual bool is_estimated() const = 0;
    virtual std::optional<double> log_prior_normaliser() const = 0;
    virtual std::optional<double> exact_log_ratio() const = 0;
    virtual void fingerprint(Fingerprint& fingerprint) const = 0;
};

/// Gradients at many points, with the log densities themselves. Densities with an estimated likelihood have none.
class DensityGradient {
  public:
    virtual ~DensityGradient() = default;
    /// Both log densities as DensityFunctions::evaluate, and into the first n columns of `gradient` (d x padded) the
    /// gradient of log prior + b log likelihood; where the log prior is -infinity, or either log is NaN, the column may
    /// hold anything.
    virtual void evaluate(const Matrix& points, Index n, double b, Vector& log_prior, Vector& log_likelihood,
                          Matrix& gradient) const = 0;
    /// For the steps of a trajectory: in place of the gradient a function of each point alone that need not be quite
    /// the gradient; and both log densities, exactly, if they are wanted: without, they may hold anything after.
    virtual void evaluate_force(const Matrix& points, Index n, double b, bool /*with_logs*/, Vector& log_prior,
                                Vector& log_likelihood, Matrix& force) const {
        evaluate(points, n, b, log_prior, log_likelihood, force);
    }
};

/// The log prior, of a density that is bridged from another start: its log prior and log likelihood are then not those
/// that people read, but their sum is.
class ReadablePrior {
  public:
    virtual ~ReadablePrior() = default;
    /// At the first n columns of `points` (d x padded) into the first n elements (of padded).
    virtual void log_prior(const Matrix& points, Index n, Vector& out) const = 0;
};

/// The prior of a density that does not start from it, as a separate density: unnormalised, with the start of the
/// density itself.
class PriorDensity {
  public:
    virtual ~PriorDensity() = default;
    virtual std::shared_ptr<const DensityFunctions> prior() const = 0;
};

/// How the density of the prior changes with its scale.
class PriorScale {
  public:
    virtual ~PriorScale() = default;
    /// log p_s - log p at the reported parameters: p_s has `scale` times the standard deviations of p.
    virtual double log_prior_of_scale(std::span<const double> parameters, double scale) const = 0;
};

/// A Riemannian metric for log prior + b log likelihood, of one point at a time. Densities with an estimated likelihood
/// have none.
class DensityMetric {
  public:
    virtual ~DensityMetric() = default;
    /// G(x), d x d, symmetric and positive definite; outside the support it may hold anything.
    virtual void metric(std::span<const double> x, double b, Eigen::Ref<Matrix> metric) const = 0;
    /// dG/dx_k, d x d, inside the support.
    virtual void derivative(std::span<const double> x, double b, Index k, Eigen::Ref<Matrix> derivative) const = 0;
    /// J, N x d, if G(x) = G_0 + J' diag(w) J with each w_n a function of (J x)_n alone, as in generalised linear
    /// models: work on derivatives of G then costs d^2 N operations in place of d^4. Null: G is any other.
    virtual const Matrix* predictors() const { return nullptr; }
    /// w and dw_n/d(J x)_n, N each. Only if there are predictors.
    virtual void weights(std::span<const double> /*x*/, double /*b*/, Vector& /*weights*/, Vector& /*slopes*/) const {}
};

/// A normal distribution that the model itself finds in place of its posterior, in the coordinates that samplers move.
class PosteriorApproximation {
  public:
    virtual ~PosteriorApproximation() = default;
    /// Deterministic.
    virtual NormalApproximation approximation() const = 0;
};

/// The cost of a likelihood at x, relative to other points; finite, 0 or more.
class PointCost {
  public:
    virtual ~PointCost() = default;
    virtual double cost(std::span<const double> x) const = 0;
};

/// The likelihood as a product over data points, in the order of the data.
class PointwiseLikelihood {
  public:
    virtual ~PointwiseLikelihood() = default;
    /// N, at least 1.
    virtual Index data_points() const = 0;
    /// As DensityFunctions::evaluate, with the likelihood of the data points from .. to - 1 alone, 0 <= from <= to <=
    /// N; the log likelihood of none is 0.
    virtual void evaluate(const Matrix& points, Index n, Index from, Index to, Vector& log_prior,
                          Vector& log_likelihood) const = 0;
};

/// Points that the code behind a density has refused; their density is zero.
struct Rejections {
    Index number = 0;
    std::string first; ///< what was wrong with the first of them
};
class RejectedPoints {
  public:
    virtual ~RejectedPoints() = default;
    /// Counts the points rejected in this process so far.
    virtual Rejections rejections() const = 0;
};

/// How precise an estimated likelihood is: N particles or samples for each estimate.
class EstimatorSize {
  public:
    virtual ~EstimatorSize() = default;
    virtual Index particles() const = 0;
    /// Numbers up to the next multiple of this one cost the same.
    virtual Index particles_abreast() const = 0;
    /// The same density with another N.
    virtual std::shared_ptr<const DensityFunctions> with_particles(Index n) const = 0;
};

/// Quantities reported instead of the coordinates: as many as there are names.
class ReportedQuantities {
  public:
    virtual ~ReportedQuantities() = default;
    virtual const std::vector<std::string>& quantity_names() const = 0;
    virtual void quantities(std::span<const double> x, std::span<double> out) const = 0;
};

/// The way back: points at which some of the reported quantities have given values.
class PointsOfQuantities {
  public:
    virtual ~PointsOfQuantities() = default;
    /// The quantities that determine a point.
    virtual const std::vector<std::string>& determining_quantities() const = 0;
    /// The point (d) of these values; false if there is none, as outside the support.
    virtual bool point(std::span<const double> values, std::span<double> x) const = 0;
};

} // namespace pearlite::model
