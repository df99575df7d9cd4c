#include "random/student_mixture.hpp"

#include "core/linear_algebra/linear_algebra.hpp"
#include "core/log_space.hpp"
#include "core/moments.hpp"
#include "pearlite/core/detail/contract.hpp"
#include "random/weighted_clusters.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace pearlite::random {

namespace {

constexpr double smallest_share = 0.005;

/// Lower factor of a scale matrix; of its diagonal, if it is not positive definite.
Matrix factor_of(const Matrix& scale) {
    if (const auto factor = cholesky_factor(scale); factor && factor->diagonal().minCoeff() > 0)
        return *factor;
    const double smallest = 1e-12 * std::max(scale.diagonal().maxCoeff(), 1e-300);
    return scale.diagonal().cwiseMax(smallest).cwiseSqrt().asDiagonal();
}

/// Scale matrix over covariance, for df > 2.
double scale_over_variance(double df) {
    return std::isinf(df) ? 1 : (df - 2) / df;
}

/// share x -2 d log density/d distance of one component of d dimensions, at a squared Mahalanobis distance.
double scaled_share(double share, double df, double d, double distance) {
    return std::isinf(df) ? share : share * (df + d) / (df + distance);
}

/// log of a standard density at the origin.
double log_peak(double df, double d) {
    if (std::isinf(df))
        return -0.5 * d * std::log(2 * std::numbers::pi);
    return std::lgamma((df + d) / 2) - std::lgamma(df / 2) - 0.5 * d * std::log(df * std::numbers::pi);
}

/// log of a standard density of d dimensions over its peak, at a squared Mahalanobis distance.
double log_shape(double df, double d, double distance) {
    return std::isinf(df) ? -0.5 * distance : -0.5 * (df + d) * std::log1p(distance / df);
}

} // namespace

StudentMixture::StudentMixture(std::vector<Component> components, double df)
    : components_(std::move(components)), df_(df) {
    PEARLITE_EXPECTS(!components_.empty() && df > 2);
    const Index d = dimension();
    double total = 0;
    for (const auto& component : components_) {
        PEARLITE_EXPECTS(component.weight > 0 && component.mean.size() == d && component.factor.rows() == d &&
                         component.factor.cols() == d);
        total += component.weight;
    }
    for (auto& component : components_)
        component.weight /= total;
    prepare();
}

void StudentMixture::prepare() {
    const double peak = log_peak(df_, static_cast<double>(dimension()));
    prepared_.clear();
    for (const auto& component : components_)
        prepared_.emplace_back(component, peak);
}

StudentMixture::Prepared::Prepared(const Component& component, double log_peak)
    : log_constant(std::log(component.weight) + log_peak - component.factor.diagonal().array().log().sum()) {
    if (component.factor.isDiagonal(0))
        inverse_diagonal = component.factor.diagonal().cwiseInverse();
    else
        factor = simd::TriangularFactor(component.factor);
}

// They are references. NOLINTBEGIN(performance-unnecessary-value-param)
void StudentMixture::Prepared::solve(Eigen::Ref<Matrix> x) const {
    if (inverse_diagonal.size() > 0)
        x.array().colwise() *= inverse_diagonal.array();
    else
        factor.solve(x);
}

void StudentMixture::Prepared::solve_transposed(Eigen::Ref<Matrix> x) const {
    if (inverse_diagonal.size() > 0)
        x.array().colwise() *= inverse_diagonal.array();
    else
        factor.solve_transposed(x);
}
// NOLINTEND(performance-unnecessary-value-param)

StudentMixture StudentMixture::fit(const Matrix& points, std::span<const double> weights, Index components, double df,
                                   int iterations, Scales scales) {
    PEARLITE_EXPECTS(points.cols() == static_cast<Index>(weights.size()) && points.cols() >= 2 && components >= 1);
    // A t distribution of this scale has that covariance.
    if (components == 1) {
        const auto [mean, covariance] = weighted_moments(points, weights);
        return StudentMixture({{1, mean, factor_of(scale_over_variance(df) * covariance)}}, df);
    }
    const auto clusters = clusters_of(points, weights, components);
    const Matrix factor = factor_of(scale_over_variance(df) * clusters.covariance);
    std::vector<Component> starts;
    for (Index k = 0; k < clusters.means.cols(); ++k)
        starts.push_back({clusters.weights[at(k)], clusters.means.col(k), factor});
    StudentMixture mixture(std::move(starts), df);
    for (int k = 0; k < iterations; ++k) {
        std::vector<double> sums(mixture.statistics_size(), 0.0);
        for (Index i = 0; i < points.cols(); ++i)
            mixture.add_statistics({points.col(i).data(), static_cast<std::size_t>(points.rows())}, weights[at(i)],
                                   sums);
        mixture = scales == Scales::own ? mixture.updated(sums) : mixture.updated(sums).with_common_scale();
    }
    return mixture;
}

