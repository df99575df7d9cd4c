#include "models/regression/poisson_regression.hpp"

#include "models/regression/responses.hpp"
#include "pearlite/core/detail/contract.hpp"
#include "simd/instructions.hpp"
#include "simd/lane_products.hpp"

#include <cmath>

namespace pearlite::models {

namespace {

/// Poisson, by the products of uniform numbers below a mean of 10 and by Hoermann's PTRS (1993) from there on.
double poisson(double mean, random::Stream& stream) {
    if (!(mean < 1e15))
        return mean;
    if (mean < 10) {
        const double limit = std::exp(-mean);
        double product = stream.uniform(), count = 0;
        for (; product > limit; product *= stream.uniform())
            ++count;
        return count;
    }
    const double log_mean = std::log(mean), b = 0.931 + 2.53 * std::sqrt(mean), a = -0.059 + 0.02483 * b;
    const double log_inverse_alpha = std::log(1.1239 + 1.1328 / (b - 3.4)), v_r = 0.9277 - 3.6224 / (b - 2);
    for (;;) {
        const double u = stream.uniform() - 0.5, v = stream.uniform(), us = 0.5 - std::abs(u);
        const double k = std::floor((2 * a / us + b) * u + mean + 0.43);
        if (us >= 0.07 && v <= v_r)
            return k;
        if (k < 0 || (us < 0.013 && v > us))
            continue;
        if (std::log(v) + log_inverse_alpha - std::log(a / (us * us) + b) <= k * log_mean - mean - std::lgamma(k + 1))
            return k;
    }
}

} // namespace

PoissonRegression::PoissonRegression(PoissonRegressionData data)
    : data_(std::move(data)),
      log_factorials_(data_.response.size()),
      rows_(Matrix::Zero(simd::padded_to_sums<double>(data_.design.cols()),
                         data_.design.rows() + simd::sums_abreast<double> - 1)) {
    PEARLITE_EXPECTS(data_.response.size() == data_.design.rows() && data_.exposure.size() == data_.design.rows() &&
                     static_cast<Index>(data_.names.size()) == data_.design.cols() && data_.prior_variance > 0 &&
                     data_.exposure.minCoeff() > 0 && data_.response.minCoeff() >= 0);
    for (Index i = 0; i < data_.response.size(); ++i) {
        log_factorials_(i) = std::lgamma(data_.response(i) + 1) - data_.response(i) * std::log(data_.exposure(i));
        rows_.col(i).head(data_.design.cols()) = data_.design.row(i).transpose();
    }
}

void PoissonRegression::draw_prior(random::Stream& stream, std::span<double> x) const {
    for (double& value : x)
        value = std::sqrt(data_.prior_variance) * stream.normal();
}

/// The scratch of this thread, kept from call to call: nothing is allocated.
PoissonRegression::Scratch& PoissonRegression::scratch_of(Index d) {
    static thread_local Scratch scratch;
    if (scratch.coefficients.cols() != d) {
        scratch.coefficients.resize(block_padding, d);
        scratch.slopes.resize(block_padding, simd::padded_to_sums<double>(d));
    }
    return scratch;
}

void PoissonRegression::evaluate(const Matrix& points, Index from, Index to, std::span<double> log_prior,
                                 std::span<double> log_likelihood) const {
    PEARLITE_EXPECTS(points.rows() == data_.design.cols() && points.cols() % block_padding == 0);
    Scratch& scratch = scratch_of(points.rows());
    simd::on_this_cpu([&](auto cpu) {
        for (Index first = 0; first < points.cols(); first += block_padding)
            evaluate_lanes<decltype(cpu), false>(points, first, from, to, scratch, log_prior, log_likelihood);
    });
}

void PoissonRegression::evaluate_with_gradient(const Matrix& points, double b, std::span<double> log_prior,
                                               std::span<double> log_likelihood, Eigen::Ref<Matrix> gradient) const {
    PEARLITE_EXPECTS(points.rows() == data_.design.cols() && points.cols() % block_padding == 0);
    Scratch& scratch = scratch_of(points.rows());
    for (Index first = 0; first < points.cols(); first += block_padding) {
        simd::on_this_cpu([&](auto cpu) {
            evaluate_lanes<decltype(cpu), true>(points, first, 0, data_points(), scratch, log_prior, log_likelihood);
        });
        gradient.middleCols<block_padding>(first) =
            points.middleCols<block_padding>(first) * (-1 / data_.prior_variance) +
            b * scratch.slopes.leftCols(points.rows()).matrix().transpose();
    }
}

Vector PoissonRegression::means(std::span<const double> x) const {
    const Vector point = Eigen::Map<const Vector>(x.data(), data_.design.cols());
    return data_.exposure.array() * (data_.design * point).array().exp();
}

void PoissonRegression::metric(std::span<const double> x, double b, Eigen::Ref<Matrix> metric) const {
    const Matrix weighted = (b * means(x)).asDiagonal() * data_.design;
    metric.noalias() = data_.design.transpose() * weighted;
    metric.diagonal().array() += 1 / data_.prior_variance;
}

void PoissonRegression::metric_weights(std::span<const double> x, double b, Vector& weights, Vector& slopes) const {
    weights = b * means(x);
    slopes = weights;
}

model::Prediction PoissonRegression::predict(std::span<const double> u, Index samples,
                                             const random::Address& address) const {
    return responses(means(u), samples, address,
                     [](double mean, random::Stream& stream) { return poisson(mean, stream); });
}

model::DataDescription PoissonRegression::describe_data() const {
    auto description = describe_regression(data_.design, data_.response, data_.names, data_.scalings);
    description.observed.front().is_whole = true;
    description.constant.push_back(labelled("exposure", {"row", data_.exposure.size()}, data_.exposure));
    return description;
}

void PoissonRegression::fingerprint(model::Fingerprint& fingerprint) const {
    fingerprint.add("poisson-regression");
    for (const auto& [numbers, size] :
         {std::pair{data_.design.data(), data_.design.size()}, std::pair{data_.response.data(), data_.response.size()},
          std::pair{data_.exposure.data(), data_.exposure.size()}})
        fingerprint.add(std::span(numbers, static_cast<std::size_t>(size)));
    fingerprint.add(data_.prior_variance);
}

} // namespace pearlite::models
