#pragma once
/// Densities, gradients and metrics of regressions, sixteen points side by side. Each response y_i depends on a single
/// linear predictor eta_i = x_i' beta, with beta ~ N((intercept_mean, 0, ...), prior_variance I).

#include "models/regression/generalised_regression_lanes.hpp"
#include "models/regression/responses.hpp"
#include "pearlite/core/detail/contract.hpp"
#include "pearlite/model/fingerprint.hpp"
#include "simd/instructions.hpp"

#include <cmath>
#include <span>
#include <string>
#include <vector>

namespace pearlite::models {

struct RegressionData {
    Matrix design;                  ///< X, n x p, with its intercept column, the first, if it has one
    Vector response;                ///< y, n
    std::vector<std::string> names; ///< p
    double prior_variance = 100;
    double intercept_mean = 0;          ///< of the prior of the first coefficient; that of the others is 0
    std::vector<Scaling> scalings = {}; ///< of covariates
    Observed observed = {};
    std::vector<std::string> priors = {}; ///< in words
};

/// `Regression` derives from this. It offers metric_weights() and, to this base alone, two kernels
/// (simd/instructions.hpp) on the predictors of rows that follow each other:
///
///     /// Adds log p(y | eta) of each row to the sum; with slopes, eta becomes its derivative by eta.
///     template <class Instructions, bool with_slopes>
///     void add_log_probabilities(Predictors& eta, Index first_row, Index rows, Lanes& sum) const;
///     /// The derivatives alone, in single precision.
///     template <class Instructions>
///     void take_slopes(SinglePredictors& eta, Index first_row, Index rows) const;
///
/// Its kernel source includes generalised_regression_kernels.hpp.
template <class Regression, class Data>
class GeneralisedRegression {
  public:
    std::vector<std::string> parameter_names() const { return data_.names; }
    void draw_prior(random::Stream& stream, std::span<double> x) const {
        for (double& value : x)
            value = std::sqrt(data_.prior_variance) * stream.normal();
        if (!x.empty())
            x.front() += data_.intercept_mean;
    }
    double log_prior_of_scale(std::span<const double> parameters, double scale) const {
        double sum = 0;
        for (std::size_t k = 0; k < parameters.size(); ++k)
            sum += log_normal_of_scale(parameters[k], k == 0 ? data_.intercept_mean : 0, data_.prior_variance, scale);
        return sum;
    }
    Index data_points() const { return data_.response.size(); }

    /// points: p x (a multiple of block_padding).
    static constexpr bool evaluates_padding = true;
    void evaluate(const Matrix& points, std::span<double> log_prior, std::span<double> log_likelihood) const {
        evaluate(points, 0, data_points(), log_prior, log_likelihood);
    }
    /// The log likelihood of the rows from .. to - 1 alone.
    void evaluate(const Matrix& points, Index from, Index to, std::span<double> log_prior,
                  std::span<double> log_likelihood) const;
    /// The same bits as evaluate.
    void evaluate_with_gradient(const Matrix& points, double b, std::span<double> log_prior,
                                std::span<double> log_likelihood, Eigen::Ref<Matrix> gradient) const;
    /// The gradient in single precision, to 1e-5 of the sum of its terms' sizes.
    void force(const Matrix& points, double b, Eigen::Ref<Matrix> force) const;

    /// The Hessian of the negative log density, or its expectation: X' W X + I/prior_variance, W by metric_weights().
    void metric(std::span<const double> x, double b, Eigen::Ref<Matrix> metric) const;
    const Matrix& predictors() const { return data_.design; }

  protected:
    using Lanes = regression_lanes::Lanes;
    using Predictors = regression_lanes::Predictors;
    using SinglePredictors = regression_lanes::SinglePredictors;

    /// Predictors are those of the rows of X times signs_of(data), n.
    GeneralisedRegression(Data data, Vector (*signs_of)(const Data&));
    Vector predictors_at(std::span<const double> x) const {
        return data_.design * Eigen::Map<const Vector>(x.data(), data_.design.cols());
    }

    Data data_;

  private:
    static constexpr Index lanes = regression_lanes::lanes;
    /// Numbers of sixteen points side by side, kept by a thread from call to call: nothing is allocated.
    struct Scratch {
        Eigen::Array<double, lanes, Eigen::Dynamic> coefficients, slopes;
    };
    struct ForceScratch {
        Eigen::Array<float, lanes, Eigen::Dynamic> coefficients, piece;
        Eigen::Array<double, lanes, Eigen::Dynamic> slopes;
    };
    Scratch& scratch() const;
    template <class Instructions, bool with_slopes>
    void evaluate_lanes(const Matrix& points, Index first, Index from, Index to, Scratch& scratch,
                        std::span<double> log_prior, std::span<double> log_likelihood) const;
    template <class Instructions>
    void force_lanes(const Matrix& points, Index first, ForceScratch& scratch) const;
    template <class Slopes>
    auto gradient_of(const Matrix& points, Index first, double b, const Slopes& slopes) const {
        return (points.middleCols<lanes>(first).colwise() - prior_mean_) * (-1 / data_.prior_variance) +
               b * slopes.leftCols(points.rows()).matrix().transpose();
    }
    void expect(const Matrix& points) const {
        PEARLITE_EXPECTS(points.rows() == data_.design.cols() && points.cols() % lanes == 0);
    }