StudentMixture StudentMixture::with_common_scale() const {
    Matrix scale = Matrix::Zero(dimension(), dimension());
    for (const auto& component : components_)
        scale += component.weight * row_products(component.factor);
    auto components = components_;
    for (auto& component : components)
        component.factor = factor_of(scale);
    return StudentMixture(std::move(components), df_);
}

void StudentMixture::draw(Stream& stream, std::span<double> x) const {
    std::vector<double> weights;
    for (const auto& component : components_)
        weights.push_back(component.weight);
    const auto& component = components_[static_cast<std::size_t>(stream.categorical(weights))];
    Vector z(dimension());
    for (double& value : z)
        value = stream.normal();
    if (!std::isinf(df_))
        z /= std::sqrt(2 * stream.gamma(df_ / 2) / df_);
    Eigen::Map<Vector>(x.data(), dimension()) = component.mean + component.factor.triangularView<Eigen::Lower>() * z;
}

StudentMixture::Terms StudentMixture::terms(std::size_t component, const Eigen::Ref<const Matrix>& points) const {
    const auto d = static_cast<double>(dimension());
    const auto& prepared = prepared_[component];
    Terms terms{points.colwise() - components_[component].mean, Vector(points.cols()), Vector(points.cols())};
    prepared.solve(terms.standardised);
    for (Index i = 0; i < points.cols(); ++i) {
        terms.distances[i] = terms.standardised.col(i).squaredNorm();
        terms.logs[i] = prepared.log_constant + log_shape(df_, d, terms.distances[i]);
    }
    return terms;
}

std::vector<StudentMixture::Terms> StudentMixture::all_terms(const Eigen::Ref<const Matrix>& points,
                                                             std::span<double> out) const {
    PEARLITE_EXPECTS(points.rows() == dimension() && static_cast<Index>(out.size()) == points.cols());
    std::vector<Terms> all;
    for (std::size_t k = 0; k < components_.size(); ++k)
        all.push_back(terms(k, points));
    std::vector<double> logs(components_.size());
    for (Index i = 0; i < points.cols(); ++i) {
        std::ranges::transform(all, logs.begin(), [i](const Terms& terms) { return terms.logs[i]; });
        out[at(i)] = log_sum_exp(logs);
    }
    return all;
}

std::vector<double> StudentMixture::log_terms(std::span<const double> x) const {
    std::vector<double> logs;
    for (std::size_t k = 0; k < components_.size(); ++k)
        logs.push_back(terms(k, Eigen::Map<const Matrix>(x.data(), dimension(), 1)).logs[0]);
    return logs;
}

double StudentMixture::log_density(std::span<const double> x) const {
    double log_density = 0;
    log_densities(Eigen::Map<const Matrix>(x.data(), dimension(), 1), {&log_density, 1});
    return log_density;
}

void StudentMixture::log_densities(const Eigen::Ref<const Matrix>& points, std::span<double> out) const {
    all_terms(points, out);
}

void StudentMixture::log_densities(const Eigen::Ref<const Matrix>& points, std::span<double> out,
                                   // It is a reference. NOLINTNEXTLINE(performance-unnecessary-value-param)
                                   Eigen::Ref<Matrix> gradients) const {
    auto all = all_terms(points, out);
    gradients.setZero();
    for (std::size_t k = 0; k < all.size(); ++k) {
        auto& [slopes, logs, distances] = all[k];
        prepared_[k].solve_transposed(slopes);
        for (Index i = 0; i < points.cols(); ++i)
            if (const double share = std::exp(logs[i] - out[at(i)]); share > 0)
                gradients.col(i) -=
                    scaled_share(share, df_, static_cast<double>(dimension()), distances[i]) * slopes.col(i);
    }
}

Vector StudentMixture::mean() const {
    Vector mean = Vector::Zero(dimension());
    for (const auto& component : components_)
        mean += component.weight * component.mean;
    return mean;
}

