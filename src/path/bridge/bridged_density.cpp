#include "path/bridge/bridged_density.hpp"

#include "core/linear_algebra/linear_algebra.hpp"
#include "path/bridge/start_scale.hpp"
#include "path/registry.hpp"
#include "pearlite/core/detail/contract.hpp"
#include "pearlite/model/detail/class_predictions.hpp"
#include "pearlite/model/detail/log_likelihoods.hpp"
#include "target/named_data.hpp"

namespace pearlite::path {

namespace {

/// Both logs of a density at a point become those of the bridge.
void bridge(double log_q, double& log_prior, double& log_likelihood) {
    const bool is_possible = log_prior != log_zero && log_likelihood != log_zero;
    log_likelihood = is_possible ? log_prior + log_likelihood - log_q : log_zero;
    log_prior = log_q;
}

/// Estimates of another size, bridged from the same reference.
class BridgedSize final : public model::EstimatorSize {
  public:
    BridgedSize(const model::EstimatorSize& own, std::shared_ptr<const random::StudentMixture> reference)
        : own_(own), reference_(std::move(reference)) {}
    Index particles() const override { return own_.particles(); }
    Index particles_abreast() const override { return own_.particles_abreast(); }
    std::shared_ptr<const model::DensityFunctions> with_particles(Index n) const override {
        return std::make_shared<const BridgedDensity>(own_.with_particles(n), reference_);
    }

  private:
    const model::EstimatorSize& own_;
    std::shared_ptr<const random::StudentMixture> reference_;
};

/// The prior of the density itself.
class BridgedPrior final : public model::ReadablePrior {
  public:
    explicit BridgedPrior(const model::DensityFunctions& own) : own_(own) {}
    void log_prior(const Matrix& points, Index n, Vector& out) const override {
        Vector log_likelihood(out.size());
        own_.evaluate(points, n, {}, out, log_likelihood);
    }

  private:
    const model::DensityFunctions& own_;
};

/// grad log q + b (grad log p - grad log q), grad log p that of the density at b = 1.
class BridgedGradient final : public model::DensityGradient {
  public:
    BridgedGradient(const model::DensityGradient& own, std::shared_ptr<const random::StudentMixture> reference)
        : own_(own), reference_(std::move(reference)) {}
    void evaluate(const Matrix& points, Index n, double b, Vector& log_prior, Vector& log_likelihood,
                  Matrix& gradient) const override {
        own_.evaluate(points, n, 1, log_prior, log_likelihood, gradient);
        bridge_from_reference(points, n, b, log_prior, log_likelihood, gradient);
    }
    void evaluate_force(const Matrix& points, Index n, double b, bool with_logs, Vector& log_prior,
                        Vector& log_likelihood, Matrix& force) const override {
        own_.evaluate_force(points, n, 1, with_logs, log_prior, log_likelihood, force);
        bridge_from_reference(points, n, b, log_prior, log_likelihood, force);
    }

  private:
    void bridge_from_reference(const Matrix& points, Index n, double b, Vector& log_prior, Vector& log_likelihood,
                               Matrix& gradient) const {
        Matrix slopes(points.rows(), n);
        std::vector<double> log_q(at(n));
        reference_->log_densities(points.leftCols(n), log_q, slopes);
        for (Index i = 0; i < n; ++i) {
            bridge(log_q[at(i)], log_prior(i), log_likelihood(i));
            const auto slope = slopes.col(i);
            if (b == 0)
                gradient.col(i) = slope;
            else
                gradient.col(i) = slope + b * (gradient.col(i) - slope);
        }
    }

