#include "kernel/trajectory/local_metric.hpp"

#include "core/linear_algebra/linear_algebra.hpp"

namespace pearlite::kernel {

LocalMetric::LocalMetric(const model::DensityMetric& metric, Index dimension)
    : metric_(&metric),
      predictors_(metric.predictors()),
      x_(Vector::Zero(dimension)),
      volume_slope_(x_),
      g_(Matrix::Zero(dimension, dimension)),
      derivatives_(dimension, predictors_ ? 0 : dimension * dimension),
      product_(dimension * dimension) {}

bool LocalMetric::move_to(const Vector& x, double b) {
    if (!x.allFinite())
        return false;
    x_ = x;
    b_ = b;
    metric_->metric({x_.data(), static_cast<std::size_t>(x_.size())}, b_, g_);
    if (!g_.allFinite())
        return false;
    auto factor = cholesky_factor(g_);
    if (!factor)
        return false;
    factor_ = std::move(*factor);
    return true;
}

bool LocalMetric::differentiate() {
    const Index d = x_.size();
    if (predictors_) {
        differentiate_weights();
        return slopes_.allFinite();
    }
    for (Index k = 0; k < d; ++k)
        metric_->derivative({x_.data(), static_cast<std::size_t>(d)}, b_, k, derivatives_.middleCols(k * d, d));
    Matrix inverse = Matrix::Identity(d, d);
    factor_.triangularView<Eigen::Lower>().solveInPlace(inverse);
    inverse = (inverse.transpose() * inverse).eval();
    for (Index k = 0; k < d; ++k)
        volume_slope_(k) = 0.5 * inverse.cwiseProduct(derivatives_.middleCols(k * d, d)).sum();
    return derivatives_.allFinite();
}

// (1/2) tr(G^-1 dG/dx_k) = (1/2) sum_n s_n J_nk (J G^-1 J')_nn
void LocalMetric::differentiate_weights() {
    const Matrix& j = *predictors_;
    metric_->weights({x_.data(), static_cast<std::size_t>(x_.size())}, b_, weights_, slopes_);
    Matrix solved = j.transpose();
    factor_.triangularView<Eigen::Lower>().solveInPlace(solved);
    const Vector shares = 0.5 * solved.colwise().squaredNorm().transpose().cwiseProduct(slopes_);
    volume_slope_.noalias() = j.transpose() * shares;
}

void LocalMetric::velocity(const Vector& p, Vector& out) const {
    out = p;
    factor_.triangularView<Eigen::Lower>().solveInPlace(out);
    factor_.triangularView<Eigen::Lower>().transpose().solveInPlace(out);
}

Vector LocalMetric::momentum(const Vector& z) const {
    return factor_.triangularView<Eigen::Lower>() * z;
}

double LocalMetric::momentum_square(const Vector& p) const {
    return factor_.triangularView<Eigen::Lower>().solve(p).squaredNorm();
}

double LocalMetric::length(const Vector& shift) const {
    return (factor_.triangularView<Eigen::Lower>().transpose() * shift).norm();
}

Eigen::Map<const Matrix> LocalMetric::changes(const Vector& v) const {
    if (predictors_) {
        const Matrix& j = *predictors_;
        const Matrix scaled = slopes_.cwiseProduct(j * v).asDiagonal() * j;
        Eigen::Map<Matrix>(product_.data(), v.size(), v.size()).noalias() = j.transpose() * scaled;
    } else {
        product_.noalias() = derivatives_.transpose() * v;
    }
    return {product_.data(), v.size(), v.size()};
}

Vector LocalMetric::quadratic_changes(double factor, const Vector& v) const {
    if (!predictors_)
        return factor * (changes(v).transpose() * v);
    const Vector along = *predictors_ * v;
    const Vector terms = factor * slopes_.cwiseProduct(along.cwiseAbs2());
    return predictors_->transpose() * terms;
}

void LocalMetric::solve(Matrix& a) const {
    factor_.triangularView<Eigen::Lower>().solveInPlace(a);
    factor_.triangularView<Eigen::Lower>().transpose().solveInPlace(a);
}

} // namespace pearlite::kernel
