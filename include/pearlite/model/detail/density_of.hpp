#pragma once
/// A user's or the package's density D (density.hpp) as DensityFunctions.

#include "pearlite/core/detail/point_error.hpp"
#include "pearlite/model/data_description.hpp"
#include "pearlite/model/density.hpp"
#include "pearlite/model/detail/class_predictions.hpp"
#include "pearlite/model/detail/density_functions.hpp"
#include "pearlite/model/detail/log_likelihoods.hpp"
#include "pearlite/model/predictive.hpp"
#include "pearlite/model/target.hpp"

#include <memory>
#include <utility>

namespace pearlite::model {

template <class D>
class DensityOf;

namespace detail {

template <HasCost D>
struct PointCostOf final : PointCost {
    explicit PointCostOf(std::shared_ptr<const D> d) : density(std::move(d)) {}
    double cost(std::span<const double> x) const override { return density->cost(x); }
    std::shared_ptr<const D> density;
};

template <HasEstimatorSize D>
struct EstimatorSizeOf final : EstimatorSize {
    explicit EstimatorSizeOf(std::shared_ptr<const D> d) : density(std::move(d)) {}
    Index particles() const override { return density->particles(); }
    Index particles_abreast() const override {
        if constexpr (requires { D::particles_abreast; })
            return D::particles_abreast;
        return 1;
    }
    std::shared_ptr<const DensityFunctions> with_particles(Index n) const override {
        D other = *density;
        other.set_particles(n);
        return std::make_shared<const DensityOf<D>>(std::move(other));
    }
    std::shared_ptr<const D> density;
};

/// natural(k, u) of the density itself or of its parameters().
template <class D>
concept HasNaturalParameters = requires(const D& density, Index k, double u) {
    { density.parameters().natural(k, u) } -> std::convertible_to<double>;
};
template <class D>
struct NaturalQuantitiesOf final : ReportedQuantities {
    explicit NaturalQuantitiesOf(std::shared_ptr<const D> d)
        : density(std::move(d)), names(density->parameter_names()) {}
    const std::vector<std::string>& quantity_names() const override { return names; }
    void quantities(std::span<const double> x, std::span<double> out) const override {
        for (std::size_t k = 0; k < x.size(); ++k)
            if constexpr (HasNaturalScale<D>)
                out[k] = density->natural(static_cast<Index>(k), x[k]);
            else
                out[k] = density->parameters().natural(static_cast<Index>(k), x[k]);
    }
    std::shared_ptr<const D> density;
    std::vector<std::string> names;
};

template <HasQuantities D>
struct ReportedQuantitiesOf final : ReportedQuantities {
    explicit ReportedQuantitiesOf(std::shared_ptr<const D> d)
        : density(std::move(d)), names(density->quantity_names()) {}
    const std::vector<std::string>& quantity_names() const override { return names; }
    void quantities(std::span<const double> x, std::span<double> out) const override { density->quantities(x, out); }
    std::shared_ptr<const D> density;
    std::vector<std::string> names;
};

template <HasDataDescription D>
struct DescribedDataOfDensity final : DescribedData {
    explicit DescribedDataOfDensity(std::shared_ptr<const D> d) : density(std::move(d)) {}
    DataDescription describe_data() const override { return density->describe_data(); }
    std::shared_ptr<const D> density;
};

template <HasPriorScale D>
struct PriorScaleOf final : PriorScale {
    explicit PriorScaleOf(std::shared_ptr<const D> d) : density(std::move(d)) {}
    double log_prior_of_scale(std::span<const double> parameters, double scale) const override {
        return density->log_prior_of_scale(parameters, scale);
    }
    std::shared_ptr<const D> density;
};

template <HasPrediction D>
struct PredictiveOf final : Predictive {
    explicit PredictiveOf(std::shared_ptr<const D> d) : density(std::move(d)) {}
    Prediction predict(std::span<const double> x, Index samples, const random::Address& address) const override {
        return density->predict(x, samples, address);
    }
    std::shared_ptr<const D> density;
};

/// Outside the prior's support a likelihood need not be defined.
inline void leave_out_impossible(std::span<const double> log_prior, std::span<double> log_likelihood) {
    for (std::size_t i = 0; i < log_prior.size(); ++i)
        if (log_prior[i] == log_zero)
            log_likelihood[i] = log_zero;
}

/// Calls evaluate(points, log_prior, log_likelihood), a block density of D, with the first n columns of `points`, or
/// with all if D evaluates padding.
template <class D, class Evaluate>
void evaluate_columns(const Matrix& points, Index n, Vector& log_prior, Vector& log_likelihood,
                      const Evaluate& evaluate) {
    const std::span<double> priors(log_prior.data(), static_cast<std::size_t>(n));
    const std::span<double> likelihoods(log_likelihood.data(), static_cast<std::size_t>(n));
    const auto columns = static_cast<std::size_t>(points.cols());
    if constexpr (EvaluatesPadding<D>)
        evaluate(points, {log_prior.data(), columns}, {log_likelihood.data(), columns});
    else if (n == points.cols())
        evaluate(points, priors, likelihoods);
    else // the last block of a population
        evaluate(points.leftCols(n), priors, likelihoods);
    leave_out_impossible(priors, likelihoods);
}

/// Calls visit(i, x) for the first n columns x of `points`; an exception becomes a PointError that names the
/// coordinates.
template <class D, class Visit>
void at_each_column(const D& density, const Matrix& points, Index n, const Visit& visit) {
    const auto column = [&](Index i) {
        return std::span<const double>(points.col(i).data(), static_cast<std::size_t>(points.rows()));
    };
    at_each_point(
        n, [&](Index i) { visit(i, column(i)); },
        [&](Index i) { return named_coordinates(density.parameter_names(), column(i)); });
}

/// DensityFunctions::evaluate of a density whose likelihood is not estimated.
template <class D>
void evaluate_points(const D& density, const Matrix& points, Index n, Vector& log_prior, Vector& log_likelihood) {
    if constexpr (HasBlockDensity<D>)
        evaluate_columns<D>(points, n, log_prior, log_likelihood,
                            [&](const auto& columns, std::span<double> priors, std::span<double> likelihoods) {
                                density.evaluate(columns, priors, likelihoods);
                            });
    else
        at_each_column(density, points, n, [&](Index i, std::span<const double> x) {
            log_prior(i) = density.log_prior(x);
            log_likelihood(i) = log_prior(i) == log_zero ? log_zero : density.log_likelihood(x);
        });
}

/// By evaluate_with_gradient if D has it, else from each point's own gradient.
template <class D>
struct DensityGradientOf final : DensityGradient {
    explicit DensityGradientOf(std::shared_ptr<const D> d) : density(std::move(d)) {}
    void evaluate(const Matrix& points, Index n, double b, Vector& log_prior, Vector& log_likelihood,
                  Matrix& gradient) const override {
        if constexpr (HasBlockGradient<D>) {
            evaluate_columns<D>(points, n, log_prior, log_likelihood,
                                [&](const auto& columns, std::span<double> priors, std::span<double> likelihoods) {
                                    density->evaluate_with_gradient(columns, b, priors, likelihoods,
                                                                    gradient.leftCols(columns.cols()));
                                });
        } else {
            evaluate_points(*density, points, n, log_prior, log_likelihood);
            at_each_column(*density, points, n, [&](Index i, std::span<const double> x) {
                if (log_prior(i) > log_zero)
                    density->gradient(x, b, std::span<double>(gradient.col(i).data(), x.size()));
            });
        }
    }
    void evaluate_force(const Matrix& points, Index n, double b, bool with_logs, Vector& log_prior,
                        Vector& log_likelihood, Matrix& force) const override {
        if constexpr (HasForce<D>) {
            if (with_logs)
                evaluate_points(*density, points, n, log_prior, log_likelihood);
            evaluate_columns<D>(points, n, log_prior, log_likelihood,
                                [&](const auto& columns, std::span<double>, std::span<double>) {
                                    density->force(columns, b, force.leftCols(columns.cols()));
                                });
        } else {
            evaluate(points, n, b, log_prior, log_likelihood, force);
        }
    }
    std::shared_ptr<const D> density;
};

template <class D>
struct DensityMetricOf final : DensityMetric {
    explicit DensityMetricOf(std::shared_ptr<const D> d) : density(std::move(d)) {}
    void metric(std::span<const double> x, double b, Eigen::Ref<Matrix> metric) const override {
        density->metric(x, b, metric);
    }
    void derivative(std::span<const double> x, double b, Index k, Eigen::Ref<Matrix> derivative) const override {
        if constexpr (HasPredictorMetric<D>) { // J' diag(w'_n J_nk) J
            Vector weights_at, slopes;
            density->metric_weights(x, b, weights_at, slopes);
            const Matrix& j = density->predictors();
            derivative = j.transpose() * slopes.cwiseProduct(j.col(k)).asDiagonal() * j;
        } else {
            density->metric_derivative(x, b, k, derivative);
        }
    }
    const Matrix* predictors() const override {
        if constexpr (HasPredictorMetric<D>)
            return &density->predictors();
        return nullptr;
    }
    void weights([[maybe_unused]] std::span<const double> x, [[maybe_unused]] double b,
                 [[maybe_unused]] Vector& weights_at, [[maybe_unused]] Vector& slopes) const override {
        if constexpr (HasPredictorMetric<D>)
            density->metric_weights(x, b, weights_at, slopes);
    }
    std::shared_ptr<const D> density;
};

template <HasApproximation D>
struct PosteriorApproximationOf final : PosteriorApproximation {
    explicit PosteriorApproximationOf(std::shared_ptr<const D> d) : density(std::move(d)) {}
    NormalApproximation approximation() const override { return density->approximation(); }
    std::shared_ptr<const D> density;
};

template <class D>
struct PointwiseLikelihoodOf final : PointwiseLikelihood {
    explicit PointwiseLikelihoodOf(std::shared_ptr<const D> d) : density(std::move(d)) {}
    Index data_points() const override { return density->data_points(); }
    void evaluate(const Matrix& points, Index n, Index from, Index to, Vector& log_prior,
                  Vector& log_likelihood) const override {
        if constexpr (HasPointwiseBlockDensity<D>)
            evaluate_columns<D>(points, n, log_prior, log_likelihood,
                                [&](const auto& columns, std::span<double> priors, std::span<double> likelihoods) {
                                    density->evaluate(columns, from, to, priors, likelihoods);
                                });
        else
            at_each_column(*density, points, n, [&](Index i, std::span<const double> x) {
                log_prior(i) = density->log_prior(x);
                if (log_prior(i) == log_zero)
                    log_likelihood(i) = log_zero;
                else
                    log_likelihood(i) = from == to ? 0 : density->log_likelihood(x, from, to);
            });
    }
    std::shared_ptr<const D> density;
};

} // namespace detail

/// D fulfils Density.
template <class D>
class DensityOf final : public DensityFunctions {
  public:
    explicit DensityOf(D density)
        : density_(std::make_shared<const D>(std::move(density))), names_(names_of(*density_)) {
        if constexpr ((HasBlockGradient<D> || HasGradient<D>)&&!HasEstimatedLikelihood<D>)
            offer<DensityGradient>(std::make_shared<detail::DensityGradientOf<D>>(density_));
        if constexpr ((HasMetric<D> || HasPredictorMetric<D>)&&!HasEstimatedLikelihood<D>)
            offer<DensityMetric>(std::make_shared<detail::DensityMetricOf<D>>(density_));
        if constexpr (HasApproximation<D>)
            offer<PosteriorApproximation>(std::make_shared<detail::PosteriorApproximationOf<D>>(density_));
        if constexpr (HasCost<D>)
            offer<PointCost>(std::make_shared<detail::PointCostOf<D>>(density_));
        if constexpr (HasEstimatorSize<D>)
            offer<EstimatorSize>(std::make_shared<detail::EstimatorSizeOf<D>>(density_));
        if constexpr (HasQuantities<D>)
            offer<ReportedQuantities>(std::make_shared<detail::ReportedQuantitiesOf<D>>(density_));
        else if constexpr (HasNaturalScale<D> || detail::HasNaturalParameters<D>)
            offer<ReportedQuantities>(std::make_shared<detail::NaturalQuantitiesOf<D>>(density_));
        if constexpr ((HasPointwiseLikelihood<D> || HasPointwiseBlockDensity<D>)&&!HasEstimatedLikelihood<D>)
            if (density_->data_points() > 0)
                offer_pointwise();
        if constexpr (HasLogLikelihoods<D> && !HasEstimatedLikelihood<D>)
            offer<PointLogLikelihoods>(std::make_shared<detail::PointLogLikelihoodsOf<D>>(density_));
        if constexpr (HasDataDescription<D>)
            offer<DescribedData>(std::make_shared<detail::DescribedDataOfDensity<D>>(density_));
        if constexpr (HasPriorScale<D>)
            offer<PriorScale>(std::make_shared<detail::PriorScaleOf<D>>(density_));
        if constexpr (HasPrediction<D>)
            offer<Predictive>(std::make_shared<detail::PredictiveOf<D>>(density_));
        if constexpr (HasHeldOutClasses<D>)
            if (auto classes = density_->held_out_classes())
                offer(std::move(classes));
        if constexpr (HasApproximations<D>)
            offer(density_->approximated());
    }

