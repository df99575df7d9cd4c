#include "models/joint/joint_density.hpp"

#include "target/named_data.hpp"

namespace pearlite::models {

namespace {

using random::StudentMixture;

/// The gradient of log q + b (log p - log q).
class Gradient final : public model::DensityGradient {
  public:
    Gradient(std::shared_ptr<const model::JointFunctions> functions, std::shared_ptr<const StudentMixture> start)
        : functions_(std::move(functions)), start_(std::move(start)) {}
    void evaluate(const Matrix& points, Index n, double b, Vector& log_prior, Vector& log_likelihood,
                  Matrix& gradient) const override {
        functions_->log_densities(points, n, log_likelihood, gradient);
        Matrix of_start(points.rows(), n);
        start_->log_densities(points.leftCols(n), {log_prior.data(), static_cast<std::size_t>(n)}, of_start);
        log_likelihood.head(n) -= log_prior.head(n);
        gradient.leftCols(n) = of_start + b * (gradient.leftCols(n) - of_start);
    }

  private:
    std::shared_ptr<const model::JointFunctions> functions_;
    std::shared_ptr<const StudentMixture> start_;
};

class Prior final : public model::PriorDensity, public model::ReadablePrior {
  public:
    Prior(std::shared_ptr<const model::JointFunctions> functions, double scale)
        : functions_(std::move(functions)), density_(std::make_shared<const JointDensity>(functions_, scale)) {}
    std::shared_ptr<const model::DensityFunctions> prior() const override { return density_; }
    void log_prior(const Matrix& points, Index n, Vector& out) const override {
        functions_->log_densities(points, n, out);
    }

  private:
    std::shared_ptr<const model::JointFunctions> functions_;
    std::shared_ptr<const JointDensity> density_;
};

std::shared_ptr<const StudentMixture> wide_start(Index d, double scale) {
    constexpr double degrees_of_freedom = 7; // of the references of bridges, too
    return std::make_shared<const StudentMixture>(
        std::vector<StudentMixture::Component>{{1, Vector::Zero(d), scale * Matrix::Identity(d, d)}},
        degrees_of_freedom);
}

} // namespace

JointDensity::JointDensity(std::shared_ptr<const model::JointFunctions> functions, double scale,
                           std::shared_ptr<const model::JointFunctions> prior)
    : functions_(std::move(functions)),
      prior_(std::move(prior)),
      start_(wide_start(static_cast<Index>(functions_->coordinate_names().size()), scale)),
      scale_(scale) {
    if (functions_->has_gradient())
        offer<model::DensityGradient>(std::make_shared<Gradient>(functions_, start_));
    if (prior_) {
        const auto offered = std::make_shared<Prior>(prior_, scale);
        offer<model::PriorDensity>(offered);
        offer<model::ReadablePrior>(offered);
    }
    pass_on<model::ReportedQuantities>(*functions_);
    pass_on<model::PointsOfQuantities>(*functions_);
    pass_on<model::RejectedPoints>(*functions_);
    pass_on<model::NamedData>(*functions_);
}

void JointDensity::evaluate(const Matrix& points, Index n, const model::BlockStreams&, Vector& log_prior,
                            Vector& log_likelihood) const {
    start_->log_densities(points.leftCols(n), {log_prior.data(), static_cast<std::size_t>(n)});
    functions_->log_densities(points, n, log_likelihood);
    log_likelihood.head(n) -= log_prior.head(n);
}

void JointDensity::fingerprint(model::Fingerprint& fingerprint) const {
    functions_->fingerprint(fingerprint);
    fingerprint.add(scale_);
    if (prior_)
        prior_->fingerprint(fingerprint);
}

} // namespace pearlite::models