Matrix StudentMixture::covariance() const {
    const Vector centre = mean();
    Matrix covariance = Matrix::Zero(dimension(), dimension());
    for (const auto& component : components_) {
        const Vector shift = component.mean - centre;
        covariance += component.weight / scale_over_variance(df_) * row_products(component.factor);
        covariance += component.weight * shift * shift.transpose();
    }
    return covariance;
}

StudentMixture StudentMixture::merged() const {
    if (components_.size() == 1)
        return *this;
    return StudentMixture({{1, mean(), factor_of(scale_over_variance(df_) * covariance())}}, df_);
}

StudentMixture StudentMixture::inflated(double factor) const {
    PEARLITE_EXPECTS(factor > 0);
    auto components = components_;
    for (auto& component : components)
        component.factor *= std::sqrt(factor);
    return StudentMixture(std::move(components), df_);
}

std::size_t StudentMixture::statistics_size() const {
    const auto d = static_cast<std::size_t>(dimension());
    return components_.size() * (2 + d + d * d);
}

void StudentMixture::add_statistics(std::span<const double> x, double weight, std::span<double> sums) const {
    PEARLITE_EXPECTS(sums.size() == statistics_size());
    double total = 0;
    const auto all = all_terms(Eigen::Map<const Matrix>(x.data(), dimension(), 1), {&total, 1});
    const Index d = dimension();
    const Eigen::Map<const Vector> point(x.data(), d);
    double* sum = sums.data();
    for (std::size_t k = 0; k < components_.size(); ++k) {
        const double share = weight * std::exp(all[k].logs[0] - total);
        const double scaled = scaled_share(share, df_, static_cast<double>(d), all[k].distances[0]);
        const Vector y = point - components_[k].mean; // centred, so that squares do not cancel
        *sum++ += share;
        *sum++ += scaled;
        Eigen::Map<Vector>(sum, d) += scaled * y;
        sum += d;
        Eigen::Map<Matrix>(sum, d, d).noalias() += scaled * y * y.transpose();
        sum += d * d;
    }
}

StudentMixture StudentMixture::updated(std::span<const double> sums) const {
    PEARLITE_EXPECTS(sums.size() == statistics_size());
    const Index d = dimension();
    const std::size_t stride = sums.size() / components_.size();
    double total = 0;
    for (std::size_t k = 0; k < components_.size(); ++k)
        total += sums[k * stride];
    std::vector<Component> next;
    for (std::size_t k = 0; k < components_.size(); ++k) {
        const double* sum = sums.data() + k * stride;
        const double share = sum[0], scaled = sum[1];
        if (!(share > smallest_share * total) || !(scaled > 0))
            continue;
        const Vector shift = Eigen::Map<const Vector>(sum + 2, d) / scaled;
        const Matrix squares = Eigen::Map<const Matrix>(sum + 2 + d, d, d);
        const Matrix scale = (squares - scaled * shift * shift.transpose()) / share;
        next.push_back({share / total, components_[k].mean + shift, factor_of(scale)});
    }
    return next.empty() ? *this : StudentMixture(std::move(next), df_);
}

std::vector<double> StudentMixture::values() const {
    std::vector<double> values{df_};
    for (const auto& component : components_) {
        values.push_back(component.weight);
        values.insert(values.end(), component.mean.begin(), component.mean.end());
        values.insert(values.end(), component.factor.data(), component.factor.data() + component.factor.size());
    }
    return values;
}

StudentMixture StudentMixture::from_values(std::span<const double> values, Index dimension) {
    const auto stride = static_cast<std::size_t>(1 + dimension + dimension * dimension);
    PEARLITE_EXPECTS(values.size() > 1 && (values.size() - 1) % stride == 0);
    std::vector<Component> components;
    for (std::size_t k = 1; k < values.size(); k += stride) {
        const double* at = values.data() + k;
        components.push_back({at[0], Eigen::Map<const Vector>(at + 1, dimension),
                              Eigen::Map<const Matrix>(at + 1 + dimension, dimension, dimension)});
    }
    StudentMixture mixture(std::move(components), values[0]);
    // Weights that sum to 1 but for rounding change by rounding if they are divided by their sum.
    for (std::size_t k = 0; k < mixture.components_.size(); ++k)
        mixture.components_[k].weight = values[1 + k * stride];
    mixture.prepare();
    return mixture;
}

} // namespace pearlite::random