    const D& density() const { return *density_; }

    const std::vector<std::string>& parameter_names() const override { return names_; }
    void draw_prior(random::Stream& stream, std::span<double> x) const override { density_->draw_prior(stream, x); }

    void evaluate(const Matrix& points, Index n, const BlockStreams& streams, Vector& log_prior,
                  Vector& log_likelihood) const override {
        if constexpr (HasEstimatedLikelihood<D>) {
            const std::span<double> priors(log_prior.data(), static_cast<std::size_t>(n));
            const std::span<double> likelihoods(log_likelihood.data(), static_cast<std::size_t>(n));
            density_->estimate(points, streams, priors, likelihoods);
            detail::leave_out_impossible(priors, likelihoods);
        } else {
            detail::evaluate_points(*density_, points, n, log_prior, log_likelihood);
        }
    }

    bool is_estimated() const override { return HasEstimatedLikelihood<D>; }
    std::optional<double> log_prior_normaliser() const override {
        if constexpr (HasPriorNormaliser<D>)
            return density_->log_prior_normaliser();
        return 0.0;
    }
    std::optional<double> exact_log_ratio() const override {
        if constexpr (HasExactLogRatio<D>)
            return density_->exact_log_ratio();
        return {};
    }
    void fingerprint(Fingerprint& fingerprint) const override {
        if constexpr (HasFingerprint<D>)
            density_->fingerprint(fingerprint);
    }

  private:
    void offer_pointwise() {
        const auto likelihood = std::make_shared<detail::PointwiseLikelihoodOf<D>>(density_);
        offer<PointwiseLikelihood>(likelihood);
        if constexpr (!HasLogLikelihoods<D>)
            offer<PointLogLikelihoods>(std::make_shared<detail::LogLikelihoodsOfRuns>(likelihood));
    }
    static std::vector<std::string> names_of(const D& density) {
        require_density<D>();
        return density.parameter_names();
    }

    std::shared_ptr<const D> density_;
    std::vector<std::string> names_;
};

} // namespace pearlite::model
