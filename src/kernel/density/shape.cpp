#include "kernel/density/shape.hpp"

#include "core/linear_algebra/linear_algebra.hpp"
#include "pearlite/path/detail/density_path.hpp"

#include <algorithm>
#include <cmath>

namespace pearlite::kernel {

Shape::Shape(Vector mean, Matrix factor) : mean_(std::move(mean)), factor_(std::move(factor)) {
    if (!is_diagonal())
        products_ = simd::TriangularFactor(factor_);
}

void Shape::scale(const Matrix& x, Matrix& out) const {
    if (is_diagonal())
        out.noalias() = factor_.col(0).asDiagonal() * x;
    else
        products_.multiply(x, out);
}

void Shape::scale_transposed(const Matrix& x, Matrix& out) const {
    if (is_diagonal())
        out.noalias() = factor_.col(0).asDiagonal() * x;
    else
        products_.multiply_transposed(x, out);
}

void Shape::whiten(Eigen::Ref<Matrix> x) const {
    if (is_diagonal())
        x = factor_.col(0).cwiseInverse().asDiagonal() * x;
    else
        products_.solve(x);
}

void Shape::write(std::span<double> out) const {
    PEARLITE_EXPECTS(static_cast<Index>(out.size()) == numbers(dimension(), is_diagonal()));
    const auto rest = std::copy(mean_.begin(), mean_.end(), out.begin());
    std::copy(factor_.data(), factor_.data() + factor_.size(), rest);
}

Shape Shape::read(std::span<const double> numbers, Index dimension, bool is_diagonal) {
    PEARLITE_EXPECTS(static_cast<Index>(numbers.size()) == Shape::numbers(dimension, is_diagonal));
    return {Eigen::Map<const Vector>(numbers.data(), dimension),
            Eigen::Map<const Matrix>(numbers.data() + dimension, dimension, is_diagonal ? 1 : dimension)};
}

Shape Shape::standard(Index dimension, bool is_diagonal) {
    return {Vector::Zero(dimension),
            is_diagonal ? Matrix(Matrix::Ones(dimension, 1)) : Matrix(Matrix::Identity(dimension, dimension))};
}

namespace {

bool is_usable(double variance) {
    return std::isfinite(variance) && variance > 0;
}

/// L^-1 C L^-T for a lower triangular L.
Matrix in_units_of(const Matrix& scale, const Matrix& covariance) {
    const auto lower = scale.triangularView<Eigen::Lower>();
    return lower.solve(lower.solve(covariance).transpose());
}

/// Standard deviations, those of `fallback` where a variance is not usable.
Matrix deviations(const Vector& variances, const Matrix& fallback) {
    Matrix result = fallback;
    for (Index k = 0; k < variances.size(); ++k)
        if (is_usable(variances(k)))
            result(k, 0) = std::sqrt(variances(k));
    return result;
}

} // namespace

Shape shape_of(const parallel::Communicator& ranks, const population::Generation& generation, const Shape& fallback,
               const population::WeightSummary* known, const Matrix* scale) {
    const auto& layout = generation.layout();
    const Index d = fallback.dimension();
    Matrix points(d, generation.local_size());
    for (Index b = 0; b < generation.local_blocks(); ++b) {
        const auto& block = path::points_of(generation.block(b));
        points.middleCols(generation.block_begin(b), block.size()) = block.points.leftCols(block.size());
    }
    const auto weights = known ? *known : population::summarise(ranks, layout, generation.log_weights());
    if (fallback.is_diagonal()) {
        const auto [mean, variances] =
            population::weighted_variances(ranks, layout, generation.log_weights(), weights.log_max, points);
        return {mean, deviations(variances, fallback.factor())};
    }
    const auto moments = population::weighted_moments(ranks, layout, generation.log_weights(), weights.log_max, points);
    return {moments.mean,
            covariance_factor(shrunk_covariance(moments.covariance, weights.ess, scale), fallback.factor())};
}

Matrix shrunk_covariance(const Matrix& covariance, double n, const Matrix* scale) {
    PEARLITE_EXPECTS(covariance.rows() == covariance.cols());
    if (scale) {
        const Matrix shrunk = *scale * shrunk_covariance(in_units_of(*scale, covariance), n) * scale->transpose();
        return 0.5 * (shrunk + shrunk.transpose());
    }
    const Vector variances = covariance.diagonal();
    double noise = 0, squares = 0;
    for (Index j = 1; j < covariance.cols(); ++j)
        for (Index i = 0; i < j; ++i) {
            const double square = covariance(i, j) * covariance(i, j) / (variances(i) * variances(j));
            squares += square;
            noise += (1 - square) * (1 - square) / n;
        }
    if (!(squares > 0 && std::isfinite(noise)))
        return covariance;
    Matrix result = (1 - std::min(1.0, noise / squares)) * covariance;
    result.diagonal() = variances;
    return result;
}

Matrix covariance_factor(const Matrix& covariance, const Matrix& fallback) {
    const Index d = covariance.rows();
    PEARLITE_EXPECTS(covariance.cols() == d && fallback.rows() == d && fallback.cols() == d);
    // Factor the correlations, so that "not positive definite" does not depend on the parameters' units.
    const Vector sd = covariance.diagonal().cwiseMax(0.0).cwiseSqrt();
    const bool usable = covariance.allFinite() && (sd.array() > 0).all();
    if (usable) {
        const Vector inverse_sd = sd.cwiseInverse();
        const auto lower = cholesky_factor(inverse_sd.asDiagonal() * covariance * inverse_sd.asDiagonal());
        if (lower && lower->diagonal().minCoeff() > 1e-6)
            return sd.asDiagonal() * *lower;
    }
    Matrix factor = fallback;
    for (Index k = 0; k < d; ++k)
        if (std::isfinite(sd(k)) && sd(k) > 0) {
            factor.row(k).setZero();
            factor(k, k) = sd(k);
        }
    return factor;
}

bool is_diagonal(Covariance wanted, Index dimension, Index particles) {
    constexpr Index largest_full = 200;
    if (wanted == Covariance::automatic)
        return dimension > largest_full || particles <= 5 * dimension;
    return wanted == Covariance::diagonal;
}

} // namespace pearlite::kernel