    const model::DensityGradient& own_;
    std::shared_ptr<const random::StudentMixture> reference_;
};

/// The precision of q and the metric of the density at b = 1, by their shares of log f_b.
class BridgedMetric final : public model::DensityMetric {
  public:
    BridgedMetric(const model::DensityMetric& own, const random::StudentMixture& reference)
        : own_(own), precision_(inverse(reference.covariance())) {}
    void metric(std::span<const double> x, double b, Eigen::Ref<Matrix> metric) const override {
        own_.metric(x, 1, metric);
        metric = b * metric + (1 - b) * precision_;
    }
    void derivative(std::span<const double> x, double b, Index k, Eigen::Ref<Matrix> derivative) const override {
        own_.derivative(x, 1, k, derivative);
        derivative *= b;
    }
    const Matrix* predictors() const override { return own_.predictors(); }
    void weights(std::span<const double> x, double b, Vector& weights, Vector& slopes) const override {
        own_.weights(x, 1, weights, slopes);
        weights *= b;
        slopes *= b;
    }

  private:
    const model::DensityMetric& own_;
    Matrix precision_;
};

class ReferenceScale final : public StartScale {
  public:
    explicit ReferenceScale(Matrix factor) : factor_(std::move(factor)) {}
    const Matrix& factor() const override { return factor_; }

  private:
    Matrix factor_;
};

} // namespace

BridgedDensity::BridgedDensity(std::shared_ptr<const model::DensityFunctions> density,
                               std::shared_ptr<const random::StudentMixture> reference)
    : density_(std::move(density)), reference_(std::move(reference)) {
    PEARLITE_EXPECTS(reference_->dimension() == density_->dimension());
    if (const auto* size = density_->offers<model::EstimatorSize>())
        offer<model::EstimatorSize>(std::make_shared<BridgedSize>(*size, reference_));
    if (const auto* gradient = density_->offers<model::DensityGradient>())
        offer<model::DensityGradient>(std::make_shared<BridgedGradient>(*gradient, reference_));
    if (const auto* metric = density_->offers<model::DensityMetric>())
        offer<model::DensityMetric>(std::make_shared<BridgedMetric>(*metric, *reference_));
    if (auto factor = cholesky_factor(reference_->covariance()))
        offer<StartScale>(std::make_shared<ReferenceScale>(std::move(*factor)));
    if (density_->offers<model::ReadablePrior>())
        pass_on<model::ReadablePrior>(*density_);
    else
        offer<model::ReadablePrior>(std::make_shared<BridgedPrior>(*density_));
    pass_on<model::PointCost>(*density_);
    pass_on<model::PointLogLikelihoods>(*density_);
    pass_on<model::ReportedQuantities>(*density_);
    pass_on<model::PriorScale>(*density_);
    pass_on<model::DescribedData>(*density_);
    pass_on<model::NamedData>(*density_);
    pass_on<model::Predictive>(*density_);
    pass_on<model::HeldOutClasses>(*density_);
    pass_on<model::Approximated>(*density_);
    pass_on<model::RejectedPoints>(*density_);
}

void BridgedDensity::evaluate(const Matrix& points, Index n, const model::BlockStreams& streams, Vector& log_prior,
                              Vector& log_likelihood) const {
    density_->evaluate(points, n, streams, log_prior, log_likelihood);
    std::vector<double> log_q(at(n));
    reference_->log_densities(points.leftCols(n), log_q);
    for (Index i = 0; i < n; ++i)
        bridge(log_q[at(i)], log_prior(i), log_likelihood(i));
}

std::optional<double> BridgedDensity::exact_log_ratio() const {
    const auto ratio = density_->exact_log_ratio(), start = density_->log_prior_normaliser();
    return ratio && start ? std::optional(*ratio + *start) : std::nullopt;
}

void BridgedDensity::fingerprint(model::Fingerprint& fingerprint) const {
    density_->fingerprint(fingerprint);
    fingerprint.add("bridge");
    fingerprint.add(reference_->values());
}

PathEntry bridge_entry() {
    return {"bridge", "from a reference distribution that is fitted to the posterior or given",
            [](const model::Target& model) { return model.offers<model::DensityFunctions>() != nullptr; },
            [](std::shared_ptr<const model::Target> model) { return model; }, true};
}

} // namespace pearlite::path
