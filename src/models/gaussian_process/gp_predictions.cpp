#include "models/gaussian_process/gp_predictions.hpp"

#include "core/linear_algebra/linear_algebra.hpp"
#include "models/gaussian_process/expectation_propagation.hpp"
#include "models/gaussian_process/orthant/orthant.hpp"
#include "models/gaussian_process/orthant/truncated_normal.hpp"
#include "pearlite/path/detail/density_path.hpp"

#include <fmt/format.h>

namespace pearlite::models {

namespace {

/// Predictions from the states of a block, by a predictor that is made at the first call.
class GpPredictions : public model::HeldOutClasses {
  public:
    explicit GpPredictions(std::shared_ptr<const GpClassificationSettings> settings)
        : settings_(std::move(settings)), held_out_(held_out_observations(settings_->data)) {}

    const model::HeldOutObservations& held_out() const override { return held_out_; }
    Matrix probabilities(const Block& block) const override {
        if (!predictor_)
            predictor_.emplace(made_predictor());
        return predictor_->probabilities(states_of(block));
    }

  protected:
    virtual SignPredictor made_predictor() const = 0;
    /// N x size.
    virtual Matrix states_of(const Block& block) const = 0;
    const GpClassificationSettings& settings() const { return *settings_; }

  private:
    std::shared_ptr<const GpClassificationSettings> settings_;
    model::HeldOutObservations held_out_;
    mutable std::optional<SignPredictor> predictor_;
};

class OrthantPredictions final : public GpPredictions {
  public:
    OrthantPredictions(std::shared_ptr<const GpClassificationSettings> settings, std::vector<Index> order)
        : GpPredictions(std::move(settings)), order_(std::move(order)) {}

  private:
    SignPredictor made_predictor() const override {
        const auto& [training, test, observed] = settings().data;
        const auto& kernel = settings().covariance;
        const Matrix inputs = training.inputs(Eigen::all, order_);
        Matrix sigma = kernel.between(inputs, inputs);
        sigma.diagonal().array() += 1;
        return {sigma, kernel.between(inputs, test.inputs), Vector::Constant(test.size(), kernel.variance() + 1),
                test.classes};
    }
    Matrix states_of(const Block& block) const override { return orthant_states(block); }

    std::vector<Index> order_;
};

/// All covariances are 1 + e times those of the model (gp_latent.hpp).
class DensityPredictions final : public GpPredictions {
  public:
    DensityPredictions(std::shared_ptr<const GpClassificationSettings> settings, GpLatent latent)
        : GpPredictions(std::move(settings)), latent_(std::move(latent)) {}

  private:
    SignPredictor made_predictor() const override {
        const auto& [training, test, observed] = settings().data;
        const auto& kernel = settings().covariance;
        const double scale = 1 + latent_.jitter();
        return {latent_.covariance(), scale * kernel.between(training.inputs, test.inputs),
                Vector::Constant(test.size(), scale * (kernel.variance() + 1)), test.classes};
    }
    Matrix states_of(const Block& block) const override {
        const auto& points = path::points_of(block).points;
        Matrix states(points.rows(), block.size());
        for (Index i = 0; i < block.size(); ++i)
            latent_.quantities({points.col(i).data(), at(points.rows())}, {states.col(i).data(), at(points.rows())});
        return states;
    }

    GpLatent latent_;
};

class GpApproximation final : public model::Approximated {
  public:
    explicit GpApproximation(std::shared_ptr<const GpClassificationSettings> settings)
        : settings_(std::move(settings)) {}

    std::vector<model::Approximation> approximations() const override {
        const auto& [training, test, observed] = settings_->data;
        const auto& kernel = settings_->covariance;
        const Matrix covariance = kernel.between(training.inputs, training.inputs);
        const auto q = expectation_propagation(covariance, training.classes);
        model::Approximation found{"expectation-propagation", q.log_evidence, q.correction, Vector()};
        if (test.size() > 0) {
            const auto latent = predict(q, covariance, kernel.between(training.inputs, test.inputs),
                                        Vector::Constant(test.size(), kernel.variance()));
            found.probabilities = Vector(test.size());
            for (Index i = 0; i < test.size(); ++i)
                found.probabilities(i) =
                    std::exp(log_normal_cdf(test.classes(i) * latent.means(i) / std::sqrt(1 + latent.variances(i))));
        }
        return {found};
    }

  private:
    std::shared_ptr<const GpClassificationSettings> settings_;
};

} // namespace

model::HeldOutObservations held_out_observations(const ClassificationData& data) {
    return {data.test.classes, data.test.rows};
}

std::shared_ptr<const model::HeldOutClasses>
orthant_predictions(std::shared_ptr<const GpClassificationSettings> settings, std::vector<Index> order) {
    if (settings->data.test.size() == 0)
        return nullptr;
    return std::make_shared<const OrthantPredictions>(std::move(settings), std::move(order));
}

std::shared_ptr<const model::HeldOutClasses>
latent_predictions(std::shared_ptr<const GpClassificationSettings> settings, GpLatent latent) {
    if (settings->data.test.size() == 0)
        return nullptr;
    return std::make_shared<const DensityPredictions>(std::move(settings), std::move(latent));
}

std::shared_ptr<const model::Approximated> gp_approximation(std::shared_ptr<const GpClassificationSettings> settings) {
    return std::make_shared<const GpApproximation>(std::move(settings));
}

SignPredictor::SignPredictor(const Matrix& covariance, const Matrix& cross, const Vector& variances,
                             const Vector& signs)
    : slopes_(cross.cols(), covariance.cols()) {
    PEARLITE_EXPECTS(cross.rows() == covariance.rows() && cross.cols() == variances.size() &&
                     signs.size() == variances.size());
    const auto factor = cholesky_factor(covariance);
    if (!factor)
        throw NumericalError(fmt::format("the covariance of {} variables is not positive definite", covariance.rows()));
    Matrix half = cross; // C^-1 c, C C' = Sigma
    factor->triangularView<Eigen::Lower>().solveInPlace(half);
    const Vector left = variances - half.colwise().squaredNorm().transpose();
    if (!(left.minCoeff() > 0))
        throw NumericalError("a held-out point has no variance left, given those that were learnt from");
    factor->triangularView<Eigen::Lower>().transpose().solveInPlace(half);
    slopes_ = (half * signs.cwiseQuotient(left.cwiseSqrt()).asDiagonal()).transpose();
}

Matrix SignPredictor::probabilities(const Eigen::Ref<const Matrix>& states) const {
    PEARLITE_EXPECTS(states.rows() == slopes_.cols());
    Matrix values(slopes_.rows(), states.cols());
    values.noalias() = slopes_ * states;
    return values.unaryExpr([](double x) { return std::exp(log_normal_cdf(x)); });
}

} // namespace pearlite::models
