#include "core/linear_algebra/linear_algebra.hpp"

#include "pearlite/core/detail/contract.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>

namespace pearlite {

Moments weighted_moments(const Matrix& points, std::span<const double> weights) {
    PEARLITE_EXPECTS(points.cols() == static_cast<Index>(weights.size()));
    const Vector w = Eigen::Map<const Vector>(weights.data(), points.cols()); // sums of a map depend on its alignment
    Vector mean = points * w / w.sum();
    const Matrix centred = points.colwise() - mean;
    Matrix covariance = centred * w.asDiagonal() * centred.transpose() / w.sum();
    return {std::move(mean), std::move(covariance)};
}

Matrix product(double factor, const Matrix& a, const Matrix& b) {
    return factor * (a * b);
}

Matrix row_products(const Matrix& a) {
    return a * a.transpose();
}

Matrix column_products(const Matrix& a) {
    return a.transpose() * a;
}

Vector symmetric_eigenvalues(const Matrix& symmetric) {
    return Eigen::SelfAdjointEigenSolver<Matrix>(symmetric, Eigen::EigenvaluesOnly).eigenvalues();
}

Matrix symmetric_eigenvectors(const Matrix& symmetric) {
    return Eigen::SelfAdjointEigenSolver<Matrix>(symmetric).eigenvectors();
}

std::optional<Matrix> cholesky_factor(const Matrix& symmetric) {
    const Eigen::LLT<Matrix> factor(symmetric);
    if (factor.info() != Eigen::Success)
        return std::nullopt;
    return factor.matrixL();
}

Vector cholesky_solution(const Matrix& lower, const Vector& b) {
    Vector x = lower.triangularView<Eigen::Lower>().solve(b);
    lower.triangularView<Eigen::Lower>().transpose().solveInPlace(x);
    return x;
}

void lower_product(const Matrix& lower, const Matrix& x, Matrix& out) {
    out.noalias() = lower.triangularView<Eigen::Lower>() * x;
}

void lower_transposed_product(const Matrix& lower, const Matrix& x, Matrix& out) {
    out.noalias() = lower.triangularView<Eigen::Lower>().transpose() * x;
}

void solve_lower(const Matrix& lower, Eigen::Ref<Matrix> x) {
    lower.triangularView<Eigen::Lower>().solveInPlace(x);
}

Matrix inverse(const Matrix& square) {
    return Eigen::PartialPivLU<Matrix>(square).inverse();
}

Vector least_squares(const Matrix& a, const Vector& b) {
    return a.completeOrthogonalDecomposition().solve(b);
}

} // namespace pearlite
