#include "path/bridge/joint_density.hpp"

#include "pearlite/core/detail/contract.hpp"
#include "pearlite/core/error.hpp"

#include <algorithm>
#include <cmath>

namespace pearlite::path {

namespace {

/// x + h_k e_k in column k, x - h_k e_k in column d + k.
Matrix neighbours(const Vector& x, const Vector& h) {
    const Index d = x.size();
    Matrix points = x.replicate(1, 2 * d);
    for (Index k = 0; k < d; ++k) {
        points(k, k) += h(k);
        points(k, d + k) -= h(k);
    }
    return points;
}

/// The columns from `first` on as a block: n of them, the last one again as padding.
Index cut_block(const Matrix& points, Index first, Matrix& block) {
    const Index n = std::min(block_padding, points.cols() - first);
    block.resize(points.rows(), block_padding);
    for (Index i = 0; i < block_padding; ++i)
        block.col(i) = points.col(first + std::min(i, n - 1));
    return n;
}

} // namespace

JointDensity::JointDensity(const model::DensityFunctions& density)
    : density_(density), gradient_(density.offers<model::DensityGradient>()) {
    PEARLITE_EXPECTS(!density.is_estimated());
}

Vector JointDensity::operator()(const Matrix& points) const {
    Vector values(points.cols());
    Matrix block;
    Vector log_prior(block_padding), log_likelihood(block_padding);
    for (Index first = 0; first < points.cols(); first += block_padding) {
        const Index n = cut_block(points, first, block);
        density_.evaluate(block, n, {}, log_prior, log_likelihood);
        for (Index i = 0; i < n; ++i) {
            const double value = log_prior(i) + log_likelihood(i);
            values(first + i) = std::isfinite(value) ? value : -infinity;
        }
    }
    evaluations_ += points.cols();
    return values;
}

double JointDensity::operator()(std::span<const double> x) const {
    return (*this)(Eigen::Map<const Matrix>(x.data(), dimension(), 1))(0);
}

Matrix JointDensity::gradients(const Matrix& points) const {
    Matrix all(points.rows(), points.cols()), block, gradient(points.rows(), block_padding);
    Vector log_prior(block_padding), log_likelihood(block_padding);
    for (Index first = 0; first < points.cols(); first += block_padding) {
        const Index n = cut_block(points, first, block);
        gradient_->evaluate(block, n, 1, log_prior, log_likelihood, gradient);
        all.middleCols(first, n) = gradient.leftCols(n);
        for (Index i = 0; i < n; ++i)
            if (!std::isfinite(log_prior(i) + log_likelihood(i)))
                all.col(first + i).setConstant(std::numeric_limits<double>::quiet_NaN());
    }
    evaluations_ += points.cols();
    return all;
}

void JointDensity::gradient(std::span<const double> x, std::span<double> gradient) const {
    const Vector point = Eigen::Map<const Vector>(x.data(), dimension());
    if (gradient_) {
        const Vector own = gradients(point);
        std::copy(own.begin(), own.end(), gradient.begin());
    } else {
        difference_gradient(point, gradient);
    }
}

void JointDensity::difference_gradient(const Vector& point, std::span<double> gradient) const {
    static const double step = std::cbrt(std::numeric_limits<double>::epsilon());
    const Index d = dimension();
    const Vector h = step * point.cwiseAbs().cwiseMax(1.0);
    const Matrix points = neighbours(point, h);
    const Vector values = (*this)(points);
    const double here = values.allFinite() ? 0 : (*this)(std::span<const double>(point.data(), at(d)));
    for (Index k = 0; k < d; ++k) {
        const bool has_above = std::isfinite(values(k)), has_below = std::isfinite(values(d + k));
        const double above = has_above ? values(k) : here, below = has_below ? values(d + k) : here;
        const double high = has_above ? points(k, k) : point(k), low = has_below ? points(k, d + k) : point(k);
        gradient[at(k)] = low < high ? (above - below) / (high - low) : 0;
    }
}

Vector JointDensity::steps(const Vector& x) const {
    constexpr double smallest = 1e-4, of_deviation = 0.1;
    const Index d = dimension();
    const double here = (*this)(std::span<const double>(x.data(), at(d)));
    Vector h = smallest * x.cwiseAbs().cwiseMax(1.0);
    for (int round = 0; round < 4; ++round) {
        const Vector values = (*this)(neighbours(x, h));
        for (Index k = 0; k < d; ++k) {
            const double fall = 2 * here - values(k) - values(d + k); // h^2 times the curvature
            const double rounding = 1e-13 * (1 + std::abs(here));
            if (!std::isfinite(fall))
                h(k) /= 16;
            else if (fall > rounding)
                h(k) *= std::min(of_deviation / std::sqrt(fall), 64.0);
            else
                h(k) *= 16;
        }
    }
    return h;
}

Matrix JointDensity::curvature(const Vector& x) const {
    const Vector h = steps(x);
    if (!gradient_)
        return difference_curvature(x, h);
    const Index d = dimension();
    const Matrix slopes = gradients(neighbours(x, h));
    Matrix curvature(d, d);
    for (Index k = 0; k < d; ++k)
        curvature.col(k) = (slopes.col(d + k) - slopes.col(k)) / (2 * h(k));
    return 0.5 * (curvature + curvature.transpose());
}

Matrix JointDensity::difference_curvature(const Vector& x, const Vector& h) const {
    const Index d = dimension();
    const double here = (*this)(std::span<const double>(x.data(), at(d)));
    const Vector near = (*this)(neighbours(x, h));
    Matrix curvature(d, d);
    for (Index k = 0; k < d; ++k) {
        curvature(k, k) = (2 * here - near(k) - near(d + k)) / (h(k) * h(k));
        Matrix both = x.replicate(1, 2 * k); // along the diagonals of each plane
        for (Index l = 0; l < k; ++l) {
            both(k, l) += h(k);
            both(l, l) += h(l);
            both(k, k + l) -= h(k);
            both(l, k + l) -= h(l);
        }
        const Vector diagonal = (*this)(both);
        for (Index l = 0; l < k; ++l)
            curvature(k, l) = curvature(l, k) =
                (near(k) + near(d + k) + near(l) + near(d + l) - 2 * here - diagonal(l) - diagonal(k + l)) /
                (2 * h(k) * h(l));
    }
    return curvature;
}

Vector JointDensity::start(const random::Seed& seed, Index number) const {
    constexpr std::uint32_t most_draws = 1000;
    Vector x(dimension());
    for (std::uint32_t draw = 0; draw < most_draws; ++draw) {
        random::Stream stream({seed, random::Purpose::start, static_cast<std::uint64_t>(number), draw});
        const std::span<double> point(x.data(), at(dimension()));
        density_.draw_prior(stream, point);
        if (std::isfinite((*this)(point)))
            return x;
    }
    throw NumericalError("the reference of the path cannot be fitted: none of 1000 draws from the prior has a positive "
                         "density under the posterior");
}

} // namespace pearlite::path