    /// Column i is x_i with its sign, with zeros to a multiple of sums_abreast; columns of zeros follow, so that as
    /// many can be read abreast from any of them.
    Matrix rows_;
    Vector prior_mean_; ///< p
    /// The same in single precision.
    Eigen::Array<float, Eigen::Dynamic, Eigen::Dynamic> single_rows_;
};

template <class Regression, class Data>
GeneralisedRegression<Regression, Data>::GeneralisedRegression(Data data, Vector (*signs_of)(const Data&))
    : data_(std::move(data)),
      rows_(Matrix::Zero(simd::padded_to_sums<double>(data_.design.cols()),
                         data_.design.rows() + simd::sums_abreast<double> - 1)),
      single_rows_(decltype(single_rows_)::Zero(simd::padded_to_sums<float>(data_.design.cols()),
                                                data_.design.rows() + simd::sums_abreast<float> - 1)) {
    const Index p = data_.design.cols(), n = data_.design.rows();
    prior_mean_ = Vector::Zero(p);
    prior_mean_.head(std::min<Index>(p, 1)).setConstant(data_.intercept_mean);
    PEARLITE_EXPECTS(data_.response.size() == n && std::ssize(data_.names) == p && data_.prior_variance > 0);
    rows_.topLeftCorner(p, n) = (signs_of(data_).asDiagonal() * data_.design).transpose();
    single_rows_.topLeftCorner(p, n) = rows_.topLeftCorner(p, n).template cast<float>().array();
}

template <class Regression, class Data>
typename GeneralisedRegression<Regression, Data>::Scratch& GeneralisedRegression<Regression, Data>::scratch() const {
    static thread_local Scratch scratch;
    if (scratch.coefficients.cols() != data_.design.cols()) {
        scratch.coefficients.resize(lanes, data_.design.cols());
        scratch.slopes.resize(lanes, rows_.rows());
    }
    return scratch;
}

template <class Regression, class Data>
void GeneralisedRegression<Regression, Data>::evaluate(const Matrix& points, Index from, Index to,
                                                       std::span<double> log_prior,
                                                       std::span<double> log_likelihood) const {
    expect(points);
    Scratch& memory = scratch();
    simd::on_this_cpu([&](auto cpu) {
        for (Index first = 0; first < points.cols(); first += lanes)
            evaluate_lanes<decltype(cpu), false>(points, first, from, to, memory, log_prior, log_likelihood);
    });
}

template <class Regression, class Data>
void GeneralisedRegression<Regression, Data>::evaluate_with_gradient(const Matrix& points, double b,
                                                                     std::span<double> log_prior,
                                                                     std::span<double> log_likelihood,
                                                                     Eigen::Ref<Matrix> gradient) const {
    expect(points);
    Scratch& memory = scratch();
    simd::on_this_cpu([&](auto cpu) {
        for (Index first = 0; first < points.cols(); first += lanes) {
            evaluate_lanes<decltype(cpu), true>(points, first, 0, data_points(), memory, log_prior, log_likelihood);
            gradient.middleCols<lanes>(first) = gradient_of(points, first, b, memory.slopes);
        }
    });
}

template <class Regression, class Data>
void GeneralisedRegression<Regression, Data>::force(const Matrix& points, double b, Eigen::Ref<Matrix> force) const {
    expect(points);
    static thread_local ForceScratch memory;
    if (memory.coefficients.cols() != points.rows()) {
        memory.coefficients.resize(lanes, points.rows());
        memory.piece.resize(lanes, single_rows_.rows());
        memory.slopes.resize(lanes, single_rows_.rows());
    }
    simd::on_this_cpu([&](auto cpu) {
        for (Index first = 0; first < points.cols(); first += lanes) {
            force_lanes<decltype(cpu)>(points, first, memory);
            force.middleCols<lanes>(first) = gradient_of(points, first, b, memory.slopes);
        }
    });
}

template <class Regression, class Data>
void GeneralisedRegression<Regression, Data>::metric(std::span<const double> x, double b,
                                                     Eigen::Ref<Matrix> metric) const {
    Vector weights, slopes;
    static_cast<const Regression&>(*this).metric_weights(x, b, weights, slopes);
    const Matrix weighted = weights.asDiagonal() * data_.design;
    metric.noalias() = data_.design.transpose() * weighted;
    metric.diagonal().array() += 1 / data_.prior_variance;
}

} // namespace pearlite::models
